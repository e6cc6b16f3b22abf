"""Fitted classifiers that answer as one: the models of folds, and the committee of several such."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline

from sfplearn.tuning.calibrate import tempered
from sfplearn.tuning.opinion import Opinion, pooled

Array = NDArray[np.float64]


class _Several(ClassifierMixin, BaseEstimator, ABC):
    """What members have in common."""

    members: Sequence[Any]
    classes: Any

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> "_Several":
        return self  # there is nothing to fit anew

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels."""
        return np.asarray(self.classes)

    @property
    def n_features_in_(self) -> int:
        """Number of features seen in fit."""
        return int(self.members[0].n_features_in_)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the features, where rows had any."""
        return self.members[0].feature_names_in_

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    @abstractmethod
    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities."""

    def _said(self, X: Any) -> Array:
        """Return the probabilities that each member gives, (members, n, classes)."""
        every = self.classes_
        return np.array([over_all(m.predict_proba(X), m.classes_, every) for m in self.members])


class FoldModels(_Several):
    """A candidate as the models of its folds, whose probabilities are averaged.

    Parameters
    ----------
    members : list
        Fitted classifiers.
    classes : array-like
        All labels, in order; members may know some of them only.
    temperature : float, default=1.0
        What the probabilities of each are flattened by, so that it is as sure as it should be.

    Examples
    --------
    >>> from sfplearn import SFPClassifier
    >>> from sfplearn.tuning.committee import FoldModels
    >>> X, y = [[0], [1], [8], [9]], ["a", "a", "b", "b"]
    >>> members = [SFPClassifier(2, random_state=seed).fit(X, y) for seed in (0, 1)]
    >>> FoldModels(members, ["a", "b"]).predict_proba([[0.5]]).shape
    (1, 2)
    """

    def __init__(self, members: Sequence[Any], classes: Any, temperature: float = 1.0) -> None:
        self.members = members
        self.classes = classes
        self.temperature = temperature

    @property
    def feature_importances_(self) -> Array:
        """Mean importances of the features that models tell."""
        return _mean_importances(self.members, np.ones(len(self.members)))

    def predict_proba(self, X: Any) -> Array:
        """Return the mean of the models' class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return tempered(self._said(X), self.temperature).mean(axis=0)


class Committee(_Several):
    """Fitted classifiers whose opinions are weighed: a weighted mean of logarithms.

    Parameters
    ----------
    members : list
        Fitted classifiers.
    weights : array-like
        What each counts; they sum to 1.
    classes : array-like
        All labels, in order; members may know some of them only.
    biases : array-like or None, default=None
        What is added to the logarithm of the probability of each class; None adds nothing.
    temperature : float, default=1.0
        What the probabilities of all together are flattened by.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn import SFPClassifier
    >>> from sfplearn.tuning import Committee
    >>> X, y = [[0], [1], [8], [9]], ["a", "a", "b", "b"]
    >>> members = [SFPClassifier(2, gamma=g, random_state=0).fit(X, y) for g in (0.1, 0.2)]
    >>> Committee(members, [0.5, 0.5], ["a", "b"]).predict([[0.5], [8.5]]).tolist()
    ['a', 'b']
    """

    def __init__(
        self,
        members: Sequence[Any],
        weights: Any,
        classes: Any,
        biases: Any = None,
        temperature: float = 1.0,
    ) -> None:
        self.members = members
        self.weights = weights
        self.classes = classes
        self.biases = biases
        self.temperature = temperature

    @property
    def feature_importances_(self) -> Array:
        """Mean importances of the members that have any, each counting by its weight."""
        return _mean_importances(self.members, np.asarray(self.weights))

    def predict_proba(self, X: Any) -> Array:
        """Return the class probabilities that members arrive at together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        biases = np.zeros(len(self.classes_)) if self.biases is None else np.asarray(self.biases)
        opinion = Opinion(np.asarray(self.weights), biases, self.temperature)
        return pooled(self._said(X), opinion)


def _mean_importances(members: Sequence[Any], weights: Array) -> Array:
    """Return mean importances over the members that tell any; an AttributeError if none does."""
    told = [_importances_of(member) for member in members]
    some = [i for i, importances in enumerate(told) if importances is not None]
    if not some:
        raise AttributeError("No member tells importances of features.")
    return weights[some] / weights[some].sum() @ np.array([told[i] for i in some])


def _importances_of(member: Any) -> Array | None:
    """Return the importances of the features that a member is given, if it tells them."""
    *before, last = _flat(member)
    found = getattr(last, "feature_importances_", None)
    for step in reversed(before):
        if found is None or not isinstance(step, SelectorMixin | OneToOneFeatureMixin):
            return None
        if isinstance(step, SelectorMixin):
            of_all = np.zeros(step.n_features_in_)
            of_all[step.get_support()] = found
            found = of_all
        if len(found) != getattr(step, "n_features_in_", len(found)):
            return None  # encoders of targets say one to one, and make a feature for each class
    return found


def _flat(model: Any) -> list[Any]:
    """Return the steps of a pipeline, and of those within."""
    if not isinstance(model, Pipeline):
        return [model]
    return [part for _, step in model.steps for part in _flat(step)]


def over_all(probabilities: Array, known: NDArray[Any], classes: NDArray[Any]) -> Array:
    """Return probabilities of all classes, 0 for those that a classifier does not know."""
    if len(known) == len(classes):
        return probabilities
    full = np.zeros((len(probabilities), len(classes)))
    full[:, np.searchsorted(classes, known)] = probabilities
    return full
