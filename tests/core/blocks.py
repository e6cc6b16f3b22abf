"""Blocks of rows and coefficients for tests of the kernel."""

import numpy as np

from sfplearn.core import Rows
from sfplearn.core.kernel import Coefficients


def block(n, p, k, labels, dtype=np.float64, order="C", seed=0):
    random = np.random.default_rng(seed)
    X = np.asarray(random.standard_normal((n, p)) + 3.0, dtype=dtype, order=order)
    rows = Rows.of(X, random.integers(-1, labels, n), random.random(n), np.full(p, 3.0))
    centers, square = random.standard_normal((2, k, p))
    square = np.abs(square) / p
    table = random.random((k, labels + 1))
    return rows, Coefficients(-2 * square * centers, square, table, gamma=0.5)


def assert_same(got, expected, rtol):
    for left, right in zip(got, expected, strict=True):
        scale = max(1.0, float(np.abs(right).max()))
        np.testing.assert_allclose(left, right, rtol=rtol, atol=rtol * scale)
