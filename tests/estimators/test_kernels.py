"""Kernel SFP."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor
from sfplearn.estimators.kernels import anova_kernel, feature_map, root_inverse
from tests.conftest import three_blobs

X, Y = make_circles(600, factor=0.5, noise=0.05, random_state=0)


def fit(X=X, y=Y, **settings):
    settings = {"n_clusters": 2, "divergence": "kernel", "random_state": 0} | settings
    return SFPClassifier(**settings).fit(X, y)


def test_two_clusters_are_two_circles():
    model = fit(X[:300], Y[:300])
    assert model.score(X[300:], Y[300:]) >= 0.99
    plain = SFPClassifier(2, refine=0, random_state=0).fit(X[:300], Y[:300])
    assert plain.score(X[300:], Y[300:]) < 0.7


def own_kernel(X, L, gamma=2.0):
    return rbf_kernel(X, L, gamma=gamma)


@pytest.mark.parametrize(
    ("kernel", "settings"),
    [
        ("rbf", {"gamma": 2.0}),
        ("laplacian", {"gamma": 2.0}),
        ("anova", {"gamma": 2.0, "interaction": 4.0}),
        ("polynomial", {"degree": 2, "gamma": 1.0}),
        (own_kernel, None),
        (own_kernel, {"gamma": 3.0}),
    ],
)
def test_every_kernel_bends(kernel, settings):
    # Two clusters from one start may end in halves of both circles.
    assert fit(kernel=kernel, kernel_params=settings, n_init=5).score(X, Y) > 0.95


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "anova", "polynomial"])
def test_places_of_sparse_cells_may_have_64_bits(kernel):
    short = sp.csr_array(X)
    long = short.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    one, other = (fit(rows, kernel=kernel).predict_proba(rows) for rows in (short, long))
    assert_array_equal(one, other)


@given(
    arrays(np.float64, (6, 3), elements=st.floats(-5, 5)),
    st.floats(0.01, 10),
    st.floats(0.01, 10),
)
def test_the_anova_kernel_is_one(rows, gamma, interaction):
    K = anova_kernel(rows, rows, gamma, interaction)
    assert_allclose(K, K.T)
    assert_allclose(np.diag(K), 1.0)
    assert np.linalg.eigvalsh(K).min() > -1e-12


def test_features_are_alike_one_by_one():
    here, there, far = np.zeros((1, 4)), np.array([[0, 0, 0, 1.0]]), np.array([[0, 0, 0, 1e9]])
    near, gone = (anova_kernel(here, rows, 1.0, 1e-9)[0, 0] for rows in (there, far))
    assert_allclose(near, (3 + np.exp(-1.0)) / 4)  # without interaction it is their mean
    assert_allclose(gone, 3 / 4)  # one far cell costs no more than its share


def test_features_without_interaction_are_refused():
    with pytest.raises(ValueError, match="interaction of kernel='anova' must be above 0; got 0"):
        fit(kernel="anova", kernel_params={"interaction": 0})


def test_anova_finds_functions_of_few_features_among_many():
    random = np.random.default_rng(0)
    rows = random.standard_normal((400, 30))
    y = (rows[:, 0] > 0.5) ^ (rows[:, 1] > 0.5)
    one = {"n_clusters": 1, "expert": "linear", "n_landmarks": 200}
    score = {
        kernel: fit(rows[:200], y[:200], kernel=kernel, **one).score(rows[200:], y[200:])
        for kernel in ("anova", "rbf")
    }
    assert score["anova"] > score["rbf"] + 0.05


def test_a_sigmoid_kernel_runs():
    data, y = three_blobs(100)
    model = fit(data, y, n_clusters=4, kernel="sigmoid", kernel_params={"gamma": 0.1})
    assert model.score(data, y) > 0.6


def test_features_span_the_space_of_the_kernel():
    """With all rows as landmarks, products of features are the kernel itself."""
    data = np.random.default_rng(0).standard_normal((40, 3))
    model = fit(data, np.arange(40) % 2, n_landmarks=40, kernel_params={"gamma": 0.5})
    features = feature_map(model)(data)
    assert_allclose(features @ features.T, rbf_kernel(data, gamma=0.5), atol=1e-8)


@pytest.mark.parametrize(("kernel", "power"), [("rbf", 1.0), ("laplacian", 0.5)])
def test_widths_follow_the_scale_of_the_features(kernel, power):
    model, larger = fit(kernel=kernel), fit(10 * X, kernel=kernel)
    variance = np.mean(X.var(axis=0))
    assert_allclose(model.kernel_params_["gamma"], 1 / (2 * variance**power))
    assert_allclose(model.predict_proba(X), larger.predict_proba(10 * X), atol=1e-6)


class Unhashable:
    """As kernels of scikit-learn's Gaussian processes are."""

    __hash__ = None

    def __call__(self, X, L):
        return rbf_kernel(X, L)


