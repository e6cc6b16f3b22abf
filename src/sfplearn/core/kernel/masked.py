"""The pass over dense rows with missing cells, in NumPy and double precision.

The distance runs over observed cells o_il, its weights renormalised to sum to 1 over them:
D_ij = sum_l o_il w_jl (x_il - v_jl)^2 / sum_l o_il w_jl. A row that has no observed cell is
at distance 0 from every cluster.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.kernel.coefficients import Coefficients
from sfplearn.core.kernel.reference import sums_by_label
from sfplearn.core.simplex import softmin
from sfplearn.core.state import Rows

Array = NDArray[Any]

# Weights below this are as good as none; but a row may have no other feature.
LEAST_WEIGHT = 1e-200


class Seen(NamedTuple):
    """Sums over observed cells; r_ij is u_ij over the share of weights that a row observes."""

    first: Array
    """Of r x, then of u times targets, of shape (k, p + number of targets)."""
    second: Array
    """Of r x^2, of shape (k, p)."""
    seen: Array
    """Of r, of shape (k, p)."""
    expected: Array
    """Of r D, of shape (k, p)."""
    class_sums: Array
    """Of u by label, of shape (k, labels)."""
    energy: float
    """Of free energies."""


def costs(rows: Rows, coefficients: Coefficients) -> Array:
    """Return the cost of each row in each cluster, (n, k)."""
    distance, _ = _distances(_cells(rows), coefficients)
    return distance + _label_costs(rows, coefficients)


def memberships(rows: Rows, coefficients: Coefficients) -> Array:
    """Return u_ij, (n, k)."""
    u, _ = softmin(costs(rows, coefficients), coefficients.gamma)
    return u


def summarize(rows: Rows, coefficients: Coefficients) -> Seen:
    """Return weighted sums over observed cells, of u by label, and of free energies."""
    cells = _cells(rows)
    distance, share = _distances(cells, coefficients)
    u, free_energy = softmin(distance + _label_costs(rows, coefficients), coefficients.gamma)
    u *= rows.weight[:, None]
    r = np.divide(u, share, out=np.zeros_like(u), where=share > 0)
    p = rows.X.shape[1]
    second, first, seen = np.split(r.T @ cells, 3, axis=1)
    if rows.targets is not None:
        first = np.hstack([first, u.T @ rows.targets])
    r *= distance
    return Seen(
        first=first,
        second=second,
        seen=seen,
        expected=r.T @ cells[:, 2 * p :],
        class_sums=sums_by_label(rows, u, coefficients.table.shape[1]),
        energy=float(rows.weight @ free_energy),
    )


def _cells(rows: Rows) -> Array:
    """Return o x^2, o x and o side by side, (n, 3 p): all that the products need."""
    x = rows.dense()
    return np.hstack([x * x, x, rows.observed()])


def _distances(cells: Array, coefficients: Coefficients) -> tuple[Array, Array]:
    """Return D_ij and the share of weights that each row observes, both (n, k)."""
    v = coefficients.centers
    p = v.shape[1]
    w = np.maximum(coefficients.square[:, :p], LEAST_WEIGHT)
    share = cells[:, 2 * p :] @ w.T
    distance = cells @ np.hstack([w, -2.0 * w * v, w * v * v]).T
    np.divide(distance, share, out=distance, where=share > 0)
    return np.maximum(distance, 0.0, out=distance), share


def _label_costs(rows: Rows, coefficients: Coefficients) -> Array:
    """Return the part of the cost that labels make, (n, k)."""
    v = coefficients.centers
    p = v.shape[1]
    of_centers = np.sum(coefficients.square[:, :p] * v * v, axis=1, keepdims=True)
    cost = (coefficients.table - of_centers).T[rows.y]
    if rows.targets is not None:
        t = rows.targets
        cost = cost + t @ coefficients.linear[:, p:].T + (t * t) @ coefficients.square[:, p:].T
    return cost
