"""SFP as a feature selector."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from sfplearn.estimators.checks import check_number
from sfplearn.estimators.delegate import DelegatesToSFP
from sfplearn.estimators.placed import where_rows_are

# Weights that sum to the threshold up to rounding do.
ROUNDING = 1e-12


class SFPSelector(SelectorMixin, DelegatesToSFP):
    """Select the features that matter to any cluster (the paper's section 4.3).

    In each cluster the fewest features whose weights sum to `threshold` are significant; all
    features that are significant to some cluster are kept.

    Features should be on comparable scales: put a StandardScaler before it.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters.
    threshold : float, default=0.9
        Sum of weights that the significant features of a cluster reach, above 0, at most 1.
    lam : float, default=1.0
        Evenness of feature weights, above 0. Small values pick a few features.
    task : {"auto", "classification", "regression", "clustering"}, default="auto"
        What labels are. "auto" looks at them: numbers that are not whole, or many that
        differ (more than 30, and than a tenth of the rows), ask for regression.
    loss : str, callable, Loss or None, default=None
        Loss of label prototypes; None takes that of the task's estimator.
    alpha, gamma : float or None, default=None
        Weight of the labels, fuzziness; None takes those of the task's estimator.
    unlabeled : object, default=None
        Label of rows that have none; None takes that of the task's estimator.
    scale, init, n_init, max_iter, tol, allow_nan, n_jobs, random_state
        See SFPClassifier and SFPRegressor.

    Attributes
    ----------
    estimator_ : SFPClassifier, SFPRegressor or SFPClusterer
        The fitted clusters.
    feature_weights_ : ndarray of shape (n_clusters, n_features)
        Their feature weights.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sfplearn import SFPSelector
    >>> X, y = load_wine(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> SFPSelector(3, lam=0.05, random_state=0).fit_transform(X, y).shape[1] < 13
    True
    """

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        threshold: float = 0.9,
        alpha: float | None = None,
        gamma: float | None = None,
        lam: float = 1.0,
        task: str = "auto",
        loss: Any = None,
        scale: str | None = "auto",
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 100,
        tol: float = 1e-4,
        unlabeled: Any = None,
        allow_nan: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            alpha=alpha,
            gamma=gamma,
            lam=lam,
            task=task,
            loss=loss,
            scale=scale,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            unlabeled=unlabeled,
            allow_nan=allow_nan,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.threshold = threshold

    @property
    def feature_weights_(self) -> NDArray[np.float64]:
        """Feature weights of the fitted clusters."""
        return self.estimator_.feature_weights_

    def _check_settings(self) -> None:
        check_threshold(self.threshold)

    @where_rows_are
    def transform(self, X: Any) -> Any:
        """Return the significant features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        features : ndarray of shape (n_samples, n_selected_features)
            Lazy for rows of a Dask collection.

        Examples
        --------
        >>> from sfplearn import SFPSelector
        >>> X, y = [[0, 5], [1, 3], [9, 4]], [0, 0, 1]
        >>> SFPSelector(2, lam=0.01, random_state=0).fit(X, y).transform(X).shape
        (3, 2)
        """
        return super().transform(X)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        alive = self.estimator_.cluster_mass_ > 0
        chosen = significant_features(self.feature_weights_[alive], self.threshold)
        return np.asarray(chosen.any(axis=0))


def check_threshold(threshold: Any) -> float:
    """Return a sum of weights that the features of a cluster can reach."""
    enough = check_number("threshold", threshold, above=0)
    if enough > 1:
        raise ValueError(f"threshold must be at most 1, the sum of all weights; got {threshold!r}.")
    return enough


def significant_features(w: NDArray[np.float64], threshold: float = 0.9) -> NDArray[np.bool_]:
    """Return which features of each cluster are significant: the fewest that sum to a threshold.

    >>> import numpy as np
    >>> significant_features(np.array([[0.5, 0.05, 0.45], [0.02, 0.95, 0.03]]))
    array([[ True, False,  True],
           [False,  True, False]])
    """
    enough = check_threshold(threshold)
    order = np.argsort(-w, axis=1, kind="stable")
    sorted_w = np.take_along_axis(w, order, axis=1)
    before = np.cumsum(sorted_w, axis=1) - sorted_w
    significant = np.zeros(w.shape, bool)
    np.put_along_axis(significant, order, before < enough - ROUNDING, axis=1)
    return significant
