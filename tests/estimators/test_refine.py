"""Refinement on the risk of predictions."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_friedman1,
    make_moons,
)
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import CostMatrix, Quantile, SFPClassifier, SFPRegressor
from sfplearn.core import CLASSIFICATION_LOSSES, DIVERGENCES, REGRESSION_LOSSES
from sfplearn.core.losses.custom import FunctionLoss
from sfplearn.estimators import plugin
from sfplearn.estimators.refinement import before_refinement
from tests.conftest import three_blobs
from tests.core.losses import COSTS, Brier, log_cosh
from tests.core.test_masked import with_holes

X, Y = three_blobs(150)
NUMBERS = X[:, 0] - X.min() + X[:, 1] ** 2
CLASSES = {
    **dict.fromkeys(CLASSIFICATION_LOSSES),
    "matrix": CostMatrix(COSTS[:3, :3]),
    "own": Brier(),
}
# What refinements are compared with, and the settings of both.
PLAIN = {"refine": 0}
CRISP = {"alpha": 1.0, "gamma": 0.1, "lam": 1.0, "init": "k-means++", "refine_pull": 0.1}
NUMERIC = {**dict.fromkeys(REGRESSION_LOSSES), "own": FunctionLoss(log_cosh)}


@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("loss", CLASSES)
def test_the_risk_of_classes_falls(loss, divergence):
    settings = {"loss": CLASSES[loss] or loss, "divergence": divergence, "random_state": 0} | CRISP
    model = SFPClassifier(4, refine=15, **settings).fit(X, Y)
    assert model.refine_path_[-1] <= model.refine_path_[0]
    # Prototypes on the edge of where they may be are moved inside before the first iteration.
    assert np.diff(model.refine_path_[1:]).max(initial=0) <= 1e-9
    plain = SFPClassifier(4, **(settings | PLAIN)).fit(X, Y)
    assert model.score(X, Y) >= plain.score(X, Y) - 0.05
    assert_allclose(model.feature_weights_.sum(axis=1), 1)


@pytest.mark.parametrize("loss", NUMERIC)
def test_the_risk_of_numbers_falls(loss):
    settings = {"loss": NUMERIC[loss] or loss, "random_state": 0, "honest": False}
    model = SFPRegressor(4, refine=20, **settings).fit(X, NUMBERS)
    assert model.refine_path_[-1] <= model.refine_path_[0]
    plain = SFPRegressor(4, refine=0, **settings).fit(X, NUMBERS)
    assert model.score(X, NUMBERS) > plain.score(X, NUMBERS)


def test_the_path_is_the_mean_loss_of_predictions():
    model = SFPClassifier(4, refine=10, refine_pull=0.0, random_state=0).fit(X, Y)
    assert model.refine_path_[-1] == pytest.approx(log_loss(Y, model.predict_proba(X)), rel=1e-6)


@pytest.mark.parametrize("honest", [False, True])
@pytest.mark.parametrize("refine", [5, "auto"])
def test_a_refinement_begins_where_the_descent_ends(refine, honest):
    settings = {"honest": honest, "random_state": 0} | CRISP
    plain = SFPClassifier(4, **(settings | PLAIN)).fit(X, Y)
    refined = SFPClassifier(4, refine=refine, **settings).fit(X, Y)
    assert (refined.objective_path_ == plain.objective_path_).all()
    before = before_refinement(refined)
    descended = SFPClassifier(4, **(settings | PLAIN | {"honest": False})).fit(X, Y)
    assert (before.expert.z == descended.prototypes_).all()
    assert refined.refine_path_[0] == pytest.approx(log_loss(Y, plain.predict_proba(X)))
    assert (before.divergence.w == plain.feature_weights_).all()
    assert not hasattr(plain, "refine_path_")


def test_a_strong_pull_holds_everything_in_place():
    settings = {"random_state": 0} | CRISP
    plain = SFPClassifier(4, **(settings | PLAIN)).fit(X, Y)
    held = SFPClassifier(4, refine=20, **(settings | {"refine_pull": 1e9})).fit(X, Y)
    assert_allclose(held.cluster_centers_, plain.cluster_centers_, atol=1e-4)
    assert_allclose(held.feature_weights_, plain.feature_weights_, atol=1e-4)
    assert_allclose(held.cluster_scales_, 1, atol=1e-4)


def test_threads_weights_and_precision():
    settings = {"n_clusters": 4, "refine": 10, "init": [0, 1, 2, 3]}
    one, two = (SFPClassifier(n_jobs=jobs, **settings).fit(X, Y) for jobs in (1, 2))
    assert (one.cluster_centers_ == two.cluster_centers_).all()
    twice = SFPClassifier(**settings).fit(X, Y, np.full(len(Y), 2.0))
    single = SFPClassifier(**settings).fit(X.astype(np.float32), Y)
    assert (twice.predict(X) == one.predict(X)).mean() > 0.97
    assert (single.predict(X) == one.predict(X)).mean() > 0.95


def test_missing_cells_and_labels():
    holes = with_holes(X, 0.2, 0)
    partly = np.where(np.arange(len(Y)) % 3, Y, -1)
    settings = {"allow_nan": True, "unlabeled": -1, "refine": 15, "random_state": 0}
    model = SFPClassifier(4, **settings).fit(holes, partly)
    assert model.refine_path_[-1] < model.refine_path_[0]
    assert model.score(holes, Y) > 0.6
    assert_allclose(model.memberships(np.full((1, 4), np.nan)).sum(), 1)


def test_distances_of_a_refined_model_are_not_negative():
    model = SFPClassifier(4, refine=15, divergence="diagonal_gaussian", random_state=0).fit(X, Y)
    assert model.transform(X).min() >= 0
    assert not hasattr(model, "score_samples")
    assert not hasattr(model, "covariances_")


@pytest.mark.parametrize("refine", [5, "auto"])
def test_a_refit_without_refinement_leaves_nothing_behind(refine):
    model = SFPClassifier(4, refine=refine, random_state=0).fit(X, Y)
    model.set_params(refine=0).fit(X, Y)
    plain = SFPClassifier(4, random_state=0, **PLAIN).fit(X, Y)
    assert_allclose(model.predict_proba(X), plain.predict_proba(X))
    assert not hasattr(model, "cluster_biases_")


@pytest.mark.parametrize("refine", [5, "auto"])
def test_a_warm_start_goes_on_from_before_the_refinement(refine):
    settings = {"max_iter": 3, "tol": 0, "warm_start": True, "random_state": 0}
    model = SFPClassifier(4, refine=refine, **settings)
    last = model.fit(X, Y).objective_path_[-1]
    assert model.fit(X, Y).objective_path_[0] <= last


def test_a_warm_start_keeps_an_automatic_number_of_clusters():
    model = SFPClassifier(warm_start=True, random_state=0).fit(X, Y)
    first = model.objective_path_[-1]
    assert model.fit(X, Y).objective_path_[0] <= first + 1e-9 * abs(first)
    fewer = model.fit(X[:120], Y[:120])
    assert fewer.score(X, Y) > 0.8


def test_a_complete_row_is_predicted_alike_beside_a_row_with_holes():
    model = SFPClassifier(4, refine=20, allow_nan=True, random_state=0).fit(X, Y)
    holes = X.copy()
    holes[-1, 0] = np.nan
    beside = model.predict_proba(holes)[:-1]
    assert_allclose(beside, model.predict_proba(X)[:-1], atol=1e-9)


@pytest.mark.parametrize("loss", ["zero_one", "log_loss", "squared_hinge", "hinge"])
def test_the_risk_never_ends_above_that_of_the_plain_model(loss):
    settings = CRISP | {"loss": loss, "gamma": 0.01, "honest": False, "random_state": 0}
    plain = SFPClassifier(4, **(settings | PLAIN)).fit(X, Y)
    held = SFPClassifier(4, refine=1, **(settings | {"refine_pull": 1e9})).fit(X, Y)

    def risk(model):
        scores = model._map_memberships(X, lambda e, u, z, rows: e.scores(u, z))
        return -scores[np.arange(len(Y)), Y].mean()

    assert held.refine_path_[0] == pytest.approx(risk(plain))
    assert risk(held) <= risk(plain) + 1e-12


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "poisson", "squared_error"])
@pytest.mark.parametrize("size", [1e-3, 1e4])
def test_refinement_does_not_mind_the_unit_of_labels(loss, size):
    settings = {"loss": loss, "refine": 20, "random_state": 0}
    if loss == "poisson":  # whose smoothing has a unit of its own
        settings["honest"] = True
    here = SFPRegressor(4, **settings).fit(X, NUMBERS)
    there = SFPRegressor(4, **settings).fit(X, size * NUMBERS)
    gains = [1 - model.refine_path_[-1] / model.refine_path_[0] for model in (here, there)]
    assert gains[0] == pytest.approx(gains[1], abs=0.05)


def test_refined_quantiles_never_cross():
    levels = [0.1, 0.3, 0.5, 0.7, 0.9]
    model = SFPRegressor(6, loss=Quantile(levels), refine=50, refine_pull=0.0, random_state=0)
    assert (np.diff(model.fit(X, NUMBERS).predict(X), axis=1) >= 0).all()


def test_masses_are_those_of_the_refined_clusters():
    model = SFPClassifier(4, refine=30, refine_pull=0.0, random_state=0).fit(X, Y)
    assert_allclose(model.cluster_mass_, model.memberships(X).sum(axis=0))


def test_gaussians_with_holes_are_not_refined():
    model = SFPClassifier(3, refine=5, divergence="diagonal_gaussian", allow_nan=True)
    with pytest.raises(ValueError, match="refine needs complete rows for Gaussians"):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"refine": -1}, "refine must be a whole number of at least 0"),
        ({"refine": 1.5}, "refine must be a whole number"),
        ({"refine_pull": -0.1}, "refine_pull must be a number of at least 0"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        SFPClassifier(3, **settings).fit(X, Y)


def test_few_clusters_bend_around_moons():
    data, y = make_moons(400, noise=0.1, random_state=0)
    plain = SFPClassifier(4, random_state=0, **PLAIN).fit(data, y).score(data, y)
    refined = SFPClassifier(4, refine=100, refine_pull=0.01, random_state=0).fit(data, y)
    assert refined.score(data, y) > 0.98 > plain


def test_few_clusters_follow_a_curve():
    data, y = make_friedman1(400, noise=0.5, random_state=0)
    settings = {"n_clusters": 6, "random_state": 0}
    plain = cross_val_score(SFPRegressor(refine=0, **settings), data, y).mean()
    refined = cross_val_score(SFPRegressor(**settings), data, y).mean()
    assert refined > 0.85 > plain


def test_refinement_loses_no_accuracy_at_the_same_number_of_clusters():
    """Mean of nested cross-validation over four data sets, the pull being chosen inside."""
    gains = []
    for load, k in ((load_iris, 6), (load_wine, 6), (load_breast_cancer, 4), (load_digits, 20)):
        data, y = load(return_X_y=True)
        plain = SFPClassifier(k, random_state=0, **(CRISP | PLAIN))
        model = make_pipeline(StandardScaler(), plain)
        pulls = {"sfpclassifier__refine": [30], "sfpclassifier__refine_pull": [0.1, 1.0]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            refined = cross_val_score(GridSearchCV(model, pulls, cv=3), data, y, cv=3)
            gains.append(refined.mean() - cross_val_score(model, data, y, cv=3).mean())
    assert np.mean(gains) > 0.01


def test_a_constant_column_changes_nothing():
    """The pull is a mean over what counts: a column without weight does not weaken it."""
    more = np.column_stack([X, np.full(len(X), 7.0)])
    plain, wider = (SFPClassifier(6, random_state=0).fit(data, Y) for data in (X, more))
    assert_allclose(wider.predict_proba(more), plain.predict_proba(X), atol=1e-3)


def test_losses_that_the_rules_were_not_made_for_keep_those_of_a_descent():
    settings = {"loss": "squared_hinge", "random_state": 0}
    by_rule = SFPClassifier(4, refine=5, refine_pull=0.1, **settings).fit(X, Y)
    stated = SFPClassifier(4, refine=5, honest=False, **CRISP, **settings).fit(X, Y)
    assert_allclose(by_rule.cluster_centers_, stated.cluster_centers_)


@pytest.mark.parametrize(("k", "refines"), [("auto", True), (4, True), (6, False)])
@pytest.mark.parametrize(("model", "labels"), [(SFPClassifier, Y), (SFPRegressor, NUMBERS)])
def test_many_rows_are_refined_if_clusters_are_few(monkeypatch, model, labels, k, refines):
    monkeypatch.setattr(plugin, "MOST_ROWS", len(X) - 1)
    monkeypatch.setattr(plugin, "MOST_MEMBERSHIPS", 5 * len(X))
    assert hasattr(model(k, random_state=0).fit(X, labels), "refine_path_") == refines
    assert hasattr(model(k, refine=3, random_state=0).fit(X, labels), "refine_path_")
