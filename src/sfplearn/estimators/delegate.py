"""What transformer and selector share: an inner SFP that suits the labels they are given."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from sfplearn.estimators.base import BaseSFP
from sfplearn.estimators.checks import check_choice, check_rows, unchanged_on_error
from sfplearn.estimators.classifier import SFPClassifier
from sfplearn.estimators.clusterer import SFPClusterer
from sfplearn.estimators.labels import find_unlabelled
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
        alpha: float | None,
        gamma: float | None,
        lam: float,
        task: str,
        loss: Any,
        scale: str | None,
        init: Any,
        n_init: int | str,
        max_iter: int,
        tol: float,
        unlabeled: Any,
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
        self.unlabeled = unlabeled
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
            self._check_settings()
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
        task = task_of(y, self.unlabeled) if self.task == "auto" else self.task
        inner = TASKS[task]()
        shared = {name: getattr(self, name, None) for name in inner.get_params(deep=False)}
        given = {name: value for name, value in shared.items() if value is not None}
        if self.scale is None:
            given["scale"] = None
        return inner.set_params(**given)

    def _check_settings(self) -> None:
        """Refuse settings that only matter later, before the work is done."""


def task_of(y: Any, unlabeled: Any = None) -> str:
    """Return the task that labels ask for: many different numbers ask for regression."""
    if y is None:
        return "clustering"
    y, _ = find_unlabelled(y, np.nan if unlabeled is None else unlabeled)
    array = np.asarray(y)
    if array.dtype.kind not in "iuf":
        return "classification"
    distinct = len(np.unique(array))
    many = distinct > max(FEW_CLASSES, CLASS_SHARE * len(array))
    several = array.ndim > 1 and array.shape[1] > 1
    whole = np.array_equal(array, np.round(array))
    return "regression" if many or several or not whole else "classification"
