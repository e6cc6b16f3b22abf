"""What a loss is."""

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.losses.argmin import argmin_mix, argmin_number, argmin_scores

Array = NDArray[np.float64]

# Tables of losses, of as many rows as there are labels, are made for this many rows at a time.
DECIDE_ROWS = 4096
# Laws of a loss are tried on this many labels, and may be broken by this much through rounding.
TRIED_LABELS = 64
ROUNDING = 1e-9


class Loss(ABC):
    """A convex loss l(y, z) of a label y under a prototype z.

    Only `cost` must be written. Labels of a classifier are codes 0, 1, ..., M - 1, positions
    in its `classes_`, and a prototype has one entry a class; labels of a regressor are floats,
    and a prototype has one entry. Prototypes lead with the cluster axis.

    Prototypes of classes lie on the simplex, as mixes of labels, unless `domain` is "real".

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
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

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
            return argmin_number(risk, len(sums), float(y.min()), float(y.max()))
        if self.domain == "real":
            return argmin_scores(risk, sums)
        return argmin_mix(risk, sums)

    def risk(self, y: NDArray[Any], sums: Array, z: Array) -> Array:
        """Return what `prototype` minimises, (k,)."""
        with np.errstate(all="ignore"):  # what is not a number is not a minimum either
            costs = np.where(sums > 0, sums * self.cost(y, z), 0.0)
            return costs.sum(axis=1) + self.penalty(y, z)

    def penalty(self, y: NDArray[Any], z: Array) -> Array:
        """Return the prior on prototypes of each cluster, (k,)."""
        return np.zeros(len(z))

    def least_costs(self, y: NDArray[Any]) -> Array:
        """Return the cost of each label under the prototype that suits it best, (m,).

        For numbers, the best of the labels themselves as prototypes.
        """
        number = y.dtype.kind == "f" and not self.is_closed
        own = y[:, None] if number else self.prototype(y, np.eye(len(y)))
        return self.cost(y, own).min(axis=0)

    def decide(self, y: NDArray[Any], z: Array) -> NDArray[Any]:
        """Return the label of least loss under each of the mixed prototypes z (n, d) (eq. 8).

        Where numbers cost least at the prototype itself, that is the prototype; else the best
        of the labels y.
        """
        if y.dtype.kind == "f" and self._is_least_at_itself(y):
            return z[:, 0]
        parts = [z[i : i + DECIDE_ROWS] for i in range(0, len(z), DECIDE_ROWS)]
        return y[np.concatenate([self.cost(y, part).argmin(axis=1) for part in parts])]

    def _is_least_at_itself(self, y: NDArray[Any]) -> bool:
        """Tell whether l(y, z) >= l(z, z), from a table of labels in both places."""
        y = y[np.unique(np.linspace(0, len(y) - 1, TRIED_LABELS).astype(int))]
        costs = self.cost(y, y[:, None])
        return bool((np.diag(costs) <= costs.min(axis=1) + ROUNDING * np.abs(costs).max()).all())

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


def informed(sums: Array) -> Array:
    """Give clusters without any labelled row the label sums of all clusters together."""
    empty = ~(sums.sum(axis=1, keepdims=True) > 0)
    return np.where(empty, sums.sum(axis=0) + 1.0 * ~sums.any(), sums) if empty.any() else sums