def test_functions_need_no_hash():
    assert fit(kernel=Unhashable(), n_init=5).score(X, Y) > 0.9


def test_distances_are_those_in_the_space_of_the_kernel():
    """|phi(x) - v|^2 = k(x, x) - 2 sum_m a_m k(x, l_m) + a^T K a, up to what landmarks miss."""
    data, y = three_blobs(60)
    model = fit(data, y, n_clusters=3, n_landmarks=60, kernel_params={"gamma": 0.3})
    a = model.cluster_centers_ @ model.landmark_map_.T
    K = rbf_kernel(model.landmarks_, gamma=0.3)
    expected = 1 - 2 * rbf_kernel(data, model.landmarks_, gamma=0.3) @ a.T
    expected += np.einsum("km,mn,kn->k", a, K, a)
    width = model.cluster_centers_.shape[1]
    assert_allclose(width * model.transform(data), expected, atol=1e-7)


def test_landmarks_are_distinct_rows_that_spread_out():
    model = fit(n_landmarks=30)
    assert model.landmarks_.shape == (30, 2)
    assert all((landmark == X).all(axis=1).any() for landmark in model.landmarks_)


def test_clusterer_and_regressor():
    moons, y = make_moons(300, noise=0.05, random_state=0)
    model = SFPClusterer(8, divergence="kernel", kernel_params={"gamma": 5.0}, random_state=0)
    assert adjusted_rand_score(y, model.fit(moons).labels_) > 0.1
    curve = SFPRegressor(20, divergence="kernel", random_state=0).fit(X, X[:, 0] * X[:, 1])
    assert curve.score(X, X[:, 0] * X[:, 1]) > 0.5


def test_laws():
    settings = {"n_clusters": 4, "max_iter": 10, "tol": 0}
    data, y = three_blobs(120)
    one = fit(data, y, n_jobs=1, **settings)
    assert np.diff(one.objective_path_).max() <= 1e-9
    order = np.random.default_rng(0).permutation(120)
    assert_allclose(
        fit(data[order], y[order], **settings).predict_proba(data), one.predict_proba(data)
    )
    times = np.random.default_rng(0).integers(1, 3, 120)
    weighted = SFPClassifier(divergence="kernel", random_state=0, **settings).fit(data, y, times)
    repeated = fit(np.repeat(data, times, axis=0), np.repeat(y, times), **settings)
    assert_allclose(weighted.predict_proba(data), repeated.predict_proba(data), atol=1e-6)
    assert_allclose(fit(sp.csr_array(data), y, **settings).predict(data), one.predict(data))


def test_starts_may_be_rows_or_centres():
    for init in ([0, 300], X[[0, 300]], "random"):
        assert fit(init=init).cluster_centers_.shape[0] == 2


def test_refinement_works_in_the_space_of_a_kernel():
    moons, y = make_moons(300, noise=0.2, random_state=0)
    model = fit(moons, y, refine=20)
    assert model.refine_path_[-1] < model.refine_path_[0]


def test_a_refit_without_a_kernel_leaves_nothing_behind():
    model = fit()
    assert not hasattr(model, "feature_importances_")
    model.set_params(divergence="weighted_euclidean").fit(X, Y)
    assert not hasattr(model, "landmarks_")
    assert model.cluster_centers_.shape == (2, 2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "cosine"}, "kernel must be one of 'rbf', .* or a function; got 'cosine'"),
        ({"allow_nan": True}, "needs complete rows"),
        ({"n_landmarks": 0}, "n_landmarks must be a whole number"),
        ({"kernel": lambda X, L: np.ones(3)}, "kernel must return finite numbers of shape"),
        ({"kernel": lambda X, L: -rbf_kernel(X, L)}, "not positive on any row"),
    ],
)
def test_bad_settings_get_one_sentence(settings, message):
    with pytest.raises(ValueError, match=message):
        fit(**settings)


def test_a_warm_start_keeps_the_landmarks():
    model = fit(warm_start=True, max_iter=2, tol=0)
    landmarks, last = model.landmarks_, model.objective_path_[-1]
    assert model.fit(X, Y).objective_path_[0] <= last * (1 + 1e-12)
    assert model.landmarks_ is landmarks


def test_settings_of_a_fitted_kernel_are_a_copy():
    settings = {"gamma": 2.0}
    model = fit(kernel_params=settings)
    before = model.predict_proba(X)
    settings["gamma"] = 50.0
    assert_allclose(model.predict_proba(X), before)


def test_the_root_of_an_inverse():
    A = np.random.default_rng(0).standard_normal((4, 4))
    K = A @ A.T
    root = root_inverse(K)
    assert_allclose(root @ root.T, np.linalg.inv(K), rtol=1e-6)
