"""LOESS: what local regressions reproduce, and what they smooth."""

import sys
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sfplearn.tuning.smooth import loess


def grid(*sizes):
    return np.array(list(product(*map(range, sizes))), float)


@pytest.mark.parametrize("sizes", [(12,), (9, 8), (5, 5, 10), (4, 4, 4, 4)])
def test_quadratics_are_reproduced_in_any_dimension(sizes):
    points = grid(*sizes)
    scores = -((points[:, 0] - 2) ** 2) - 0.1 * (points[:, -1] - 3) ** 2 + points.sum(axis=1)
    assert_allclose(loess(points, scores), scores, atol=1e-8)


def test_noise_is_smoothed_and_the_peak_is_found():
    points = grid(5, 5, 10)
    truth = -((points[:, 0] - 2) ** 2) - 0.3 * (points[:, 2] - 6) ** 2
    noisy = truth + np.random.default_rng(0).standard_normal(len(truth))
    smooth = loess(points, noisy)
    assert np.mean((smooth - truth) ** 2) < 0.25 * np.mean((noisy - truth) ** 2)
    peak = points[np.argmax(smooth)]
    assert peak[0] == 2
    assert abs(peak[2] - 6) <= 1


def test_coordinates_that_add_nothing_are_left_out():
    points = grid(6, 6)
    more = np.column_stack([points, points[:, 0] / 2, np.full(len(points), 0.001)])
    scores = points[:, 0] ** 2 - points[:, 1]
    assert_allclose(loess(more, scores), loess(points, scores), atol=1e-10)


def test_units_do_not_matter():
    points = grid(6, 6)
    scores = np.random.default_rng(0).standard_normal(len(points))
    assert_allclose(loess(points * [1e6, 1e-6], scores), loess(points, scores), atol=1e-8)


def test_without_a_coordinate_scores_stay():
    assert_allclose(loess(np.ones((4, 2)), np.arange(4.0)), np.arange(4.0))


def test_the_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "skmisc.loess", None)
    with pytest.raises(ImportError, match=r"sfplearn\[tuning\]"):
        loess(grid(4, 4), np.arange(16.0))
