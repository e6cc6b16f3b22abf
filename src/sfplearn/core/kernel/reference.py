"""The pass in NumPy: what the compiled pass must equal, and what runs where it is missing.

Every function takes a block of rows and the coefficients of their cost in each cluster,

    cost_ij = sum_l linear_jl x_il + sum_l square_jl x_il^2 + table_j,label(i),

with x relative to the origin and label -1 for the last column of the table. Sparse rows are
never made dense; their origin is 0.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sfplearn.core.simplex import softmin

Array = NDArray[np.floating]


def costs(X: Any, origin: Array, label: Any, linear: Array, square: Array, table: Array) -> Array:
    """Return cost (n, k)."""
    x = _relative(X, origin)
    cost = x @ linear.T.astype(x.dtype, copy=False)
    cost += _squared(x) @ square.T.astype(x.dtype, copy=False)
    cost += table.T.astype(x.dtype, copy=False)[label]
    return cost


def memberships(
    X: Any, label: Any, weight: Array, origin: Array,
    linear: Array, square: Array, table: Array, gamma: float,
) -> Array:  # fmt: skip
    """Return weight_i u_ij (n, k)."""
    u, _ = softmin(costs(X, origin, label, linear, square, table), gamma)
    u *= weight[:, None].astype(u.dtype)
    return u


def summarize(
    X: Any, label: Any, weight: Array, origin: Array,
    linear: Array, square: Array, table: Array, gamma: float,
) -> tuple[Array, Array, Array, float]:  # fmt: skip
    """Return sums of u x and u x^2 (k, p), of u by label (k, labels), and of free energies."""
    u, free_energy = softmin(costs(X, origin, label, linear, square, table), gamma)
    u = u.astype(np.float64, copy=False) * weight[:, None]
    x = _relative(X, origin)
    n, labels = len(u), table.shape[1]
    has_label = sp.csr_array((np.ones(n), (label % labels, np.arange(n))), shape=(labels, n))
    return (x.T @ u).T, (_squared(x).T @ u).T, (has_label @ u).T, float(weight @ free_energy)


def _relative(X: Any, origin: Array) -> Any:
    return X if sp.issparse(X) else (X - origin).astype(X.dtype, copy=False)


def _squared(x: Any) -> Any:
    return x.multiply(x).tocsr() if sp.issparse(x) else x * x
