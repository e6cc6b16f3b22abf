"""What estimators can do whose clusters are normal distributions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sfplearn.core import Objective, Params, Rows, distances
from sfplearn.core.simplex import softmin
from sfplearn.estimators.checks import check_count, check_weight
from sfplearn.estimators.placed import where_rows_are


def _is_gaussian(estimator: Any) -> bool:
    named = getattr(estimator, "divergence_", estimator.divergence) == "diagonal_gaussian"
    return named and not hasattr(estimator, "cluster_biases_")


def _log_density(objective: Objective, params: Params, rows: Rows) -> NDArray[np.float64]:
    """Return ln sum_j pi_j N(x; v_j, s_j^2) for a block: minus a free energy at temperature 1."""
    _, free_energy = softmin(distances(objective, params, rows).astype(np.float64), 1.0)
    return -free_energy


class GaussianDensity:
    """The density of features, where clusters are Gaussians and not refined."""

    cluster_centers_: NDArray[np.float64]
    covariances_: NDArray[np.float64]
    cluster_shares_: NDArray[np.float64]
    n_features_in_: int
    _map_rows: Callable[..., Any]

    @available_if(_is_gaussian)
    @where_rows_are
    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the density of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Under the mixture of the clusters, whatever gamma is.

        Examples
        --------
        >>> from sfplearn import SFPClusterer
        >>> model = SFPClusterer(1, divergence="diagonal_gaussian").fit([[-1.0], [1.0]])
        >>> model.score_samples([[0.0]]).round(3).tolist()
        [-0.919]
        """
        return self._map_rows(X, _log_density)

    @available_if(_is_gaussian)
    def sample(
        self, n_samples: int = 1, random_state: Any = None
    ) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Draw rows from the mixture of the clusters.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        random_state : int, RandomState or None, default=None
            Seed.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Rows.
        clusters : ndarray of shape (n_samples,)
            The cluster that each comes from.

        Examples
        --------
        >>> from sfplearn import SFPClusterer
        >>> model = SFPClusterer(1, divergence="diagonal_gaussian").fit([[-1.0], [1.0]])
        >>> model.sample(3, random_state=0)[0].shape
        (3, 1)
        """
        check_is_fitted(self)
        n = check_count("n_samples", n_samples)
        random = check_random_state(random_state)
        j = random.choice(len(self.cluster_shares_), size=n, p=self.cluster_shares_)
        noise = random.standard_normal((n, self.n_features_in_))
        return self.cluster_centers_[j] + np.sqrt(self.covariances_[j]) * noise, j

    @available_if(_is_gaussian)
    def bic(self, X: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the Bayesian information criterion of the density of features; less is better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        bic : float
            Number of free numbers times ln of the number of rows, minus twice the likelihood.

        Examples
        --------
        >>> from sfplearn import SFPClusterer
        >>> model = SFPClusterer(1, divergence="diagonal_gaussian").fit([[-1.0], [1.0]])
        >>> round(model.bic([[-1.0], [1.0]]), 3)
        7.062
        """
        likelihood, n = self._likelihood(X, sample_weight)
        return float(self._free_numbers() * np.log(n) - 2.0 * likelihood)

    @available_if(_is_gaussian)
    def aic(self, X: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return Akaike's information criterion of the density of features; less is better.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        aic : float
            Twice the number of free numbers, minus twice the likelihood.

        Examples
        --------
        >>> from sfplearn import SFPClusterer
        >>> model = SFPClusterer(1, divergence="diagonal_gaussian").fit([[-1.0], [1.0]])
        >>> round(model.aic([[-1.0], [1.0]]), 3)
        9.676
        """
        return 2.0 * self._free_numbers() - 2.0 * self._likelihood(X, sample_weight)[0]

    def _likelihood(self, X: Any, sample_weight: Any) -> tuple[float, float]:
        """Return the log-likelihood of rows and how many they are."""
        scores = self.score_samples(X)
        weight = check_weight(sample_weight, len(scores))
        return float(weight @ scores), float(weight.sum())

    def _free_numbers(self) -> int:
        k, p = self.cluster_centers_.shape
        return 2 * k * p + k - 1
