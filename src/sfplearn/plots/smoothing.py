"""A smooth curve through scores: local linear regression in one dimension."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Width of the Gaussian weights, as a share of the range, and at least of the largest gap in it:
# a curve between two far places then leans on both.
WIDTH, OF_GAP = 0.15, 0.6

# Different places below which there is no curve to speak of.
LEAST_PLACES = 4

# Keeps a regression on a single place from dividing by zero, relative to the width.
RIDGE = 1e-9


def smoothed(x: Array, y: Array, at: Array) -> Array:
    """Return local linear regressions of y on x at some places, with Gaussian weights.

    Straight lines stay as they are.

    >>> x = np.arange(8.0)
    >>> smoothed(x, 2 * x, np.array([2.5, 7.0])).round(6).tolist()
    [5.0, 14.0]
    """
    places = np.unique(x)
    width = max(WIDTH * np.ptp(places), OF_GAP * np.diff(places).max())
    return np.array([_local(x, y, place, width) for place in at])


def can_smooth(x: Array) -> bool:
    """Tell whether there are places enough for a curve.

    >>> can_smooth(np.array([1.0, 2.0, 2.0, 3.0]))
    False
    """
    return len(np.unique(x)) >= LEAST_PLACES


def _local(x: Array, y: Array, place: float, width: float) -> float:
    weight = np.exp(-0.5 * ((x - place) / width) ** 2)
    middle, level = np.average(x, weights=weight), np.average(y, weights=weight)
    variance = np.average((x - middle) ** 2, weights=weight) + RIDGE * width**2
    slope = np.average((x - middle) * (y - level), weights=weight) / variance
    return float(level + slope * (place - middle))
