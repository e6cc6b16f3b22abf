"""Candidates suit the rows that reach the last step of a pipeline."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sfplearn import SFPClassifier, SFPSearchCV
from sfplearn.tuning.plan import make_plan
from sfplearn.tuning.shape import shape_of

RANDOM = np.random.default_rng(0)
Y = np.tile([0, 1], 30)
TOWNS = pd.DataFrame({"town": [f"t{i % 7}" for i in range(60)], "street": ["a", "b", "c"] * 20})
TEXTS = [f"{'good' if label else 'bad'} word{i % 5}" for i, label in enumerate(Y)]
MODEL = SFPClassifier(random_state=0)


def shape(estimator, X, weight=None):
    return shape_of(make_plan(SFPSearchCV(estimator, cv=3), X, Y, weight, None).trials)


def test_columns_are_those_that_the_last_step_gets():
    dense = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    assert shape(make_pipeline(dense, StandardScaler(), MODEL), TOWNS)[:4] == (40, 10, 2, True)


def test_rows_are_sparse_if_an_earlier_step_makes_them_so():
    found = shape(make_pipeline(OneHotEncoder(handle_unknown="ignore"), MODEL), TOWNS)
    assert found.n_features == 10
    assert not found.is_dense


@pytest.mark.parametrize("wrapped", [False, True])
def test_cells_may_be_missing_if_the_last_step_allows_it(wrapped):
    model = SFPClassifier(allow_nan=True)
    X = RANDOM.standard_normal((60, 3))
    assert not shape(make_pipeline(StandardScaler(), model) if wrapped else model, X).is_complete


def test_rows_that_weigh_nothing_do_not_count():
    weight = np.repeat([0.0, 1.0], 30)
    assert shape(MODEL, RANDOM.standard_normal((60, 3)), weight).n_rows <= 22


@pytest.mark.parametrize(
    ("rows", "take_apart"),
    [(TEXTS, CountVectorizer()), ([{"t": t} for t in TEXTS], DictVectorizer())],
)
@pytest.mark.filterwarnings("error:.*candidates failed")
def test_what_has_no_columns_can_be_searched(rows, take_apart):
    search = SFPSearchCV(make_pipeline(take_apart, MODEL), cv=2, random_state=0)
    assert search.fit(rows, Y).score(rows, Y) > 0.9


@pytest.mark.parametrize("change", [lambda X: X > 0, lambda X: X * 1e-8, pd.DataFrame])
def test_no_candidate_fails_on_truths_or_tiny_numbers(change):
    X = RANDOM.standard_normal((60, 4)) + Y[:, None]
    found = SFPSearchCV(cv=2, random_state=0).fit(change(X), Y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


def test_no_candidate_fails_where_half_of_the_rows_weigh_nothing():
    X, weight = RANDOM.standard_normal((60, 4)) + Y[:, None], np.tile([1.0, 1.0, 0.0, 0.0], 15)
    found = SFPSearchCV(cv=2, random_state=0).fit(X, Y, sample_weight=weight)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
