"""Losses of real numbers.

All are least, and 0, where the prototype equals the label, so a mixed prototype is itself the
label of least loss (eq. 8).
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.losses.base import Array, Loss, informed

# Cumulative weights this near to a level, relatively, are at it: rounding must not decide.
TIES = 1e-9
# Weight of the row that a Poisson prior adds to every cluster, against ln 0.
SMOOTHING = 0.01
# Huber's usual threshold, in standard deviations: 95 % as efficient as a mean for normal labels.
DELTA = 1.35


class _Number(Loss):
    """A loss whose decision is the prototype itself."""

    def decide(self, y: NDArray[Any], z: Array) -> NDArray[Any]:
        return z[:, 0] if z.shape[1] == 1 else z

    def least_costs(self, y: NDArray[Any]) -> Array:
        return np.zeros(len(y))


class SquaredError(_Number):
    """l(y, z) = (y - z)^2; the prototype is the mean. Sums over outputs where there are several.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredError().prototype(np.array([0.0, 4.0]), np.array([[1.0, 3.0]])).tolist()
    [[3.0]]
    """

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return (y - z) ** 2

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        s = informed(sums)
        return (s @ y / s.sum(axis=1))[:, None]


class AbsoluteError(_Number):
    """l(y, z) = |y - z|; the prototype is the median.

    Examples
    --------
    >>> import numpy as np
    >>> AbsoluteError().prototype(np.array([0.0, 1.0, 9.0]), np.array([[1.0, 1.0, 1.0]])).tolist()
    [[1.0]]
    """

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return np.abs(y - z)

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        return weighted_quantile(y, sums, 0.5)


class Huber(_Number):
    """l(y, z) = r^2 / 2 where r = |y - z| is at most delta, delta (r - delta / 2) beyond.

    Parameters
    ----------
    delta : float, default=1.35
        Where the loss turns from a square into a line, in units of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> z = Huber(delta=1.0).prototype(np.array([0.0, 1.0, 99.0]), np.array([[1.0, 1.0, 1.0]]))
    >>> z.round(6).tolist()
    [[1.0]]
    """

    delta: float

    def __init__(self, delta: float = DELTA) -> None:
        if not (isinstance(delta, Real) and 0 < delta < np.inf):
            raise ValueError(f"delta must be a finite number above 0; got {delta!r}.")
        self.delta = delta

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        r = np.abs(y - z)
        inside = np.minimum(r, self.delta)
        return inside * (r - inside / 2.0)


class Quantile(_Number):
    """l(y, z) = sum_q max(q (y - z_q), (q - 1) (y - z_q)): prototypes are quantiles.

    Several levels share one partition. The quantiles of a cluster are in order, and mixes of
    ordered numbers by the same memberships are too: predicted quantiles never cross.

    Parameters
    ----------
    levels : float or sequence of float, default=0.5
        Levels between 0 and 1. Several give a prediction with a column for each.

    Examples
    --------
    >>> import numpy as np
    >>> y, sums = np.arange(11.0), np.ones((1, 11))
    >>> Quantile([0.1, 0.9]).prototype(y, sums).tolist()
    [[1.0, 9.0]]
    """

    def __init__(self, levels: float | Sequence[float] = 0.5) -> None:
        self.levels = levels
        self._q = np.atleast_1d(np.asarray(levels, dtype=np.float64))
        if self._q.ndim > 1 or not self._q.size or not ((self._q > 0) & (self._q < 1)).all():
            raise ValueError(f"levels must be numbers between 0 and 1; got {levels!r}.")

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        total = np.zeros((len(z), len(y)))
        for q, z_q in zip(self._q, z.T, strict=True):
            r = y - z_q[:, None]
            total += np.maximum(q * r, (q - 1.0) * r)
        return total

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        return np.hstack([weighted_quantile(y, sums, q) for q in self._q])


class Poisson(_Number):
    """l(y, z) = y ln(y / z) - y + z, half the Poisson deviance; the prototype is the mean rate.

    Parameters
    ----------
    smoothing : float, default=0.01
        Weight of a row of average label that every cluster gets, against rates of 0.

    Examples
    --------
    >>> import numpy as np
    >>> Poisson().prototype(np.array([0.0, 4.0]), np.array([[1.0, 3.0]])).round(2).tolist()
    [[3.0]]
    """

    smoothing: float

    def __init__(self, smoothing: float = SMOOTHING) -> None:
        if not (isinstance(smoothing, Real) and smoothing > 0):
            raise ValueError(f"smoothing must be a number above 0; got {smoothing!r}.")
        self.smoothing = smoothing

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return y * np.log(np.where(y > 0, y, 1.0) / z) - y + z

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        total = sums @ y + self.smoothing * y.mean()
        return (total / (sums.sum(axis=1) + self.smoothing))[:, None]

    def penalty(self, y: NDArray[Any], z: Array) -> Array:
        return self.smoothing * self.cost(y.mean(keepdims=True), z)[:, 0]

    def check(self, labels: NDArray[Any]) -> None:
        if labels.min() < 0 or not labels.any():
            raise ValueError(
                "loss 'poisson' needs counts: numbers of at least 0 that are not all 0; got a "
                f"label of {labels.min():g}."
            )


def weighted_quantile(y: NDArray[Any], sums: Array, q: float) -> Array:
    """Return the quantile of labels y (m,) for each row of weights (k, m), as (k, 1).

    Where a level falls between two labels, their midpoint.
    """
    order = np.argsort(y)
    total = np.cumsum(informed(sums)[:, order], axis=1)
    share = total / total[:, -1:]
    low = np.argmax(share >= q * (1 - TIES), axis=1)
    high = np.argmax(share > q * (1 + TIES), axis=1)
    return ((y[order][low] + y[order][high]) / 2.0)[:, None]
