"""What a loss is."""

from abc import ABC, abstractmethod
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.losses.argmin import argmin_mix, argmin_number, argmin_scores

Array = NDArray[np.float64]

# Cumulative weights this near to a level, relatively, are at it: rounding must not decide.
TIES = 1e-9
# Where most labels of a cluster are equal, a search begins with this share of all labels' range.
LEAST_WIDTH = 1e-6
# Tables of losses, of as many rows as there are labels, are made for this many rows at a time.
DECIDE_ROWS = 4096
# Laws of a loss are tried on this many labels and prototypes, the least cost of a label is
# therefore only known to about this share of the largest cost.
TRIED_LABELS = 64
TRIED_PROTOTYPES = 256
AT_ITSELF = 1e-4
# Central differences: about the cube root of the precision.
DIFFERENCE = 1e-5


class Loss(ABC):
    """A convex loss l(y, z) of a label y under a prototype z.

    Only `cost` must be written. Labels of a classifier are codes 0, 1, ..., M - 1, positions
    in its `classes_`, and a prototype has one entry a class; labels of a regressor are floats,
    and a prototype has one entry. Prototypes lead with the cluster axis.

    Prototypes of classes lie on the simplex, as mixes of labels, unless `domain` is "real",
    "balanced" (they sum to 0) or "positive". Those of numbers are "real" unless said otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn import SFPClassifier
    >>> class Brier(Loss):
    ...     def cost(self, y, z):
    ...         return ((z[:, None] - np.eye(z.shape[1])[y]) ** 2).sum(axis=2)
    >>> Brier().prototype(np.arange(2), np.array([[3.0, 1.0]])).round(3).tolist()
    [[0.75, 0.25]]
    >>> model = SFPClassifier(2, loss=Brier(), random_state=0).fit([[0], [9]], [0, 1])
    >>> model.predict([[1], [8]]).tolist()
    [0, 1]
    """

    gives_probabilities = False
    domain = "simplex"

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({settings})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings, so that searches can vary them (`loss__delta`)."""
        names = list(signature(type(self).__init__).parameters)[1:]
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def set_params(self, **settings: Any) -> Self:
        """Change settings."""
        type(self).__init__(self, **{**self.get_params(), **settings})
        return self

    @abstractmethod
    def cost(self, y: NDArray[Any], z: Array) -> Array:
        """Return l(y_m, z_j) for labels y (m,) and prototypes z (k, d), as a (k, m) table."""

    def prototype(self, y: NDArray[Any], sums: Array) -> Array:
        """Return argmin_z sum_m sums_jm l(y_m, z) + penalty(z) for label sums (k, m).

        Where a loss does not bring a closed form, the minimum is found numerically.
        """
        sums = informed(sums)

        def risk(z: Array) -> Array:
            return self.risk(y, sums, z)

        if y.dtype.kind == "f":
            return argmin_number(risk, *middle_and_width(y, sums))
        if self.domain == "real":
            return argmin_scores(risk, sums)
        return argmin_mix(risk, sums)

    def risk(self, y: NDArray[Any], sums: Array, z: Array) -> Array:
        """Return what `prototype` minimises, (k,)."""
        with np.errstate(all="ignore"):  # what is not a number is not a minimum either
            costs = np.where(sums > 0, sums * self.cost(y, z), 0.0)
            total = costs.sum(axis=1) + self.penalty(y, z)
        return np.where(np.isnan(total), np.inf, total)

    def each(self, y: NDArray[Any], z: Array) -> Array:
        """Return l(y_i, z_i) for as many labels as prototypes, (n,)."""
        losses = np.empty(len(z))
        for label in np.unique(y):
            own = y == label
            losses[own] = self.cost(np.array([label]), z[own])[:, 0]
        return losses

    def slope(self, y: NDArray[Any], z: Array) -> Array:
        """Return the slope of l(y_i, z_i) along z_i, (n, d): by differences unless overridden."""
        slopes = np.empty_like(z)
        for entry in range(z.shape[1]):
            step = np.zeros(z.shape[1])
            step[entry] = DIFFERENCE
            slopes[:, entry] = self.each(y, z + step) - self.each(y, z - step)
        return slopes / (2.0 * DIFFERENCE)

    def penalty(self, y: NDArray[Any], z: Array) -> Array:
        """Return the prior on prototypes of each cluster, (k,)."""
        return np.zeros(len(z))

    def least_costs(self, y: NDArray[Any]) -> Array:
        """Return the cost of each label under the prototype that suits it best, (m,).

        For numbers, the best of a few hundred prototypes from the range of the labels.
        """
        if y.dtype.kind == "f" and not self.is_closed:
            own = np.union1d(y, np.linspace(y[0], y[-1], TRIED_PROTOTYPES))[:, None]
        else:
            own = self.prototype(y, np.eye(len(y)))
        with np.errstate(all="ignore"):
            return np.nanmin(self.cost(y, own), axis=0)

    def decide(self, y: NDArray[Any], z: Array) -> NDArray[Any]:
        """Return the label of least loss under each of the mixed prototypes z (n, d) (eq. 8)."""
        if y.dtype.kind == "f":
            return self._decide_number(y, z)
        return y[self.scores(y, z).argmax(axis=1)]

    def scores(self, y: NDArray[Any], z: Array) -> Array:
        """Return how much mixed prototypes z (n, d) favour each label: minus its loss."""
        return -self.cost(y, z)

    def _decide_number(self, y: NDArray[Any], z: Array) -> NDArray[Any]:
        """Return the prototype where that costs itself least, else the best of the labels.

        Costs are taken in excess of the least that a label can cost: a loss may be given up
        to a term that depends on labels alone, as negative log-likelihoods are.
        """
        least = self.least_costs(y)
        if self._is_least_at_itself(y, least):
            return z[:, 0]
        parts = [z[i : i + DECIDE_ROWS] for i in range(0, len(z), DECIDE_ROWS)]
        return y[np.concatenate([(self.cost(y, part) - least).argmin(axis=1) for part in parts])]

    def _is_least_at_itself(self, y: NDArray[Any], least: Array) -> bool:
        """Tell whether l(y, z) >= l(z, z), from a table of labels in both places."""
        few = np.unique(np.linspace(0, len(y) - 1, TRIED_LABELS).astype(int))
        with np.errstate(all="ignore"):
            costs = self.cost(y[few], y[few, None]) - least[few]
        known = np.isfinite(np.diag(costs))
        scale = np.abs(costs[np.isfinite(costs)]).max(initial=0.0)
        excess = np.diag(costs)[known] - np.nanmin(costs[known], axis=1)
        return bool((excess <= AT_ITSELF * scale).all())

    def probabilities(self, z: Array) -> Array:
        """Return the label probabilities that mixed prototypes z stand for."""
        raise AttributeError(f"{type(self).__name__} does not give probabilities.")

    def check(self, labels: NDArray[Any]) -> None:
        """Refuse labels, as the user gave them, that the loss is not meant for."""
        return  # any label will do

    @property
    def is_closed(self) -> bool:
        """Whether the loss brings a closed form of its prototype."""
        return type(self).prototype is not Loss.prototype


def weighted_quantile(y: NDArray[Any], sums: Array, q: float) -> Array:
    """Return the quantile of labels y (m,) for each row of weights (k, m), as (k, 1).

    Where a level falls between two labels, their midpoint.
    """
    order = np.argsort(y)
    total = np.cumsum(informed(sums)[:, order], axis=1)
    share = total / total[:, -1:]
    low = np.argmax(share >= q * (1 - TIES), axis=1)
    above = share > q * (1 + TIES)
    high = np.where(above.any(axis=1), np.argmax(above, axis=1), low)
    return ((y[order][low] + y[order][high]) / 2.0)[:, None]


def middle_and_width(y: NDArray[Any], sums: Array) -> tuple[Array, Array]:
    """Return the median label of each cluster, and the range of the middle half of its labels.

    Labels far away must not make the search for a minimum coarse.
    """
    low, middle, high = (weighted_quantile(y, sums, q) for q in (0.25, 0.5, 0.75))
    some = LEAST_WIDTH * (np.ptp(y) or 1.0)
    return middle, np.where(high > low, high - low, some)


def informed(sums: Array) -> Array:
    """Give clusters without any labelled row the label sums of all clusters together."""
    empty = ~(sums.sum(axis=1, keepdims=True) > 0)
    return np.where(empty, sums.sum(axis=0) + 1.0 * ~sums.any(), sums) if empty.any() else sums
