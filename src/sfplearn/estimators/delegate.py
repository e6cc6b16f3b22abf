"""What transformer and selector share: an inner SFP that suits the labels they are given."""

from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from sfplearn.data import Block, find_store
from sfplearn.estimators.base import BaseSFP
from sfplearn.estimators.callbacks import TellsCallbacks, lend, looked_at
from sfplearn.estimators.checks import check_choice, check_rows
from sfplearn.estimators.classifier import SFPClassifier
from sfplearn.estimators.clusterer import SFPClusterer
from sfplearn.estimators.coding import (
    Counts,
    count_classes,
    count_values,
    merge_counts,
    split_labels,
)
from sfplearn.estimators.labels import find_unlabelled
from sfplearn.estimators.regressor import SFPRegressor

# Whole numbers are taken for classes if they are so few, or so few for each row.
FEW_CLASSES = 30
CLASS_SHARE = 0.1

OF_FEATURES = ("n_features_in_", "feature_names_in_")

TASKS: dict[str, Any] = {
    "classification": SFPClassifier,
    "regression": SFPRegressor,
    "clustering": SFPClusterer,
}


class DelegatesToSFP(TellsCallbacks, BaseEstimator):
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
            Training rows, or rows elsewhere: from `open_rows`, or a Dask array or data frame.
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
        SFPClassifier(init='k-means++', lam=1.0, n_clusters=2, random_state=0, refine=0)
        """
        with looked_at(self, X, y, sample_weight) as watch:
            self._check_settings()
            store = find_store(X, y, sample_weight)
            if store is None:
                check_rows(self, X, reset=True)
            inner = self._inner(y, store)
            lend(watch, inner, lambda: _holding(inner)).fit(X, y, sample_weight=sample_weight)
            hold(self, inner)
        return self

    @property
    def n_iter_(self) -> int:
        """Number of passes of the fit."""
        return self.estimator_.n_iter_

    def _inner(self, y: Any, store: Any) -> BaseSFP:
        """Return the estimator that suits the labels, with the settings of this one."""
        check_choice("task", self.task, ("auto", *TASKS))
        task = self.task
        if task == "auto":
            labels = self.unlabeled
            task = task_of(y, labels) if store is None else task_within(store, labels)
        inner = TASKS[task]()
        shared = {name: getattr(self, name, None) for name in inner.get_params(deep=False)}
        given = {name: value for name, value in shared.items() if value is not None}
        if self.scale is None:
            given["scale"] = None
        if "refine" in shared:  # which would move clusters from where rows are
            given["refine"] = 0
        return inner.set_params(**given)

    def _check_settings(self) -> None:
        """Refuse settings that only matter later, before the work is done."""


def hold(holder: Any, inner: BaseSFP) -> None:
    """Set the attributes of who holds a fitted estimator."""
    for name in OF_FEATURES:
        vars(holder).pop(name, None)
    vars(holder).update(_holding(inner))


def _holding(inner: BaseSFP) -> dict[str, Any]:
    """Return the attributes of who holds an estimator, with those it has now."""
    of_features = {name: getattr(inner, name) for name in OF_FEATURES if hasattr(inner, name)}
    return {"estimator_": copy(inner), **of_features}


class _Census(NamedTuple):
    """What tells the task that labels ask for."""

    counts: Counts
    rows: int
    several: bool
    """Whether rows have several labels."""


def task_within(store: Any, unlabeled: Any) -> str:
    """Return the task that the labels of a store ask for."""
    if not store.has_labels:
        return "clustering"
    census = store.map_reduce(partial(_census, unlabeled), _both)
    return _task(census.counts.labels, census.rows, census.several)


def _census(unlabeled: Any, block: Block) -> _Census:
    y, unlabelled = split_labels(block.y, np.nan if unlabeled is None else unlabeled)
    several = y.ndim > 1 and y.shape[1] > 1
    y, unlabelled = y.ravel(), np.repeat(unlabelled, y.size // max(1, len(y)))
    count = count_values if y.dtype.kind == "f" else count_classes
    return _Census(count(y, np.ones(len(y)), unlabelled), block.n_rows, several)


def _both(left: _Census, right: _Census) -> _Census:
    counts = merge_counts(left.counts, right.counts)
    return _Census(counts, left.rows + right.rows, left.several or right.several)


def task_of(y: Any, unlabeled: Any = None) -> str:
    """Return the task that labels ask for: many different numbers ask for regression."""
    if y is None:
        return "clustering"
    y, _ = find_unlabelled(y, np.nan if unlabeled is None else unlabeled)
    array = np.asarray(y)
    different = np.unique(array) if array.dtype.kind in "iuf" else array
    return _task(different, len(array), array.ndim > 1 and array.shape[1] > 1)


def _task(different: Any, n: int, several: bool) -> str:
    """Return the task that different labels of n rows ask for."""
    if different.dtype.kind not in "iuf":
        return "classification"
    many = len(different) > max(FEW_CLASSES, CLASS_SHARE * n)
    whole = np.array_equal(different, np.round(different))
    return "regression" if many or several or not whole else "classification"
