"""Laws of the pass and the step."""

from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfplearn.core import (
    DIVERGENCES,
    DiagonalGaussian,
    Means,
    Objective,
    Prototype,
    Rows,
    SharedWeights,
    Silent,
    WeightedEuclidean,
    decay,
    distances,
    memberships,
    merge,
    params_at,
    summarize,
    update,
    value,
)
from sfplearn.core.divergences import EvenWeights
from tests.conftest import three_blobs
from tests.core.losses import EVERY_LOSS

GEOMETRIES = {
    "weighted_euclidean": WeightedEuclidean,
    "shared_weights": SharedWeights,
    "diagonal_gaussian": lambda lam: DiagonalGaussian(floor=1e-3 * lam),
    "kernel": EvenWeights,
}


def problem(
    loss="log_loss",
    k=5,
    alpha=1.0,
    gamma=0.3,
    lam=4.0,
    n=60,
    p=3,
    seed=0,
    divergence="weighted_euclidean",
):
    """Rows with labels that suit a loss, "means" standing for targets and "none" for neither."""
    X, y = three_blobs(n, p, seed)
    if loss == "means":
        rows, expert = Rows.of(X, np.zeros(n), targets=np.column_stack([y, X[:, 0] ** 2])), Means(2)
    elif loss == "none":
        rows, expert = Rows.of(X), Silent()
    else:
        loss, labels = EVERY_LOSS[loss]
        rows, expert = Rows.of(X, y), Prototype(loss, labels)
    objective = Objective(GEOMETRIES[divergence](lam), expert, alpha, gamma)
    return objective, params_at(objective, rows.take(np.arange(k))), rows


def leaves(tree):
    return [leaf for part in tree for leaf in leaves(part)] if isinstance(tree, tuple) else [tree]


