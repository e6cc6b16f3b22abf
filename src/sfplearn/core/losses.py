"""Losses of label prototypes: the paper's table 1 and its multi-class versions.

A prototype z_j is a vector with one entry a label. Binary labels need no special case: with
two labels, z_2 - z_1 (logistic) or z_2 (hinge) is the paper's scalar prototype.

To add a loss, write a class with `cost` and `prototype` and add a line to `LOSSES`.
"""

from abc import ABC, abstractmethod
from numbers import Real

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Pseudo-count of every label in every cluster, against ln 0 in clusters of one label: a
# hundredth of a row of weight 1. It is the weight of a Dirichlet prior on prototypes, which
# `penalty` adds to the objective.
SMOOTHING = 0.01


class Loss(ABC):
    """A convex loss l(y, z) of a label y under a prototype z.

    Labels are given by their codes 0, 1, ..., M - 1. Prototypes lead with the cluster axis.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn import SFPClassifier
    >>> class Squared(Loss):
    ...     def cost(self, y, z):
    ...         return ((z[:, None] - np.eye(z.shape[1])[y]) ** 2).sum(axis=2)
    ...
    ...     def prototype(self, y, sums):
    ...         return sums / sums.sum(axis=1, keepdims=True)
    >>> model = SFPClassifier(2, loss=Squared(), random_state=0).fit([[0], [9]], [0, 1])
    >>> model.predict([[1], [8]]).tolist()
    [0, 1]
    """

    gives_probabilities = False

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"

    @abstractmethod
    def cost(self, y: NDArray[np.intp], z: Array) -> Array:
        """Return l(y_m, z_j) for labels y (m,) and prototypes z (k, M), as a (k, m) table."""

    @abstractmethod
    def prototype(self, y: NDArray[np.intp], sums: Array) -> Array:
        """Return argmin_z sum_m sums_jm l(y_m, z) + penalty(z) for class sums (k, m)."""

    def penalty(self, y: NDArray[np.intp], z: Array) -> float:
        """Return the prior on prototypes, summed over clusters."""
        return 0.0

    def probabilities(self, z: Array) -> Array:
        """Return the label probabilities that mixed prototypes z stand for."""
        raise AttributeError(f"{type(self).__name__} does not give probabilities.")


class _Smoothed(Loss):
    """A loss whose prototypes take a pseudo-count of every label."""

    gives_probabilities = True

    smoothing: float

    def __init__(self, smoothing: float = SMOOTHING) -> None:
        if not (isinstance(smoothing, Real) and smoothing > 0):
            raise ValueError(f"smoothing must be a number above 0; got {smoothing!r}.")
        self.smoothing = smoothing

    def penalty(self, y: NDArray[np.intp], z: Array) -> float:
        return self.smoothing * float(self.cost(y, z).sum())


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

    def cost(self, y: NDArray[np.intp], z: Array) -> Array:
        return -np.log(z[:, y])

    def prototype(self, y: NDArray[np.intp], sums: Array) -> Array:
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

    def cost(self, y: NDArray[np.intp], z: Array) -> Array:
        top = z.max(axis=1, keepdims=True)
        return top + np.log(np.exp(z - top).sum(axis=1, keepdims=True)) - z[:, y]

    def prototype(self, y: NDArray[np.intp], sums: Array) -> Array:
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

    def cost(self, y: NDArray[np.intp], z: Array) -> Array:
        margins = np.maximum(0.0, z + 1.0 / (z.shape[1] - 1))
        return margins.sum(axis=1, keepdims=True) - margins[:, y]

    def prototype(self, y: NDArray[np.intp], sums: Array) -> Array:
        labels = sums.shape[1]
        return (labels * heaviest(sums) - 1.0) / (labels - 1)


class ZeroOne(Loss):
    """Classification error, l(y, z) = 1 - z_y for z on the simplex: 1(y != z) at its vertices.

    The prototype is the vertex of the heaviest label, and mixing prototypes counts votes.

    Examples
    --------
    >>> import numpy as np
    >>> ZeroOne().prototype(np.arange(3), np.array([[1.0, 3.0, 2.0]])).tolist()
    [[0.0, 1.0, 0.0]]
    """

    def cost(self, y: NDArray[np.intp], z: Array) -> Array:
        return 1.0 - z[:, y]

    def prototype(self, y: NDArray[np.intp], sums: Array) -> Array:
        return heaviest(sums)


def heaviest(sums: Array) -> Array:
    """Return the indicator of the largest sum of each row, shared out between ties."""
    winners = (sums == sums.max(axis=1, keepdims=True)).astype(np.float64)
    return winners / winners.sum(axis=1, keepdims=True)


LOSSES: dict[str, type[Loss]] = {
    "log_loss": LogLoss,
    "logistic": Logistic,
    "hinge": Hinge,
    "zero_one": ZeroOne,
}
