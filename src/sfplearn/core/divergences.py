"""Divergences D(x; nu_j): how far a row is from a cluster, and what a cluster learns of x.

To add one, write a `Divergence` whose view is a `Quadratic`, and a line in `DIVERGENCES`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.simplex import negative_entropy, softmin
from sfplearn.core.terms import Moments, Quadratic

# Centres of clusters without mass are not used (see `objective.update`); this keeps them finite.
TINY = np.finfo(np.float64).tiny

# Weights below this are as good as none; but a row with missing cells may have no other feature.
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
        weights = np.maximum(w, LEAST_WEIGHT)
        if len(weights) != len(v):
            weights = np.broadcast_to(weights, v.shape)
        return Quadratic(bias=np.zeros(len(v)), weights=weights, centers=v)

    def update(self, sums: Moments, params: Balls | None = None) -> Balls:
        """Centres by eq. 12 and, with s_jl = sum_i u_ij (x_il - v_jl)^2, weights by eq. 14.

        Where cells are missing, D is a mean over observed cells, and the slope of sum_i u_ij D_ij
        along w_jl is s_jl - expected_jl: a feature is not preferred for being seen less often.
        The step down that slope may be too long; see `halfway`.
        """
        v, s = center_and_scatter(sums)
        return Balls(v=v, w=self.weights(s - sums.expected))

    def at(self, x: NDArray[np.float64]) -> Balls:
        """Return clusters centred on rows: these have no scatter, so weights are equal."""
        return Balls(v=x, w=self.weights(np.zeros_like(x)))

    def weights(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights that scatter s (k, p) asks for (eq. 14)."""
        if self.ignored is not None:
            s[:, self.ignored] = np.inf
        w, _ = softmin(s, self.lam)
        return w

    def halfway(self, last: Balls, params: Balls) -> Balls:
        """Return the weights halfway between, on the scale of logarithms, of the newer centres.

        Ratios of weights decide where few features are observed, however small weights are.
        """
        log_w = [np.log(np.maximum(w, LEAST_WEIGHT)) for w in (last.w, params.w)]
        w, _ = softmin(-np.add(*log_w) / 2.0, 1.0)
        return Balls(v=params.v, w=np.where((last.w > 0) | (params.w > 0), w, 0.0))

    def penalty(self, params: Balls) -> float:
        return self.lam * negative_entropy(params.w)

    def feature_weights(self, params: Balls) -> NDArray[np.float64]:
        return np.array(np.broadcast_to(params.w, params.v.shape))


