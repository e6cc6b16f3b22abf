"""Decision regions in the plane, on a small scale: both classify, only one is smooth."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("skmisc")

from experiments.reproduced.figure_1 import (
    FAST,
    FOREST,
    MODELS,
    PIXELS,
    SFP,
    SIZES,
    boundary,
    describe,
    draw,
    fit,
    measures,
    rows,
)
from experiments.running import run

SHAPES = {
    "circle": lambda X: np.hypot(*X.T) < 0.5,
    "square": lambda X: np.abs(X).max(axis=1) < 0.5,
    "square on its corner": lambda X: np.abs(X).sum(axis=1) < 0.5,
    "cross": lambda X: (np.abs(X).max(axis=1) < 0.6) & (np.abs(X).min(axis=1) < 0.2),
    "half": lambda X: X @ [1.0, 0.3] < 0.1,
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return run("figure-1", tmp_path_factory.mktemp("results"), fast=True, jobs=1)


def fits(found, model):
    return {one["data"]: one for one in found["fits"] if one["model"] == model}


@pytest.mark.parametrize("steps", [90, 211])
@pytest.mark.parametrize(
    ("shape", "length", "turns", "parallel"),
    [
        ("circle", np.pi, 1, 8 / 3.6),
        ("square", 4, 1, 100),
        ("square on its corner", 8**0.5, 1, 0),
        ("cross", 4.8, 3, 100),
        ("half", 2 * 1.09**0.5, 0, 0),
    ],
)
def test_a_boundary_measures_the_same_on_any_grid(shape, length, turns, parallel, steps):
    lines = [np.linspace(-1, 1, steps)] * 2
    measured = measures(*boundary(SHAPES[shape], lines))
    assert_allclose(measured["turns"], turns, atol=0.01)
    # Corners are cut off inside a cell.
    assert_allclose(measured["length"], length, rtol=0.05)
    assert_allclose(measured["parallel"], parallel, atol=5)


def test_a_point_where_three_regions_meet_does_not_count_as_a_turn():
    thirds = [np.linspace(-1, 1, 60)] * 2
    measured = measures(*boundary(lambda X: np.digitize(np.arctan2(*X.T), [-2, 0.5]), thirds))
    assert measured["turns"] < 0.01


@pytest.mark.parametrize(("data", "classes"), [("spiral", 3), ("two-circle", 2), ("XOR", 2)])
def test_classes_are_equally_large_and_apart(data, classes):
    X, y = rows(data, 300, np.random.default_rng(0))
    assert X.shape == (300, 2)
    assert np.bincount(y).tolist() == [300 // classes] * classes
    new, truth = rows(data, 300, np.random.default_rng(1))
    nearest = ((new[:, None] - X) ** 2).sum(axis=2).argmin(axis=1)
    assert np.mean(y[nearest] == truth) > 0.95


def test_both_are_nearly_always_right(found):
    assert len(found["fits"]) == len(SIZES) * len(MODELS)
    for one in found["fits"]:
        assert one["cross_validated"] > 95
        assert one["fresh"] > 97


@pytest.mark.parametrize("data", SIZES)
def test_the_forest_turns_many_corners_and_sfp_few(found, data):
    forest, sfp = (fits(found, model)[data] for model in MODELS)
    assert forest["parallel"] > 99
    assert sfp["parallel"] < 30
    assert forest["turns"] > 10 * sfp["turns"]
    # Each corner is a quarter.
    assert_allclose(4 * forest["turns"], round(4 * forest["turns"]), atol=0.01)


def test_sfp_goes_once_around_the_inner_circle(found):
    one = fits(found, SFP)["two-circle"]
    assert 0.99 < one["turns"] < 1.2
    # Between a circle in the midst of the gap and the frame around it.
    assert 2 * np.pi < one["length"] < 10


@pytest.mark.parametrize("model", MODELS)
def test_the_same_draw_gives_the_same_figures(found, model):
    assert fit("spiral", model, 0, FAST) == fits(found, model)["spiral"]


@pytest.mark.parametrize("model", MODELS)
def test_regions_in_the_picture_are_those_of_the_model(found, model):
    for data, one in fits(found, model).items():
        runs = [[run.split("*") for run in line.split()] for line in one["regions"]]
        labels = np.array([np.repeat(*np.array(line, dtype=int).T) for line in runs])
        assert labels.shape == (PIXELS, PIXELS)
        x, y, classes = map(np.array, found["rows"][data])
        column, line = (np.round((a + 2.5) / 5 * (PIXELS - 1)).astype(int) for a in (x, y))
        assert np.mean(labels[line, column] == classes) > 0.97


def test_the_text_has_a_line_for_each_model_and_follows_the_figures(found):
    text = describe(found)
    head, _, *lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {"paper", "difference"} <= {cell.strip() for cell in head.split("|")}
    assert len(lines) == len(SIZES) * len(MODELS)
    worse = copy.deepcopy(found)
    fits(worse, FOREST)["XOR"] |= {"fresh": 51.2, "cross_validated": 60.0}
    text = describe(worse)
    assert "51.2 % of fresh rows, of random forest on XOR" in text
    assert "| 60.0 % | -40.0 | 51.2 % |" in text


def test_the_picture_shows_all_rows_over_regions(found):
    figure = draw(found)
    assert len(figure.axes) == 6
    for ax, (model, data) in zip(figure.axes, [(m, d) for m in MODELS for d in SIZES], strict=True):
        assert ax.get_title("left").strip().lower() == f"{model}, {data}".lower()
        assert len(ax.images) == 1
        points = [c for c in ax.collections if c.get_offsets().shape[0] > 1]
        assert sum(len(c.get_offsets()) for c in points) == SIZES[data]
        assert len({c.get_paths()[0].vertices.shape for c in points}) == len(points)
