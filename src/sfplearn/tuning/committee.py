"""Several fitted classifiers that answer as one, and how to choose them.

The few candidates that do best on rows they were not trained on, in equal parts, at most half of
them of one kind; or greedy ensemble selection (Caruana and others, 2004): again and again add the
candidate that makes the mean of probabilities best on such rows. Doing so on random halves of the
candidates, and averaging, keeps chance hits small.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, OneToOneFeatureMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline

from sfplearn.tuning.calibrate import LEAST_PROBABILITY, tempered

Array = NDArray[np.float64]

# Greedy selection: picks, random parts of the candidates to pick from, and how large each is.
PICKS = 25
BAGS = 10
PART = 0.5

# Members of one kind that a small committee may have all the same. On 45 tables, a fold each, at
# most two of four of one kind gained 0.40 points of accuracy (standard error 0.19; 12 tables
# better, 3 worse) and left log-loss as it was; at most one of four lost 0.13. Many ways were
# compared there, of which this was the best: elsewhere it will gain less.
LEAST_OF_A_KIND = 2

# What a unit of log-loss is worth, in shares of rows that are right.
LOSS_WORTH = 2.0


class Committee(ClassifierMixin, BaseEstimator):
    """Fitted classifiers whose probabilities are averaged, each as sure as it should be.

    Parameters
    ----------
    members : list
        Fitted classifiers.
    weights : array-like
        What each counts; they sum to 1.
    classes : array-like
        All labels, in order; members may know some of them only.
    temperatures : array-like or None, default=None
        What the probabilities of each member are flattened by; None leaves them as they are.

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
        self, members: Sequence[Any], weights: Any, classes: Any, temperatures: Any = None
    ) -> None:
        self.members = members
        self.weights = weights
        self.classes = classes
        self.temperatures = temperatures

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> "Committee":
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

    @property
    def feature_importances_(self) -> Array:
        """Mean importances of the members that have any, each counting by its weight."""
        told = [_importances_of(member) for member in self.members]
        some = [i for i, importances in enumerate(told) if importances is not None]
        if not some:
            raise AttributeError("No member tells importances of features.")
        weights = np.asarray(self.weights)[some]
        return weights / weights.sum() @ np.array([told[i] for i in some])

    def predict_proba(self, X: Any) -> Array:
        """Return the weighted mean of the members' class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        found = [over_all(m.predict_proba(X), m.classes_, self.classes_) for m in self.members]
        if self.temperatures is not None:
            found = [tempered(p, T) for p, T in zip(found, self.temperatures, strict=True)]
        return sum(weight * p for weight, p in zip(self.weights, found, strict=True))

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


def best_members(worth: Array, kinds: Sequence[str], count: int) -> Array:
    """Return equal weights of the candidates that are worth most, and none of the others.

    At most half of them are of one kind, as long as there are others: those of one kind err alike.

    >>> best_members(np.array([0.7, 0.9, 0.8]), ["a", "b", "b"], 2).tolist()
    [0.0, 0.5, 0.5]
    >>> best_members(np.array([0.6, 0.7, 0.8, 0.9]), ["a", "b", "b", "b"], 3).round(2).tolist()
    [0.33, 0.0, 0.33, 0.33]
    """
    most = max(LEAST_OF_A_KIND, count // 2)
    taken: Counter[str] = Counter()
    first: list[int] = []
    spare: list[int] = []
    for place in np.argsort(-worth, kind="stable").tolist():
        taken[kinds[place]] += 1
        (first if taken[kinds[place]] <= most else spare).append(place)
    chosen = np.zeros(len(worth))
    chosen[[*first, *spare][:count]] = 1.0
    return chosen / chosen.sum()


def greedy_members(
    probabilities: Array, codes: NDArray[Any], weight: Array, *, random: np.random.Generator
) -> Array:
    """Return weights of candidates whose mean predicts rows that they were not trained on.

    `probabilities` are those of each candidate, of shape (candidates, n, classes).
    """
    count = len(probabilities)
    part = max(1, round(PART * count))
    chosen = np.zeros(count)
    for _ in range(BAGS):
        pool = random.choice(count, part, replace=False)
        chosen[pool] += _greedy(probabilities[pool], codes, weight, PICKS)
    return chosen / chosen.sum()


def _greedy(probabilities: Array, codes: NDArray[Any], weight: Array, picks: int) -> Array:
    """Return how often each candidate is picked, one after the other, with replacement."""
    counts = np.zeros(len(probabilities))
    total = np.zeros(probabilities.shape[1:])
    for pick in range(1, picks + 1):
        worth = worth_of((total + probabilities) / pick, codes, weight)
        chosen = int(np.argmax(worth))
        counts[chosen] += 1
        total += probabilities[chosen]
    return counts


def worth_of(probabilities: Array, codes: NDArray[Any], weight: Array) -> Array:
    """Return the share of rows that are right, less log-loss as far as it counts."""
    right = probabilities.argmax(axis=2) == codes
    own = probabilities[:, np.arange(len(codes)), codes]
    gain = right + LOSS_WORTH * np.log(np.maximum(own, LEAST_PROBABILITY))
    return gain @ weight / weight.sum()
