"""Losses of classes: the paper's table 1 and its multi-class versions.

A prototype z_j is a vector with one entry a class. Two classes need no special case: with
them, z_2 - z_1 (logistic) or z_2 (hinge) is the paper's scalar prototype.
"""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfplearn.core.losses.base import Array, Loss, informed, weighted_quantile

# Pseudo-count of every label in every cluster, against ln 0 in clusters of one label: a
# hundredth of a row of weight 1. It is the weight of a Dirichlet prior on prototypes, which
# `penalty` adds to the objective.
SMOOTHING = 0.01

# Mixed prototypes may have shares so small that one over them is beyond double precision.
LEAST_SHARE = 1e-200


class _Smoothed(Loss):
    """A loss whose prototypes take a pseudo-count of every label."""

    gives_probabilities = True

    smoothing: float

    def __init__(self, smoothing: float = SMOOTHING) -> None:
        if not (isinstance(smoothing, Real) and smoothing > 0):
            raise ValueError(f"smoothing must be a number above 0; got {smoothing!r}.")
        self.smoothing = smoothing

    def penalty(self, y: NDArray[Any], z: Array) -> Array:
        return self.smoothing * self.cost(y, z).sum(axis=1)


class LogLoss(_Smoothed):
    """l(y, z) = -ln z_y with z on the simplex; prototypes are label frequencies.

    Parameters
    ----------
    smoothing : float, default=0.01
        Pseudo-count of every label in every cluster.

    Examples
    --------
    >>> import numpy as np
    >>> LogLoss().prototype(np.arange(2), np.array([[3.0, 1.0]])).round(2).tolist()
    [[0.75, 0.25]]
    """

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return -np.log(np.maximum(z[:, y], LEAST_SHARE))

    def each(self, y: NDArray[Any], z: Array) -> Array:
        return -np.log(np.maximum(z[np.arange(len(y)), y], LEAST_SHARE))

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return -_indicator(y, z) / np.maximum(z, LEAST_SHARE)

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        counts = sums + self.smoothing
        return counts / counts.sum(axis=1, keepdims=True)

    def probabilities(self, z: Array) -> Array:
        return z


class Logistic(_Smoothed):
    """l(y, z) = ln sum_m exp(z_m - z_y); with two labels, ln(1 + exp(-y z)) for z = z_2 - z_1.

    Prototypes are centred log frequencies; mixing them averages log-odds where `LogLoss`
    averages probabilities.

    Parameters
    ----------
    smoothing : float, default=0.01
        Pseudo-count of every label in every cluster.

    Examples
    --------
    >>> import numpy as np
    >>> z = Logistic().prototype(np.arange(2), np.array([[1.0, 3.0]]))
    >>> round(float(z[0, 1] - z[0, 0]), 2)
    1.09
    """

    domain = "real"

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return _log_sum_exp(z)[:, None] - z[:, y]

    def each(self, y: NDArray[Any], z: Array) -> Array:
        return _log_sum_exp(z) - z[np.arange(len(y)), y]

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return self.probabilities(z) - _indicator(y, z)

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        z = np.log(sums + self.smoothing)
        return z - z.mean(axis=1, keepdims=True)

    def probabilities(self, z: Array) -> Array:
        return np.exp(-self.cost(np.arange(z.shape[1]), z))


class Hinge(Loss):
    """l(y, z) = sum_{m != y} max(0, z_m + 1/(M-1)) with sum_m z_m = 0 (Lee, Lin and Wahba).

    With two labels this is the paper's max(0, 1 - y z). The prototype is the simplex vertex
    of the heaviest label: 1 there, -1/(M-1) elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> Hinge().prototype(np.arange(3), np.array([[1.0, 3.0, 2.0]])).tolist()
    [[-0.5, 1.0, -0.5]]
    """

    domain = "balanced"

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        margins = np.maximum(0.0, z + 1.0 / (z.shape[1] - 1))
        return margins.sum(axis=1, keepdims=True) - margins[:, y]

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        inside = z + 1.0 / (z.shape[1] - 1) > 0
        return inside * (1.0 - _indicator(y, z))

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        labels = sums.shape[1]
        return (labels * lightest(-informed(sums)) - 1.0) / (labels - 1)


