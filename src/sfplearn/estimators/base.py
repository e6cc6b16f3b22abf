"""What all SFP estimators share: parameters to objective, rows to source, fit to attributes."""

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sfplearn.core import (
    Objective,
    Params,
    Rows,
    WeightedEuclidean,
    distances,
    memberships,
    params_at,
)
from sfplearn.core.divergences import Balls
from sfplearn.core.state import Trace
from sfplearn.core.terms import Expert
from sfplearn.data import RowSource, as_source, canonical_key
from sfplearn.estimators.checks import (
    check_array_like,
    check_choice,
    check_count,
    check_number,
    check_rows,
    check_threads,
)
from sfplearn.fitting import (
    BEYOND_PRECISION,
    STARTS,
    Spread,
    descend_best,
    initial_params,
    measure,
    params_from_centers,
    reseed,
    start_rows,
)

# A pass may raise the objective by this share of it through rounding alone.
ROUNDING = {"f8": 1e-9, "f4": 1e-4}

# Rounding may take this share of the variance before we warn.
LOST_DIGITS = 1e-4

# Temperatures below this would overflow as divisors.
LEAST_STRENGTH = np.finfo(np.float64).tiny

# Restarts of n_init="auto" for random starts, which vary more than those that spread out.
AUTO_RESTARTS = 10


class Table(NamedTuple):
    """Validated training data."""

    X: Any
    """Features."""
    y: NDArray[Any]
    """Labels as the user gave them."""
    codes: NDArray[np.int32]
    """Labels as the core takes them."""
    weight: NDArray[np.float64]
    """How often each row counts."""

    def rows(self) -> tuple[Any, NDArray[np.int32], NDArray[np.float64]]:
        """Return what a source is made of."""
        return self.X, self.codes, self.weight


