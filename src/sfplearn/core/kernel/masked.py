"""The pass over dense rows with missing cells, in NumPy and double precision.

The distance runs over observed cells o_il, its weights renormalised to sum to 1 over them:
D_ij = sum_l o_il w_jl (x_il - v_jl)^2 / sum_l o_il w_jl, for weights that sum to 1. A row that
has no observed cell is at distance 0 from every cluster. Sums run over observed cells, a row
counting there by r_ij, its membership over the share of weights that it observes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.kernel.coefficients import Coefficients, Sums
from sfplearn.core.kernel.reference import sums_by_label
from sfplearn.core.simplex import softmin
from sfplearn.core.state import Rows

Array = NDArray[Any]


def costs(rows: Rows, coefficients: Coefficients) -> Array:
    """Return the cost of each row in each cluster, (n, k)."""
    distance, _ = _distances(_cells(rows), coefficients)
    return distance + _label_costs(rows, coefficients)


def memberships(rows: Rows, coefficients: Coefficients) -> Array:
    """Return u_ij, (n, k)."""
    u, _ = softmin(costs(rows, coefficients), coefficients.gamma)
    return u


def summarize(rows: Rows, coefficients: Coefficients) -> Sums:
    """Return weighted sums of r x, r x^2, of u by label, of free energies, of r and of r D."""
    cells = _cells(rows)
    distance, share = _distances(cells, coefficients)
    u, free_energy = softmin(distance + _label_costs(rows, coefficients), coefficients.gamma)
    u *= rows.weight[:, None]
    sums = _gather(rows, coefficients, u, cells, distance, share)
    return sums._replace(energy=float(rows.weight @ free_energy))


def gather(rows: Rows, coefficients: Coefficients, u: Array) -> Sums:
    """Return the same sums for any u, weights included in it; no free energy."""
    cells = _cells(rows)
    return _gather(rows, coefficients, u, cells, *_distances(cells, coefficients))


def _gather(
    rows: Rows, coefficients: Coefficients, u: Array, cells: Array, distance: Array, share: Array
) -> Sums:
    r = np.divide(u, share, out=np.zeros_like(u), where=share > 0)
    p = rows.X.shape[1]
    second, first, seen = np.split(r.T @ cells, 3, axis=1)
    if rows.targets is not None:
        first = np.hstack([first, u.T @ rows.targets])
    expected = np.zeros_like(seen)
    if coefficients.is_mean:
        expected = (r * distance).T @ cells[:, 2 * p :]
    return Sums(
        first=first,
        second=second,
        class_sums=sums_by_label(rows, u, coefficients.table.shape[1]),
        energy=0.0,
        seen=seen,
        expected=expected,
    )


def _cells(rows: Rows) -> Array:
    """Return o x^2, o x and o side by side, (n, 3 p): all that the products need."""
    x = rows.dense()
    return np.hstack([x * x, x, rows.observed()])


def _distances(cells: Array, coefficients: Coefficients) -> tuple[Array, Array]:
    """Return D_ij and the share of weights that each row observes, both (n, k)."""
    p = coefficients.constant.shape[1]
    linear, square = coefficients.linear[:, :p], coefficients.square[:, :p]
    distance = cells @ np.hstack([square, linear, coefficients.constant]).T
    if not coefficients.is_mean:
        return distance, np.ones_like(distance)
    share = cells[:, 2 * p :] @ square.T / square.sum(axis=1)
    np.divide(distance, share, out=distance, where=share > 0)
    return np.maximum(distance, 0.0, out=distance), share


def _label_costs(rows: Rows, coefficients: Coefficients) -> Array:
    """Return the part of the cost that labels make, (n, k)."""
    cost = coefficients.label_table.T[rows.y]
    if rows.targets is not None:
        t, p = rows.targets, rows.X.shape[1]
        cost = cost + t @ coefficients.linear[:, p:].T + (t * t) @ coefficients.square[:, p:].T
    return cost
