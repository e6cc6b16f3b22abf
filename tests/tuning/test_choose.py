"""The paper's three strategies on scores whose best is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sfplearn.tuning.candidates import Shape
from sfplearn.tuning.choose import STRATEGIES
from sfplearn.tuning.space import bounded, reduced_grid

GRID = list(reduced_grid(Shape(100, 5, 4)))
LAM = np.array([bounded(c["lam"]) for c in GRID])
GAMMA = np.array([bounded(c["gamma"]) for c in GRID])


def test_best_takes_the_highest_and_the_first_of_equals():
    scores = np.zeros(len(GRID))
    scores[[7, 30]] = 1.0
    assert STRATEGIES["best"](GRID, scores, 0.1).settings == GRID[7]


def test_mean_averages_bounded_values_over_the_top():
    scores = -np.abs(LAM - 0.4) - np.abs(GAMMA - 0.75)
    chosen = STRATEGIES["mean"](GRID, scores, 0.04).settings
    top = np.argsort(-scores, kind="stable")[:10]
    assert_allclose(bounded(chosen["lam"]), LAM[top].mean())
    assert_allclose(bounded(chosen["gamma"]), GAMMA[top].mean())
    assert isinstance(chosen["n_clusters"], int)
    assert chosen["init"] == "random"


def test_loess_is_not_led_astray_by_a_lucky_score():
    scores = 0.9 - (LAM - 0.55) ** 2 - (GAMMA - 0.75) ** 2
    unlucky = int(np.argmin(scores))
    scores[unlucky] += 0.35
    assert STRATEGIES["best"](GRID, scores, 0.1).settings == GRID[unlucky]
    chosen, _, smooth = STRATEGIES["loess"](GRID, scores, 0.1)
    assert abs(bounded(chosen["lam"]) - 0.55) < 0.25
    assert smooth[unlucky] < smooth.max()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_failed_candidates_are_never_chosen(strategy):
    scores = 1.0 - (LAM - 0.55) ** 2
    failed = np.isclose(LAM, 0.55)
    scores[failed] = np.nan
    chosen = STRATEGIES[strategy](GRID, scores, 0.01).settings
    assert chosen not in [GRID[i] for i in np.flatnonzero(failed)]
