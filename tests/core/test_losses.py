"""Every loss keeps the contract that the pass and the prediction rule rely on."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from sfplearn.core import (
    REGRESSION_LOSSES,
    AbsoluteError,
    CostMatrix,
    FunctionLoss,
    Huber,
    Logistic,
    LogLoss,
    Ordinal,
    Poisson,
    Prototype,
    Quantile,
    SquaredError,
    SquaredHinge,
    ZeroOne,
)
from sfplearn.core.experts import Prototypes
from sfplearn.core.losses.argmin import argmin_mix, argmin_number, argmin_scores
from sfplearn.core.losses.custom import check_loss
from sfplearn.core.terms import LabelSums
from tests.core.losses import CODES, COSTS, EVERY_LOSS, NUMBERS, Brier

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=EVERY_LOSS)
def named(request):
    return request.param


@pytest.fixture
def loss(named):
    return EVERY_LOSS[named][0]


@pytest.fixture
def labels(named):
    return EVERY_LOSS[named][1]


@pytest.fixture
def z(loss, labels):
    return loss.prototype(labels, np.random.default_rng(0).gamma(0.3, size=(50, len(labels))))


def test_costs_are_finite_numbers_for_every_prototype_and_label(loss, labels, z):
    cost = loss.cost(labels, z)
    assert cost.shape == (50, len(labels))
    assert np.isfinite(cost).all()


def test_costs_follow_the_labels_asked_for(loss, labels, z):
    some = [2, 0]
    np.testing.assert_array_equal(loss.cost(labels[some], z), loss.cost(labels, z)[:, some])


def test_the_prototype_of_one_label_costs_that_label_least(loss, labels):
    costs = loss.cost(labels, loss.prototype(labels, np.eye(len(labels))))
    assert (np.diag(costs) <= costs.min(axis=0) + 1e-9).all()


@given(seed=st.integers(0, 2**20), t=st.floats(1e-3, 1))
@pytest.mark.parametrize("name", EVERY_LOSS)
def test_no_mix_of_prototypes_has_less_risk_than_the_prototype(name, seed, t):
    """Prototypes fill a convex domain, so this makes each the argmin over its domain."""
    loss, labels = EVERY_LOSS[name]
    random = np.random.default_rng(seed)
    sums = random.gamma(0.5, size=(6, len(labels)))
    best = loss.prototype(labels, sums)
    others = loss.prototype(labels, random.gamma(0.3, size=(6, len(labels))))
    least = loss.risk(labels, sums, best)
    moved = loss.risk(labels, sums, (1 - t) * best + t * others)
    assert (least <= moved + 1e-9 * (1 + np.abs(least))).all()


SEARCHED = {
    **dict.fromkeys(["log_loss", "zero_one", "cost_matrix"], argmin_mix),
    "logistic": argmin_scores,
    **dict.fromkeys(
        ["ordinal", *REGRESSION_LOSSES], lambda risk, s: argmin_number(risk, 4 + 0 * s[:, :1], 1)
    ),
}


@pytest.mark.parametrize("name", SEARCHED)
def test_closed_forms_are_as_good_as_numerical_prototypes(name):
    loss, labels = EVERY_LOSS[name]
    sums = np.random.default_rng(1).gamma(0.5, size=(20, len(labels)))

    def risk(z):
        return loss.risk(labels, sums, z)

    assert (risk(loss.prototype(labels, sums)) <= risk(SEARCHED[name](risk, sums)) + 1e-7).all()


@given(seed=st.integers(0, 2**20))
@pytest.mark.parametrize("name", EVERY_LOSS)
def test_surrogate_bounds_the_risk(name, seed):
    """Eq. 4, Jensen: l(y, sum_j u_j z_j) <= sum_j u_j l(y, z_j)."""
    loss, labels = EVERY_LOSS[name]
    random = np.random.default_rng(seed)
    z = loss.prototype(labels, random.gamma(0.5, size=(4, len(labels))))
    u = random.dirichlet(np.ones(4), size=6)
    surrogate = u @ loss.cost(labels, z)
    assert (loss.cost(labels, u @ z) <= surrogate + 1e-9).all()


def test_the_decision_is_the_label_of_least_loss_under_mixed_prototypes(loss, labels, z):
    u = np.random.default_rng(1).dirichlet(np.full(50, 0.1), size=30)
    decided = Prototype(loss, labels).decide(u, Prototypes(z))
    if isinstance(loss, CostMatrix):
        assert decided.tolist() == (u @ z).argmax(axis=1).tolist()
    elif decided.ndim == 1:
        fine = np.linspace(-1, 10, 2001) if labels is NUMBERS else labels
        fine = fine[fine >= 0] if isinstance(loss, Poisson) else fine
        for row, y in zip(u @ z, decided, strict=True):
            here = loss.cost(np.array([y]), row[None])[0, 0]
            assert here <= loss.cost(fine, row[None])[0].min() + 1e-9
    else:
        np.testing.assert_allclose(decided, u @ z)


def test_heavier_labels_cost_less():
    sums = np.array([[4.0, 3.0, 2.0, 1.0]])
    for loss in (LogLoss(), Logistic(), SquaredHinge(), Brier()):
        cost = loss.cost(CODES, loss.prototype(CODES, sums))[0]
        assert (np.diff(cost) > 0).all()


def test_clusters_without_labels_take_the_prototype_of_all(loss, labels):
    sums = np.zeros((3, len(labels)))
    sums[0, 1], sums[1, 2] = 3.0, 1.0
    z = loss.prototype(labels, sums)
    assert np.isfinite(z).all()
    if not np.any(loss.penalty(labels, z)):
        together = loss.prototype(labels, sums.sum(axis=0, keepdims=True))
        np.testing.assert_allclose(z[2], together[0], atol=1e-6)


def test_probabilities_exist_exactly_where_promised(loss, labels, z):
    if loss.gives_probabilities:
        probabilities = loss.probabilities(z)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        np.testing.assert_allclose(-np.log(probabilities), loss.cost(labels, z), atol=1e-12)
    else:
        with pytest.raises(AttributeError, match="does not give probabilities"):
            loss.probabilities(z)


def test_losses_survive_a_clone_and_a_pickle(loss, labels, z):
    for copied in (clone(loss), pickle.loads(pickle.dumps(loss))):
        np.testing.assert_array_equal(copied.cost(labels, z), loss.cost(labels, z))
        assert repr(copied) == repr(loss)


def test_a_numerical_prototype_never_gets_worse():
    """Where the last prototype is better than the one found, it stays."""
    expert = Prototype(Brier(), 4)
    sums = LabelSums(np.array([[1.0, 2.0, 3.0, 4.0]]), np.zeros((1, 0)))
    best = Prototypes(sums.sums / 10)
    np.testing.assert_allclose(expert.update(sums, best).z, best.z, atol=1e-5)
    risk = Brier().risk(CODES, sums.sums, expert.update(sums, best).z)
    assert risk <= Brier().risk(CODES, sums.sums, best.z)


def test_ties_are_shared_out():
    sums = np.array([[2.0, 2.0, 0.0]])
    assert ZeroOne().prototype(np.arange(3), sums).tolist() == [[0.5, 0.5, 0.0]]


def test_settings_can_be_searched():
    loss = Huber(delta=2.0)
    assert loss.get_params() == {"delta": 2.0}
    assert loss.set_params(delta=3.0).delta == 3.0
    with pytest.raises(ValueError, match="delta must be"):
        loss.set_params(delta=-1)


# What each loss is, in its own words.


def test_squared_hinge_of_two_classes_is_that_of_margins():
    z = SquaredHinge().prototype(np.arange(2), np.array([[1.0, 3.0]]))
    margin = np.array([-1, 1]) * z[:, 1:]
    np.testing.assert_allclose(SquaredHinge().cost(np.arange(2), z), np.maximum(0, 1 - margin) ** 2)
    assert z[0, 1] == (3 - 1) / (3 + 1)


def test_cost_matrix_votes_for_the_least_expected_cost():
    sums = np.random.default_rng(0).gamma(0.5, size=(100, 4))
    votes = CostMatrix(COSTS).prototype(CODES, sums).argmax(axis=1)
    assert votes.tolist() == (sums @ COSTS).argmin(axis=1).tolist()


def test_cost_matrix_predicts_what_clusters_agree_on():
    assert CostMatrix(COSTS).decide(CODES, np.eye(4)).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("costs", [COSTS, [[0, 1, 1], [100, 0, 100], [1, 1, 0]]], ids=str)
def test_cost_matrix_counts_votes(costs):
    """Votes have weighed the costs: the one departure from the rule of least loss."""
    labels = np.arange(len(costs))
    votes = np.random.default_rng(0).dirichlet(np.ones(len(costs)), size=50)
    assert CostMatrix(costs).decide(labels, votes).tolist() == votes.argmax(axis=1).tolist()


def test_cost_matrix_with_equal_costs_is_zero_one_loss():
    sums = np.random.default_rng(0).gamma(0.5, size=(10, 4))
    equal = CostMatrix(1 - np.eye(4))
    z = equal.prototype(CODES, sums)
    np.testing.assert_array_equal(z, ZeroOne().prototype(CODES, sums))
    np.testing.assert_allclose(equal.cost(CODES, z), ZeroOne().cost(CODES, z))


def test_ordinal_is_the_distance_of_ranks():
    assert Ordinal().cost(CODES, np.array([[1.0]])).tolist() == [[1, 0, 1, 2]]
    assert Ordinal().decide(CODES, np.array([[1.4], [1.6]])).tolist() == [1, 2]


def test_number_prototypes_are_means_medians_and_quantiles():
    y = np.random.default_rng(0).gamma(2.0, size=101)
    ones = np.ones((1, 101))
    assert SquaredError().prototype(y, ones) == pytest.approx(y.mean())
    assert AbsoluteError().prototype(y, ones) == pytest.approx(np.median(y))
    assert Quantile(0.25).prototype(y, ones) == pytest.approx(np.quantile(y, 0.25))
    assert Poisson(smoothing=1e-12).prototype(y, ones) == pytest.approx(y.mean())
    assert Huber(delta=1e3).prototype(y, ones) == pytest.approx(y.mean())
    assert Huber(delta=1e-6).prototype(y, ones) == pytest.approx(np.median(y), abs=1e-3)


def test_quantiles_near_the_ends_are_the_ends():
    y, ones = np.arange(5.0), np.ones((1, 5))
    assert Quantile(1 - 1e-10).prototype(y, ones) == 4
    assert Quantile(1e-10).prototype(y, ones) == 0


def test_settings_are_those_of_the_constructor():
    class Shifted(Brier):
        def __init__(self, by):
            self.by = by
            self.table = np.eye(3)

    assert clone(Shifted(2)).by == 2


def test_the_median_of_an_even_number_is_the_midpoint():
    assert AbsoluteError().prototype(np.array([1.0, 2.0, 7.0, 8.0]), np.ones((1, 4))) == 4.5


@given(
    st.lists(st.floats(0.01, 0.99), min_size=2, max_size=5),
    st.integers(0, 2**20),
)
def test_quantiles_never_cross(levels, seed):
    random = np.random.default_rng(seed)
    levels = sorted(levels)
    z = Quantile(levels).prototype(NUMBERS, random.gamma(0.2, size=(6, len(NUMBERS))))
    mixed = random.dirichlet(np.ones(6), size=20) @ z
    assert (np.diff(mixed, axis=1) >= -1e-12).all()


# Numerical prototypes.


def test_numbers_far_outside_the_labels_are_found():
    target = np.array([-1e6, 0.3, 12345.678])
    found = argmin_number(lambda z: (z[:, 0] - target) ** 2, np.zeros((3, 1)), np.ones((3, 1)))
    np.testing.assert_allclose(found[:, 0], target, rtol=1e-6, atol=1e-6)


def test_one_label_far_away_costs_no_digits():
    y = np.append(np.random.default_rng(0).standard_normal(99), 1e15)
    own = FunctionLoss(lambda y, z: np.abs(y - z)).prototype(y, np.ones((1, 100)))
    near = np.abs(y - own[0, 0]).sum() - np.abs(y - np.median(y)).sum()
    assert near <= 1e-15 * 1e15
    assert np.sort(y)[45] < own[0, 0] < np.sort(y)[55]


def test_edges_where_the_loss_is_not_a_number_are_not_crossed():
    def rate(z):
        return np.where(z[:, 0] > 0, z[:, 0] - 5 * np.log(np.maximum(z[:, 0], 1e-300)), np.nan)

    def risk(z):
        return np.nan_to_num(rate(z), nan=np.inf)

    for start, width in [(0.5, 1.0), (6.0, 0.1), (0.0, 2.0), (1e-9, 1.0), (9.0, 100.0)]:
        start, width = np.full((1, 1), start), np.full((1, 1), width)
        assert argmin_number(risk, start, width) == pytest.approx(5.0, rel=1e-6)
        mirrored = argmin_number(lambda z: risk(-z), -start, width)
        assert mirrored == pytest.approx(-5.0, rel=1e-6)


def test_mixes_at_a_corner_are_exact():
    z = argmin_mix(lambda z: z @ np.array([3.0, 1.0, 2.0]), np.ones((2, 3)))
    assert z.tolist() == [[0, 1, 0], [0, 1, 0]]


# Custom losses.


def test_a_convex_loss_passes_the_check(loss, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_loss(loss, labels)


@pytest.mark.parametrize("labels", [CODES, NUMBERS], ids=["classes", "numbers"])
def test_a_loss_that_is_not_convex_is_noticed(labels):
    def capped(y, z):
        return np.minimum(np.abs(y - z[:, :1]), 0.5)

    with pytest.warns(UserWarning, match=r"FunctionLoss.*is not convex in z"):
        check_loss(FunctionLoss(capped), labels)


def wrong(y, z):
    return np.ones((len(z), 2))


def not_a_number(y, z):
    return np.full((len(z), len(y)), np.nan)


def for_one_number(y, z):
    return y - z if y > z else z - y


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (wrong, r"must return a table of numbers, 64 prototypes by 7 labels; got shape \(64, 2\)"),
        (not_a_number, "returned NaN; check its domain"),
        (for_one_number, r"failed on labels of shape .*it must take arrays"),
    ],
)
def test_a_loss_that_returns_no_table_is_refused(function, message):
    with pytest.raises(ValueError, match=message):
        check_loss(FunctionLoss(function), NUMBERS)


def deviance(y, z):
    with np.errstate(all="ignore"):
        return y * np.log(np.where(y > 0, y, 1) / z) - y + z


def likelihood(y, z):
    with np.errstate(all="ignore"):
        return z - y * np.log(z)


def test_decisions_of_an_odd_loss_are_made_among_the_labels():
    """A loss that is not least where y = z: one that wants z to be twice the label."""
    loss = FunctionLoss(lambda y, z: np.abs(2 * y - z))
    assert loss.decide(NUMBERS, np.array([[5.0], [2.2]])).tolist() == [2.5, 1.0]


@pytest.mark.parametrize("function", [deviance, likelihood])
def test_losses_up_to_a_term_of_the_label_decide_alike(function):
    """The deviance is not a number at y = z = 0, the likelihood is not 0 at y = z."""
    loss, z = FunctionLoss(function), np.array([[0.2], [3.3], [8.0]])
    assert loss.decide(NUMBERS, z).tolist() == z[:, 0].tolist()
    assert np.isfinite(loss.least_costs(NUMBERS)).all()
    sums = np.random.default_rng(0).gamma(0.5, size=(20, len(NUMBERS)))
    expected = sums @ NUMBERS / sums.sum(axis=1)
    np.testing.assert_allclose(loss.prototype(NUMBERS, sums)[:, 0], expected, rtol=1e-6)


@pytest.mark.parametrize("share", [1e-310, 0.0])
def test_shares_that_are_next_to_nothing_have_finite_losses_and_slopes(share):
    z = np.array([[1.0 - share, share]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(LogLoss().each(np.array([1]), z)).all()
        assert np.isfinite(LogLoss().slope(np.array([1]), z)).all()
