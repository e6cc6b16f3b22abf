"""Why a row is predicted as it is: clusters, what they say, and the features that drew it there."""

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from sfplearn.core.terms import Quadratic
from sfplearn.data import find_store
from sfplearn.estimators.checks import check_count, check_rows, check_whole
from sfplearn.estimators.geometry import fitted_divergence, fitted_params
from sfplearn.estimators.kernels import is_kernel

Array = NDArray[np.float64]

# Clusters and features that are told of a row, unless more are asked for.
CLUSTERS, FEATURES = 3, 3

# Shares below this are 0 % in print.
NEXT_TO_NONE = 0.005


@dataclass(frozen=True, repr=False)
class Explanation:
    """What decided about rows: n of them, c clusters each, p features.

    Attributes
    ----------
    clusters : ndarray of shape (n, c)
        The clusters that a row belongs to most, the first one most.
    memberships : ndarray of shape (n, c)
        How much it belongs to them.
    says : ndarray of shape (n, c, M)
        What each of these clusters alone says of the row: its label mix, or 1 for the class it
        votes for where the loss gives no probabilities; its numbers, for regressors; nothing
        (M = 0), for clusterers.
    distances : ndarray of shape (n, c)
        Distances from the clusters, as `transform` gives them.
    contributions : ndarray of shape (n, c, p)
        What each feature adds to these distances; nothing where its cell is missing.
    pulls : ndarray of shape (n, c, p)
        How much nearer each feature brings the row to this cluster than to the others, on
        average by their mass: what drew it there if positive, what kept it away if negative.
    rows : ndarray of shape (n, p)
        The rows.
    centers : ndarray of shape (n, c, p)
        The centres of the clusters.
    prediction : ndarray
        What the model predicts.
    feature_names : ndarray of shape (p,)
        Names of the features.
    classes : ndarray of shape (M,) or None
        The labels, for classifiers.
    """

    clusters: NDArray[np.intp]
    memberships: Array
    says: Array
    distances: Array
    contributions: Array
    pulls: Array
    rows: Array
    centers: Array
    prediction: NDArray[Any]
    feature_names: NDArray[Any]
    classes: NDArray[Any] | None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def table(self, row: int, features: int = FEATURES) -> list[dict[str, Any]]:
        """Return what decided about a row as plain numbers and text.

        Parameters
        ----------
        row : int
            Position of the row.
        features : int, default=3
            Number of features to tell, those that drew the row there most.

        Returns
        -------
        clusters : list of dict
            For each cluster its number, membership, what it says, its distance, and features
            with value, centre, pull and contribution.
        """
        return [self._cluster(row, rank, features) for rank in range(self.clusters.shape[1])]

    def __repr__(self) -> str:
        return "\n\n".join(self._text(row) for row in range(len(self)))

    def _cluster(self, row: int, rank: int, features: int) -> dict[str, Any]:
        at = row, rank
        drew = np.argsort(-self.pulls[at], kind="stable")[: check_whole("features", features)]
        return {
            "cluster": int(self.clusters[at]),
            "membership": float(self.memberships[at]),
            "says": self._saying(at),
            "distance": float(self.distances[at]),
            "features": [self._feature(at, int(feature)) for feature in drew],
        }

    def _feature(self, at: tuple[int, int], feature: int) -> dict[str, Any]:
        return {
            "feature": str(self.feature_names[feature]),
            "value": float(self.rows[at[0], feature]),
            "center": float(self.centers[at][feature]),
            "pull": float(self.pulls[at][feature]),
            "contribution": float(self.contributions[at][feature]),
        }

    def _saying(self, at: tuple[int, int]) -> Any:
        """Return shares by class, or numbers."""
        shares = self.says[at].tolist()
        if self.classes is None:
            return shares
        return dict(zip(self.classes.tolist(), shares, strict=True))

    def _text(self, row: int) -> str:
        lines = [f"row {row}: {self.prediction[row]}"]
        for each in self.table(row):
            lines.append(
                f"  {each['membership']:4.0%} cluster {each['cluster']}, "
                f"which says {_words(each['says'])}"
            )
            lines += [
                f"       {f['feature']} = {f['value']:.4g} (centre {f['center']:.4g}, "
                f"pull {f['pull']:+.3g})"
                for f in each["features"]
            ]
        return "\n".join(lines)


