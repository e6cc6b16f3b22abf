"""What SFPRegressor promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import Huber, Quantile, SFPRegressor
from sfplearn.core import REGRESSION_LOSSES, Loss
from sfplearn.estimators.coding import MAX_LABELS
from sfplearn.estimators.plugin import CLUSTERS_OF_NUMBERS

X, Y = make_friedman1(200, n_features=6, noise=0.5, random_state=0)


def fit(X=X, y=Y, weight=None, **settings):
    settings = {"n_clusters": 10, "random_state": 0} | settings
    return SFPRegressor(**settings).fit(X, y, weight)


@pytest.mark.parametrize("loss", [*REGRESSION_LOSSES, Quantile([0.2, 0.8]), Huber(0.5)], ids=str)
def test_the_objective_never_rises(loss):
    path = fit(loss=loss, max_iter=30, tol=0).objective_path_
    assert np.diff(path).max() <= 1e-10 * np.abs(path).max()


@pytest.mark.parametrize("loss", REGRESSION_LOSSES)
def test_every_loss_learns(loss):
    assert fit(n_clusters=20, loss=loss).score(X, Y) > 0.5


def test_predictions_are_mixed_prototypes():
    for loss in REGRESSION_LOSSES:
        model = fit(loss=loss)
        assert_allclose(model.predict(X), (model.memberships(X) @ model.prototypes_)[:, 0])


def test_one_cluster_predicts_the_best_constant():
    predicted = {loss: fit(n_clusters=1, loss=loss).predict(X)[0] for loss in REGRESSION_LOSSES}
    assert predicted["squared_error"] == pytest.approx(Y.mean())
    assert predicted["absolute_error"] == pytest.approx(np.median(Y))
    assert predicted["quantile"] == pytest.approx(np.median(Y))
    assert predicted["poisson"] == pytest.approx(Y.mean(), rel=1e-4)


def test_squared_error_through_targets_and_through_labels_agree():
    """The same loss as a user would write it takes the path of label codes and bins."""

    class Squares(Loss):
        def cost(self, y, z):
            return (y - z) ** 2

    settings = {"init": np.arange(10), "tol": 0, "max_iter": 15, "refine": 0}
    exact, binned = fit(**settings), fit(loss=Squares(), **settings)
    assert_allclose(binned.cluster_centers_, exact.cluster_centers_, atol=1e-5)
    assert_allclose(binned.predict(X), exact.predict(X), atol=1e-5)


@pytest.mark.parametrize("loss", REGRESSION_LOSSES)
def test_labels_beyond_the_bins_hardly_matter(loss):
    many, y = make_friedman1(2 * MAX_LABELS + 500, n_features=5, noise=0.5, random_state=0)
    settings = {"loss": loss, "init": np.arange(10), "max_iter": 5, "tol": 0, "refine": 0}
    binned, rounded = fit(many, y, **settings), fit(many, np.round(y, 1), **settings)
    assert len(np.unique(np.round(y, 1))) < MAX_LABELS
    error = np.abs(binned.predict(many) - rounded.predict(many))
    assert np.median(error) < 0.1


@pytest.mark.parametrize("loss", REGRESSION_LOSSES)
def test_weights_equal_repetition(loss):
    times = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = fit(weight=times, loss=loss, n_clusters="auto")
    repeated = fit(np.repeat(X, times, axis=0), np.repeat(Y, times), loss=loss, n_clusters="auto")
    assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-6)


@pytest.mark.parametrize("loss", REGRESSION_LOSSES)
def test_row_order_does_not_matter(loss):
    order = np.random.default_rng(0).permutation(len(X))
    assert_allclose(
        fit(X[order], Y[order], loss=loss).predict(X), fit(loss=loss).predict(X), atol=1e-6
    )


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_shifted_and_scaled_labels_give_shifted_and_scaled_predictions(loss):
    moved = fit(y=1e6 + 1e3 * Y, loss=loss).predict(X)
    assert_allclose(moved, 1e6 + 1e3 * fit(loss=loss).predict(X), rtol=1e-6)


def test_several_outputs_at_once():
    both = np.column_stack([Y, 1000 * X[:, 0]])
    model = fit(y=both, n_clusters=30)
    assert model.predict(X).shape == (200, 2)
    assert model.prototypes_.shape == (30, 2)
    assert model.score(X, both) > 0.5
    assert fit(y=both[:, :1]).predict(X).shape == (200, 1)


def test_one_constant_output_does_no_harm():
    both = np.column_stack([Y, np.full(len(Y), 3.0)])
    predicted = fit(y=both, refine=0).predict(X)
    assert_allclose(predicted[:, 1], 3.0)
    assert_allclose(predicted[:, 0], fit(refine=0).predict(X))
    refined = fit(y=both).predict(X)
    assert_allclose(refined[:, 1], 3.0)
    assert r2_score(Y, refined[:, 0]) > r2_score(Y, predicted[:, 0])


def test_other_losses_take_several_outputs_one_by_one():
    both = np.column_stack([Y, X[:, 0]])
    model = MultiOutputRegressor(SFPRegressor(5, loss="huber", random_state=0)).fit(X, both)
    assert model.predict(X).shape == (200, 2)


@pytest.mark.parametrize("alpha", [0.1, 1, 10])
def test_quantiles_are_in_order_and_cover_new_rows(alpha):
    many, y = make_friedman1(2000, noise=1.0, random_state=0)
    model = fit(many[:1000], y[:1000], loss=Quantile([0.05, 0.5, 0.95]), alpha=alpha)
    low, middle, high = model.predict(many[1000:]).T
    assert (low <= middle).all()
    assert (middle <= high).all()
    assert 0.84 < np.mean((low <= y[1000:]) & (high >= y[1000:])) < 0.96


def test_honest_prototypes_are_those_of_memberships_by_features_alone():
    model = fit(honest=True, refine=0)
    u = model.memberships(X)
    assert_allclose(model.prototypes_[:, 0], u.T @ Y / u.sum(axis=0))
    plain = fit(honest=False, refine=0)
    assert_allclose(model.cluster_centers_, plain.cluster_centers_)
    assert np.ptp(model.prototypes_) < np.ptp(plain.prototypes_)


def test_rates_of_counts():
    random = np.random.default_rng(0)
    rate = np.where(X[:, 0] > 0.5, 12.0, 0.5)
    counts = random.poisson(rate).astype(float)
    model = fit(y=counts, loss="poisson", n_clusters=2, refine=0)
    assert (model.predict(X) > 0).all()
    assert model.prototypes_.ravel().min() == pytest.approx(0.5, rel=0.4)
    assert model.prototypes_.ravel().max() == pytest.approx(12, rel=0.1)


def test_a_function_as_a_loss():
    def log_cosh(y, z):
        return np.log(np.cosh(y - z))

    model = fit(loss=log_cosh, n_clusters=20)
    assert model.score(X, Y) > 0.5


def test_a_loss_that_is_not_convex_warns():
    with pytest.warns(UserWarning, match="is not convex in z"):
        fit(loss=lambda y, z: np.minimum((y - z) ** 2, 1.0), max_iter=3, tol=0)


def test_a_refit_with_another_loss_leaves_nothing_behind():
    model = fit(loss=Quantile([0.1, 0.9]))
    assert model.set_params(loss__levels=[0.5]).predict(X).shape == (200, 2)
    assert model.set_params(loss="squared_error").fit(X, X[:, :2]).predict(X).shape == (200, 2)
    assert model.fit(X, Y).predict(X).shape == (200,)
    assert model.set_params(loss="huber").fit(X, Y).predict(X).shape == (200,)
    warm = fit(loss=Huber(1.0), warm_start=True)
    warm.set_params(loss=Huber(1.0)).fit(X, Y)
    with pytest.raises(ValueError, match="needs the loss"):
        warm.set_params(loss__delta=2.0).fit(X, Y)


def test_several_quantiles_have_no_r2():
    with pytest.raises(ValueError, match="mean_pinball_loss"):
        fit(loss=Quantile([0.1, 0.9])).score(X, Y)


def test_the_deviance_as_a_function_is_poisson_loss():
    counts = np.random.default_rng(0).poisson(np.exp(2 * X[:, 0])).astype(float)

    def deviance(y, z):
        return y * np.log(np.where(y > 0, y, 1) / z) - y + z

    with np.errstate(all="ignore"):
        own = fit(y=counts, loss=deviance, init=np.arange(10)).predict(X)
    named = fit(y=counts, loss="poisson", init=np.arange(10), refine=0).predict(X)
    assert_allclose(own, named, rtol=0.05)


def test_a_function_as_start_sees_which_labels_are_missing():
    seen = []

    def init(X, y, n_clusters, random_state):
        seen.append(np.isnan(y).sum())
        return np.arange(n_clusters)

    fit(y=np.where(np.arange(len(Y)) % 2, Y, np.nan), init=init)
    assert seen == [100]


def test_unlabelled_rows_shape_clusters_only():
    half = np.where(np.arange(len(Y)) % 2, Y, np.nan)
    for loss in REGRESSION_LOSSES:
        model = fit(y=half, loss=loss, honest=False)
        assert np.diff(model.objective_path_).max() <= 1e-9
        assert model.cluster_mass_.sum() == pytest.approx(200)
        assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber"])
@pytest.mark.parametrize("size", [1e-170, 1e170])
def test_labels_of_any_size(loss, size):
    assert_allclose(
        fit(y=Y * size, loss=loss).predict(X) / size, fit(loss=loss).predict(X), rtol=1e-6
    )


def test_large_counts_keep_their_digits():
    path = fit(y=1e9 + Y, loss="poisson").objective_path_
    assert np.diff(path).max() <= 1e-9 * np.abs(path).max()


def test_a_large_count_does_not_lift_the_rates_of_others():
    counts = (X[:, 0] > 0.8).astype(float)
    counts[np.argmax(X[:, 0])] = 1e5
    model = fit(y=counts, loss="poisson", n_clusters=4)
    assert np.sort(model.prototypes_[:, 0])[:3].max() < 1


def test_rows_of_weight_0_say_nothing():
    weight = np.ones(len(Y))
    weight[:3] = 0
    odd = Y.copy()
    odd[:3] = 1e200
    for loss in REGRESSION_LOSSES:
        plain = fit(weight=weight, loss=loss).predict(X)
        assert_allclose(fit(y=odd, weight=weight, loss=loss).predict(X), plain)


def test_all_labels_equal():
    assert_allclose(fit(y=np.full(len(Y), 7.0)).predict(X), 7.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_precision_of_features_is_kept(dtype):
    model = fit(X.astype(dtype))
    assert model.transform(X.astype(dtype)).dtype == dtype
    assert_allclose(model.predict(X.astype(dtype)), fit().predict(X), rtol=1e-2)


def test_sparse_rows():
    sp = pytest.importorskip("scipy.sparse")
    sparse = np.where(X < 0.3, 0, X)
    model = fit(sp.csr_array(sparse), init=np.arange(10))
    assert_allclose(
        model.predict(sparse), fit(sparse, init=np.arange(10)).predict(sparse), rtol=1e-6
    )


def test_warm_start_goes_on():
    model = fit(warm_start=True, max_iter=3, tol=0)
    first = model.objective_path_[-1]
    assert model.fit(X, Y).objective_path_[0] <= first
    with pytest.raises(ValueError, match="needs the loss and outputs of the last fit"):
        model.set_params(loss="huber").fit(X, Y)
    with pytest.raises(ValueError, match="needs the loss and outputs of the last fit"):
        model.set_params(loss="squared_error").fit(X, X[:, :2])


def test_settings_of_a_loss_can_be_searched():
    search = GridSearchCV(
        SFPRegressor(5, loss=Huber(), random_state=0), {"loss__delta": [0.1, 5.0]}
    )
    assert search.fit(X, Y).best_estimator_.loss.delta in (0.1, 5.0)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "poisson", Huber()])
def test_few_clusters_are_refined_by_default(loss):
    refined = fit(n_clusters="auto", loss=loss)
    plain = fit(n_clusters="auto", loss=loss, refine=0)
    assert len(refined.refine_path_) > 1
    assert len(refined.prototypes_) <= CLUSTERS_OF_NUMBERS
    assert len(plain.prototypes_) == 14  # the root of 200 rows
    assert refined.score(X, Y) > plain.score(X, Y) + 0.1


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "quantile"},
        {"loss": lambda y, z: (y - z) ** 2},
        {"scale": None},
        {"expert": "linear"},
        {"divergence": "kernel", "n_landmarks": 20},
        {"divergence": "diagonal_gaussian"},
        {"y": np.where(np.arange(len(Y)) % 2, Y, np.nan)},
    ],
    ids=["quantile", "function", "literal", "linear", "kernel", "gaussian", "unlabelled"],
)
def test_what_no_gain_was_measured_for_is_not_refined_by_default(settings):
    model = fit(**settings)
    assert not hasattr(model, "refine_path_")
    assert model.get_params()["refine"] == "auto"


def test_auto_gamma_is_broad_where_clusters_are_refined():
    unit = fit(gamma=1.0, refine=0).gamma_
    assert fit().gamma_ == pytest.approx(unit)
    assert fit(refine=0).gamma_ == pytest.approx(0.3 * unit)
    assert fit(loss="quantile").gamma_ == pytest.approx(0.3 * unit)


def test_defaults_beat_a_constant_by_far():
    data = load_diabetes(return_X_y=True)
    model = make_pipeline(StandardScaler(), SFPRegressor(random_state=0))
    assert cross_val_score(model, *data, cv=5).mean() > 0.38
