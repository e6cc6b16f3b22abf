"""What all SFP estimators share: parameters to objective, rows to source, fit to attributes."""

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

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
    distances,
    memberships,
    merge,
)
from sfplearn.core.objective import least_distances, summarizer
from sfplearn.core.state import Trace
from sfplearn.core.terms import Expert, Quadratic
from sfplearn.data import ArraySource
from sfplearn.estimators.checks import (
    check_array_like,
    check_choice,
    check_count,
    check_number,
    check_rows,
    check_threads,
)
from sfplearn.estimators.density import GaussianDensity
from sfplearn.estimators.geometry import (
    build_divergence,
    find_divergence,
    fitted_divergence,
    fitted_params,
    is_refined,
    keep_params,
    rows_a_weight,
    unit_of,
)
from sfplearn.estimators.kernels import (
    FITTED,
    LANDMARKS,
    check_kernel,
    choose_landmarks,
    feature_map,
    in_kernel_space,
    is_kernel,
)
from sfplearn.estimators.locals import scale_ridge
from sfplearn.estimators.table import Table, distinct_rows, has_missing
from sfplearn.fitting import (
    BEYOND_PRECISION,
    STARTS,
    Spread,
    descend_best,
    initial_params,
    measure,
    params_from_centers,
    params_from_rows,
    reseed,
    start_rows,
    with_honest_labels,
)

# A pass may raise the objective by this share of it through rounding alone.
ROUNDING = {"f8": 1e-9, "f4": 1e-4}

# Rounding may take this share of the variance before we warn.
LOST_DIGITS = 1e-4

# Roundings of a distance that are taken for none.
NOISE = 16

# Temperatures below this would overflow as divisors.
LEAST_STRENGTH = np.finfo(np.float64).tiny

# Restarts of n_init="auto" for random starts, which vary more than those that spread out.
AUTO_RESTARTS = 10


