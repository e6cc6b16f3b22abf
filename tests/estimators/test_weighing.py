"""Features that tell labels apart count for more, whatever measures distances behind."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from sfplearn import SFPClassifier, SFPRegressor, WeighFeatures

N, P = 300, 8


@parametrize_with_checks([WeighFeatures()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def rows(seed=0):
    """Rows of which the first two features matter, and a label that they tell."""
    X = np.random.default_rng(seed).standard_normal((N, P))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def test_features_that_matter_count_for_more():
    X, y = rows()
    scales = WeighFeatures().fit(X, y).scales_
    assert_allclose(scales.mean(), 1.0)
    assert scales[:2].min() > 2 * scales[2:].max()


def test_numbers_are_labels_too():
    X, _ = rows()
    weigh = WeighFeatures().fit(X, np.sin(2 * X[:, 3]) + X[:, 5])
    assert isinstance(weigh.estimator_, SFPRegressor)
    assert set(np.argsort(-weigh.scales_)[:2]) == {3, 5}


@pytest.mark.parametrize(
    ("neighbours", "label"),
    [
        (KNeighborsClassifier(), lambda X: X[:, 0] * X[:, 1] > 0),
        (KNeighborsRegressor(), lambda X: X[:, 0] * X[:, 1]),
    ],
)
def test_neighbours_err_less_behind_it(neighbours, label):
    X, _ = rows()
    alone = cross_val_score(neighbours, X, label(X)).mean()
    behind = cross_val_score(make_pipeline(WeighFeatures(), neighbours), X, label(X)).mean()
    assert behind > alone + 0.05


def test_rows_are_multiplied_by_scales_and_keep_their_kind():
    X, y = rows()
    weigh = WeighFeatures().fit(X, y)
    assert_array_equal(weigh.transform(X), X * weigh.scales_)
    assert weigh.transform(X.astype(np.float32)).dtype == np.float32
    sparse = weigh.transform(sp.csr_array(X))
    assert sp.issparse(sparse)
    assert_allclose(sparse.toarray(), X * weigh.scales_)
    names = list("abcdefgh")
    frame = (
        WeighFeatures()
        .set_output(transform="pandas")
        .fit_transform(pd.DataFrame(X, columns=names), y)
    )
    assert list(frame.columns) == names


def test_no_power_leaves_rows_as_they_are():
    X, y = rows()
    assert_array_equal(WeighFeatures(power=0).fit_transform(X, y), X)


def test_half_a_power_measures_as_clusters_do():
    X, y = rows()
    weigh = WeighFeatures(SFPClassifier(6, random_state=0), power=0.5).fit(X, y)
    ratio = weigh.scales_**2 / weigh.estimator_.feature_importances_
    assert_allclose(ratio, ratio[0])


def test_weights_equal_repetition():
    X, y = rows()
    twice = np.arange(N) % 3 == 0
    again = np.concatenate([X, X[twice]]), np.concatenate([y, y[twice]])
    inner = SFPClassifier(6, refine=0, random_state=0)
    weighted = WeighFeatures(inner).fit(X, y, sample_weight=1.0 + twice)
    assert_allclose(weighted.scales_, WeighFeatures(clone(inner)).fit(*again).scales_)


def test_missing_cells_pass_where_clusters_allow_them():
    X, y = rows()
    X[::9, 4] = np.nan
    scaled = WeighFeatures(SFPClassifier(6, allow_nan=True, random_state=0)).fit_transform(X, y)
    assert_array_equal(np.isnan(scaled), np.isnan(X))
    with pytest.raises(ValueError, match="allow_nan"):
        WeighFeatures().fit(X, y)


@pytest.mark.parametrize(
    ("weigh", "labelled", "message"),
    [
        (WeighFeatures(power=-1), True, "power"),
        (WeighFeatures(), False, "requires y"),
        (WeighFeatures(SFPClassifier(divergence="kernel")), True, "importances"),
    ],
)
def test_what_it_cannot_use_is_refused_and_the_last_fit_stays(weigh, labelled, message):
    X, y = rows()
    wanted = weigh.get_params(deep=False)
    weigh.set_params(power=1.0, estimator=None).fit(X, y)
    scales = weigh.scales_
    with pytest.raises(ValueError, match=message):
        weigh.set_params(**wanted).fit(X[:, :3], y if labelled else None)
    assert_array_equal(weigh.scales_, scales)
    assert weigh.n_features_in_ == P