class BaseSFP(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Fits and reads a fuzzy partition; subclasses bring the expert and its parameters."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def memberships(self, X: Any) -> NDArray[np.floating]:
        """Return how much each row belongs to each cluster, from features alone (eq. 7).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        u : ndarray of shape (n_samples, n_clusters)
            Memberships; each row sums to 1.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, gamma=0.01, random_state=0).fit([[0], [1]], ["a", "b"])
        >>> sorted(model.memberships([[0.1]])[0].round(2).tolist())
        [0.0, 1.0]
        """
        return self._map_rows(X, memberships)

    def transform(self, X: Any) -> NDArray[np.floating]:
        """Return the weighted squared distance of each row to each cluster.

        With fewer clusters than features this is a supervised reduction of dimension.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            The distance representation of the paper's section 3.1, without labels.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, gamma=0.01, random_state=0).fit([[0], [2]], ["a", "b"])
        >>> sorted(model.transform([[0]])[0].round(2).tolist())
        [0.0, 4.0]
        """
        d = self._map_rows(X, distances)
        return np.maximum(d, 0, out=d)

    @property
    def _n_features_out(self) -> int:
        return int(self.cluster_centers_.shape[0])

    def _map_rows(self, X: Any, function: Callable[..., Any]) -> Any:
        """Apply a core function of (objective, params, rows) to rows without labels."""
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        objective, params, origin = self._model(None if sp.issparse(X) else X.dtype)
        source = as_source(X, n_clusters=self._n_features_out, n_jobs=self.n_jobs)
        with source.relative_to(origin) as rows_near:
            return rows_near.map_rows(lambda rows: function(objective, params, rows))

    def _model(self, dtype: Any) -> tuple[Objective, Params, NDArray[np.float64]]:
        """Return what was fitted as the core takes it, relative to an origin near the rows.

        The origin is in the precision of dense rows; for sparse rows, whose dtype is None, 0.
        """
        v = self.cluster_centers_
        origin = np.zeros(v.shape[1])
        if dtype is not None:
            origin = v.mean(axis=0).astype(dtype).astype(np.float64)
        params = Params(Balls(v=v - origin, w=self.feature_weights_), self._expert_params())
        return build_objective(self.alpha_, self.gamma_, self.lam_, self._expert()), params, origin

    def _fit_partition(self, table: Table, expert: Any) -> Params:
        """Fit to validated rows, set the attributes of the partition and return all parameters."""
        check_threads(self.n_jobs)
        k = self._cluster_count(table, expert)
        settings = self._descent_settings(table.X.dtype)
        random = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        with as_source(*table.rows(), n_clusters=k, n_jobs=self.n_jobs) as anywhere:
            spread = measure(anywhere)
            check_precision(spread, table.X)
            source = anywhere.relative_to(spread.origin)
            alpha, gamma, lam = self._strengths(spread, k)
            objective = build_objective(alpha, gamma, lam, expert)
            sample = cache(lambda: start_rows(source, table.X.shape[1], k, random))
            params, trace = descend_best(
                objective,
                source,
                self._starts(objective, source, table, sample, k, random),
                reseed=lambda params, dead: reseed(objective, sample(), random, params, dead),
                tol=settings.pop("tol") * spread.weight * spread.variance,
                magnitude=spread.weight * spread.magnitude,
                **settings,
            )
        self.alpha_, self.gamma_, self.lam_ = alpha, gamma, lam
        self._keep_partition(params, trace, spread.origin)
        return params

    def _cluster_count(self, table: Table, expert: Any) -> int:
        n = int(np.count_nonzero(table.weight))
        if isinstance(self.n_clusters, str):
            check_choice("n_clusters", self.n_clusters, ("auto",), or_else=" or a whole number")
            return auto_clusters(distinct_rows(table), len(expert.labels))
        k = check_count("n_clusters", self.n_clusters, or_else=" or 'auto'")
        if k > n:
            raise ValueError(
                f"n_clusters={k} is more than the {n} rows that have a weight; ask for at most {n}."
            )
        return k

    def _strengths(self, spread: Spread, k: int) -> tuple[float, float, float]:
        """Return alpha, gamma and lam as they stand in the paper's objective."""
        check_choice("scale", self.scale, ("auto", None))
        unit = spread.variance if self.scale == "auto" else 1.0
        rows_a_cluster = spread.weight / k if self.scale == "auto" else 1.0
        alpha = check_number("alpha", self.alpha, least=0) * unit
        gamma = check_number("gamma", self.gamma, above=0) * unit
        lam = check_number("lam", self.lam, above=0) * unit * rows_a_cluster
        if not (np.isfinite([alpha, gamma, lam]).all() and min(gamma, lam) > LEAST_STRENGTH):
            raise ValueError(BEYOND_PRECISION)
        return alpha, gamma, lam

    def _descent_settings(self, dtype: np.dtype[Any]) -> dict[str, Any]:
        def report(step: int, value: float) -> None:
            print(f"[{type(self).__name__}] pass {step}: objective {value:.6g}")

        return {
            "max_iter": check_count("max_iter", self.max_iter),
            "tol": check_number("tol", self.tol, least=0),
            "rounding": ROUNDING[dtype.str[1:]],
            "report": report if self.verbose else None,
        }

    def _starts(
        self,
        objective: Objective,
        source: RowSource,
        table: Table,
        sample: Callable[[], Rows],
        k: int,
        random: np.random.Generator,
    ) -> Iterator[Params]:
        """Yield the parameters that descents start from."""
        if self.warm_start and hasattr(self, "cluster_centers_"):
            yield self._warm_params(source, k, table.X.shape[1])
            return
        restarts = self._restarts()
        for _ in range(restarts):
            init = self.init
            if callable(init):
                seed = np.random.RandomState(random.integers(2**31 - 1))
                init = init(table.X, table.y, n_clusters=k, random_state=seed)
            if isinstance(init, str):
                method = check_choice("init", init, STARTS, or_else=", an array or a function")
                yield initial_params(method, objective, sample(), k, random)
            else:
                yield self._params_from_array(init, objective, source, table, k)
            if not callable(self.init) and not isinstance(self.init, str):
                return

    def _restarts(self) -> int:
        if isinstance(self.n_init, str):
            check_choice("n_init", self.n_init, ("auto",), or_else=" or a whole number")
            return AUTO_RESTARTS if isinstance(self.init, str) and self.init == "random" else 1
        return check_count("n_init", self.n_init, or_else=" or 'auto'")

    def _params_from_array(
        self, given: Any, objective: Objective, source: RowSource, table: Table, k: int
    ) -> Params:
        """Start at rows of the table given by index, or at given centres."""
        init = check_array_like("init", given)
        n, p = table.X.shape
        origin = source.origin
        if init.shape == (k,) and init.dtype.kind in "iu" and np.all((init >= 0) & (init < n)):
            return params_at(objective, Rows.of(table.X[init], table.codes[init], origin=origin))
        if init.shape == (k, p) and init.dtype.kind in "fiu" and np.isfinite(init).all():
            return params_from_centers(objective, source, init.astype(np.float64) - origin)
        raise ValueError(
            f"init must be one of {', '.join(map(repr, STARTS))}, a function, {k} row indices "
            f"between 0 and {n - 1}, or finite centres of shape ({k}, {p}); got an array of shape "
            f"{init.shape} and type {init.dtype}."
        )

    def _warm_params(self, source: RowSource, k: int, p: int) -> Params:
        """Start where the last fit ended."""
        if self.cluster_centers_.shape != (k, p):
            raise ValueError(
                f"warm_start=True needs the same number of clusters and features as the last fit, "
                f"{self.cluster_centers_.shape}; got {(k, p)}. Set warm_start=False to fit anew."
            )
        v = self.cluster_centers_ - source.origin
        return Params(Balls(v=v, w=self.feature_weights_), self._expert_params())

    def _keep_partition(self, params: Params, trace: Trace, origin: NDArray[np.float64]) -> None:
        """Set the fitted attributes that do not depend on the expert."""
        v, w = params.divergence
        self.cluster_centers_ = v + origin
        self.feature_weights_ = w
        self.cluster_mass_ = trace.mass
        self.feature_importances_ = trace.mass @ w / trace.mass.sum()
        self.objective_path_ = np.array(trace.values)
        self.n_iter_ = len(trace.values)
        if self.tol > 0 and not trace.converged:
            warnings.warn(
                f"{type(self).__name__} did not converge in max_iter={self.max_iter} passes; "
                "raise max_iter, raise tol, or set tol=0 to ask for exactly max_iter passes.",
                ConvergenceWarning,
                stacklevel=4,
            )


def build_objective(alpha: float, gamma: float, lam: float, expert: Expert) -> Objective:
    """Return the paper's objective with this expert."""
    return Objective(WeightedEuclidean(lam), expert, alpha=alpha, gamma=gamma)


def check_precision(spread: Spread, X: Any) -> None:
    """Refuse rows whose squares their precision cannot hold; warn where it loses digits."""
    info = np.finfo(X.dtype)
    eps, smallest, largest = float(info.eps), float(info.tiny), float(info.max)
    if not (smallest < spread.variance * eps and spread.magnitude < largest * eps):
        raise ValueError(BEYOND_PRECISION)
    if sp.issparse(X) and spread.magnitude * eps > LOST_DIGITS * spread.variance:
        warnings.warn(
            "Sparse rows lie far from zero for their spread and cannot be centred, so distances "
            "are inaccurate; scale columns with MaxAbsScaler, or give dense rows.",
            UserWarning,
            stacklevel=5,
        )


def distinct_rows(table: Table) -> int:
    """Count rows that differ in their features: a number for which weights equal repetition."""
    source = as_source(*table.rows())
    key = source.relative_to(measure(source).origin).map_rows(canonical_key)
    return len(np.unique(key[table.weight > 0]))


def auto_clusters(n: int, n_labels: int) -> int:
    """Return a number of clusters for n rows with this many labels: a few for each label."""
    return min(n, max(4 * n_labels, int(np.sqrt(n))))
