"""Losses of real numbers.

All are least, and 0, where the prototype equals the label, so a mixed prototype is itself the
label of least loss (eq. 8).
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.losses.base import Array, Loss, informed, weighted_quantile

# Weight of the row that a Poisson prior adds to every cluster, against ln 0.
SMOOTHING = 0.01
# Rates below this are as good as it: their logarithm must be a number.
LEAST_RATE = 1e-300
# Steps of Newton's method before golden sections take over, and the least share of labels that
# it takes to be within delta: fewer would make steps too long.
NEWTON_STEPS = 30
NEWTON_SHARE = 0.05
# Huber's usual threshold, in standard deviations: 95 % as efficient as a mean for normal labels.
DELTA = 1.35


class _Number(Loss):
    """A loss whose decision is the prototype itself."""

    domain = "real"

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

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return 2.0 * (z - y[:, None])

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

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return np.sign(z - y[:, None])

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        return weighted_quantile(y, sums, 0.5)


class Huber(_Number):
    """l(y, z) = r^2 / 2 where r = |y - z| is at most delta, delta (r - delta / 2) beyond.

    Parameters
    ----------
    delta : float, default=1.35
        Where the loss turns from a square into a line. `SFPRegressor(scale="auto")` fits
        standardised labels, so there it is in units of their (robust) standard deviation.

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

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return np.clip(z - y[:, None], -self.delta, self.delta)

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        """Newton's method from the median: exact once the same labels stay within delta."""
        s = informed(sums)
        z = weighted_quantile(y, s, 0.5)
        for _ in range(NEWTON_STEPS):
            pull = np.clip(y - z, -self.delta, self.delta)
            inside = np.sum(s, axis=1, where=np.abs(y - z) <= self.delta)
            step = np.sum(s * pull, axis=1) / np.maximum(inside, NEWTON_SHARE * s.sum(axis=1))
            z = z + step[:, None]
            if np.abs(step).max() <= np.finfo(np.float64).eps * np.abs(y).max():
                return z
        return super().prototype(y, sums)


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
        q = np.atleast_1d(np.asarray(levels))
        if q.ndim > 1 or q.dtype.kind != "f" or not q.size or not ((q > 0) & (q < 1)).all():
            raise ValueError(f"levels must be numbers between 0 and 1; got {levels!r}.")
        self._q = q.astype(np.float64)

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        total = np.zeros((len(z), len(y)))
        for q, z_q in zip(self._q, z.T, strict=True):
            r = y - z_q[:, None]
            total += np.maximum(q * r, (q - 1.0) * r)
        return total

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return (z > y[:, None]) - self._q

    def decide(self, y: NDArray[Any], z: Array) -> NDArray[Any]:
        """Return z in the order of the levels, which a refinement may have left."""
        rank = np.argsort(np.argsort(self._q))
        return super().decide(y, np.sort(z, axis=1)[:, rank])

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        return np.hstack([weighted_quantile(y, sums, q) for q in self._q])


class Poisson(_Number):
    """l(y, z) = y ln(y / z) - y + z, half the Poisson deviance; the prototype is the mean rate.

    Parameters
    ----------
    smoothing : float, default=0.01
        Weight of a row that every cluster gets, against rates of 0; its label is the least
        above 0.

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

    domain = "positive"

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        # With t = (z - y) / y the loss is y (t - ln(1 + t)), which keeps its digits near y; far
        # below, where 1 + t has none left, ln(1 + t) is ln z - ln y.
        above = np.where(y > 0, y, 1.0)
        t = (z - above) / above
        far = np.log(np.maximum(z, LEAST_RATE)) - np.log(above)
        logarithm = np.where(t < -0.5, far, np.log1p(np.maximum(t, -0.5)))
        return np.where(y > 0, above * (t - logarithm), z)

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        return 1.0 - y[:, None] / np.maximum(z, LEAST_RATE)

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        total = sums @ y + self.smoothing * _least_above_0(y)
        return (total / (sums.sum(axis=1) + self.smoothing))[:, None]

    def penalty(self, y: NDArray[Any], z: Array) -> Array:
        return self.smoothing * self.cost(np.array([_least_above_0(y)]), z)[:, 0]

    def check(self, labels: NDArray[Any]) -> None:
        if labels.min() < 0 or not labels.any():
            raise ValueError(
                "loss 'poisson' needs counts: numbers of at least 0 that are not all 0; got a "
                f"label of {labels.min():g}."
            )


def _least_above_0(y: NDArray[Any]) -> float:
    return float(y[y > 0].min())
