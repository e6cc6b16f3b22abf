"""What displays read from a fitted estimator, alone or at the end of a pipeline."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sfplearn.estimators import SFPClassifier, SFPClusterer, SFPRegressor
from sfplearn.estimators.explanation import names_of, sayings
from sfplearn.estimators.kernels import is_kernel
from sfplearn.plots.canvas import percent, shorten

Array = NDArray[np.float64]

MODELS = (SFPClassifier, SFPRegressor, SFPClusterer)

# Classes of a label mix that are named, and the share below which they are not.
NAMED, SLIGHT = 2, 0.05

# Letters of their names together.
MIX_LETTERS = 26


@dataclass(frozen=True)
class Clusters:
    """What the clusters of a model say, and how many rows each has.

    Attributes
    ----------
    says : ndarray of shape (n_clusters, M)
        Label mixes, numbers, or nothing (M = 0).
    mass : ndarray of shape (n_clusters,)
        Sums of memberships.
    classes : ndarray of shape (M,) or None
        The labels, for classifiers.
    """

    says: Array
    mass: Array
    classes: NDArray[Any] | None

    def said(self) -> NDArray[Any]:
        """Return the code of the class that each cluster says, its number, or its own place."""
        if self.classes is not None:
            return self.says.argmax(axis=1)
        return self.says[:, 0] if self.says.shape[1] else np.arange(len(self.mass))

    def shares(self) -> Array:
        """Return the share of all rows that each cluster has."""
        return self.mass / self.mass.sum()

    def order(self) -> NDArray[np.intp]:
        """Return clusters by what they say, then by mass, the largest first."""
        first = self.said() if self.says.shape[1] else np.zeros(len(self.mass))
        return np.lexsort((-self.mass, first))

    def name(self, cluster: int) -> str:
        """Return the number of a cluster and what it says, in words."""
        says = self.says[cluster]
        if self.classes is not None:
            likely = np.argsort(-says, kind="stable")[:NAMED]
            kept = [m for m in likely if says[m] >= SLIGHT or m == likely[0]]
            letters = MIX_LETTERS // len(kept)
            told = [f"{shorten(self.classes[m], letters)} ({percent(says[m])})" for m in kept]
        else:
            told = [f"{number:.4g}" for number in says[:NAMED]]
        told = told or [f"{percent(self.shares()[cluster])} of rows"]
        return f"{cluster}: {', '.join(told)}"


@dataclass(frozen=True)
class Reading:
    """A fitted model, the steps before it, and the names of the features that it sees."""

    model: Any
    steps: Any
    names: NDArray[Any]

    def prepared(self, X: Any) -> Any:
        """Return rows as the model sees them."""
        return X if self.steps is None else self.steps.transform(X)

    def dense(self, X: Any) -> Array:
        """Return rows as the model sees them, as an array of numbers."""
        rows = self.prepared(X)
        rows = rows.toarray() if sp.issparse(rows) else rows
        return np.asarray(rows, dtype=np.float64)

    def memberships(self, X: Any) -> Array:
        """Return how much each row belongs to each cluster."""
        return np.asarray(self.model.memberships(self.prepared(X)), dtype=np.float64)

    def predict(self, rows: Array) -> NDArray[Any]:
        """Return what the model says of rows that are prepared already, and have no names."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            return np.asarray(self.model.predict(rows))

    def clusters(self) -> Clusters:
        """Return what the clusters say."""
        classes = getattr(self.model, "classes_", None)
        return Clusters(sayings(self.model), np.asarray(self.model.cluster_mass_), classes)

    def most_important(self, n: int) -> NDArray[np.intp]:
        """Return the features of most weight over all clusters, the first one most."""
        return np.argsort(-self.model.feature_importances_, kind="stable")[:n]

    def position(self, feature: Any) -> int:
        """Return the place of a feature that is given by place or name."""
        p = len(self.names)
        if isinstance(feature, str):
            if feature not in self.names:
                raise ValueError(f"There is no feature {feature!r}; give a name or a place.")
            return int(np.flatnonzero(self.names == feature)[0])
        if not -p <= feature < p:
            raise ValueError(f"There is no feature {feature}; the model has {p}, from 0 on.")
        return int(feature) % p


def read(estimator: Any, feature_names: Any = None, *, by_features: str | None = None) -> Reading:
    """Return what can be read from a fitted estimator.

    `by_features` is the name of a display that needs weights or centres of features.

    >>> model = SFPClusterer(2, random_state=0).fit([[0.0], [1.0]])
    >>> read(model).names.tolist()
    ['x0']
    """
    model, steps = estimator, None
    if isinstance(estimator, Pipeline):
        model = estimator[-1]
        steps = estimator[:-1] if len(estimator) > 1 else None
    if not isinstance(model, MODELS):
        named = ", ".join(kind.__name__ for kind in MODELS)
        raise TypeError(
            f"Pictures are of {named}, alone or the last step of a Pipeline; got "
            f"{type(model).__name__}."
        )
    check_is_fitted(model)
    if by_features is not None and is_kernel(model):
        raise ValueError(
            f"{by_features} shows weights of features, which divergence='kernel' does not have; "
            "fit with another divergence."
        )
    return Reading(model, steps, _names(model, steps, feature_names))


def codes_of(y: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the place of each label among classes, -1 where it is none of them.

    >>> codes_of(["b", "a", "?"], np.array(["a", "b"])).tolist()
    [1, 0, -1]
    """
    places = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([places.get(label, -1) for label in np.asarray(y).tolist()], dtype=np.intp)


def means_of(rows: Array, u: Array) -> Array:
    """Return the mean of the rows of each cluster, weighted by membership (n, k).

    Missing cells do not count.

    >>> means_of(np.array([[0.0], [2.0]]), np.eye(2)).tolist()
    [[0.0], [2.0]]
    """
    seen = ~np.isnan(rows)
    sums, mass = u.T @ np.where(seen, rows, 0.0), u.T @ seen
    return np.divide(sums, mass, out=np.zeros_like(sums), where=mass > 0)


def _names(model: Any, steps: Any, given: Any) -> NDArray[Any]:
    """Return the names of the features that a model sees, from what is given if it is."""
    p = model.n_features_in_
    if given is None:
        made = _names_after(steps, None)
        return names_of(model, p) if made is None else made
    names = np.array([str(name) for name in given], dtype=object)
    if len(names) != p and len(names) == getattr(steps, "n_features_in_", None):
        made = _names_after(steps, names)
        names = names if made is None else made
    if len(names) != p:
        raise ValueError(f"feature_names has {len(names)} names for {p} features; give one each.")
    return names


def _names_after(steps: Any, names: Any) -> NDArray[Any] | None:
    """Return the names that steps give their features, None if one of them does not tell."""
    try:
        return np.array(steps.get_feature_names_out(names), dtype=object)
    except AttributeError:  # no steps, or one without names
        return None