class SquaredHinge(Loss):
    """l(y, z) = sum_{m != y} max(0, z_m + 1/(M-1))^2 with sum_m z_m = 0.

    With two labels this is max(0, 1 - y z)^2. With c_m the weight of all labels but m, the
    prototype has z_m + 1/(M-1) proportional to 1 / c_m.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredHinge().prototype(np.arange(2), np.array([[1.0, 3.0]])).tolist()
    [[-0.5, 0.5]]
    """

    domain = "balanced"

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        margins = np.maximum(0.0, z + 1.0 / (z.shape[1] - 1)) ** 2
        return margins.sum(axis=1, keepdims=True) - margins[:, y]

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        margins = np.maximum(0.0, z + 1.0 / (z.shape[1] - 1))
        return 2.0 * margins * (1.0 - _indicator(y, z))

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        labels = sums.shape[1]
        s = informed(sums)
        c = np.maximum(s.sum(axis=1, keepdims=True) - s, 0.0)
        least = c.min(axis=1, keepdims=True)
        # least / c is 1 / c up to a factor, and finite where a cluster has a single label.
        t = np.divide(least, c, out=np.ones_like(c), where=c > 0)
        return t / t.sum(axis=1, keepdims=True) * labels / (labels - 1) - 1.0 / (labels - 1)


class ZeroOne(Loss):
    """Classification error, l(y, z) = 1 - z_y for z on the simplex: 1(y != z) at its vertices.

    The prototype is the vertex of the heaviest label, and mixing prototypes counts votes.

    Examples
    --------
    >>> import numpy as np
    >>> ZeroOne().prototype(np.arange(3), np.array([[1.0, 3.0, 2.0]])).tolist()
    [[0.0, 1.0, 0.0]]
    """

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return 1.0 - z[:, y]

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return -_indicator(y, z)

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        return lightest(-informed(sums))


class CostMatrix(Loss):
    """l(y, z) = sum_m C_ym z_m for z on the simplex: C_ym is what m costs where y is true.

    A prototype votes for the label of least expected cost, and the label with most votes is
    predicted. That is the one departure from eq. 8: votes have weighed the costs already, and
    the label of least loss under them would weigh them twice, the wrong way round.

    Parameters
    ----------
    costs : array-like of shape (n_classes, n_classes)
        Row: the true class. Column: the class that is predicted. In the order of `classes_`.

    Examples
    --------
    Missing the second class costs ten times as much:

    >>> import numpy as np
    >>> loss = CostMatrix([[0, 1], [10, 0]])
    >>> loss.prototype(np.arange(2), np.array([[8.0, 2.0]])).tolist()
    [[0.0, 1.0]]
    """

    def __init__(self, costs: ArrayLike) -> None:
        self.costs = costs
        self._excess = _checked_costs(costs)

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return (z @ self._excess.T)[:, y]

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return self._excess[y]

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        return lightest(informed(sums) @ self._excess[y])

    def scores(self, y: NDArray[Any], z: Array) -> Array:
        return z[:, y]

    def check(self, labels: NDArray[Any]) -> None:
        if len(labels) != len(self._excess):
            raise ValueError(
                f"CostMatrix must have a row and a column for each of the {len(labels)} classes; "
                f"got shape {self._excess.shape}."
            )


class Ordinal(Loss):
    """l(y, z) = |rank of y - z| for labels that have an order; the prototype is the median rank.

    Labels must be numbers, so that their order is known; ranks are 0, 1, ... in that order.

    Examples
    --------
    >>> import numpy as np
    >>> Ordinal().prototype(np.arange(3), np.array([[3.0, 1.0, 5.0]])).tolist()
    [[2.0]]
    """

    domain = "real"

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return np.abs(y - z)

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return np.sign(z - y[:, None])

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        return weighted_quantile(y, sums, 0.5)

    def check(self, labels: NDArray[Any]) -> None:
        if labels.dtype.kind not in "iufb":
            raise ValueError(
                f"loss 'ordinal' needs labels whose order is known; give ranks 0, 1, ... instead "
                f"of {labels.tolist()[:3]}."
            )


def _log_sum_exp(z: Array) -> Array:
    """Return ln sum_m exp z_m of each row, (k,)."""
    top = z.max(axis=1)
    return top + np.log(np.exp(z - top[:, None]).sum(axis=1))


def _indicator(y: NDArray[Any], z: Array) -> Array:
    """Return 1(m = y_i), (n, M)."""
    return np.asarray(y[:, None] == np.arange(z.shape[1]), np.float64)


def lightest(costs: Array) -> Array:
    """Return the indicator of the least entry of each row, shared out between ties."""
    winners = (costs == costs.min(axis=1, keepdims=True)).astype(np.float64)
    return winners / winners.sum(axis=1, keepdims=True)


def _checked_costs(costs: ArrayLike) -> Array:
    """Return a cost matrix relative to its diagonal."""
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("CostMatrix must be a square table of numbers.") from None
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise ValueError(f"CostMatrix must be square, a row a class; got shape {matrix.shape}.")
    excess = matrix - np.diag(matrix)[:, None]
    if not np.isfinite(matrix).all() or (excess < 0).any():
        raise ValueError(
            "CostMatrix must hold finite numbers, and no wrong label may cost less than the right "
            "one, on the diagonal of its row."
        )
    return excess
