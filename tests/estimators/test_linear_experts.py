"""Estimators whose clusters are linear models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_circles
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from sfplearn import SFPClassifier, SFPRegressor
from sfplearn.core import DIVERGENCES
from sfplearn.estimators.kernels import feature_map
from tests.conftest import three_blobs

X, Y = three_blobs(150)
NUMBERS = np.abs(X[:, 0]) + 0.3 * X[:, 1]


def zigzag(n=400, seed=0):
    random = np.random.default_rng(seed)
    x = random.uniform(-3, 3, (n, 1))
    left, middle, right = -2 * x[:, 0] - 3, x[:, 0], 3 - 2 * x[:, 0]
    y = np.where(x[:, 0] < -1, left, np.where(x[:, 0] < 1, middle, right))
    return x, y + 0.1 * random.standard_normal(n)


def test_three_lines_beat_three_constants_by_far():
    x, y = zigzag()
    plain = SFPRegressor(3, n_init=5, refine=0, random_state=0)
    constant = cross_val_score(plain, x, y).mean()
    model = SFPRegressor(3, expert="linear", n_init=5, random_state=0)
    linear = cross_val_score(model, x, y).mean()
    assert linear > 0.95
    assert linear > constant + 0.3


def test_slopes_are_those_of_the_pieces():
    x, y = zigzag()
    model = SFPRegressor(
        3, expert="linear", expert_penalty=1e-3, gamma=0.01, n_init=5, random_state=0
    )
    slopes = np.sort(model.fit(x, y).local_coef_.ravel())
    assert_allclose(slopes, [-2, -2, 1], atol=0.3)


def test_one_cluster_is_ridge_regression():
    model = SFPRegressor(1, expert="linear", scale=None, alpha=1.0).fit(X + 100, NUMBERS)
    peer = Ridge(alpha=1.0).fit(X + 100, NUMBERS)
    assert_allclose(model.predict(X + 100), peer.predict(X + 100), atol=1e-6)
    assert_allclose(model.local_coef_[0, :, 0], peer.coef_, atol=1e-6)
    assert_allclose(model.local_intercept_[0], peer.intercept_, atol=1e-4)


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_classification_descends_and_gives_probabilities(divergence):
    settings = {"expert": "linear", "divergence": divergence, "random_state": 0}
    model = SFPClassifier(3, **settings).fit(X, Y)
    path = model.objective_path_
    assert np.diff(path).max() <= 1e-9 * np.abs(path).max()
    probabilities = model.predict_proba(X)
    assert_allclose(probabilities.sum(axis=1), 1)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()
    assert model.score(X, Y) > 0.7
    assert_allclose(model.prototypes_.sum(axis=1), 1)


def test_one_line_in_the_space_of_a_kernel_is_a_circle():
    circles, y = make_circles(600, factor=0.5, noise=0.05, random_state=0)
    train, test = (circles[:300], y[:300]), (circles[300:], y[300:])
    plain = SFPClassifier(1, expert="linear", random_state=0).fit(*train)
    settings = {"expert": "linear", "divergence": "kernel", "random_state": 0}
    model = SFPClassifier(1, **settings).fit(*train)
    assert model.score(*test) >= 0.99
    assert plain.score(*test) < 0.7
    assert_allclose(model.predict_proba(circles).sum(axis=1), 1)
    kept = model.landmark_map_.shape[1]
    assert model.local_coef_.shape == (1, kept, 2)
    assert model.local_intercept_.shape == (1, 2)
    features = feature_map(model)(circles)
    said = features @ model.local_coef_[0] + model.local_intercept_[0]
    assert_allclose(model.decision_function(circles), said[:, 1] - said[:, 0], atol=1e-9)
    radius = np.square(circles).sum(axis=1)
    numbers = SFPRegressor(1, **settings).fit(circles, radius)
    assert numbers.score(circles, radius) > 0.99
    assert SFPRegressor(1, expert="linear").fit(circles, radius).score(circles, radius) < 0.1


def test_prototypes_are_what_experts_say_at_the_centres():
    model = SFPRegressor(4, expert="linear", gamma=1e-3, random_state=0).fit(X, NUMBERS)
    said = np.einsum("kp,kpd->kd", model.cluster_centers_, model.local_coef_)
    assert_allclose(model.prototypes_, said + model.local_intercept_)


def test_outputs_weights_sparse_and_missing():
    sp = pytest.importorskip("scipy.sparse")
    both = np.column_stack([NUMBERS, X[:, 2]])
    settings = {"expert": "linear", "init": [0, 1, 2], "max_iter": 10, "tol": 0}
    model = SFPRegressor(3, **settings).fit(X, both)
    assert model.predict(X).shape == (150, 2)
    sparse = SFPRegressor(3, **settings).fit(sp.csr_array(X), both)
    assert_allclose(sparse.predict(X), model.predict(X), atol=1e-6)
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    assert np.isfinite(
        SFPRegressor(3, allow_nan=True, **settings).fit(holes, both).predict(holes)
    ).all()
    times = np.random.default_rng(0).integers(1, 3, 150)
    settings.pop("init")
    weighted = SFPRegressor(3, random_state=0, **settings).fit(X, NUMBERS, times)
    repeated = SFPRegressor(3, random_state=0, **settings).fit(
        np.repeat(X, times, axis=0), np.repeat(NUMBERS, times)
    )
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)


@pytest.mark.parametrize("size", [1e-8, 1e6])
def test_the_scale_of_features_does_not_matter(size):
    settings = {"expert": "linear", "init": [0, 1, 2], "max_iter": 10, "tol": 0}
    here = SFPRegressor(3, **settings).fit(X, NUMBERS).predict(X)
    assert_allclose(
        SFPRegressor(3, **settings).fit(X * size, NUMBERS).predict(X * size), here, atol=1e-4
    )


def test_missing_cells_are_filled_alike_in_fit_and_predict():
    """At the mean of the training rows, wherever clusters are."""
    data = np.vstack([X, X[:60] + np.array([8, 0, 0, 0])])
    y = data[:, 0] + 0.1 * data[:, 1]
    holes = data.copy()
    holes[np.random.default_rng(0).random(210) < 0.3, 0] = np.nan
    model = SFPRegressor(2, expert="linear", allow_nan=True, random_state=0).fit(holes, y)
    filled = np.where(np.isnan(holes), np.nanmean(holes, axis=0), holes)
    u = model.memberships(holes)
    said = np.einsum("np,kpd->nkd", filled, model.local_coef_) + model.local_intercept_
    assert_allclose(model.predict(holes), np.einsum("nk,nkd->nd", u, said)[:, 0], atol=1e-6)


def test_a_warm_start_needs_experts_of_the_same_kind():
    model = SFPRegressor(3, warm_start=True, random_state=0).fit(X, NUMBERS)
    with pytest.raises(ValueError, match="needs the experts of the last fit, 'constant'"):
        model.set_params(expert="linear").fit(X, NUMBERS)


def test_honest_local_models_are_those_of_memberships_by_features_alone():
    model = SFPClassifier(1, expert="linear", honest=True, alpha=1.0, random_state=0).fit(X, Y)
    long = SFPClassifier(1, expert="linear", max_iter=300, tol=0, random_state=0).fit(X, Y)
    assert_allclose(model.predict_proba(X), long.predict_proba(X), atol=0.02)


def test_a_refit_with_constants_leaves_nothing_behind():
    model = SFPClassifier(3, expert="linear", random_state=0).fit(X, Y)
    model.set_params(expert="constant").fit(X, Y)
    assert not hasattr(model, "local_coef_")
    assert_allclose(
        model.predict_proba(X), SFPClassifier(3, random_state=0).fit(X, Y).predict_proba(X)
    )


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            SFPClassifier(3, expert="linear", loss="hinge"),
            "needs loss='log_loss' or 'logistic'; got 'hi",
        ),
        (SFPRegressor(3, expert="linear", loss="huber"), "needs loss='squared_error'; got 'huber'"),
        (SFPClassifier(3, expert="linear", refine=5), "refine works with expert='constant'"),
        (
            SFPClassifier(3, expert="cubic"),
            "expert must be one of 'constant', 'linear'; got 'cubic'",
        ),
        (SFPClassifier(3, expert="linear", expert_penalty=-1), "expert_penalty must be a number"),
    ],
)
def test_pairs_that_make_no_sense_are_refused_by_name(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


def test_too_many_features_for_linear_experts():
    wide = np.random.default_rng(0).standard_normal((20, 9000))
    with pytest.raises(ValueError, match="select features first"):
        SFPRegressor(2, expert="linear").fit(wide, wide[:, 0])
