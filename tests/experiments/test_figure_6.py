"""Significant features and scores against lambda', small."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

pytest.importorskip("skmisc")

from experiments.reproduced.figure_6 import (
    FAST_LAMBDAS,
    SUITABLE,
    _suitable,
    describe,
    draw,
    model_of,
    scores_of,
)
from experiments.running import run
from sfplearn import SFPClassifier
from tests.conftest import needs_data


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return run("figure-6", tmp_path_factory.mktemp("results"), fast=True, jobs=1)


@pytest.fixture(scope="module")
def colon(found):
    return found["sets"]["colon"]


@needs_data
def test_fewer_features_are_significant_the_larger_lambda_is(colon):
    share = colon["share"]["means"]
    assert share[0] == 1.0
    assert (np.diff(share) <= 0).all()
    assert share[-1] < 0.01
    assert max(colon["share"]["curve"]) <= 1.0


@needs_data
def test_about_a_fifth_is_significant_where_the_paper_is_best(colon):
    assert 0.15 < colon["share"]["means"][FAST_LAMBDAS.index(0.3)] < 0.35


@needs_data
@pytest.mark.parametrize("measure", ["auc", "balanced"])
def test_scores_rise_and_fall(colon, measure):
    one = colon[measure]
    at, curve = np.array(colon["at"]), np.array(one["curve"])
    assert 0.2 < one["from"] < one["best"] < one["to"] < 0.7
    inside = (at >= one["from"]) & (at <= one["to"])
    assert (curve[inside] >= one["score_at_best"] - SUITABLE - 1e-4).all()
    assert min(one["means"][0], one["means"][-1]) < one["score_at_best"] - 0.05
    assert one["score_at_best"] > 0.8


@needs_data
def test_the_same_seed_gives_the_same_scores(found, colon):
    some = [0.1, 0.9]
    again = np.array(scores_of("colon", 0, some))
    places = [FAST_LAMBDAS.index(value) for value in some]
    for name, column in zip(("share", "auc", "balanced"), again.T, strict=True):
        assert [colon[name]["means"][i] for i in places] == pytest.approx(column, abs=1e-5)


def test_the_model_is_the_papers():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 5)), np.arange(30) % 2
    literal = SFPClassifier(
        2, alpha=7 / 3, gamma=2 / 3, lam=4.0, scale=None, init="random", n_init=1, refine=0,
        honest=False, max_iter=10, tol=1e-3, random_state=3,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        selector = model_of(0.2, 3).fit(X, y)
        literal.fit(X, y)
    np.testing.assert_allclose(selector.feature_weights_, literal.feature_weights_)
    np.testing.assert_allclose(selector.estimator_.predict_proba(X), literal.predict_proba(X))


def test_an_interval_ends_where_the_curve_is_a_hundredth_below():
    at = np.linspace(0, 1, 101)
    low, best, high = _suitable(at, 0.9 - (at - 0.4) ** 2)
    assert (low, best, high) == pytest.approx((0.3, 0.4, 0.5), abs=0.011)
    assert _suitable(at, at) == pytest.approx((0.99, 1.0, 1.0), abs=0.011)
    two_hills = np.where(at < 0.5, 1.0 - abs(at - 0.2), 0.999 - abs(at - 0.8))
    assert _suitable(at, two_hills)[2] < 0.25


@needs_data
def test_the_text_has_the_papers_figures_beside_ours(found, colon):
    text = describe(found)
    best = colon["balanced"]["best"]
    difference = f"{best - 0.3:+.2f}"
    assert f"| Colon: best λ′ by balanced accuracy | 0.3 | {best:.2f} | {difference} |" in text
    assert text.count("about 20 |") == 2
    assert f"from {colon['auc']['from']:.2f} to {colon['auc']['to']:.2f}" in text


@needs_data
def test_the_picture_marks_the_interval_in_both_panels(found, colon):
    figure = draw(found)
    top, bottom = figure.axes
    assert top.get_yscale() == "log"
    assert (top.get_ylabel(), bottom.get_xlabel()) == ("significant features in %", "λ′")
    for ax in (top, bottom):
        (interval,) = ax.patches
        edges = interval.get_extents().transformed(ax.transData.inverted())
        assert (edges.x0, edges.x1) == pytest.approx(
            (colon["balanced"]["from"], colon["balanced"]["to"]), abs=1e-6
        )
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"balanced accuracy", "AUC of probabilities", "best λ′ in the paper"} <= set(labels)
