"""Groups inside a class, on a small scale: four centres find them, three do not."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("skmisc")

from experiments.reproduced.figure_2 import (
    CENTRES,
    FAST_DRAWS,
    PAPER_COUNTS,
    PAPER_WEIGHTS,
    ROWS,
    as_in_the_paper,
    counts,
    describe,
    draw,
    draw_rows,
    expected_weights,
    fit,
    found_all,
    nearest,
)
from experiments.running import run

# A result in which all is as the paper says.
IDEAL = {
    "draw": 0,
    "k": 4,
    "centres": [[0, 8.2], [0, -4], [0.1, 0], [-12, 0]],
    "weights": [[0.5, 0.5], [0.5, 0.5], [0.1, 0.9], [0.5, 0.5]],
    "classes": [2, 2, 0, 1],
    "fresh": 99.0,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return run("figure-2", tmp_path_factory.mktemp("results"), fast=True, jobs=1)


def of(found, k):
    return [one for one in found["fits"] if one["k"] == k]


def test_rows_are_of_the_papers_distribution():
    X, y = draw_rows(200_000, np.random.default_rng(0))
    assert_allclose(np.bincount(y) / len(y), [0.25, 0.25, 0.5], atol=0.01)
    means = [X[y == label].mean(axis=0) for label in range(3)]
    assert_allclose(means, [[0, 0], [-12, 0], [0, 4]], atol=0.1)
    variances = [X[y == label].var(axis=0) for label in range(3)]
    # Class 3 has two groups 12 apart, of two thirds and one third: 2/9 of 144, and 3 within.
    assert_allclose(variances, [[15, 0.05], [1, 1], [3, 35]], rtol=0.03)


def test_groups_are_matched_with_the_nearest_centre():
    assert nearest(IDEAL).tolist() == [2, 3, 0, 1]
    assert found_all(IDEAL)
    assert counts(IDEAL) == (1, 1, 2)
    # Two centres in the upper group leave the lower one without.
    assert not found_all({**IDEAL, "centres": [[1, 8], [-1, 8], [0, 0], [-12, 0]]})
    assert not found_all({**IDEAL, "classes": [2, 0, 0, 1]})


def test_weights_that_the_distribution_implies_are_those_of_many_rows():
    X, y = draw_rows(200_000, np.random.default_rng(0))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    group = np.where((y == 2) & (X[:, 1] < 1), 3, y)
    squares = [((Z[group == g] - Z[group == g].mean(axis=0)) ** 2).sum(axis=0) for g in range(4)]
    weights = np.exp(-np.array(squares) * ROWS / len(X) / 25)
    assert_allclose(expected_weights(), weights[:, 0] / weights.sum(axis=1), atol=0.01)


def test_four_centres_are_those_of_the_groups(found):
    assert len(of(found, 4)) == FAST_DRAWS
    for one in of(found, 4):
        assert found_all(one)
        near = np.array(one["centres"])[nearest(one)]
        assert_allclose(near, CENTRES, atol=1.2)
        assert one["fresh"] > 95


def test_weights_are_about_those_of_the_paper(found):
    weights = np.array([np.array(one["weights"])[nearest(one)] for one in of(found, 4)])
    assert_allclose(weights.sum(axis=2), 1, atol=0.002)
    mean = weights[:, :, 0].mean(axis=0)
    assert_allclose(mean, PAPER_WEIGHTS, atol=0.15)
    assert_allclose(mean, expected_weights(), atol=0.06)
    # The band of class 1 is told by the second feature, in every draw.
    assert weights[:, 0, 0].max() < 0.25


def test_three_centres_miss_the_groups_of_class_3(found):
    for one in of(found, 3):
        assert counts(one) == (1, 1, 1)
        (centre,) = (
            c for c, label in zip(one["centres"], one["classes"], strict=True) if label == 2
        )
        # Between the groups, far from both.
        assert np.hypot(*(CENTRES[2:] - centre).T).min() > 3


@pytest.mark.parametrize("k", [6, 7])
def test_more_centres_go_to_larger_classes(found, k):
    mean = np.mean([counts(one) for one in of(found, k)], axis=0)
    assert mean.sum() == pytest.approx(k)
    assert mean[2] > mean[0] > mean[1] >= 1
    assert np.mean([as_in_the_paper(one) for one in of(found, k)]) > 0.5


def test_the_same_draw_gives_the_same_figures(found):
    assert fit(0, 7) == of(found, 7)[0]
    assert fit(1, 7) != of(found, 7)[0]


def test_the_text_has_two_tables_and_follows_the_figures(found):
    lines = [line for line in describe(found).splitlines() if line.startswith("|")]
    heads = [line for line in lines if "paper" in line and "ours" in line and "difference" in line]
    assert len(heads) == 2
    assert len(lines) == 2 * 2 + len(CENTRES) + len(PAPER_COUNTS)
    ideal = copy.deepcopy(found)
    ideal["fits"] = [one if one["k"] != 4 else copy.deepcopy(IDEAL) for one in ideal["fits"]]
    text = describe(ideal)
    assert (
        "| class 1 | (0.0, 0.0) | (0.1, 0.0) | (+0.1, 0.0) | (0.1, 0.9) | (0.10, 0.90) | 0.00"
        in text
    )
    assert f"In {FAST_DRAWS} of the draws" in text
    assert "has none" not in text
    of(ideal, 4)[-1].update(centres=[[1, 3], [-2, 8], [0, 0], [-12, 0]])
    of(ideal, 4)[-1]["weights"][0] = [1.0, 0.0]
    text = describe(ideal)
    assert f"In {FAST_DRAWS - 1} of the draws" in text
    assert "Of the 1 draw(s) in which a group has none, 1 have" in text


def test_the_picture_shows_rows_and_centres(found):
    figure = draw(found)
    assert len(figure.axes) == len(PAPER_COUNTS)
    for ax, k in zip(figure.axes, PAPER_COUNTS, strict=True):
        assert ax.get_title("left").startswith(f"k = {k}")
        points = {c.get_label(): c.get_offsets() for c in ax.collections}
        assert sum(len(points[f"class {label}"]) for label in (1, 2, 3)) == ROWS
        assert len(points["centre of SFP"]) == k
        assert len(ax.texts) == (k if k <= len(CENTRES) else 0)
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 5
