"""Experts: what a cluster says about labels, and what it learns of them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfplearn.core.losses import Loss
from sfplearn.core.losses.custom import checked_cost
from sfplearn.core.state import Rows
from sfplearn.core.terms import LabelCosts, LabelSums


class Prototypes(NamedTuple):
    """Parameters of experts that say the same about every row."""

    z: NDArray[np.float64]
    """Label prototypes, of shape (k, entries of a prototype)."""


class Prototype:
    """One label prototype a cluster, for labels from a finite set: l(y, x; theta_j) = l(y, z_j).

    Parameters
    ----------
    loss : Loss
        The loss whose prototypes these are.
    labels : int or array-like of shape (M,)
        The labels as the loss takes them: codes 0, 1, ..., M - 1, or numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core import LogLoss
    >>> from sfplearn.core.terms import LabelSums
    >>> expert = Prototype(LogLoss(), 2)
    >>> prototypes = expert.update(LabelSums(np.array([[3.0, 1.0]]), np.zeros((1, 0))))
    >>> prototypes.z.round(2).tolist()
    [[0.75, 0.25]]
    >>> expert.scores(np.array([[1.0]]), prototypes).round(1).tolist()
    [[-0.3, -1.4]]
    """

    n_targets = 0

    def __init__(self, loss: Loss, labels: int | ArrayLike) -> None:
        self.loss = loss
        self.labels = np.arange(labels) if isinstance(labels, int) else np.asarray(labels)
        self.n_codes = len(self.labels)

    def view(self, params: Prototypes) -> LabelCosts:
        table = checked_cost(self.loss, self.labels, params.z)
        nothing = np.zeros((len(table), 0))
        return LabelCosts(table=table, linear=nothing, square=nothing)

    def update(self, sums: LabelSums, params: Prototypes | None = None) -> Prototypes:
        """z_j = argmin_z sum_i u_ij l(y_i, z) (eq. 13), from label sums alone."""
        z = self.loss.prototype(self.labels, sums.sums)
        if params is not None and not self.loss.is_closed:
            now, before = (self.loss.risk(self.labels, sums.sums, each) for each in (z, params.z))
            z = np.where((before < now)[:, None], params.z, z)
        return Prototypes(z=z)

    def penalty(self, params: Prototypes) -> float:
        return float(self.loss.penalty(self.labels, params.z).sum())

    def least_costs(self) -> NDArray[np.float64]:
        return self.loss.least_costs(self.labels)

    def scores(self, u: NDArray[np.floating], params: Prototypes) -> NDArray[np.float64]:
        """Return -l(y, sum_j u_j z_j) for every label y: the best one is predicted (eq. 8)."""
        return self.loss.scores(self.labels, _mixed(u, params.z))

    def decide(self, u: NDArray[np.floating], params: Prototypes) -> NDArray[Any]:
        """Return the label of least loss under the mixed prototypes (eq. 8)."""
        return self.loss.decide(self.labels, _mixed(u, params.z))

    def losses(
        self, rows: Rows, mixed: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return l(y_i, z_i) of rows under mixed prototypes, and its slope along z_i."""
        y = self.labels[rows.y]  # of unlabelled rows any will do
        return self.loss.each(y, mixed), self.loss.slope(y, mixed)

    def probabilities(self, u: NDArray[np.floating], params: Prototypes) -> NDArray[np.float64]:
        """Return the probability of every label under the mixed prototypes sum_j u_j z_j."""
        return self.loss.probabilities(_mixed(u, params.z))


class Means:
    """Squared error of targets, exactly: l(t, x; theta_j) = sum_q (t_q - z_jq)^2.

    Targets are as features of weight alpha that no cluster can change.

    Parameters
    ----------
    n_targets : int
        Numbers of a label.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core.terms import LabelSums
    >>> expert = Means(1)
    >>> expert.update(LabelSums(np.array([[4.0]]), targets=np.array([[12.0]]))).z.tolist()
    [[3.0]]
    """

    n_codes = 1

    def __init__(self, n_targets: int) -> None:
        self.n_targets = n_targets

    def view(self, params: Prototypes) -> LabelCosts:
        z = params.z
        return LabelCosts(
            table=np.sum(z * z, axis=1, keepdims=True), linear=-2.0 * z, square=np.ones_like(z)
        )

    def update(self, sums: LabelSums, params: Prototypes | None = None) -> Prototypes:
        """z_j = sum_i u_ij t_i / sum_i u_ij over labelled rows; 0 where there are none."""
        mass = np.where(sums.sums > 0, sums.sums, 1.0)
        return Prototypes(z=sums.targets / mass)

    def penalty(self, params: Prototypes) -> float:
        return 0.0

    def least_costs(self) -> NDArray[np.float64]:
        return np.zeros(1)

    def losses(
        self, rows: Rows, mixed: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the squared error of rows under mixed means, and its slope."""
        error = mixed - np.asarray(rows.targets)
        return np.sum(error * error, axis=1), 2.0 * error

    def decide(self, u: NDArray[np.floating], params: Prototypes) -> NDArray[Any]:
        """Return the mixed means: the targets of least squared error (eq. 8)."""
        return _mixed(u, params.z)


class Silent:
    """Says nothing: clusters of rows without labels.

    Examples
    --------
    >>> Silent().n_codes
    0
    """

    n_codes = 0
    n_targets = 0

    def view(self, params: Prototypes) -> LabelCosts:
        nothing = np.zeros((len(params.z), 0))
        return LabelCosts(table=nothing, linear=nothing, square=nothing)

    def update(self, sums: LabelSums, params: Prototypes | None = None) -> Prototypes:
        return Prototypes(z=sums.targets)

    def penalty(self, params: Prototypes) -> float:
        return 0.0

    def least_costs(self) -> NDArray[np.float64]:
        return np.zeros(0)


def _mixed(u: NDArray[np.floating], z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sum_j u_j z_j, with memberships that sum to 1 in double precision."""
    u = u.astype(np.float64)
    return (u @ z) / u.sum(axis=1, keepdims=True)
