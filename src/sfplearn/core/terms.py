"""What a summand of the objective must be able to do, and the views that the pass takes.

Generalised SFP is a sum of terms that are linear in the memberships. A `Term` is one of them:
a divergence D(x; nu_j), or an expert's loss l(y, x; theta_j). The pass reads it through a
canonical view, so that one kernel serves every term, and hands it sums to update itself from.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Quadratic(NamedTuple):
    """A divergence as the kernel sees it: b_j + sum_l {w_jl (x_l - v_jl)^2 + c_jl}."""

    bias: NDArray[np.float64]
    """b, of shape (k,)."""
    weights: NDArray[np.float64]
    """w, of shape (k, p)."""
    centers: NDArray[np.float64]
    """v, of shape (k, p), relative to the origin of the rows."""
    offsets: NDArray[np.float64] | float = 0.0
    """c, of shape (k, p) or 0."""
    is_mean: bool = True
    """Whether a row with missing cells costs a mean over those it has, or their sum."""

    def expand(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Coefficients of x, of x^2 and of 1 for each feature: products then give all costs."""
        linear = -2.0 * self.weights * self.centers
        return linear, self.weights, self.offsets - 0.5 * linear * self.centers


class LabelCosts(NamedTuple):
    """An expert as the kernel sees it: a table over label codes, a quadratic form of targets."""

    table: NDArray[np.float64]
    """Cost of each label code in each cluster, of shape (k, number of codes)."""
    linear: NDArray[np.float64]
    """Coefficients of the targets, of shape (k, number of targets)."""
    square: NDArray[np.float64]
    """Coefficients of the squared targets, of shape (k, number of targets)."""


class Moments(NamedTuple):
    """Sums gathered for a `Quadratic`, relative to the origin of the rows.

    Where cells are missing, a row counts for its observed cells o_il by u_ij over the share of
    the weights that they hold, r_ij = u_ij / sum_l w_jl o_il; else r is u and o is 1.
    """

    mass: NDArray[np.float64]
    """sum_i u_ij, of shape (k,)."""
    first: NDArray[np.float64]
    """sum_i r_ij o_il x_il, of shape (k, p)."""
    second: NDArray[np.float64]
    """sum_i r_ij o_il x_il^2, of shape (k, p)."""
    seen: NDArray[np.float64]
    """sum_i r_ij o_il, of shape (k, p), or (k, 1) where it is the same for all features."""
    expected: NDArray[np.float64]
    """sum_i r_ij o_il D_ij, of shape (k, p), up to a number a cluster: (k, 1) if all cells were
    observed. What the observed cells of a feature would scatter if it were like any other."""


class LabelSums(NamedTuple):
    """Sums gathered for `LabelCosts`."""

    sums: NDArray[np.float64]
    """sum_i u_ij 1(y_i = m), of shape (k, number of codes)."""
    targets: NDArray[np.float64]
    """sum_i u_ij t_i over labelled rows, of shape (k, number of targets)."""


class Term(Protocol):
    """One summand of the objective, with its own parameters.

    `view` returns a `Quadratic` for a divergence and `LabelCosts` for an expert; the sums
    that come back to `update` are then `Moments` or `LabelSums`.
    """

    def view(self, params: Any) -> Any:
        """Return the cost of rows under each cluster, in canonical form."""

    def update(self, sums: Any, params: Any = None) -> Any:
        """Return the parameters that minimise the term and its penalty, given memberships.

        The parameters so far are given where there are any: minima that are only found
        numerically are then never worse than these.
        """

    def penalty(self, params: Any) -> float:
        """Return the part of the objective that depends on the parameters alone."""


class Divergence(Term, Protocol):
    """A term about features. The first field of its parameters are centres v, (k, p)."""

    def at(self, x: NDArray[np.float64]) -> Any:
        """Return the parameters of clusters centred on rows x (k, p), one on each."""

    def feature_weights(self, params: Any) -> NDArray[np.float64]:
        """Return how much each feature counts in each cluster, (k, p); clusters sum to 1."""

    def halfway(self, last: Any, params: Any) -> Any:
        """Return parameters nearer to the last, where `update` only knows the way down."""


class Expert(Term, Protocol):
    """A term about labels: codes from a finite set, or targets, which are numbers."""

    n_codes: int
    """Label codes are 0, 1, ..., n_codes - 1."""
    n_targets: int
    """Numbers that are known of a labelled row."""

    def least_costs(self) -> NDArray[np.float64]:
        """Return the cost of each label code under the prototype that suits it best."""
