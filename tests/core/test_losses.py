"""Every registered loss keeps the contract that the pass and the prediction rule rely on."""

import numpy as np
import pytest

from sfplearn.core import CLASSIFICATION_LOSSES, Prototype
from sfplearn.core.experts import Prototypes

LABELS = np.arange(4)


@pytest.fixture(params=CLASSIFICATION_LOSSES)
def loss(request):
    return CLASSIFICATION_LOSSES[request.param]()


@pytest.fixture
def z(loss):
    return loss.prototype(LABELS, np.random.default_rng(0).gamma(0.3, size=(50, 4)))


def test_costs_are_finite_and_not_negative(loss, z):
    cost = loss.cost(LABELS, z)
    assert cost.shape == (50, 4)
    assert np.isfinite(cost).all()
    assert (cost >= -1e-12).all()


def test_costs_follow_the_labels_asked_for(loss, z):
    np.testing.assert_array_equal(loss.cost(np.array([2, 0]), z), loss.cost(LABELS, z)[:, [2, 0]])


def test_the_prototype_of_one_label_costs_that_label_least(loss):
    z = loss.prototype(LABELS, np.eye(4))
    assert loss.cost(LABELS, z).argmin(axis=1).tolist() == [0, 1, 2, 3]


def test_the_decision_is_the_label_of_least_loss_under_mixed_prototypes(loss, z):
    u = np.random.default_rng(1).dirichlet(np.full(50, 0.1), size=30)
    scores = Prototype(loss, 4).scores(u, Prototypes(z))
    brute = [
        min(LABELS, key=lambda m, row=row: loss.cost(LABELS, row[None])[0, m]) for row in u @ z
    ]
    assert scores.argmax(axis=1).tolist() == brute


def test_heavier_labels_cost_less(loss):
    sums = np.array([[4.0, 3.0, 2.0, 1.0]])
    cost = loss.cost(LABELS, loss.prototype(LABELS, sums))[0]
    assert cost[0] == cost.min()
    assert cost[0] < cost[1]


def test_probabilities_exist_exactly_where_promised(loss, z):
    if loss.gives_probabilities:
        probabilities = loss.probabilities(z)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        np.testing.assert_allclose(-np.log(probabilities), loss.cost(LABELS, z), atol=1e-12)
    else:
        with pytest.raises(AttributeError, match="does not give probabilities"):
            loss.probabilities(z)


def test_ties_are_shared_out():
    sums = np.array([[2.0, 2.0, 0.0]])
    assert CLASSIFICATION_LOSSES["zero_one"]().prototype(np.arange(3), sums).tolist() == [[0.5, 0.5, 0.0]]
