"""Experts: what a cluster says about labels, and what it learns of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.losses import Loss
from sfplearn.core.terms import ClassSums, CostTable


class Prototypes(NamedTuple):
    """Parameters of experts that say the same about every row."""

    z: NDArray[np.float64]
    """Label prototypes, of shape (k, number of labels)."""


class Prototype:
    """One label prototype a cluster: l(y, x; theta_j) = l(y, z_j).

    Parameters
    ----------
    loss : Loss
        The loss whose prototypes these are.
    n_labels : int
        Labels are 0, 1, ..., n_labels - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core import LogLoss
    >>> from sfplearn.core.terms import ClassSums
    >>> expert = Prototype(LogLoss(), 2)
    >>> prototypes = expert.update(ClassSums(np.array([[3.0, 1.0]])))
    >>> prototypes.z.round(2).tolist()
    [[0.75, 0.25]]
    >>> expert.scores(np.array([[1.0]]), prototypes).round(1).tolist()
    [[-0.3, -1.4]]
    """

    def __init__(self, loss: Loss, n_labels: int) -> None:
        self.loss = loss
        self.labels = np.arange(n_labels)

    def view(self, params: Prototypes) -> CostTable:
        costs = self.loss.cost(self.labels, params.z)
        if np.shape(costs) != (len(params.z), len(self.labels)):
            raise ValueError(
                f"{self.loss!r}.cost must return a table of {len(params.z)} prototypes by "
                f"{len(self.labels)} labels; got shape {np.shape(costs)}."
            )
        return CostTable(costs=costs)

    def update(self, sums: ClassSums) -> Prototypes:
        """z_j = argmin_z sum_i u_ij l(y_i, z) (eq. 13), from class sums alone."""
        return Prototypes(z=self.loss.prototype(self.labels, sums.sums))

    def penalty(self, params: Prototypes) -> float:
        return self.loss.penalty(self.labels, params.z)

    def scores(self, u: NDArray[np.floating], params: Prototypes) -> NDArray[np.float64]:
        """Return -l(y, sum_j u_j z_j) for every label y: the best one is predicted (eq. 8)."""
        return -self.loss.cost(self.labels, _mixed(u, params.z))

    def probabilities(self, u: NDArray[np.floating], params: Prototypes) -> NDArray[np.float64]:
        """Return the probability of every label under the mixed prototypes sum_j u_j z_j."""
        return self.loss.probabilities(_mixed(u, params.z))


def _mixed(u: NDArray[np.floating], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sum_j u_j z_j, with memberships that sum to 1 in double precision."""
    u = u.astype(np.float64)
    return (u @ z) / u.sum(axis=1, keepdims=True)
