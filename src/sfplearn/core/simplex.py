"""Theorem 1: a linear cost plus negative entropy, minimised over the simplex."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Real = TypeVar("Real", np.float64, np.float32)


def softmin(cost: NDArray[Real], temperature: float) -> tuple[NDArray[Real], NDArray[Real]]:
    """Minimise sum_i a_i t_i + g sum_i t_i ln t_i over the simplex (theorem 1).

    The minimiser is t_i = exp(-a_i / g) / sum_i' exp(-a_i' / g), and the minimum, the free
    energy, is -g ln sum_i exp(-a_i / g). Both are taken along the last axis.

    >>> import numpy as np
    >>> theta, free_energy = softmin(np.array([0.0, 0.0, 50.0]), temperature=1.0)
    >>> theta.round(3).tolist(), round(float(free_energy), 3)
    ([0.5, 0.5, 0.0], -0.693)
    """
    lowest = cost.min(axis=-1, keepdims=True)
    theta = lowest - cost
    theta /= temperature
    np.exp(theta, out=theta)
    total = theta.sum(axis=-1, keepdims=True)
    theta /= total
    free_energy = lowest - temperature * np.log(total)
    return theta, free_energy[..., 0]


def negative_entropy(theta: NDArray[np.floating]) -> float:
    """Return sum of t ln t over all entries, with 0 ln 0 = 0."""
    return float(xlogy(theta, theta).sum())