class Explaining:
    """What estimators can do whose distances are sums over features."""

    cluster_centers_: Array
    cluster_mass_: Array
    memberships: Any
    predict: Any

    def explain(self, X: Any, n_clusters: int = CLUSTERS) -> Explanation:
        """Tell which clusters decided about rows, and which features drew the rows there.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A few rows, in memory, as `predict` takes them.
        n_clusters : int, default=3
            Clusters to tell of each row, those it belongs to most.

        Returns
        -------
        explanation : Explanation
            Arrays; `table(row)` and `print` tell the same in words.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> X, y = [[0.0, 1.0], [0.2, 5.0], [3.0, 1.0], [3.1, 5.0]], ["a", "a", "b", "b"]
        >>> model = SFPClassifier(2, refine=0, random_state=0).fit(X, y)
        >>> why = model.explain([[2.9, 3.0]], n_clusters=1)
        >>> why.table(0, features=1)[0]["features"][0]["feature"]
        'x0'
        """
        rows = self._explained_rows(X)
        u = np.asarray(self.memberships(X), dtype=np.float64)
        clusters = _strongest(u)[:, : check_count("n_clusters", n_clusters)]
        divergence = fitted_divergence(self)
        form = divergence.view(fitted_params(self, self.cluster_centers_))
        parts = [self._parts(form, row, some) for row, some in zip(rows, clusters, strict=True)]
        shape = (*clusters.shape, rows.shape[1])
        contributions = np.reshape([own for own, _ in parts], shape)
        return Explanation(
            clusters=clusters,
            memberships=np.take_along_axis(u, clusters, axis=1),
            says=self._says(X, clusters),
            distances=contributions.sum(axis=2),
            contributions=contributions,
            pulls=np.reshape([pull for _, pull in parts], shape),
            rows=rows,
            centers=self.cluster_centers_[clusters],
            prediction=np.asarray(self.predict(X)),
            feature_names=names_of(self, rows.shape[1]),
            classes=getattr(self, "classes_", None),
        )

    def _explained_rows(self, X: Any) -> Array:
        """Return rows as numbers, if there is something to explain about them."""
        if find_store(X) is not None:
            raise ValueError("explain takes a few rows in memory; read them first.")
        check_is_fitted(self)
        if is_kernel(self):
            raise ValueError(
                "Distances in the space of a kernel are not made of features, so there is nothing "
                "to explain; use memberships, or another divergence."
            )
        rows = check_rows(self, X, reset=False)
        # Sparse rows are few here.
        return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)

    def _parts(
        self, form: Quadratic, row: Array, clusters: NDArray[np.intp]
    ) -> tuple[Array, Array]:
        """Return contributions to the distances of a row from clusters, and pulls, both (c, p)."""
        each, mass = contributions_of(form, row), self.cluster_mass_
        rest = (mass.sum() - mass[clusters])[:, None]
        elsewhere = mass @ each - mass[clusters, None] * each[clusters]
        pulls = np.divide(elsewhere, rest, out=each[clusters].copy(), where=rest > 0)
        return each[clusters], pulls - each[clusters]

    def _says(self, X: Any, clusters: NDArray[np.intp]) -> Array:
        """Return what the clusters of each rank say alone, (n, c, M)."""
        said = [_said(alone(self, rank), X) for rank in range(clusters.shape[1])]
        return np.stack(said, axis=1)


