"""The pass in NumPy: what the compiled pass must equal, and what runs where it is missing.

Sparse rows are never made dense; their origin is 0.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sfplearn.core.kernel.coefficients import Coefficients
from sfplearn.core.simplex import softmin
from sfplearn.core.state import Rows

Array = NDArray[Any]


def costs(rows: Rows, coefficients: Coefficients) -> Array:
    """Return the cost of each row in each cluster, (n, k)."""
    x = _relative(rows)
    linear, square, table = (
        array.T.astype(x.dtype, copy=False)
        for array in (coefficients.linear, coefficients.square, coefficients.table)
    )
    cost = x @ linear
    cost += _squared(x) @ square
    cost += table[rows.y]
    return cost


def memberships(rows: Rows, coefficients: Coefficients) -> Array:
    """Return u_ij, (n, k)."""
    u, _ = softmin(costs(rows, coefficients), coefficients.gamma)
    return u


def summarize(rows: Rows, coefficients: Coefficients) -> tuple[Array, Array, Array, float]:
    """Return weighted sums of u x and u x^2 (k, p), of u by label (k, labels), of free energies."""
    u, free_energy = softmin(costs(rows, coefficients), coefficients.gamma)
    u = u.astype(np.float64, copy=False) * rows.weight[:, None]
    first, second, by_label, _ = gather(rows, coefficients, u)
    return first, second, by_label, float(rows.weight @ free_energy)


def gather(rows: Rows, coefficients: Coefficients, u: Array) -> tuple[Array, Array, Array, float]:
    """Return the same sums for any u, weights included in it; no free energy."""
    x = _relative(rows)
    by_label = sums_by_label(rows, u, coefficients.table.shape[1])
    return (x.T @ u).T, (_squared(x).T @ u).T, by_label, 0.0


def sums_by_label(rows: Rows, u: Array, labels: int) -> Array:
    """Return the sums of u (n, k) over the rows of each label, (k, labels)."""
    if labels == 1:
        return u.sum(axis=0)[:, None]
    n = len(u)
    of_label = sp.csr_array((np.ones(n), (rows.y % labels, np.arange(n))), shape=(labels, n))
    return (of_label @ u).T


def _relative(rows: Rows) -> Any:
    if sp.issparse(rows.X):
        return rows.X
    return (rows.X - rows.origin).astype(rows.X.dtype, copy=False)


def _squared(x: Any) -> Any:
    return x.multiply(x).tocsr() if sp.issparse(x) else x * x