class SharedWeights(WeightedEuclidean):
    """D(x; v, w) = sum_l w_l (x_l - v_l)^2 with one weight vector w for all clusters.

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
    >>> mass, first, second = np.ones(2), np.zeros((2, 2)), np.array([[4.0, 2.0], [0.0, 1.0]])
    >>> sums = Moments(mass, first, second, seen=mass[:, None], expected=np.zeros((2, 1)))
    >>> SharedWeights(lam=1.0).update(sums).w.round(3).tolist()
    [[0.269, 0.731]]
    """

    def weights(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights that the scatter of all clusters together asks for, (1, p)."""
        return super().weights(s.sum(axis=0, keepdims=True))


class EvenWeights(WeightedEuclidean):
    """D(x; v) = sum_l (x_l - v_l)^2 / p: all features count the same, as in a kernel's space.

    Parameters
    ----------
    lam : float
        Not used.
    ignored : array of bool of shape (p,) or None, default=None
        Not used.

    Examples
    --------
    >>> import numpy as np
    >>> EvenWeights(1.0).at(np.zeros((1, 4))).w.tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """

    def weights(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return equal weights."""
        return np.full(s.shape, 1.0 / s.shape[1])

    def penalty(self, params: Balls) -> float:
        return 0.0


class Gaussians(NamedTuple):
    """Parameters of clusters that are normal distributions with independent features."""

    v: NDArray[np.float64]
    """Means, of shape (k, p), relative to the origin of the rows."""
    variance: NDArray[np.float64]
    """Variances, of shape (k, p)."""
    share: NDArray[np.float64]
    """Mixing proportions, of shape (k,); they sum to 1."""


class DiagonalGaussian:
    """D(x; pi, v, s^2) = -ln pi - ln N(x; v, diag s^2): what generative mixtures minimise.

    With gamma = 1 and alpha = 0 the descent is the EM algorithm for a mixture of Gaussians, with
    alpha = 1 that for a generative mixture of experts (theorem 2).

    Parameters
    ----------
    floor : float or array of shape (p,)
        Least variance of a feature in a cluster.
    start : array of shape (p,) or float, default=1.0
        Variance of a cluster of a single row, where a descent starts.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core.terms import Moments
    >>> mass, first, second = np.array([2.0]), np.array([[0.0, 2.0]]), np.array([[4.0, 2.0]])
    >>> sums = Moments(mass, first, second, seen=mass[:, None], expected=np.zeros((1, 1)))
    >>> DiagonalGaussian(floor=0.1).update(sums)
    Gaussians(v=array([[0., 1.]]), variance=array([[2. , 0.1]]), share=array([1.]))
    """

    def __init__(
        self, floor: NDArray[np.float64] | float, start: NDArray[np.float64] | float = 1.0
    ) -> None:
        self.floor = floor
        self.start = start

    def view(self, params: Gaussians) -> Quadratic:
        v, variance, share = params
        return Quadratic(
            # Dead clusters keep the share they had, so shares may sum to more than 1.
            bias=-np.log(np.maximum(share / share.sum(), TINY)),
            weights=0.5 / variance,
            centers=v,
            offsets=0.5 * np.log(2.0 * np.pi * variance),
            is_mean=False,
        )

    def update(self, sums: Moments, params: Gaussians | None = None) -> Gaussians:
        """Return the means, variances and proportions of EM, variances being at least the floor."""
        v, s = center_and_scatter(sums)
        variance = np.maximum(s / np.maximum(sums.seen, TINY), self.floor)
        return Gaussians(v=v, variance=variance, share=sums.mass / sums.mass.sum())

    def at(self, x: NDArray[np.float64]) -> Gaussians:
        """Return clusters centred on rows, as wide as all rows together."""
        share = np.full(len(x), 1.0 / len(x))
        return Gaussians(v=x, variance=self.start + np.zeros_like(x), share=share)

    def halfway(self, last: Gaussians, params: Gaussians) -> Gaussians:
        """Return the newer parameters: `update` is exact, also where cells are missing."""
        return params

    def penalty(self, params: Gaussians) -> float:
        return 0.0

    def feature_weights(self, params: Gaussians) -> NDArray[np.float64]:
        precision = 1.0 / params.variance
        return precision / precision.sum(axis=1, keepdims=True)


class Fixed:
    """Any quadratic form, such as a refinement leaves; it does not update.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core.terms import Quadratic
    >>> form = Quadratic(np.zeros(1), weights=np.array([[1.0, 3.0]]), centers=np.zeros((1, 2)))
    >>> Fixed().feature_weights(form).tolist()
    [[0.25, 0.75]]
    """

    def view(self, params: Quadratic) -> Quadratic:
        return params

    def feature_weights(self, params: Quadratic) -> NDArray[np.float64]:
        return params.weights / params.weights.sum(axis=1, keepdims=True)


def center_and_scatter(
    sums: Moments,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return v_jl = sum_i r_ij x_il / sum_i r_ij (eq. 12) and s_jl = sum_i r_ij (x_il - v_jl)^2."""
    first, second = map(np.ascontiguousarray, (sums.first, sums.second))
    v = first / np.maximum(sums.seen, TINY)
    return v, np.maximum(second - v * first, 0.0)


DIVERGENCES: dict[str, Any] = {
    "weighted_euclidean": WeightedEuclidean,
    "shared_weights": SharedWeights,
    "diagonal_gaussian": DiagonalGaussian,
    "kernel": EvenWeights,
}