def contributions_of(form: Quadratic, row: Array) -> Array:
    """Return what each feature adds to the distances of a row from all clusters, (k, p).

    With w_jl (x_l - v_jl)^2 of observed cells, weights renormalised where distances are means.

    >>> form = Quadratic(np.zeros(1), weights=np.array([[0.5, 0.5]]), centers=np.zeros((1, 2)))
    >>> contributions_of(form, np.array([2.0, 4.0])).tolist()
    [[2.0, 8.0]]
    >>> contributions_of(form, np.array([2.0, np.nan])).tolist()
    [[4.0, 0.0]]
    """
    seen = ~np.isnan(row)
    parts = np.where(seen, form.weights * (np.where(seen, row, 0.0) - form.centers) ** 2, 0.0)
    if seen.all():
        return parts
    if not form.is_mean:
        return parts - np.where(seen, 0.0, form.offsets)
    share = form.weights[:, seen].sum(axis=1, keepdims=True)
    whole = form.weights.sum(axis=1, keepdims=True)
    return np.divide(parts * whole, share, out=np.zeros_like(parts), where=share > 0)


def alone(estimator: Any, rank: int) -> Any:
    """Return a copy in which each row is answered by one cluster, that of a rank.

    >>> from sfplearn import SFPClassifier
    >>> model = SFPClassifier(2, refine=0, random_state=0).fit([[0], [9]], ["a", "b"])
    >>> [alone(model, rank).predict([[1]]).tolist() for rank in (0, 1)]
    [['a'], ['b']]
    """

    def crisp(*block: Any) -> Array:
        u = estimator._memberships(*block)
        return np.eye(u.shape[1])[_strongest(u)[:, rank]]

    lone = copy(estimator)
    lone._memberships = crisp
    return lone


def sayings(estimator: Any) -> Array:
    """Return what each cluster says alone, (k, M), as `Explanation.says`.

    Linear experts say it at their centres, clusterers nothing.

    >>> from sfplearn import SFPClassifier
    >>> model = SFPClassifier(2, loss="hinge", refine=0, random_state=0).fit([[0], [9]], ["a", "b"])
    >>> sorted(sayings(model).tolist())
    [[0.0, 1.0], [1.0, 0.0]]
    """
    k = len(estimator.cluster_mass_)
    if not hasattr(estimator, "prototypes_"):
        return np.zeros((k, 0))
    if hasattr(estimator, "local_coef_"):
        return np.asarray(estimator.prototypes_).reshape(k, -1)
    expert, u = estimator._expert(), np.eye(k)
    params = estimator._expert_params(np.zeros(0))  # constants know no origin
    if is_regressor(estimator):
        return estimator._standard.undo(expert.decide(u, params)).reshape(k, -1)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(expert.probabilities(u, params))
    return np.eye(len(estimator.classes_))[expert.decide(u, params)]


def names_of(estimator: Any, p: int) -> NDArray[Any]:
    """Return the names of features; x0, x1, ... where a fit saw none.

    >>> from sfplearn import SFPClusterer
    >>> names_of(SFPClusterer(1).fit([[0.0, 1.0]]), 2).tolist()
    ['x0', 'x1']
    """
    named = getattr(estimator, "feature_names_in_", None)
    return np.array([f"x{i}" for i in range(p)] if named is None else named, dtype=object)


def _strongest(u: NDArray[np.floating]) -> NDArray[np.intp]:
    return np.argsort(-u, axis=1, kind="stable")


def _said(estimator: Any, X: Any) -> Array:
    """Return label mixes, numbers or nothing, (n, M)."""
    if is_regressor(estimator):
        found = estimator.predict(X)
        return found[:, None] if found.ndim == 1 else found
    if not is_classifier(estimator):
        return np.zeros((len(estimator.predict(X)), 0))
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X), dtype=np.float64)
    return (estimator.predict(X)[:, None] == estimator.classes_).astype(np.float64)


def _words(says: Any) -> str:
    """Return shares of classes that count, or numbers, in words."""
    if isinstance(says, dict):
        likely = sorted(says.items(), key=lambda each: -each[1])[:FEATURES]
        return ", ".join(f"{label} {share:.0%}" for label, share in likely if share >= NEXT_TO_NONE)
    return ", ".join(f"{number:.4g}" for number in says) or "nothing"
