"""What a summand of the objective must be able to do, and the views that the pass takes.

Generalised SFP is a sum of terms that are linear in the memberships. A `Term` is one of them:
a divergence D(x; nu_j), or an expert's loss l(y, x; theta_j). The pass reads it through a
canonical view, so that one kernel serves every term, and hands it sums to update itself from.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Quadratic(NamedTuple):
    """A divergence as the kernel sees it: b_j + sum_l w_jl (x_l - v_jl)^2."""

    bias: NDArray[np.float64]
    """b, of shape (k,)."""
    weights: NDArray[np.float64]
    """w, of shape (k, p)."""
    centers: NDArray[np.float64]
    """v, of shape (k, p), relative to the origin of the rows."""

    def expand(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients of x, of x^2 and of 1: two matrix products then give all costs."""
        linear = -2.0 * self.weights * self.centers
        constant = self.bias - 0.5 * np.sum(linear * self.centers, axis=1)
        return linear, self.weights, constant


class CostTable(NamedTuple):
    """An expert as the kernel sees it: the loss of each label in each cluster."""

    costs: NDArray[np.float64]
    """l(y, z_j), of shape (k, number of labels)."""


class Moments(NamedTuple):
    """Sums gathered for a `Quadratic`, relative to the origin of the rows."""

    mass: NDArray[np.float64]
    """sum_i u_ij, of shape (k,)."""
    first: NDArray[np.float64]
    """sum_i u_ij x_il, of shape (k, p)."""
    second: NDArray[np.float64]
    """sum_i u_ij x_il^2, of shape (k, p)."""


class ClassSums(NamedTuple):
    """Sums gathered for a `CostTable`."""

    sums: NDArray[np.float64]
    """sum_i u_ij 1(y_i = m), of shape (k, number of labels)."""


class Term(Protocol):
    """One summand of the objective, with its own parameters.

    `view` returns a `Quadratic` for a divergence and a `CostTable` for an expert; the sums
    that come back to `update` are then `Moments` or `ClassSums`.
    """

    def view(self, params: Any) -> Any:
        """Return the cost of rows under each cluster, in canonical form."""

    def update(self, sums: Any) -> Any:
        """Return the parameters that minimise the term and its penalty, given memberships."""

    def penalty(self, params: Any) -> float:
        """Return the part of the objective that depends on the parameters alone."""


class Expert(Term, Protocol):
    """A term about labels, which come from a finite set."""

    labels: NDArray[np.intp]
    """The label codes 0, 1, ..."""

    def scores(self, u: NDArray[np.floating], params: Any) -> NDArray[np.float64]:
        """Return the score of every label for rows with memberships u, the best being predicted."""

    def probabilities(self, u: NDArray[np.floating], params: Any) -> NDArray[np.float64]:
        """Return the probability of every label, where the expert gives any."""
