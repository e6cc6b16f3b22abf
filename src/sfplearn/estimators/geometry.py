"""The divergence that parameters ask for, and its parameters as fitted attributes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.divergences import (
    DIVERGENCES,
    Balls,
    DiagonalGaussian,
    Fixed,
    Gaussians,
    SharedWeights,
    WeightedEuclidean,
)
from sfplearn.core.terms import Divergence, Quadratic
from sfplearn.estimators.checks import check_choice
from sfplearn.fitting import Spread

# Least variance of a Gaussian, in units of the variance of the feature.
VARIANCE_FLOOR = 1e-6


def find_divergence(name: Any) -> Any:
    """Return the divergence that a parameter names.

    >>> find_divergence("shared_weights").__name__
    'SharedWeights'
    """
    return DIVERGENCES[check_choice("divergence", name, DIVERGENCES)]


def build_divergence(name: str, lam: float, spread: Spread, ignored: Any) -> Divergence:
    """Return a divergence for rows of this spread."""
    kind = find_divergence(name)
    if kind is DiagonalGaussian:
        floor = VARIANCE_FLOOR * np.where(spread.constant, spread.variance, spread.variances)
        return DiagonalGaussian(floor, np.maximum(spread.variances, floor))
    return kind(lam, ignored)


def fitted_divergence(estimator: Any) -> Any:
    """Return the divergence of a fitted estimator, for rows that it has not seen."""
    kind = find_divergence(estimator.divergence_)
    if is_refined(estimator):
        return Fixed()
    return kind(1.0) if kind is DiagonalGaussian else kind(estimator.lam_)


def fitted_params(estimator: Any, v: NDArray[np.float64]) -> Any:
    """Return the parameters of a fitted divergence, with centres relative to some origin."""
    kind = find_divergence(estimator.divergence_)
    if is_refined(estimator):
        return Quadratic(
            bias=estimator.cluster_biases_,
            weights=estimator.feature_weights_ * estimator.cluster_scales_[:, None],
            centers=v,
            is_mean=issubclass(kind, WeightedEuclidean),
        )
    if kind is DiagonalGaussian:
        return Gaussians(v, estimator.covariances_, estimator.cluster_shares_)
    return Balls(v, estimator.feature_weights_[: 1 if kind is SharedWeights else None])


def keep_params(estimator: Any, divergence: Divergence, params: Any) -> None:
    """Set the fitted attributes that a divergence brings besides centres."""
    estimator.divergence_ = estimator.divergence
    estimator.feature_weights_ = divergence.feature_weights(params)
    for name in ("covariances_", "cluster_shares_", "cluster_biases_", "cluster_scales_"):
        vars(estimator).pop(name, None)
    if isinstance(params, Gaussians):
        estimator.covariances_ = params.variance
        estimator.cluster_shares_ = params.share / params.share.sum()
    if isinstance(params, Quadratic):
        estimator.cluster_biases_ = params.bias
        estimator.cluster_scales_ = params.weights.sum(axis=1)


def is_refined(estimator: Any) -> bool:
    """Tell whether a fit ended with a refinement."""
    return hasattr(estimator, "cluster_biases_")


def unit_of(name: str, spread: Spread) -> float:
    """Return the unit of distances: mean variance, or none for logarithms of densities."""
    return spread.variance if issubclass(find_divergence(name), WeightedEuclidean) else 1.0


def rows_a_weight(name: str, spread: Spread, k: int) -> float:
    """Return how many rows share a vector of feature weights."""
    return spread.weight / (1 if find_divergence(name) is SharedWeights else k)
