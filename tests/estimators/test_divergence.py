"""Estimators with other divergences than the paper's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor
from sfplearn.core import CLASSIFICATION_LOSSES, DIVERGENCES, REGRESSION_LOSSES
from tests.conftest import three_blobs
from tests.core.test_masked import with_holes

X, Y = three_blobs(150)
IN_INPUT_SPACE = [name for name in DIVERGENCES if name != "kernel"]


@pytest.mark.parametrize("refine", [0, "auto"])
@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("loss", CLASSIFICATION_LOSSES)
def test_every_loss_of_classes_descends(loss, divergence, refine):
    settings = {"loss": loss, "divergence": divergence, "refine": refine, "random_state": 0}
    model = SFPClassifier(5, **settings).fit(X, Y)
    path = model.objective_path_
    assert np.diff(path).max() <= 1e-9 * np.abs(path).max()
    assert model.score(X, Y) > 0.6
    assert_allclose(model.feature_weights_.sum(axis=1), 1)


@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("loss", REGRESSION_LOSSES)
def test_every_loss_of_numbers_descends(loss, divergence):
    y = X[:, 0] - X[:, 0].min()
    model = SFPRegressor(5, loss=loss, divergence=divergence, random_state=0).fit(X, y)
    path = model.objective_path_
    assert np.diff(path).max() <= 1e-9 * np.abs(path).max()
    assert model.score(X, y) > 0.5


@pytest.mark.parametrize("divergence", IN_INPUT_SPACE)
def test_missing_cells_and_threads(divergence):
    holes = with_holes(X, 0.2, 0)
    settings = {"divergence": divergence, "random_state": 0}
    model = SFPClassifier(5, allow_nan=True, **settings).fit(holes, Y)
    assert model.score(holes, Y) > 0.6
    one, two = (SFPClassifier(5, n_jobs=jobs, **settings).fit(X, Y) for jobs in (1, 2))
    assert (one.cluster_centers_ == two.cluster_centers_).all()


@pytest.mark.parametrize("divergence", IN_INPUT_SPACE)
def test_float32_sparse_and_far_rows(divergence):
    sp = pytest.importorskip("scipy.sparse")
    settings = {"divergence": divergence, "init": np.arange(5), "max_iter": 10, "tol": 0}
    settings["refine"] = 0
    plain = SFPClassifier(5, **settings).fit(X, Y)
    single = SFPClassifier(5, **settings).fit(X.astype(np.float32), Y)
    far = SFPClassifier(5, **settings).fit(X + 1e5, Y)
    sparse = SFPClassifier(5, **settings).fit(sp.csr_array(X), Y)
    assert_allclose(single.cluster_centers_, plain.cluster_centers_, atol=0.02)
    assert_allclose(far.cluster_centers_ - 1e5, plain.cluster_centers_, atol=1e-6)
    assert_allclose(sparse.cluster_centers_, plain.cluster_centers_, atol=1e-6)


@pytest.mark.parametrize("divergence", ["weighted_euclidean", "shared_weights"])
def test_refined_models_answer_alike_for_float32_sparse_and_far_rows(divergence):
    """L-BFGS makes rounding larger, so that risk and probabilities are compared."""
    sp = pytest.importorskip("scipy.sparse")
    settings = {"n_clusters": 5, "divergence": divergence, "random_state": 0}
    plain = SFPClassifier(**settings).fit(X, Y)
    others = {"single": X.astype(np.float32), "far": X + 1e5, "sparse": sp.csr_array(X)}
    for name, rows in others.items():
        model = SFPClassifier(**settings).fit(rows, Y)
        atol = 0.02 if name == "single" else 1e-3
        assert_allclose(model.predict_proba(rows), plain.predict_proba(X), atol=atol, err_msg=name)
        assert model.refine_path_[-1] == pytest.approx(plain.refine_path_[-1], abs=1e-4)


def test_shared_weights_are_equal_rows():
    settings = {"divergence": "shared_weights", "lam": 0.1, "refine": 0, "random_state": 0}
    model = SFPClassifier(5, **settings).fit(X, Y)
    assert (model.feature_weights_ == model.feature_weights_[0]).all()
    assert np.ptp(model.feature_weights_[0]) > 0.01


def test_gaussian_clusters_find_what_a_gaussian_mixture_finds():
    data, group = make_blobs(500, centers=4, n_features=3, random_state=1)
    model = SFPClusterer(4, divergence="diagonal_gaussian", gamma=1.0, random_state=0).fit(data)
    peer = GaussianMixture(4, covariance_type="diag", random_state=0).fit(data)
    assert adjusted_rand_score(group, model.labels_) == 1
    assert model.score_samples(data).mean() == pytest.approx(peer.score(data), abs=1e-3)


def test_the_number_of_clusters_has_the_least_bic():
    data, _ = make_blobs(600, centers=4, n_features=2, cluster_std=0.5, random_state=3)

    def bic(k):
        model = SFPClusterer(k, divergence="diagonal_gaussian", gamma=1.0, n_init=5, random_state=0)
        return model.fit(data).bic(data)

    assert min(range(1, 8), key=bic) == 4


@pytest.mark.parametrize("scale", [1e-3, 1e3, np.array([1.0, 1.0, 1e3, 1e-3])], ids=str)
def test_gaussians_do_not_mind_the_scale_of_features(scale):
    settings = {"divergence": "diagonal_gaussian", "gamma": 1.0, "init": [0, 1, 2]}
    here, there = SFPClusterer(3, **settings).fit(X), SFPClusterer(3, **settings).fit(X * scale)
    assert abs(here.n_iter_ - there.n_iter_) <= 1
    assert_allclose(there.memberships(X * scale), here.memberships(X), atol=1e-3)
    shift = np.log(np.broadcast_to(scale, 4)).sum()
    assert_allclose(there.score_samples(X * scale) + shift, here.score_samples(X), atol=1e-2)


def test_tight_clusters_are_as_dense_as_those_of_scikit_learn():
    random = np.random.default_rng(0)
    data = np.vstack([random.normal(0, 0.01, (100, 2)), random.normal(10, 0.01, (100, 2))])
    model = SFPClusterer(2, divergence="diagonal_gaussian", gamma=1.0, random_state=0).fit(data)
    peer = GaussianMixture(2, covariance_type="diag", reg_covar=1e-9, random_state=0).fit(data)
    assert model.score_samples(data).mean() == pytest.approx(peer.score(data), abs=0.05)


def test_shares_sum_to_1_also_beside_dead_clusters():
    far = np.vstack([X[:3], np.full((1, 4), 1e3)])
    settings = {"divergence": "diagonal_gaussian", "gamma": 1.0, "max_iter": 1, "tol": 0}
    model = SFPClusterer(4, init=far, **settings).fit(X)
    assert model.cluster_shares_.sum() == pytest.approx(1)
    assert model.sample(5, random_state=0)[0].shape == (5, 4)


def test_densities_exist_for_gaussians_only():
    data, y = load_iris(return_X_y=True)
    for name in ("score_samples", "sample", "bic", "aic"):
        assert not hasattr(SFPClassifier(), name)
        assert not hasattr(SFPClassifier().fit(data, y), name)
        assert hasattr(SFPRegressor(divergence="diagonal_gaussian"), name)


def test_a_refit_with_another_divergence_leaves_nothing_behind():
    model = SFPClassifier(3, divergence="diagonal_gaussian", random_state=0).fit(X, Y)
    assert model.covariances_.shape == (3, 4)
    model.set_params(divergence="weighted_euclidean").fit(X, Y)
    assert not hasattr(model, "covariances_")
    plain = SFPClassifier(3, random_state=0).fit(X, Y)
    assert_allclose(model.cluster_centers_, plain.cluster_centers_)
    model.set_params(divergence="shared_weights", warm_start=True)
    with pytest.raises(ValueError, match="needs the divergence of the last fit"):
        model.fit(X, Y)


def test_samples_follow_the_clusters():
    model = SFPClassifier(3, divergence="diagonal_gaussian", random_state=0).fit(X, Y)
    rows, cluster = model.sample(30_000, random_state=0)
    assert_allclose(np.bincount(cluster) / 30_000, model.cluster_shares_, atol=0.01)
    for j in range(3):
        mine = rows[cluster == j]
        assert_allclose(mine.mean(axis=0), model.cluster_centers_[j], atol=0.06)
        assert_allclose(mine.var(axis=0), model.covariances_[j], rtol=0.06)
