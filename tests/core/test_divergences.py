"""What each divergence is, in its own words."""

import numpy as np
import pytest

from sfplearn.core import (
    DIVERGENCES,
    DiagonalGaussian,
    Objective,
    Rows,
    SharedWeights,
    Silent,
    distances,
    params_at,
    summarize,
    update,
    value,
)
from sfplearn.core.divergences import Gaussians
from sfplearn.core.objective import least_distances
from sfplearn.fitting import reseed
from tests.conftest import three_blobs
from tests.core.test_masked import with_holes
from tests.core.test_objective import GEOMETRIES, problem


def test_shared_weights_are_those_of_all_scatter_together():
    objective, params, rows = problem(divergence="shared_weights")
    stats = summarize(objective, params, rows)
    step = update(objective, params, stats)
    s = (stats.divergence.second - step.divergence.v * stats.divergence.first).sum(axis=0)
    w = np.exp(-(s - s.min()) / objective.divergence.lam)
    np.testing.assert_allclose(step.divergence.w, [w / w.sum()])
    assert step.divergence.v.shape == (5, 3)
    np.testing.assert_allclose(objective.divergence.feature_weights(step.divergence).sum(axis=1), 1)


def test_shared_weights_survive_dead_clusters():
    objective, params, rows = problem(divergence="shared_weights", gamma=0.01)
    far = params.divergence.v.copy()
    far[-1] += 1e4
    params = params._replace(divergence=params.divergence._replace(v=far))
    path = []
    for _ in range(5):
        stats = summarize(objective, params, rows)
        path.append(value(objective, params, stats))
        params = update(objective, params, stats)
    assert params.divergence.w.shape == (1, 3)
    assert np.diff(path).max() <= 0


def test_reseeding_leaves_shared_weights_alone():
    objective, params, rows = problem(divergence="shared_weights", k=3)
    params = params._replace(divergence=params.divergence._replace(w=np.array([[0.7, 0.2, 0.1]])))
    dead = np.array([True, True, False])
    moved = reseed(objective, rows, np.random.default_rng(0), params, dead)
    assert moved.divergence.w.tolist() == [[0.7, 0.2, 0.1]]


def test_gaussian_distances_are_minus_log_densities():
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(0)
    v, variance = random.standard_normal((2, 3)), random.gamma(2.0, size=(2, 3))
    share = np.array([0.3, 0.7])
    objective = Objective(DiagonalGaussian(1e-6), Silent(), 0.0, 1.0)
    params = params_at(objective, Rows.of(v))._replace(divergence=Gaussians(v, variance, share))
    X = random.standard_normal((20, 3))
    d = distances(objective, params, Rows.of(X))
    for j in range(2):
        density = stats.multivariate_normal(v[j], np.diag(variance[j])).logpdf(X)
        np.testing.assert_allclose(d[:, j], -np.log(share[j]) - density)


def test_gaussian_variances_have_a_floor():
    objective, params, rows = problem(divergence="diagonal_gaussian", k=3, lam=200.0)
    step = update(objective, params, summarize(objective, params, rows))
    assert step.divergence.variance.min() >= 0.2
    assert step.divergence.share.sum() == pytest.approx(1)


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_centres_are_where_distances_are_least(divergence):
    objective, params, _ = problem(divergence=divergence)
    d = distances(objective, params, Rows.of(params.divergence.v))
    np.testing.assert_allclose(np.diag(d), least_distances(objective, params), atol=1e-9)


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_missing_cells(divergence):
    X, _ = three_blobs(200, 4)
    rows = Rows.of(with_holes(X, 0.3, 0), missing=True)
    objective = Objective(GEOMETRIES[divergence](50.0), Silent(), 0.0, 0.5)
    params = params_at(objective, rows.take(np.arange(4)))
    path = []
    for _ in range(20):
        stats = summarize(objective, params, rows)
        path.append(value(objective, params, stats))
        params = update(objective, params, stats)
    assert np.diff(path).max() <= 1e-9 * np.abs(path).max()


def test_missing_cells_of_a_gaussian_are_integrated_out():
    """The density of the cells that a row has is the marginal one."""
    objective = Objective(DiagonalGaussian(1e-6), Silent(), 0.0, 1.0)
    gaussians = Gaussians(np.array([[1.0, 2.0]]), np.array([[4.0, 9.0]]), np.ones(1))
    params = params_at(objective, Rows.of(gaussians.v))._replace(divergence=gaussians)
    rows = Rows.of(np.array([[3.0, np.nan], [np.nan, np.nan]]), missing=True)
    expected = 0.5 * np.log(2 * np.pi * 4) + 0.5
    np.testing.assert_allclose(distances(objective, params, rows), [[expected], [0.0]], atol=1e-12)


def test_one_cluster_shares_its_weights_with_itself():
    alone = problem(k=1)
    shared = problem(k=1, divergence="shared_weights")
    assert isinstance(shared[0].divergence, SharedWeights)
    for (objective, params, rows), other in [(alone, shared)]:
        step = update(objective, params, summarize(objective, params, rows))
        again = update(other[0], other[1], summarize(other[0], other[1], rows))
        np.testing.assert_allclose(step.divergence.w, again.divergence.w)
