"""The pass over rows with missing cells."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfplearn.core import (
    Means,
    Objective,
    Prototype,
    Rows,
    WeightedEuclidean,
    distances,
    memberships,
    merge,
    params_at,
    summarize,
    update,
    value,
)
from sfplearn.core.losses import LogLoss
from sfplearn.core.objective import halfway
from tests.conftest import three_blobs
from tests.core.test_objective import assert_same

N, P, K = 60, 4, 5


def with_holes(X, share, seed):
    holes = np.random.default_rng(seed).random(X.shape) < share
    return np.where(holes, np.nan, X)


def problem(share=0.3, seed=0, targets=False, lam=4.0):
    X, y = three_blobs(N, P, seed)
    X_holes = with_holes(X, share, seed)
    rows, expert = Rows.of(X_holes, y, missing=True), Prototype(LogLoss(), 3)
    if targets:
        rows = Rows.of(X_holes, np.zeros(N, int), targets=X[:, :2], missing=True)
        expert = Means(2)
    objective = Objective(WeightedEuclidean(lam), expert, 1.0, 0.3)
    start = params_at(objective, rows.take(np.arange(K)))
    step = update(objective, start, summarize(objective, start, rows))
    return objective, step, rows


problems = st.builds(
    problem,
    share=st.floats(0, 0.9),
    seed=st.integers(0, 1000),
    targets=st.booleans(),
    lam=st.floats(1, 100),
)


@given(problems)
def test_distances_are_those_over_observed_cells_with_renormalised_weights(problem):
    objective, params, rows = problem
    (v, w), x = params.divergence, rows.X
    blind = rows._replace(y=np.full(N, -1, np.int32), targets=None)
    d = distances(objective, params, blind)
    for i in range(N):
        o = ~np.isnan(x[i])
        for j in range(K):
            expected = np.sum(w[j, o] * (x[i, o] - v[j, o]) ** 2) / w[j, o].sum() if o.any() else 0
            assert d[i, j] == pytest.approx(expected, abs=1e-9)


@given(problems)
def test_sums_are_those_over_observed_cells(problem):
    objective, params, rows = problem
    u, w = memberships(objective, params, rows), params.divergence.w
    o = ~np.isnan(rows.X)
    x = np.where(o, rows.X, 0)
    share = o @ w.T
    r = np.where(o.any(axis=1, keepdims=True), u / np.where(share > 0, share, 1), 0)
    sums = summarize(objective, params, rows).divergence
    np.testing.assert_allclose(sums.mass, u.sum(axis=0), atol=1e-9)
    np.testing.assert_allclose(sums.seen, r.T @ o, atol=1e-9)
    np.testing.assert_allclose(sums.first, r.T @ x, atol=1e-9)
    np.testing.assert_allclose(sums.second, r.T @ x**2, atol=1e-9)


@given(problems, st.integers(1, N - 1))
def test_blocks_add(problem, cut):
    objective, params, rows = problem
    blocks = [rows.take(slice(0, cut)), rows.take(slice(cut, N))]
    parts = [summarize(objective, params, block) for block in blocks]
    assert_same(reduce(merge, parts), summarize(objective, params, rows))


@given(st.integers(0, 1000), st.booleans())
def test_complete_rows_are_passed_over_as_by_the_other_kernels(seed, targets):
    objective, params, rows = problem(share=0.0, seed=seed, targets=targets)
    complete = rows._replace(missing=False)
    masked, plain = (summarize(objective, params, each) for each in (rows, complete))
    assert masked.energy == pytest.approx(plain.energy)
    assert_same(masked.expert, plain.expert)
    assert_same(update(objective, params, masked), update(objective, params, plain))


def test_complete_and_incomplete_blocks_add():
    objective, params, rows = problem()
    whole = Rows.of(three_blobs(N, P, 1)[0], np.zeros(N, int))
    mixed = merge(summarize(objective, params, rows), summarize(objective, params, whole))
    both = Rows.of(np.vstack([rows.X, whole.X]), np.append(rows.y, whole.y), missing=True)
    together = summarize(objective, params, both)
    assert_same(update(objective, params, mixed), update(objective, params, together))


@given(st.integers(0, 1000), st.floats(0, 0.6))
@example(356, 0.5)
def test_weights_step_follows_the_slope_of_the_objective(seed, share):
    """Where a descent with missing cells ends, no small change of a weight lowers the objective."""
    objective, params, rows = problem(share=share, seed=seed, lam=20.0)
    for _ in range(300):  # whole steps may be too long, and go back and forth for ever
        step = update(objective, params, summarize(objective, params, rows))
        params = halfway(objective, params, step)

    def at(w):
        moved = params._replace(divergence=params.divergence._replace(w=w))
        return value(objective, moved, summarize(objective, moved, rows))

    w = params.divergence.w
    shift = np.random.default_rng(seed).standard_normal(w.shape)
    shift = 1e-4 * w * (shift - (w * shift).sum(axis=1, keepdims=True))
    slope = (at(w + shift) - at(w - shift)) / 2
    curve = at(w + shift) + at(w - shift) - 2 * at(w)
    assert abs(slope) <= 1e-6 * abs(at(w)) + 10 * abs(curve)


def test_a_feature_is_not_preferred_for_being_seen_less_often():
    random = np.random.default_rng(0)
    X = random.standard_normal((2000, 2))
    X[random.random(2000) < 0.9, 1] = np.nan
    objective = Objective(WeightedEuclidean(300.0), Prototype(LogLoss(), 1), 0.0, 0.3)
    rows = Rows.of(X, missing=True)
    params = params_at(objective, rows.take([0]))
    for _ in range(50):
        params = update(objective, params, summarize(objective, params, rows))
    np.testing.assert_allclose(params.divergence.w, 0.5, atol=0.1)


def test_a_row_of_only_nan_is_as_near_to_all():
    objective, params, _ = problem()
    nothing = Rows.of(np.full((1, P), np.nan), missing=True)
    assert distances(objective, params, nothing).tolist() == [[0.0] * K]
    stats = summarize(objective, params, nothing)
    assert stats.divergence.seen.sum() == 0
    assert stats.mass.sum() == pytest.approx(1)
