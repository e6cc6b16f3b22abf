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
    distance, _ = _distances(rows, coefficients)
    return distance + _label_costs(rows, coefficients)


def memberships(rows: Rows, coefficients: Coefficients) -> Array:
    """Return u_ij, (n, k)."""
    u, _ = softmin(costs(rows, coefficients), coefficients.gamma)
    return u


def summarize(rows: Rows, coefficients: Coefficients) -> Seen:
    """Return weighted sums over observed cells, of u by label, and of free energies."""
    distance, share = _distances(rows, coefficients)
    u, free_energy = softmin(distance + _label_costs(rows, coefficients), coefficients.gamma)
    u *= rows.weight[:, None]
    r = np.divide(u, share, out=np.zeros_like(u), where=share > 0)
    x, o = rows.dense(), rows.observed().astype(np.float64)
    first = r.T @ x
    if rows.targets is not None:
        first = np.hstack([first, u.T @ rows.targets])
    return Seen(
        first=first,
        second=r.T @ (x * x),
        seen=r.T @ o,
        expected=(r * distance).T @ o,
        class_sums=sums_by_label(rows, u, coefficients.table.shape[1]),
        energy=float(rows.weight @ free_energy),
    )


def _distances(rows: Rows, coefficients: Coefficients) -> tuple[Array, Array]:
    """Return D_ij and the share of weights that each row observes, both (n, k)."""
    x, o = rows.dense(), rows.observed().astype(np.float64)
    v = coefficients.centers
    w = np.maximum(coefficients.square[:, : x.shape[1]], LEAST_WEIGHT)
    share = o @ w.T
    total = (x * x) @ w.T - 2.0 * x @ (w * v).T + o @ (w * v * v).T
    distance = np.divide(total, share, out=np.zeros_like(total), where=share > 0)
    return np.maximum(distance, 0.0), share


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