def assert_same(left, right, rtol=1e-9):
    for a, b in zip(leaves(left), leaves(right), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


problems = st.builds(
    problem,
    loss=st.sampled_from([*sorted(EVERY_LOSS), "means", "none"]),
    k=st.integers(1, 8),
    alpha=st.sampled_from([0.0, 0.1, 1.0, 10.0]),
    gamma=st.floats(0.05, 5),
    lam=st.floats(0.3, 100),
    p=st.integers(1, 6),
    seed=st.integers(0, 1000),
    divergence=st.sampled_from(sorted(DIVERGENCES)),
)


@given(problems, st.lists(st.integers(1, 59), max_size=4, unique=True))
def test_blocks_add(problem, cuts):
    objective, params, rows = problem
    edges = [0, *sorted(cuts), 60]
    blocks = [rows.take(slice(a, b)) for a, b in pairwise(edges)]
    parts = [summarize(objective, params, block) for block in blocks]
    assert_same(reduce(merge, parts), summarize(objective, params, rows))


@given(problems)
def test_objective_never_rises(problem):
    objective, params, rows = problem
    path = []
    for _ in range(12):
        stats = summarize(objective, params, rows)
        path.append(value(objective, params, stats))
        params = update(objective, params, stats)
    assert np.diff(path).max() <= 1e-10 * np.abs(path).max()


def weight_entropy(objective, params):
    if isinstance(objective.divergence, DiagonalGaussian | EvenWeights):
        return 0.0
    w = params.divergence.w
    return objective.divergence.lam * np.sum(w * np.log(w))


@given(problems)
def test_value_is_the_objective_written_out(problem):
    objective, params, rows = problem
    u, d = memberships(objective, params, rows), distances(objective, params, rows)
    entropy = np.sum(u * np.log(np.where(u > 0, u, 1)))
    total = (
        np.sum(u * d)
        + objective.gamma * entropy
        + weight_entropy(objective, params)
        + objective.alpha * objective.expert.penalty(params.expert)
    )
    stats = summarize(objective, params, rows)
    assert value(objective, params, stats) == pytest.approx(total, rel=1e-9, abs=1e-9)


@given(problems, st.lists(st.integers(0, 3), min_size=60, max_size=60))
def test_weights_equal_repetition(problem, times):
    assume(any(times))
    objective, params, rows = problem
    weighted = rows._replace(weight=np.array(times, float))
    repeated = rows.take(np.repeat(np.arange(60), times))
    assert_same(summarize(objective, params, weighted), summarize(objective, params, repeated))


@given(problems, st.integers(0, 1000))
def test_row_order_does_not_matter(problem, seed):
    objective, params, rows = problem
    shuffled = rows.take(np.random.default_rng(seed).permutation(60))
    assert_same(summarize(objective, params, rows), summarize(objective, params, shuffled))


@given(problems, st.integers(0, 1000))
def test_permuted_clusters_give_permuted_steps(problem, seed):
    objective, params, rows = problem
    order = np.random.default_rng(seed).permutation(len(params.expert.z))
    shared = isinstance(objective.divergence, SharedWeights)

    def permute(divergence):
        return type(divergence)(
            *(array if shared and len(array) == 1 else array[order] for array in divergence)
        )

    permuted = type(params)(
        divergence=permute(params.divergence), expert=type(params.expert)(params.expert.z[order])
    )
    step = update(objective, params, summarize(objective, params, rows))
    other = update(objective, permuted, summarize(objective, permuted, rows))
    for here, there in zip(other.divergence, permute(step.divergence), strict=True):
        np.testing.assert_allclose(here, there, atol=1e-9)
    np.testing.assert_allclose(other.expert.z, step.expert.z[order], atol=1e-5)


@given(problems, st.integers(0, 1000))
def test_permuted_features_give_permuted_steps(problem, seed):
    objective, params, rows = problem
    order = np.random.default_rng(seed).permutation(rows.X.shape[1])
    balls = type(params.divergence)(
        *(array[:, order] if array.ndim == 2 else array for array in params.divergence)
    )
    step = update(objective, params, summarize(objective, params, rows))
    permuted = params._replace(divergence=balls)
    other_rows = rows._replace(X=rows.X[:, order])
    other = update(objective, permuted, summarize(objective, permuted, other_rows))
    np.testing.assert_allclose(other.divergence.v, step.divergence.v[:, order], atol=1e-9)
    np.testing.assert_allclose(other.expert.z, step.expert.z, atol=1e-5)


@given(problems, st.floats(-1e6, 1e6))
def test_shifted_rows_with_a_shifted_origin_give_the_same_sums(problem, shift):
    objective, params, rows = problem
    moved = Rows.of(rows.X + shift, rows.y, origin=rows.origin + shift, targets=rows.targets)
    here, there = summarize(objective, params, rows), summarize(objective, params, moved)
    assert_same(here, there, rtol=1e-6)


def test_unlabelled_rows_meet_no_label_cost_and_add_no_label_sums():
    objective, params, rows = problem()
    unlabelled = rows._replace(y=np.full(60, -1, np.int32))
    blind = summarize(objective._replace(alpha=0.0), params, rows)
    stats = summarize(objective, params, unlabelled)
    assert_same(stats.divergence, blind.divergence)
    assert not stats.expert.sums.any()
    np.testing.assert_allclose(stats.mass, blind.mass)


@pytest.mark.parametrize("y", [[4], [-2], [3_000_000]])
def test_labels_out_of_range_are_refused(y):
    objective, params, rows = problem()
    for verb in (summarize, memberships, distances):
        with pytest.raises(ValueError, match="codes from 0 to 3, or -1 for none"):
            verb(objective, params, Rows.of(rows.X[:1], y))


def test_arrays_that_do_not_fit_together_are_refused():
    objective, params, rows = problem()
    with pytest.raises(ValueError):
        summarize(objective, params, rows._replace(y=rows.y[:3]))
    with pytest.raises(ValueError):
        summarize(objective, params, rows._replace(weight=rows.weight[:3]))
    with pytest.raises(ValueError):
        summarize(objective, params, Rows.of(rows.X[:, :2], rows.y))


def test_unlabelled_starts_say_nothing_about_labels():
    objective, _, rows = problem("zero_one")
    z = params_at(objective, Rows.of(rows.X[:2])).expert.z
    np.testing.assert_allclose(z, 1 / 4)


def test_dead_clusters_keep_their_parameters():
    objective, params, rows = problem(gamma=0.01)
    far = params.divergence._replace(v=params.divergence.v + np.diag([0, 0, 0, 0, 1e4])[:, 4:])
    params = params._replace(divergence=far)
    step = update(objective, params, summarize(objective, params, rows))
    np.testing.assert_array_equal(step.divergence.v[4], far.v[4])
    np.testing.assert_array_equal(step.expert.z[4], params.expert.z[4])
    assert np.isfinite(step.divergence.v).all()


def test_decayed_sums_count_less():
    objective, params, rows = problem()
    stats = summarize(objective, params, rows)
    halved = summarize(objective, params, rows._replace(weight=np.full(60, 0.5)))
    assert_same(decay(stats, 0.5), halved)


def test_float32_is_close_to_float64():
    objective, params, rows = problem(n=600)
    single = rows._replace(X=rows.X.astype(np.float32))
    assert_same(summarize(objective, params, single), summarize(objective, params, rows), 1e-4)
