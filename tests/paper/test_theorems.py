"""What the paper proves, tried on numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from sfplearn.core import (
    CLASSIFICATION_LOSSES,
    Objective,
    Prototype,
    Rows,
    WeightedEuclidean,
    params_at,
)
from sfplearn.core import memberships as memberships_of
from sfplearn.core.simplex import softmin

TABLE_1 = ("log_loss", "logistic", "hinge", "zero_one")

costs = arrays(np.float64, st.integers(2, 6), elements=st.floats(-5, 5))


def entropic(theta, a, temperature):
    safe = np.maximum(theta, 1e-300)
    return a @ theta + temperature * safe @ np.log(safe)


@given(costs, st.floats(0.2, 5))
def test_theorem_1_against_a_numerical_optimiser(a, temperature):
    best = minimize(
        entropic,
        np.full(len(a), 1 / len(a)),
        (a, temperature),
        bounds=[(0, 1)] * len(a),
        constraints={"type": "eq", "fun": lambda theta: theta.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    theta, free_energy = softmin(a, temperature)
    np.testing.assert_allclose(theta, best.x, atol=2e-5)
    assert free_energy == pytest.approx(entropic(theta, a, temperature), abs=1e-10)
    assert free_energy <= best.fun + 1e-9


@given(costs)
def test_theorem_1_at_its_limits(a):
    cold, _ = softmin(a, 1e-9)
    winners = np.isclose(a, a.min(), atol=1e-12)
    assert cold[winners].sum() == pytest.approx(1) or np.ptp(np.sort(a)[:2]) < 1e-7
    hot, _ = softmin(a, 1e12)
    np.testing.assert_allclose(hot, 1 / len(a), rtol=1e-9)


def risk(z, loss, sums):
    labels = np.arange(len(sums))
    table = loss.cost(labels, z[None])
    return float(sums @ table[0]) + loss.penalty(labels, z[None])


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")
@pytest.mark.parametrize("n_labels", [2, 3, 5])
@pytest.mark.parametrize("name", TABLE_1)
def test_table_1_prototypes_against_a_numerical_optimiser(name, n_labels):
    loss = CLASSIFICATION_LOSSES[name]()
    random = np.random.default_rng(n_labels)
    on_simplex = name in ("log_loss", "zero_one")
    for sums in random.gamma(1.0, size=(5, n_labels)):
        prototype = loss.prototype(np.arange(n_labels), sums[None])[0]
        total = 1.0 if on_simplex else 0.0
        assert prototype.sum() == pytest.approx(total, abs=1e-12)
        searched = minimize(
            risk,
            np.full(n_labels, total / n_labels),
            (loss, sums),
            method="SLSQP",
            bounds=[(1e-9, 1)] * n_labels if on_simplex else [(-20, 20)] * n_labels,
            constraints={"type": "eq", "fun": lambda z, total=total: z.sum() - total},
            options={"ftol": 1e-13, "maxiter": 1000},
        )
        assert risk(prototype, loss, sums) <= searched.fun + 1e-7
        if name in ("log_loss", "logistic"):
            np.testing.assert_allclose(prototype, searched.x, atol=1e-4)


def test_binary_prototypes_are_those_of_table_1():
    labels, sums = np.arange(2), np.array([[2.0, 6.0]])
    z = {name: loss().prototype(labels, sums)[0] for name, loss in CLASSIFICATION_LOSSES.items()}
    assert z["log_loss"][1] == pytest.approx(6 / 8, abs=1e-2)
    assert z["logistic"][1] - z["logistic"][0] == pytest.approx(np.log(6 / 2), abs=1e-2)
    assert z["hinge"].tolist() == [-1, 1]
    assert z["zero_one"].tolist() == [0, 1]


def test_binary_losses_are_those_of_table_1():
    labels, z = np.arange(2), np.array([[-0.3, 0.3], [0.8, -0.8]])
    sign = np.array([-1, 1])
    scalar = z[:, 1:]
    hinge = CLASSIFICATION_LOSSES["hinge"]().cost(labels, z)
    np.testing.assert_allclose(hinge, np.maximum(0, 1 - sign * scalar))
    logistic = CLASSIFICATION_LOSSES["logistic"]().cost(labels, z)
    np.testing.assert_allclose(logistic, np.log1p(np.exp(-sign * 2 * scalar)))


def test_crisp_partitions_reach_the_bound():
    random = np.random.default_rng(0)
    loss, labels = CLASSIFICATION_LOSSES["log_loss"](), np.arange(3)
    z = loss.prototype(labels, random.gamma(0.5, size=(4, 3)))
    u = np.eye(4)
    np.testing.assert_allclose(loss.cost(labels, u @ z), u @ loss.cost(labels, z))


def test_memberships_minimise_the_objective_of_a_new_row():
    """Eqs. 6 and 7: for an unlabelled row, labels do not matter to memberships."""
    random = np.random.default_rng(0)
    X = random.standard_normal((5, 3))
    objective = Objective(
        WeightedEuclidean(1.0), Prototype(CLASSIFICATION_LOSSES["log_loss"](), 2), 2.0, 0.7
    )
    params = params_at(objective, Rows.of(X[:3], [0, 1, 0]))
    u = memberships_of(objective, params, Rows.of(X[3:]))
    d = ((X[3:, None] - X[None, :3]) ** 2).mean(axis=2)
    np.testing.assert_allclose(u, softmin(d, 0.7)[0], atol=1e-12)
