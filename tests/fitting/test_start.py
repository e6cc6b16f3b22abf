"""Starts choose distinct rows, obey weights and classes, and ignore row order."""

import numpy as np
import pytest
import scipy.sparse as sp

from sfplearn.core import LogLoss, Objective, Prototype, Rows, WeightedEuclidean
from sfplearn.data import as_source
from sfplearn.fitting import STARTS, initial_params, params_from_centers, reseed
from tests.conftest import three_blobs

OBJECTIVE = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 3), 1.0, 0.1)


def sampled(container=np.asarray, n=80):
    X, y = three_blobs(n)
    return as_source(container(X), y).sample(1000, np.random.default_rng(0))


def choose(method, rows, k, seed=0):
    return STARTS[method](OBJECTIVE, rows, k, np.random.default_rng(seed))


@pytest.mark.parametrize("method", STARTS)
@pytest.mark.parametrize("k", [1, 3, 20, 80])
def test_chosen_rows_are_distinct(method, k):
    chosen = choose(method, sampled(), k)
    assert len(set(chosen.tolist())) == k


@pytest.mark.parametrize("method", STARTS)
def test_sparse_rows_give_the_same_start(method):
    dense, sparse = choose(method, sampled(), 7), choose(method, sampled(sp.csr_array), 7)
    assert dense.tolist() == sparse.tolist()


@pytest.mark.parametrize("method", STARTS)
def test_seeds_matter_and_repeat(method):
    rows = sampled()
    assert choose(method, rows, 5).tolist() == choose(method, rows, 5).tolist()
    assert any(
        choose(method, rows, 5).tolist() != choose(method, rows, 5, s).tolist() for s in (1, 2)
    )


@pytest.mark.parametrize("method", STARTS)
def test_more_clusters_than_distinct_rows_still_start(method):
    rows = Rows.of(np.repeat([[0.0], [1.0]], 5, axis=0), np.repeat([0, 1], 5))
    assert len(choose(method, rows, 6)) == 6


def test_stratified_gives_every_class_a_cluster_first():
    rows = sampled()
    for k, least in ((3, 1), (8, 1), (12, 2)):
        counts = np.bincount(rows.y[choose("stratified", rows, k)], minlength=3)
        assert counts.sum() == k
        assert counts.min() >= least


def test_plus_plus_sees_labels():
    """Rows at one place with two labels need two clusters."""
    X = np.array([[0.0]] * 20 + [[0.1]] * 20)
    rows = Rows.of(X, np.repeat([0, 1], 20))
    for seed in range(5):
        assert set(rows.y[choose("k-means++", rows, 2, seed)]) == {0, 1}


def test_starts_take_rows_as_centres_and_labels_as_prototypes():
    rows = sampled()
    params = initial_params("random", OBJECTIVE, None, rows, 4, np.random.default_rng(0))
    chosen = choose("random", rows, 4)
    np.testing.assert_allclose(params.divergence.v, rows.dense()[chosen])
    np.testing.assert_allclose(params.divergence.w, 1 / 4)
    assert params.expert.z.argmax(axis=1).tolist() == rows.y[chosen].tolist()


def test_given_centres_take_the_labels_around_them():
    X, y = three_blobs(400)
    centers = np.array([X[y == label].mean(axis=0) for label in range(3)])
    with as_source(X, y, n_clusters=3) as source:
        params = params_from_centers(OBJECTIVE, source, centers)
    np.testing.assert_allclose(params.divergence.v, centers)
    assert params.expert.z.argmax(axis=1).tolist() == [0, 1, 2]


def test_starts_at_rows_without_labels_take_those_of_the_rows_around():
    X, y = three_blobs(60)
    partly = np.where(np.arange(60) % 2, y, -1)
    with as_source(X, partly, n_clusters=3) as source:
        rows = source.sample(1000, np.random.default_rng(0))
        rows = rows._replace(weight=np.where(rows.y < 0, 1.0, 1e-12))
        params = initial_params("random", OBJECTIVE, source, rows, 3, np.random.default_rng(0))
        expected = params_from_centers(OBJECTIVE, source, params.divergence.v)
    np.testing.assert_allclose(params.expert.z, expected.expert.z)
    assert params.expert.z.max() > 0.5


def test_reseeding_moves_dead_clusters_only():
    rows = sampled()
    params = initial_params("random", OBJECTIVE, None, rows, 4, np.random.default_rng(0))
    dead = np.array([False, True, False, False])
    moved = reseed(OBJECTIVE, rows, np.random.default_rng(1), params, dead)
    same = (moved.divergence.v == params.divergence.v).all(axis=1)
    assert same.tolist() == [True, False, True, True]
