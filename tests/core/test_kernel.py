"""The compiled pass equals the NumPy one on every shape it cuts differently."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sfplearn.core.kernel import reference

fused = pytest.importorskip("sfplearn.core.kernel.fused")


def block(n, p, k, labels, dtype=np.float64, order="C", seed=0):
    random = np.random.default_rng(seed)
    X = np.asarray(random.standard_normal((n, p)) + 3.0, dtype=dtype, order=order)
    label = random.integers(-1, labels, n).astype(np.int32)
    weight = random.random(n)
    centers, square = random.standard_normal((2, k, p))
    square = np.abs(square) / p
    table = random.random((k, labels + 1))
    return X, label, weight, np.full(p, 3.0), -2 * square * centers, square, table, 0.5


def assert_same(got, expected, rtol):
    for left, right in zip(got, expected, strict=True):
        scale = max(1.0, float(np.abs(right).max()))
        np.testing.assert_allclose(left, right, rtol=rtol, atol=rtol * scale)


# Below, at and above the size of a vector, a tile (96 rows), a panel (128 columns) and the
# padding that keeps rows of 64 clusters off the same cache set.
SHAPES = [
    (1, 1, 1, 1),
    (95, 3, 2, 2),
    (96, 4, 4, 3),
    (97, 127, 5, 2),
    (200, 128, 12, 2),
    (50, 129, 13, 4),
    (300, 300, 64, 3),
    (193, 7, 67, 30),
    (10, 1000, 3, 2),
]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 2e-5)])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_fused_equals_reference(shape, dtype, rtol, order):
    arguments = block(*shape, dtype, order)
    exact = (arguments[0].astype(np.float64), *arguments[1:])
    assert_same(fused.summarize(*arguments), reference.summarize(*exact), rtol)
    u = fused.memberships(*arguments)
    assert u.dtype == dtype
    np.testing.assert_allclose(u, reference.memberships(*exact), rtol=10 * rtol, atol=rtol)


def test_strided_and_read_only_rows_are_read_in_place():
    X, *rest = block(60, 8, 3, 2)
    wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    wide.setflags(write=False)
    assert_same(fused.summarize(wide[::2, ::3], *rest), fused.summarize(X, *rest), 1e-14)


def test_sparse_reference_equals_dense_reference():
    X, label, weight, _, *rest = block(60, 8, 3, 2)
    X[np.abs(X) < 3] = 0
    origin = np.zeros(8)
    dense = reference.summarize(X, label, weight, origin, *rest)
    sparse = reference.summarize(sp.csr_array(X), label, weight, origin, *rest)
    assert_same(sparse, dense, 1e-12)


@given(st.floats(1e-8, 1e8), st.floats(-700, 700))
def test_memberships_survive_any_temperature_and_offset(gamma, offset):
    X, label, weight, origin, linear, square, table, _ = block(20, 3, 4, 2)
    u = fused.memberships(X, label, np.ones(20), origin, linear, square, table + offset, gamma)
    np.testing.assert_allclose(u.sum(axis=1), 1.0, rtol=1e-12)
    assert (u >= 0).all()


def test_exponential_is_accurate_to_rounding():
    """Costs c and 0 give memberships 1 / (1 + exp(-c)) and its complement."""
    cost = np.concatenate([np.linspace(0, 50, 2001), np.geomspace(1e-12, 700, 2001)])
    n = len(cost)
    one, zero = np.array([[1.0], [0.0]]), np.zeros((2, 1))
    u = fused.memberships(
        cost[:, None], np.zeros(n, np.int32), np.ones(n), np.zeros(1), one, zero, zero, 1.0
    )
    np.testing.assert_allclose(u[:, 0], np.exp(-cost) / (1 + np.exp(-cost)), rtol=1e-15)
