"""Odd input works."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from sfplearn import SFPClassifier
from sfplearn.core import CLASSIFICATION_LOSSES
from tests.conftest import three_blobs


def fit(X, y, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settings = {"n_clusters": 4, "max_iter": 20, "tol": 0, "random_state": 0} | settings
        model = SFPClassifier(**settings).fit(X, y)
    for name in ("cluster_centers_", "feature_weights_", "prototypes_", "objective_path_"):
        assert np.isfinite(getattr(model, name)).all(), name
    assert np.isfinite(model.predict_proba(X)).all()
    return model


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_far_from_zero(dtype):
    X, y = three_blobs(100)
    X = np.round(X * 64) / 64
    offset = 1e8 if dtype == np.float64 else 1e4
    there = (X + offset).astype(dtype)
    near, far = fit(X, y, refine=0), fit(there, y, refine=0)
    assert_allclose(far.feature_weights_, near.feature_weights_, atol=1e-3)
    assert (far.predict(there) == near.predict(X)).mean() > 0.98
    near, far = fit(X, y), fit(there, y)
    atol = 1e-3 if dtype == np.float64 else 0.02  # L-BFGS makes rounding larger
    assert_allclose(far.predict_proba(there), near.predict_proba(X), atol=atol)
    assert far.refine_path_[-1] == pytest.approx(near.refine_path_[-1], abs=atol / 20)


@pytest.mark.parametrize("refine", [0, "auto"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_constant_columns_weigh_nothing(container, refine):
    """Eq. 14 alone would give them the largest weight: they have no scatter."""
    X, y = three_blobs(100)
    constant = np.column_stack([X, np.full(100, 7.0)])
    model = fit(container(constant), y, refine=refine)
    # A refinement works with logarithms: nothing is then the least number that has one.
    assert (model.feature_weights_[:, -1] <= (1e-190 if refine else 0)).all()
    assert_allclose(model.feature_weights_.sum(axis=1), 1)
    without = fit(container(X), y, refine=refine)
    assert model.predict(constant).tolist() == without.predict(X).tolist()


def test_the_paper_s_scale_leaves_constant_columns_as_eq_14_has_them():
    X, y = three_blobs(100)
    constant = np.column_stack([X, np.full(100, 7.0)])
    with pytest.warns(UserWarning, match="Constant features"):
        model = SFPClassifier(4, scale=None, lam=50.0, random_state=0).fit(constant, y)
    assert model.feature_weights_[:, -1] == pytest.approx(model.feature_weights_.max(axis=1))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("cell", [1.0, 0.1, 1e5 / 3])
def test_all_columns_constant(cell, container):
    X = np.full((20, 3), cell)
    model = fit(container(X), np.arange(20) % 2, n_clusters=2)
    assert_allclose(model.predict_proba(X[:1]), 0.5, atol=0.01)
    assert_allclose(model.predict_proba(X[:1] + 0.1), 0.5, atol=0.01)


def test_rows_far_from_all_others_are_predicted():
    model = fit(*three_blobs(100), n_clusters=5)
    for far in (1e15, 1e150, 1e200):
        assert_allclose(model.predict_proba([[far, 0, 0, 0]]).sum(), 1)


@pytest.mark.parametrize(("refine", "gamma"), [(0, 0.1), ("auto", 1 / 3)])
def test_a_huge_constant_column_changes_nothing_else(refine, gamma):
    X, y = three_blobs(150)
    huge = np.column_stack([X, np.full(150, 1e17 / 3)])
    model = SFPClassifier(refine=refine, random_state=0, max_iter=20, tol=0)
    k = len(model.fit(X, y).cluster_centers_)
    assert len(model.fit(huge, y).cluster_centers_) == k
    assert_allclose(model.gamma_, gamma * X.var(axis=0).mean(), rtol=1e-6)


def test_sparse_rows_far_from_zero_are_warned_about():
    X, y = three_blobs(60)
    with pytest.warns(UserWarning, match="cannot be centred"):
        SFPClassifier(4, random_state=0, max_iter=2, tol=0).fit(sp.csr_array(X + 1e9), y)


@pytest.mark.parametrize("offset", [1e4, 1e6])
def test_float32_memberships_are_as_exact_as_float32_rows(offset):
    X, y = three_blobs(100)
    X = (np.round(X * 16) / 16 + offset).astype(np.float32)
    model = fit(X, y)
    assert_allclose(model.memberships(X), model.memberships(X.astype(float)), atol=1e-5)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-12)


def test_strides_that_are_no_whole_number_of_items():
    X, y = three_blobs(60, 3)
    record = np.zeros(60, dtype=[("f", "f8", 3), ("label", "i4")])
    record["f"] = X
    assert record["f"].strides[0] % 8
    assert_allclose(fit(record["f"], y).cluster_centers_, fit(X, y).cluster_centers_)


def test_weights_in_any_memory_layout():
    X, y = three_blobs(60)
    weight = np.arange(120.0).reshape(60, 2) + 1
    plain = SFPClassifier(4, random_state=0).fit(X, y, weight[:, 0].copy())
    strided = SFPClassifier(4, random_state=0).fit(X, y, weight[:, 0])
    assert_allclose(strided.cluster_centers_, plain.cluster_centers_, atol=0)
    SFPClassifier(4, random_state=0).fit(X, y, np.broadcast_to(1.0, 60))


@pytest.mark.parametrize("loss", CLASSIFICATION_LOSSES)
def test_given_centres_take_any_loss(loss):
    X, y = three_blobs(60)
    model = SFPClassifier(4, init=X[:4], loss=loss, max_iter=5, tol=0).fit(X, y)
    assert np.isfinite(model.cluster_centers_).all()


def test_duplicate_rows():
    X, y = three_blobs(12)
    model = fit(np.repeat(X, 10, axis=0), np.repeat(y, 10), n_clusters=30)
    assert model.cluster_mass_.sum() == pytest.approx(120)


def test_one_cluster_predicts_the_largest_class():
    X, y = three_blobs(40)
    model = fit(X, y, n_clusters=1)
    assert set(model.predict(X)) == {np.bincount(y).argmax()}
    assert_allclose(model.cluster_centers_[0], X.mean(axis=0), atol=1e-12)


def test_as_many_clusters_as_rows():
    X, y = three_blobs(40)
    assert fit(X, y, n_clusters=40, gamma=0.01).score(X, y) == 1


def test_one_column():
    X, y = three_blobs(60, 1)
    assert fit(X, y).feature_weights_.tolist() == [[1.0]] * 4


def test_twenty_thousand_columns():
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = random.standard_normal((40, 20_000))
    X[:, 0] = y + 0.01 * random.standard_normal(40)
    model = fit(X, y, n_clusters=2, lam=0.02)
    assert model.feature_importances_.argmax() == 0


@pytest.mark.parametrize("refine", [0, "auto"])
@pytest.mark.parametrize("gamma", [1e-8, 1e-3, 1.0, 1e3, 1e8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_any_fuzziness(gamma, dtype, refine):
    X, y = three_blobs(80)
    u = fit(X.astype(dtype), y, gamma=gamma, refine=refine).memberships(X)
    if gamma == 1e-8:
        assert u.max(axis=1).min() > 0.999
    if gamma == 1e8:
        assert_allclose(u, 1 / 4, atol=1e-3)


@pytest.mark.parametrize("lam", [1e-8, 1e8])
def test_any_evenness(lam):
    X, y = three_blobs(80)
    fit(X, y, lam=lam)
    weights = fit(X, y, lam=lam, refine=0).feature_weights_
    if lam == 1e8:
        assert_allclose(weights, 1 / 4, atol=1e-6)
    else:
        assert weights.max(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("alpha", [0.0, 1e8])
def test_any_weight_of_labels(alpha):
    fit(*three_blobs(80), alpha=alpha)
    purity = fit(*three_blobs(80), alpha=alpha, refine=0).prototypes_.max(axis=1)
    assert (purity.min() > 0.95) == (alpha > 0)  # a row alone is smoothed to 0.98


def test_fewer_clusters_than_classes():
    X, y = three_blobs(60)
    assert fit(X, y, n_clusters=2, init="stratified").prototypes_.shape == (2, 3)


def test_integers_and_lists():
    model = fit([[0, 1], [1, 0], [0, 2], [5, 5], [6, 5], [5, 6]], list("aaabbb"), n_clusters=2)
    assert model.predict([[0, 0], [7, 7]]).tolist() == ["a", "b"]
