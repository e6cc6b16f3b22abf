"""Linear experts: laws of the pass and the step."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, Ridge

from sfplearn.core import Objective, Rows, distances, merge, params_at, summarize, update, value
from sfplearn.core.linear import Coefficients, LocalLogistic, LocalRegression, check_memory
from tests.conftest import three_blobs
from tests.core.test_masked import with_holes
from tests.core.test_objective import GEOMETRIES, assert_same

N, P = 80, 3


def problem(kind="regression", k=4, alpha=1.0, divergence="weighted_euclidean", seed=0, holes=0.0):
    X, y = three_blobs(N, P, seed)
    shown = with_holes(X, holes, seed)
    if kind == "regression":
        targets = np.column_stack([2 * X[:, 0] + 1, np.abs(X[:, 1])])
        expert = LocalRegression(2, penalty=0.5)
        rows = Rows.of(shown, np.zeros(N), targets=targets, missing=holes > 0)
    else:
        expert, rows = LocalLogistic(3, penalty=0.5), Rows.of(shown, y, missing=holes > 0)
    objective = Objective(GEOMETRIES[divergence](4.0), expert, alpha, 0.3)
    return objective, params_at(objective, rows.take(np.arange(k))), rows


problems = st.builds(
    problem,
    kind=st.sampled_from(["regression", "classification"]),
    k=st.integers(1, 6),
    alpha=st.sampled_from([0.0, 0.1, 1.0, 10.0]),
    divergence=st.sampled_from(sorted(GEOMETRIES)),
    seed=st.integers(0, 100),
)


@given(problems)
def test_the_objective_never_rises(problem):
    objective, params, rows = problem
    path = []
    for _ in range(12):
        stats = summarize(objective, params, rows)
        path.append(value(objective, params, stats))
        params = update(objective, params, stats)
    assert np.diff(path).max() <= 1e-9 * np.abs(path).max()


@given(problems, st.integers(1, N - 1))
def test_blocks_add(problem, cut):
    objective, params, rows = problem
    blocks = [rows.take(slice(0, cut)), rows.take(slice(cut, N))]
    parts = [summarize(objective, params, block) for block in blocks]
    assert_same(reduce(merge, parts), summarize(objective, params, rows))


@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_missing_cells_and_labels(kind):
    objective, params, rows = problem(kind, holes=0.2)
    rows = rows._replace(y=np.where(np.arange(N) % 2, rows.y, -1).astype(np.int32))
    for _ in range(10):
        params = update(objective, params, summarize(objective, params, rows))
    assert np.isfinite(params.expert.beta).all()


def test_one_cluster_is_ridge_regression():
    objective, params, rows = problem(k=1)
    params = update(objective, params, summarize(objective, params, rows))
    peer = Ridge(alpha=0.5).fit(rows.X, rows.targets)
    np.testing.assert_allclose(params.expert.beta[0, :-1], peer.coef_.T, atol=1e-9)
    np.testing.assert_allclose(params.expert.beta[0, -1], peer.intercept_, atol=1e-9)


def test_one_cluster_gathers_its_gram_once():
    objective, params, rows = problem("classification", k=1)
    slow = params
    for number in range(6):
        stats = summarize(objective, params, rows)
        assert (stats.expert.gram.size == 0) == (number > 0)
        params = update(objective, params, stats)
        slow = slow._replace(expert=Coefficients(slow.expert.beta))  # forgets what it knows
        slow = update(objective, slow, summarize(objective, slow, rows))
        np.testing.assert_allclose(params.expert.beta, slow.expert.beta, rtol=1e-9)


def test_one_cluster_is_logistic_regression():
    objective, params, rows = problem("classification", k=1)
    for _ in range(2000):
        params = update(objective, params, summarize(objective, params, rows))
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(rows.X, rows.y)
    beta = params.expert.beta[0]
    beta = beta - beta.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(beta[:-1], peer.coef_.T, atol=1e-3)
    np.testing.assert_allclose(
        beta[-1] - beta[-1, 0], peer.intercept_ - peer.intercept_[0], atol=1e-3
    )


def test_costs_are_losses_of_the_local_models():
    objective, params, rows = problem(k=2)
    params = update(objective, params, summarize(objective, params, rows))
    apart = distances(objective, params, rows) - distances(objective, params, rows.without_labels())
    for j in range(2):
        beta = params.expert.beta[j]
        error = rows.targets - rows.X @ beta[:-1] - beta[-1]
        np.testing.assert_allclose(apart[:, j], (error**2).sum(axis=1), atol=1e-9)


def test_sums_that_do_not_fit_are_refused():
    check_memory(10, 100, 1)
    with pytest.raises(ValueError, match=r"need 7632 MB of sums .*expert='constant'"):
        check_memory(10, 10_000, 1)
