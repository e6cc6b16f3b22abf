"""Searches among models of numbers."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from sfplearn import SFPRegressor, SFPSearchCV
from sfplearn.tuning.candidates import Shape, kind_of
from sfplearn.tuning.numbers import number_pool


def test_regressors_have_a_pool_of_their_own():
    data, y = make_friedman1(150, 5, noise=0.5, random_state=0)
    train, new = slice(0, 100), slice(100, None)
    found = SFPSearchCV(SFPRegressor(), cv=3, random_state=0).fit(data[train], y[train])
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    plain = SFPRegressor(refine=0, random_state=0).fit(data[train], y[train])
    assert found.score(data[new], y[new]) > plain.score(data[new], y[new]) + 0.1


@pytest.mark.parametrize(
    ("loss", "kinds"),
    [
        ("squared_error", {"clusters", "kernel", "linear", "refined"}),
        ("huber", {"clusters", "refined"}),
    ],
)
def test_losses_get_the_models_of_numbers_that_go_with_them(loss, kinds):
    pool = list(number_pool(Shape(n_rows=90, n_features=4, n_classes=2), loss))
    assert {kind_of(candidate) for candidate in pool} == kinds
    assert len({repr(candidate) for candidate in pool}) == len(pool)
    assert max(candidate["n_clusters"] for candidate in pool) <= 90 // 3