class BaseSFP(GaussianDensity, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Fits and reads a fuzzy partition; subclasses bring the expert and its parameters."""

    def __init__(
        self,
        n_clusters: int | str,
        *,
        gamma: float,
        lam: float,
        scale: str | None,
        divergence: str,
        kernel: Any,
        kernel_params: dict[str, Any] | None,
        n_landmarks: int | str,
        init: Any,
        n_init: int | str,
        max_iter: int,
        tol: float,
        allow_nan: bool,
        n_jobs: int | None,
        warm_start: bool,
        verbose: int,
        random_state: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.lam = lam
        self.scale = scale
        self.divergence = divergence
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_landmarks = n_landmarks
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.allow_nan = allow_nan
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = bool(self.allow_nan)
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
        return self._map_memberships(X, lambda expert, u, params, rows: u)

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
            The distance representation of the paper's section 3.1, without labels, and
            without the biases of a refinement or the proportions of Gaussians.

        Examples
        --------
        >>> from sfplearn import SFPClassifier
        >>> model = SFPClassifier(2, gamma=0.01, random_state=0).fit([[0], [2]], ["a", "b"])
        >>> sorted(model.transform([[0]])[0].round(2).tolist())
        [0.0, 4.0]
        """
        d = self._map_rows(X, self._distances)
        return np.maximum(d, 0, out=d)

    @property
    def _n_features_out(self) -> int:
        return int(self.cluster_centers_.shape[0])

    def _map_rows(self, X: Any, function: Callable[..., Any]) -> Any:
        """Apply a core function of (objective, params, rows) to rows without labels."""
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        table = Table(X, None, None, np.ones(X.shape[0]), missing=self._misses(X))
        return self._map_table(table, function)

    def _map_table(self, table: Table, function: Callable[..., Any]) -> Any:
        """Apply a core function of (objective, params, rows) to validated rows."""
        objective, params, origin = self._model(None if sp.issparse(table.X) else table.X.dtype)
        source = self._source(table, self._n_features_out).relative_to(origin)
        with source as near:
            return near.map_rows(lambda rows: function(objective, params, rows))

    def _source(self, table: Table, k: int) -> Any:
        """Return a source of rows as a fitted estimator sees them."""
        plain = table.source(k, self.n_jobs, self._width(table, k))
        return in_kernel_space(self, plain) if is_kernel(self) else plain

    def _width(self, table: Table, k: int) -> int:
        """Return how many numbers are made of a row, where these may be many."""
        if self.divergence == "kernel":
            return 3 * (self.n_landmarks if isinstance(self.n_landmarks, int) else LANDMARKS)
        linear = getattr(self, "expert", "constant") == "linear"
        return 4 * table.X.shape[1] + 4 * k if linear else 0

    def _map_memberships(self, X: Any, function: Callable[..., Any]) -> Any:
        """Apply a function of (expert, memberships, its parameters, rows) to blocks of rows."""

        def apply(objective: Objective, params: Params, rows: Rows) -> Any:
            u = self._memberships(objective, params, rows)
            return function(objective.expert, u, params.expert, rows)

        return self._map_rows(X, apply)

    def _memberships(self, objective: Objective, params: Params, rows: Rows) -> Any:
        """Memberships of a block without labels; those of a row of only NaN are the prior."""
        u = memberships(objective, params, rows)
        if rows.missing:
            u[~rows.observed().any(axis=1)] = self._prior()
        return u.astype(rows.X.dtype, copy=False)

    def _distances(self, objective: Objective, params: Params, rows: Rows) -> Any:
        """Distances of a block; softmin turns those of a row of only NaN into the prior."""
        d = distances(objective, params, rows) - least_distances(objective, params)
        if isinstance(rows.X, np.ndarray):
            # Distances are differences of products of this size: what is less is rounding.
            form = objective.divergence.view(params.divergence)
            size = np.nanmax(np.abs(rows.dense()), axis=0, initial=0.0) + np.abs(form.centers)
            noise = np.finfo(d.dtype).eps * np.sum(form.weights * size**2, axis=1)
            d = np.where(np.abs(d) < NOISE * noise, 0.0, d)
        if rows.missing:
            empty = ~rows.observed().any(axis=1) & (rows.y < 0)
            d[empty] = -self.gamma_ * np.log(np.maximum(self._prior(), LEAST_STRENGTH))
        return d.astype(rows.X.dtype, copy=False)

    def _labelled_distances(self, X: Any, y: Any, sample_weight: Any) -> NDArray[np.floating]:
        """Return the paper's d_ij of the training rows: distance plus alpha times label cost."""
        return self._map_table(self._training_table(X, y, sample_weight), self._distances)

    def _prior(self) -> NDArray[np.float64]:
        """Memberships of a row of which nothing is known."""
        return self.cluster_mass_ / self.cluster_mass_.sum()

    def _misses(self, X: Any) -> bool:
        return bool(self.allow_nan) and has_missing(X)

    def _model(self, dtype: Any) -> tuple[Objective, Params, NDArray[np.float64]]:
        """Return what was fitted as the core takes it, relative to an origin near the rows.

        The origin is in the precision of dense rows; for sparse rows, whose dtype is None, 0.
        """
        v = self.cluster_centers_
        origin = np.zeros(v.shape[1])
        if dtype is not None and not is_kernel(self):
            origin = self._origin.astype(dtype).astype(np.float64)
        params = Params(fitted_params(self, v - origin), self._expert_params(origin))
        objective = Objective(fitted_divergence(self), self._expert(), self.alpha_, self.gamma_)
        return objective, params, origin

    def _fit_partition(self, table: Table, expert: Any, label_unit: float = 1.0) -> Params:
        """Fit to validated rows, set the attributes of the partition and return all parameters.

        With `scale="auto"`, losses are in units of `label_unit`.
        """
        check_threads(self.n_jobs)
        k = self._cluster_count(table, expert)
        settings = self._descent_settings(table.X.dtype)
        random = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        find_divergence(self.divergence)
        with table.source(k, self.n_jobs, self._width(table, k)) as plain:
            anywhere: Any = self._in_space(plain, random)
            spread = measure(anywhere)
            check_precision(spread, table.X)
            source = anywhere.relative_to(spread.origin)
            alpha, gamma, lam = self._strengths(spread, k, label_unit)
            scale_ridge(self, expert, spread, k)
            divergence = build_divergence(self.divergence, lam, spread, self._ignored(spread))
            objective = Objective(divergence, expert, alpha, gamma)
            sample = cache(lambda: start_rows(source, table.X.shape[1], k, random))
            params, trace = descend_best(
                objective,
                source,
                self._starts(objective, source, table, sample, k, random),
                reseed=lambda params, dead: reseed(objective, sample(), random, params, dead),
                tol=settings.pop("tol") * spread.weight * unit_of(self.divergence, spread),
                magnitude=spread.weight
                * spread.magnitude
                * (unit_of(self.divergence, spread) / spread.variance),
                exact=not table.missing,
                **settings,
            )
            if self._is_honest(table, expert):
                params = with_honest_labels(objective, source, params)
            divergence, params = self._refined(objective, source, params, label_unit)
            if divergence is not objective.divergence:
                end = Objective(divergence, expert, 0.0, gamma)
                stats = source.map_reduce(summarizer(end, params), merge)
                trace = trace._replace(mass=stats.mass)
        self.alpha_, self.gamma_, self.lam_ = alpha, gamma, lam
        self._keep_partition(params, trace, spread.origin)
        keep_params(self, divergence, params.divergence)
        self._origin = spread.origin
        self.__dict__.pop("feature_importances_", None)
        if not is_kernel(self):
            self.feature_importances_ = trace.mass @ self.feature_weights_ / trace.mass.sum()
        return params

    def _cluster_count(self, table: Table, expert: Any) -> int:
        n = int(np.count_nonzero(table.weight))
        if isinstance(self.n_clusters, str):
            check_choice("n_clusters", self.n_clusters, ("auto",), or_else=" or a whole number")
            distinct = distinct_rows(table)
            return max(1, min(distinct, self._auto_clusters(distinct, expert)))
        k = check_count("n_clusters", self.n_clusters, or_else=" or 'auto'")
        if k > n:
            raise ValueError(
                f"n_clusters={k} is more than the {n} rows that have a weight; ask for at most {n}."
            )
        return k

    def _in_space(self, source: ArraySource, random: np.random.Generator) -> Any:
        """Return the rows of a source as the fit sees them: themselves, or features of a kernel."""
        if self.divergence != "kernel":
            for name in FITTED:
                self.__dict__.pop(name, None)
            return source
        check_kernel(self)
        if not (self.warm_start and hasattr(self, "landmarks_")):
            choose_landmarks(self, source, random)
        return in_kernel_space(self, source)

    def _refined(
        self, objective: Objective, source: ArraySource, params: Params, unit: float
    ) -> tuple[Any, Params]:
        """Return the divergence and parameters after a refinement, if one is asked for."""
        return objective.divergence, params

    def _is_honest(self, table: Table, expert: Expert) -> bool:
        """Tell whether prototypes are estimated once more, without the help of labels."""
        return False

    def _auto_clusters(self, n: int, expert: Expert) -> int:
        """Return a number of clusters that suits n distinct rows."""
        return int(np.sqrt(n))

    def _ignored(self, spread: Spread) -> NDArray[np.bool_] | None:
        """Return constant features, unless there are no others: eq. 14 would prefer them."""
        some = spread.constant.any() and not spread.constant.all()
        return spread.constant if some and self.scale == "auto" else None

    def _strengths(self, spread: Spread, k: int, label_unit: float) -> tuple[float, float, float]:
        """Return alpha, gamma and lam as they stand in the paper's objective."""
        check_choice("scale", self.scale, ("auto", None))
        auto = self.scale == "auto"
        unit = unit_of(self.divergence, spread) if auto else 1.0
        rows = rows_a_weight(self.divergence, spread, k) if auto else 1.0
        alpha = check_number("alpha", self.alpha, least=0) * unit / (label_unit if auto else 1.0)
        gamma = check_number("gamma", self.gamma, above=0) * unit
        lam = check_number("lam", self.lam, above=0) * unit * rows
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
        source: ArraySource,
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
                yield initial_params(method, objective, source, sample(), k, random)
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
        self, given: Any, objective: Objective, source: ArraySource, table: Table, k: int
    ) -> Params:
        """Start at rows of the table given by index, or at given centres."""
        init = check_array_like("init", given)
        n, p = table.X.shape
        origin = source.origin
        if init.shape == (k,) and init.dtype.kind in "iu" and np.all((init >= 0) & (init < n)):
            return params_from_rows(objective, source, source.take(init))
        if init.shape == (k, p) and init.dtype.kind in "fiu" and np.isfinite(init).all():
            centers = init.astype(np.float64)
            centers = feature_map(self)(centers) if self.divergence == "kernel" else centers
            return params_from_centers(objective, source, centers - origin)
        raise ValueError(
            f"init must be one of {', '.join(map(repr, STARTS))}, a function, {k} row indices "
            f"between 0 and {n - 1}, or finite centres of shape ({k}, {p}); got an array of shape "
            f"{init.shape} and type {init.dtype}."
        )

    def _warm_params(self, source: ArraySource, k: int, p: int) -> Params:
        """Start where the last fit ended."""
        if self.divergence_ != self.divergence:
            raise ValueError(
                f"warm_start=True needs the divergence of the last fit, {self.divergence_!r}; got "
                f"{self.divergence!r}. Set warm_start=False to fit anew."
            )
        if self.cluster_centers_.shape[0] != k or self._origin.shape != source.origin.shape:
            raise ValueError(
                f"warm_start=True needs the same number of clusters and features as the last fit, "
                f"{self.cluster_centers_.shape}; got {(k, p)}. Set warm_start=False to fit anew."
            )
        shift = self._origin - source.origin
        if is_refined(self):
            divergence = self._unrefined.divergence
            return self._unrefined._replace(divergence=divergence._replace(v=divergence.v + shift))
        v = self.cluster_centers_ - source.origin
        return Params(fitted_params(self, v), self._expert_params(source.origin))

    def _keep_partition(self, params: Params, trace: Trace, origin: NDArray[np.float64]) -> None:
        """Set the fitted attributes that do not depend on the expert."""
        centers = params.divergence
        self.cluster_centers_ = origin + (
            centers.centers if isinstance(centers, Quadratic) else centers.v
        )
        self.cluster_mass_ = trace.mass
        self.objective_path_ = np.array(trace.values)
        self.n_iter_ = len(trace.values)
        if self.tol > 0 and not trace.converged:
            warnings.warn(
                f"{type(self).__name__} did not converge in max_iter={self.max_iter} passes; "
                "raise max_iter, raise tol, or set tol=0 to ask for exactly max_iter passes.",
                ConvergenceWarning,
                stacklevel=4,
            )


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
