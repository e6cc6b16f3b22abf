"""Labels that are numbers, in units that suit a loss."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.losses.base import weighted_quantile

# A robust scale is the range between quartiles over that of a standard normal distribution.
QUARTILES = (0.25, 0.5, 0.75)
QUARTILE_RANGE = 1.349

# Targets of rows that do not count may lie anywhere; their squares must stay numbers.
FARTHEST = 1e100


class Standard(NamedTuple):
    """Targets as the core takes them, and the way back."""

    center: NDArray[np.float64]
    """Mean of each target."""
    scale: NDArray[np.float64]
    """Standard deviation of each target, 1 where it is constant."""

    def apply(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return labels as targets."""
        return (y - self.center) / self.scale

    def undo(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return targets as labels."""
        return targets * self.scale + self.center


def plain() -> Standard:
    """Return labels as they are."""
    return Standard(np.zeros(1), np.ones(1))


def robust(values: NDArray[np.float64], sums: NDArray[np.float64]) -> Standard:
    """Return the median and a scale from quartiles of labels with these weights.

    >>> import numpy as np
    >>> robust(np.array([0.0, 1.0, 2.0, 1e9]), np.ones(4)).center.tolist()
    [1.5]
    """
    low, middle, high = (weighted_quantile(values, sums[None], q)[0] for q in QUARTILES)
    return Standard(middle, (high - low) / QUARTILE_RANGE) if high > low else plain()


def center_and_spread(
    y: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of each column, of numbers of any size."""
    counts = weight > 0
    size = np.abs(y[counts]).max(axis=0)
    size = np.where(size > 0, size, 1.0)
    shares = y[counts] / size
    center = np.average(shares, axis=0, weights=weight[counts])
    spread = np.sqrt(np.average((shares - center) ** 2, axis=0, weights=weight[counts]))
    return center * size, spread * size
