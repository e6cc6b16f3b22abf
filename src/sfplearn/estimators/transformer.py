"""SFP as a transformer: distances or memberships as new features."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sfplearn.data import find_store
from sfplearn.estimators.checks import check_choice, check_rows
from sfplearn.estimators.delegate import DelegatesToSFP

OUTPUTS = ("distances", "memberships")


class SFPTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DelegatesToSFP):
    """Describe rows by how far they are from clusters, or how much they belong to them.

    With fewer clusters than features this is a supervised reduction of dimension (the paper's
    section 3.1). Labels may be classes, numbers or missing altogether.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters, and of new features.
    output : {"distances", "memberships"}, default="distances"
        What the new features are.
    with_labels : bool, default=False
        Whether `fit_transform(X, y)` adds the label cost alpha l(y_i, z_j) to the distances of
        training rows, the paper's d_ij. `transform`, which has no labels, never does.
    task : {"auto", "classification", "regression", "clustering"}, default="auto"
        What labels are. "auto" looks at them: numbers that are not whole, or many that
        differ (more than 30, and than a tenth of the rows), ask for regression.
    loss : str, callable, Loss or None, default=None
        Loss of label prototypes; None takes that of the task's estimator.
    alpha, gamma : float or None, default=None
        Weight of the labels, fuzziness; None takes those of the task's estimator.
    unlabeled : object, default=None
        Label of rows that have none; None takes that of the task's estimator.
    lam, scale, init, n_init, max_iter, tol, allow_nan, n_jobs, random_state
        See SFPClassifier and SFPRegressor.

    Attributes
    ----------
    estimator_ : SFPClassifier, SFPRegressor or SFPClusterer
        The fitted clusters.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had any.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sfplearn import SFPTransformer
    >>> X, y = load_wine(return_X_y=True)
    >>> SFPTransformer(3, random_state=0).fit_transform(X, y).shape
    (178, 3)
    """

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        output: str = "distances",
        with_labels: bool = False,
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
        self.output = output
        self.with_labels = with_labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def transform(self, X: Any) -> NDArray[np.floating]:
        """Return the new features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        features : ndarray of shape (n_samples, n_clusters)
            Weighted squared distances, or memberships.

        Examples
        --------
        >>> from sfplearn import SFPTransformer
        >>> model = SFPTransformer(2, output="memberships", random_state=0)
        >>> model.fit([[0], [1], [9]], [0, 0, 1]).transform([[9]]).sum().round(6)
        np.float64(1.0)
        """
        check_is_fitted(self)
        if find_store(X) is None:
            check_rows(self, X, reset=False)
        if self.output == "memberships":
            return self.estimator_.memberships(X)
        return self.estimator_.transform(X)

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.floating]:
        """Fit, and return the new features of the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None, default=None
            Classes, numbers, or nothing.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        features : ndarray of shape (n_samples, n_clusters)
            As `transform` returns them; with their label cost if `with_labels`.

        Examples
        --------
        >>> from sfplearn import SFPTransformer
        >>> model = SFPTransformer(2, with_labels=True, random_state=0)
        >>> d = model.fit_transform([[0], [1], [9]], [0, 0, 1])
        >>> bool((d >= model.transform([[0], [1], [9]])).all())
        True
        """
        self.fit(X, y, sample_weight=sample_weight)
        if self.with_labels and hasattr(self.estimator_, "prototypes_"):
            return self.estimator_._labelled_distances(X, y, sample_weight)
        return self.transform(X)

    def _check_settings(self) -> None:
        check_choice("output", self.output, OUTPUTS)
        if self.with_labels and self.output != "distances":
            raise ValueError("with_labels=True adds to distances; set output='distances'.")

    @property
    def _n_features_out(self) -> int:
        return len(self.estimator_.cluster_centers_)
