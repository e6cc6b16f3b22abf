"""Rows in memory: blocks, threads, samples."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sfplearn.data import as_source
from sfplearn.data.arrays import BLOCK_NUMBERS, block_count


def source_of(n=50, seed=0, **options):
    random = np.random.default_rng(seed)
    return as_source(
        random.standard_normal((n, 3)), random.integers(0, 2, n), random.random(n), **options
    )


@given(st.integers(1, 10**7), st.integers(1, 10**5), st.integers(1, 10**4))
def test_blocks_are_bounded_and_grow_in_number_with_the_rows(n, p, k):
    rows = n / block_count(n, p, k)
    assert rows <= max(1, BLOCK_NUMBERS / (3 * k + p))
    assert block_count(2 * n, p, k) >= block_count(n, p, k)


def test_small_problems_are_one_block():
    assert block_count(100, 16, 20) == 1
    assert block_count(500, 30, 20) == 1


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_blocks_come_back_in_order(n_jobs):
    X = np.arange(2_000_000.0).reshape(-1, 2)
    with as_source(X, n_clusters=50, n_jobs=n_jobs) as source:
        assert block_count(1_000_000, 2, 50) > 4
        np.testing.assert_array_equal(source.map_rows(lambda rows: rows.X[:, 0]), X[:, 0])
        starts = source.map_reduce(lambda rows: [rows.X[0, 0]], lambda a, b: a + b)
        assert starts == sorted(starts)


def test_an_error_in_a_block_reaches_the_caller():
    X = np.ones((1_000_000, 2))

    def fail(rows):
        raise KeyError("inside a block")

    with as_source(X, n_clusters=50, n_jobs=2) as source, pytest.raises(KeyError, match="inside"):
        source.map_rows(fail)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_samples_do_not_depend_on_row_order(container):
    source = source_of(200)
    order = np.random.default_rng(1).permutation(200)
    rows = source.rows
    shuffled = as_source(container(rows.X[order]), rows.y[order], rows.weight[order])
    for size in (20, 500):
        here = source.sample(size, np.random.default_rng(2))
        there = shuffled.sample(size, np.random.default_rng(2))
        np.testing.assert_array_equal(there.dense(), here.X)
        np.testing.assert_array_equal(there.y, here.y)


def test_samples_take_weights_for_repetitions():
    rows = source_of(40).rows
    times = np.arange(40) % 4
    weighted = as_source(rows.X, rows.y, times)
    repeated = as_source(np.repeat(rows.X, times, axis=0), np.repeat(rows.y, times))
    here = weighted.sample(15, np.random.default_rng(0))
    there = repeated.sample(15, np.random.default_rng(0))
    np.testing.assert_array_equal(here.X, there.X)
    assert here.weight.sum() == pytest.approx(there.weight.sum())


def test_the_order_of_all_rows_survives_shift_and_scale():
    rows = source_of(300).rows
    here = as_source(rows.X, rows.y).sample(300, np.random.default_rng(0))
    there = as_source(7.0 * rows.X - 3.0, rows.y).sample(300, np.random.default_rng(0))
    np.testing.assert_allclose(7.0 * here.X - 3.0, there.X)


def test_rows_without_weight_are_never_drawn():
    X = np.arange(100.0)[:, None]
    weight = (X[:, 0] >= 50).astype(float)
    sample = as_source(X, None, weight).sample(30, np.random.default_rng(0))
    assert sample.X.min() >= 50
