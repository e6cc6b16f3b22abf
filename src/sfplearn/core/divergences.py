"""Divergences D(x; nu_j): how far a row is from a cluster, and what a cluster learns of x.

To add one, write a `Term` whose view is a `Quadratic`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.simplex import negative_entropy, softmin
from sfplearn.core.terms import Moments, Quadratic

# Centres of clusters without mass are not used (see `objective.update`); this keeps them finite.
TINY = np.finfo(np.float64).tiny


# Weights below this are as good as none.
LEAST_WEIGHT = 1e-200


class Balls(NamedTuple):
    """Parameters of clusters that have a centre and feature weights."""

    v: NDArray[np.float64]
    """Centres, of shape (k, p), relative to the origin of the rows."""
    w: NDArray[np.float64]
    """Feature weights, of shape (k, p); each row lies on the simplex."""


class WeightedEuclidean:
    """D(x; v, w) = sum_l w_l (x_l - v_l)^2 with penalty lam sum_l w_l ln w_l (eq. 5).

    Parameters
    ----------
    lam : float
        Strength of the entropy of feature weights: large for uniform weights.
    ignored : array of bool of shape (p,) or None, default=None
        Features that get no weight, as they tell nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core.terms import Moments
    >>> mass, first, second = np.array([2.0]), np.array([[0.0, 2.0]]), np.array([[4.0, 2.0]])
    >>> sums = Moments(mass, first, second, seen=mass[:, None], expected=np.zeros((1, 1)))
    >>> v, w = WeightedEuclidean(lam=1.0).update(sums)
    >>> v.tolist(), w.round(3).tolist()
    ([[0.0, 1.0]], [[0.018, 0.982]])
    """

    def __init__(self, lam: float, ignored: NDArray[np.bool_] | None = None) -> None:
        self.lam = lam
        self.ignored = ignored

    def view(self, params: Balls) -> Quadratic:
        v, w = params
        return Quadratic(bias=np.zeros(len(v)), weights=w, centers=v)

    def update(self, sums: Moments, params: Balls | None = None) -> Balls:
        """Centres by eq. 12 and, with s_jl = sum_i u_ij (x_il - v_jl)^2, weights by eq. 14.

        Where cells are missing, D is a mean over observed cells, and the slope of sum_i u_ij D_ij
        along w_jl is s_jl - expected_jl: a feature is not preferred for being seen less often.
        The step down that slope may be too long; see `halfway`.
        """
        first, second = map(np.ascontiguousarray, (sums.first, sums.second))
        v = first / np.maximum(sums.seen, TINY)
        s = np.maximum(second - v * first, 0.0) - sums.expected
        if self.ignored is not None:
            s[:, self.ignored] = np.inf
        w, _ = softmin(s, self.lam)
        return Balls(v=v, w=w)

    def halfway(self, last: Balls, params: Balls) -> Balls:
        """Return the weights halfway between, on the scale of logarithms, of the newer centres.

        Ratios of weights decide where few features are observed, however small weights are.
        """
        log_w = [np.log(np.maximum(w, LEAST_WEIGHT)) for w in (last.w, params.w)]
        w, _ = softmin(-np.add(*log_w) / 2.0, 1.0)
        return Balls(v=params.v, w=np.where((last.w > 0) | (params.w > 0), w, 0.0))

    def penalty(self, params: Balls) -> float:
        return self.lam * negative_entropy(params.w)
