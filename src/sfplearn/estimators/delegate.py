"""What transformer and selector share: an inner SFP that suits the labels they are given."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import type_of_target

from sfplearn.estimators.base import BaseSFP
from sfplearn.estimators.checks import check_choice, check_rows, unchanged_on_error
from sfplearn.estimators.classifier import SFPClassifier
from sfplearn.estimators.clusterer import SFPClusterer
from sfplearn.estimators.regressor import SFPRegressor

# Whole numbers are taken for classes if they are so few, or so few for each row.
FEW_CLASSES = 30
CLASS_SHARE = 0.1

TASKS: dict[str, Any] = {
    "classification": SFPClassifier,
    "regression": SFPRegressor,
    "clustering": SFPClusterer,
}


class DelegatesToSFP(BaseEstimator):
    """Fits a classifier, a regressor or a clusterer to the labels it is given."""

    def __init__(
        self,
        n_clusters: int | str,
        *,
        alpha: float,
        gamma: float,
        lam: float,
        task: str,
        loss: Any,
        scale: str | None,
        init: Any,
        n_init: int | str,
        max_iter: int,
        tol: float,
        allow_nan: bool,
        n_jobs: int | None,
        random_state: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.gamma = gamma
        self.lam = lam
        self.task = task
        self.loss = loss
        self.scale = scale
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.allow_nan = allow_nan
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = bool(self.allow_nan)
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Fit clusters to rows, with labels where there are any.

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
        self : object
            The fitted estimator. If fit fails, the estimator stays as it was.

        Examples
        --------
        >>> from sfplearn import SFPTransformer
        >>> SFPTransformer(2, random_state=0).fit([[0], [1], [9]], [0, 0, 1]).estimator_
        SFPClassifier(n_clusters=2, random_state=0)
        """
        with unchanged_on_error(self):
            check_rows(self, X, reset=True)
            self.estimator_ = self._inner(y).fit(X, y, sample_weight=sample_weight)
        return self

    @property
    def n_iter_(self) -> int:
        """Number of passes of the fit."""
        return self.estimator_.n_iter_

    def _inner(self, y: Any) -> BaseSFP:
        """Return the estimator that suits the labels, with the settings of this one."""
        check_choice("task", self.task, ("auto", *TASKS))
        chosen = TASKS[task_of(y) if self.task == "auto" else self.task]
        inner = chosen()
        shared = {
            name: getattr(self, name)
            for name in inner.get_params(deep=False)
            if hasattr(self, name)
        }
        if self.loss is None:
            shared.pop("loss", None)
        return inner.set_params(**shared)


def task_of(y: Any) -> str:
    """Return the task that labels ask for: many different numbers ask for regression."""
    if y is None:
        return "clustering"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about many classes, which we count
        numbers = "continuous" in type_of_target(y, input_name="y")
    array = np.asarray(y)
    if not numbers and array.dtype.kind in "iuf":
        distinct = len(np.unique(array))
        numbers = distinct > max(FEW_CLASSES, CLASS_SHARE * len(array))
    return "regression" if numbers else "classification"
