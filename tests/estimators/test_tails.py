"""Columns with heavy tails: order, mean and variance stay, and far cells no longer rule."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sfplearn import SFPClassifier, TameTails


@parametrize_with_checks([TameTails()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def skewed(n=200, seed=0):
    """A column with a heavy tail, and a plain one."""
    random = np.random.default_rng(seed)
    return np.column_stack([np.exp(2 * random.standard_normal(n)), random.standard_normal(n)])


def kurtosis(x):
    far = x - np.nanmean(x)
    return np.nanmean(far**4) / np.nanmean(far**2) ** 2


def test_order_mean_and_variance_stay_and_other_columns_are_left_alone():
    X = skewed()
    tamed = TameTails().fit_transform(X)
    assert_array_equal(tamed[:, 1], X[:, 1])
    assert (np.diff(tamed[np.argsort(X[:, 0]), 0]) >= 0).all()
    assert_allclose(tamed.mean(axis=0), X.mean(axis=0))
    assert_allclose(tamed.std(axis=0), X.std(axis=0))
    assert kurtosis(X[:, 0]) > 10
    assert kurtosis(tamed[:, 0]) < 3.5


@settings(max_examples=30, deadline=None)
@given(st.integers(-990, 990), st.floats(-100, 100), st.integers(0, 5))
def test_units_do_not_matter(power, zero, seed):
    X, unit = skewed(seed=seed)[:, :1], 2.0**power
    tamed, other = TameTails().fit_transform(X), TameTails().fit_transform(unit * (zero + X))
    assert_allclose(other / unit - zero, tamed, rtol=1e-9, atol=1e-9)


def test_cells_beyond_all_that_were_seen_count_as_the_farthest():
    X = skewed()
    tame = TameTails().fit(X)
    far = np.array([[1e300, 1e300], [-1e300, -1e300]])
    tamed = tame.transform(X)
    assert_array_equal(tame.transform(far), [tamed.max(axis=0), tamed.min(axis=0)])


def test_two_values_are_left_alone_and_more_are_not():
    rare = np.zeros((100, 2))
    rare[3, 0] = 1.0
    rare[3:5, 1] = 1.0, 2.0
    tame = TameTails().fit(rare)
    assert tame.is_heavy_.tolist() == [False, True]
    tamed = tame.transform(rare)
    assert_array_equal(tamed[:, 0], rare[:, 0])
    assert len(np.unique(tamed[:, 1])) == 3


def test_what_is_missing_stays_missing_and_does_not_matter():
    X = skewed()
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    tamed = TameTails().fit_transform(holes)
    assert_array_equal(np.isnan(tamed), np.isnan(holes))
    known = ~np.isnan(holes[:, 0])
    alone = TameTails().fit_transform(holes[known, :1])
    assert_allclose(tamed[known, 0], alone[:, 0])


def test_names_of_columns_are_kept():
    frame = pd.DataFrame(skewed(), columns=["price", "age"])
    made = TameTails().set_output(transform="pandas").fit_transform(frame)
    assert made.columns.tolist() == ["price", "age"]


@pytest.mark.parametrize(("share", "least"), [(0.01, 0.85), (0.05, 0.8), (0.2, 0.6)])
def test_cells_that_stand_for_nothing_do_not_drown_the_others(share, least):
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 6))
    y = X[:, 0] * X[:, 1] > 0
    X[random.random(X.shape) < share] = 9999.0
    model = SFPClassifier(random_state=0)
    plain = make_pipeline(StandardScaler(), model)
    tamed = make_pipeline(TameTails(), StandardScaler(), model)
    before, after = (cross_val_score(each, X, y, cv=3).mean() for each in (plain, tamed))
    assert after > least
    assert after > before + 0.1


def test_a_column_that_is_nearly_constant_keeps_its_rare_cells_apart():
    X = np.zeros((2000, 1))
    X[:3, 0] = 1.0, 2.0, 50.0
    tamed = TameTails().fit_transform(X)[:, 0]
    assert tamed[3] < tamed[0] < tamed[1] < tamed[2]


def test_a_threshold_must_be_a_number_above_0():
    with pytest.raises(ValueError, match="heavy must be"):
        TameTails(heavy="very").fit(skewed())


def test_equal_cells_take_the_middle_of_their_places():
    X = np.concatenate([np.zeros(60), np.arange(1.0, 31.0), np.full(10, 9999.0)])[:, None]
    zero, one, far = TameTails().fit(X).transform([[0.0], [1.0], [9999.0]])[:, 0]
    places = ndtri([0.3, 0.605, 0.95])
    assert_allclose((far - zero) / (one - zero), np.ptp(places) / (places[1] - places[0]))


def test_rows_beyond_the_middle_stay_apart():
    X = np.concatenate([np.random.default_rng(0).standard_normal(20_000), np.full(30, 9999.0)])
    tamed = TameTails().fit_transform(X[:, None])[:-30, 0]
    most = np.sort(tamed)[-100:]
    assert len(np.unique(most)) == 100
    assert np.ptp(most) > 0.3 * tamed.std()


def test_one_column_of_gaps_only_is_left_alone():
    X = np.column_stack([skewed()[:, 0], np.full(200, np.nan)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert TameTails().fit(X).is_heavy_.tolist() == [True, False]
