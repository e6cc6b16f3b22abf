"""Accuracy on zoo over hyperparameters: shapes of curves that the paper draws, and claims."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("skmisc")

from experiments.datasets import load
from experiments.reproduced import figure_3
from experiments.running import run
from tests.conftest import needs_data

pytestmark = needs_data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def found(folder):
    return run("figure-3", folder, fast=True, jobs=1)


def line(found, panel, number, what="accuracy"):
    one = found["panels"][panel]
    return dict(zip(one["values"], one[what][number], strict=True))


def test_more_clusters_help_at_first(found):
    crisp = line(found, 0, 1)
    assert crisp[40] > crisp[7] + 2.0
    assert crisp[40] > 90.0


def test_crisp_models_are_best_and_very_fuzzy_ones_know_one_class(found):
    y = load("zoo").y
    commonest = 100 * np.unique(y, return_counts=True)[1].max() / len(y)
    for number in range(2):
        accuracies = line(found, 1, number)
        assert accuracies[0.05] == pytest.approx(commonest, abs=0.5)
        assert max(accuracies, key=accuracies.get) > 0.5
        assert accuracies[0.8] > accuracies[0.05] + 40.0


def test_accuracy_collapses_where_alpha_is_far_above_gamma(found):
    fuzzy = line(found, 2, 0)
    assert found["panels"][2]["lines"][0] == 0.5
    assert min(fuzzy[0.1], fuzzy[0.4]) > fuzzy[0.9] + 30.0


def test_features_that_count_alike_or_not_matter_less_than_fuzziness(found):
    accuracies = np.array(found["panels"][3]["accuracy"])
    assert np.ptp(accuracies, axis=1).max() < 15.0
    assert (accuracies[1] > accuracies[0]).all()


def test_curves_are_near_the_means_they_smooth(found):
    for panel in found["panels"]:
        away = np.array(panel["curves"]) - panel["accuracy"]
        assert np.sqrt(np.mean(away**2)) < 5.0
        assert abs(away.mean()) < 1.0


def test_loess_keeps_lines_and_flattens_noise():
    x = [float(i) for i in range(20)]
    straight = 2.0 * np.array(x) + 1.0
    noise = np.where(np.arange(20) % 2, 1.0, -1.0)
    assert_allclose(figure_3._smooth(x, straight), straight)
    assert np.abs(figure_3._smooth(x, noise)).mean() < 0.5


def test_the_same_fold_gives_the_same_accuracies():
    task = {"along": "k", "values": [7, 20], "by": "gamma", "lines": [0.8]}
    first = figure_3.accuracies_of(0, 1, **task)
    assert figure_3.accuracies_of(0, 1, **task) == first
    assert figure_3.accuracies_of(1, 1, **task) != first


def test_claims_are_told_from_curves():
    assert figure_3._rises([90.0, 92.0, 95.0, 94.0])
    assert not figure_3._rises([95.0, 94.0, 93.0])
    assert not figure_3._rises([90.0, 92.0, 90.5, 95.0])
    assert figure_3._is_level([80.0, 90.0, 90.2, 90.4])
    assert not figure_3._is_level([80.0, 85.0, 90.0, 95.0])
    panel = {"values": [7, 20, 40], "curves": [[90.0, 95.0, 95.5], [90.0, 92.0, 95.0]]}
    assert figure_3._needs(panel) == [20, 40]
    assert figure_3._best(panel) == [40, 40]


def test_claims_that_fail_are_said_to_fail(found):
    by_k, by_gamma, by_alpha, by_lam = found["panels"]
    alone = {**by_k, "curves": [[95.0] + [90.0] * 15, [90.0] * 15 + [95.0]]}
    upside_down = {**by_gamma, "curves": [curve[::-1] for curve in by_gamma["curves"]]}
    text = figure_3.describe({**found, "panels": [alone, upside_down, by_alpha, by_lam]})
    rows = {row.split("|")[1].strip(): row for row in text.splitlines() if row.startswith("| ")}
    assert rows["accuracy against k"].endswith("| no |")
    assert "| 1 of 1 |" in rows["k that is needed, in pairs of lines"]
    assert rows["best γ′"].endswith("| no |")


def test_every_claim_is_described(found):
    text = figure_3.describe(found)
    assert "| claim | paper | ours, curves | ours, means | holds |" in text
    for claim, paper in figure_3.CLAIMS:
        assert f"| {claim} | {paper} |" in text
    assert "Up to γ′ = 0.3" in text


def test_each_panel_has_points_and_a_curve_for_each_line(found, folder):
    figure = figure_3.draw(found)
    assert [ax.get_title(loc="left")[:3] for ax in figure.axes] == ["(a)", "(b)", "(c)", "(d)"]
    for ax, panel in zip(figure.axes, found["panels"], strict=True):
        assert len(ax.lines) == 2 * len(panel["lines"])
        assert ax.get_ylabel() == "accuracy in %"
        assert_allclose(ax.lines[0].get_ydata(), panel["curves"][0])
        assert_allclose(ax.lines[1].get_ydata(), panel["accuracy"][0])
    assert (folder / "figure-3.png").stat().st_size > 10_000
