"""What all SFP estimators share: parameters to objective, rows to source, fit to attributes."""

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sfplearn.core import Objective, Params, Rows, distances, memberships
from sfplearn.core.objective import least_distances
from sfplearn.core.state import Trace
from sfplearn.core.terms import Expert, Quadratic
from sfplearn.data import ArraySource, HeldFeatures, count_distinct, find_store
from sfplearn.estimators.callbacks import FitWatch, Reached, TellsCallbacks, unseen
from sfplearn.estimators.checks import (
    check_choice,
    check_count,
    check_number,
    check_rows,
    check_threads,
    check_whole,
)
from sfplearn.estimators.density import GaussianDensity
from sfplearn.estimators.ending import check_converged, end_descent
from sfplearn.estimators.explanation import Explaining
from sfplearn.estimators.geometry import (
    build_divergence,
    find_divergence,
    fitted_divergence,
    fitted_params,
    keep_params,
    rows_a_weight,
    unit_of,
)
from sfplearn.estimators.kernels import (
    FITTED,
    LANDMARKS,
    check_kernel,
    choose_landmarks,
    in_kernel_space,
    is_kernel,
    known_of,
)
from sfplearn.estimators.locals import scale_ridge
from sfplearn.estimators.placed import where_rows_are
from sfplearn.estimators.plugin import DESCENDED, Rules, strength
from sfplearn.estimators.refinement import keep_unrefined, refine_fit
from sfplearn.estimators.resuming import find_checkpoint
from sfplearn.estimators.starting import clusters_before, starts
from sfplearn.estimators.table import Table, has_missing
from sfplearn.fitting import (
    BEYOND_PRECISION,
    Spread,
    descend_best,
    measure,
    reseed,
    start_rows,
)

# A pass may raise the objective by this share of it through rounding alone.
ROUNDING = {"f8": 1e-9, "f4": 1e-4}

# Rounding may take this share of the variance before we warn.
LOST_DIGITS = 1e-4

# Roundings of a distance that are taken for none.
NOISE = 16

# Temperatures below this would overflow as divisors.
LEAST_STRENGTH = np.finfo(np.float64).tiny

# Divergences that learn feature weights, and how a warning about those of constants begins.
WEIGHTED = ("weighted_euclidean", "shared_weights")
CONSTANT = "Constant features"


class BaseSFP(
    Explaining,
    TellsCallbacks,
    GaussianDensity,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Fits and reads a fuzzy partition; subclasses bring the expert and its parameters."""

    # Whether clusters of a stream that forgets count the labels of all rows near by. Means of
    # numbers would be drawn together by it, which costs more than it gains.
    _is_watchful = False

    def __init__(
        self,
        n_clusters: int | str,
        *,
        gamma: float | str,
        lam: float | str,
        scale: str | None,
        divergence: str,
        kernel: Any,
        kernel_params: dict[str, Any] | None,
        n_landmarks: int | str,
        init: Any,
        n_init: int | str,
        max_iter: int,
        tol: float,
        half_life: float | None,
        checkpoint: Any,
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
        self.half_life = half_life
        self.checkpoint = checkpoint
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

    @where_rows_are
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

    @where_rows_are
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

    def _map_table(self, table: Any, function: Callable[..., Any]) -> Any:
        """Apply a core function of (objective, params, rows) to validated rows."""
        objective, params, origin = self._model(None if table.is_sparse else table.dtype)
        source = self._source(table, self._n_features_out).relative_to(origin)
        with source as near:
            return near.map_rows(lambda rows: function(objective, params, rows))

    def _source(self, table: Any, k: int) -> Any:
        """Return a source of rows as a fitted estimator sees them."""
        plain = table.source(k, self.n_jobs, self._width(table, k))
        return in_kernel_space(self, plain) if is_kernel(self) else plain

    def _width(self, table: Any, k: int) -> int:
        """Return how many numbers are made of a row, where these may be many."""
        if self.divergence == "kernel":
            return 3 * (self.n_landmarks if isinstance(self.n_landmarks, int) else LANDMARKS)
        linear = getattr(self, "expert", "constant") == "linear"
        return 4 * table.n_features + 4 * k if linear else 0

    def _map_memberships(self, X: Any, function: Callable[..., Any]) -> Any:
        """Apply a function of (expert, memberships, its parameters, rows) to blocks of rows."""
        return self._map_rows(X, self._mixing(function))

    def _mixing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Turn a function of (expert, memberships, ...) into one of (objective, params, rows)."""

        def apply(objective: Objective, params: Params, rows: Rows) -> Any:
            u = self._memberships(objective, params, rows)
            return function(objective.expert, u, params.expert, rows)

        return apply

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
        if find_store(X) is not None:
            raise ValueError("with_labels=True needs rows in memory; set with_labels=False.")
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

    def _fit_partition(
        self, table: Any, expert: Any, label_unit: float = 1.0, watch: FitWatch | None = None
    ) -> None:
        """Fit to validated rows and set the attributes of what is found.

        With `scale="auto"`, losses are in units of `label_unit`.
        """
        watch = watch or unseen(self)
        check_threads(self.n_jobs)
        find_divergence(self.divergence)
        self._iterations = self._refinement(table)
        k = self._cluster_count(table, expert)
        checkpoint = find_checkpoint(self, table, k)
        with table.source(k, self.n_jobs, self._width(table, k)) as plain:
            anywhere: Any = self._in_space(plain, table)
            spread = self._recall(table, ("spread",), lambda: measure(anywhere))
            check_precision(spread, table)
            source = anywhere.relative_to(spread.origin)
            objective = self._objective(spread, k, expert, label_unit)
            keep = partial(end_descent, self, objective, source, table, label_unit)
            watch.keep, watch.say = keep, self._say if self.verbose else None
            end, trace = self._descend(objective, source, table, spread, k, checkpoint, watch)
            params = keep(end, trace)
            if self._iterations and not watch.stopped:
                keep_unrefined(self, end, trace.stats.mass)
                fit = objective, source, params, label_unit, spread.weight
                refine_fit(self, *fit, watch)
        check_converged(self, trace)
        if checkpoint is not None:
            checkpoint.remove()

    def _descend(
        self,
        objective: Objective,
        source: Any,
        table: Any,
        spread: Spread,
        k: int,
        checkpoint: Any,
        watch: FitWatch,
    ) -> tuple[Params, Trace]:
        """Descend from the starts that are asked for, and return the lowest end."""
        settings = self._descent_settings(table.dtype)
        unit = unit_of(self.divergence, spread)
        random = partial(generator, self._seed)

        def drawn() -> Any:
            return start_rows(source, table.n_features, k, random("sample"))

        sample = cache(lambda: self._recall(table, ("sample", k, self._seed), drawn))
        begins = starts(self, objective, source, table, sample, k, random)
        watch.open(len(begins) + (1 if self._iterations else 0))
        return descend_best(
            objective,
            source,
            begins,
            reseed=lambda start, params, dead, number: reseed(
                objective, sample(), random("reseed", start, number), params, dead
            ),
            tol=settings.pop("tol") * spread.weight * unit,
            magnitude=spread.weight * spread.magnitude * (unit / spread.variance),
            exact=not table.missing,
            watch=watch,
            checkpoint=checkpoint,
            **settings,
        )

    def _recall(self, table: Any, what: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
        """Compute what does not depend on strengths, once if fits of these rows share it."""
        known = known_of(self, getattr(table, "shared", None))
        if known is None:
            return compute()
        if what not in known:
            known[what] = compute()
        return known[what]

    def _objective(self, spread: Spread, k: int, expert: Any, label_unit: float) -> Objective:
        """Return the objective for rows of this spread, and keep its strengths."""
        found = self._strengths(spread, k, expert.n_codes, label_unit)
        self.alpha_, self.gamma_, self.lam_ = found
        scale_ridge(self, expert, spread, k)
        ignored = self._ignored(spread)
        divergence = build_divergence(self.divergence, self.lam_, spread, ignored)
        return Objective(divergence, expert, self.alpha_, self.gamma_)

    def _cluster_count(self, table: Any, expert: Any) -> int:
        if isinstance(self.n_clusters, str):
            check_choice("n_clusters", self.n_clusters, ("auto",), or_else=" or a whole number")
            before = clusters_before(self) if self.warm_start else None
            if before is not None and before <= table.n_counting:
                return before
            with table.source(n_jobs=self.n_jobs) as source:
                distinct = count_distinct(source)
            return max(1, min(distinct, self._auto_clusters(distinct, expert)))
        k, n = check_count("n_clusters", self.n_clusters, or_else=" or 'auto'"), table.n_counting
        if k > n:
            raise ValueError(
                f"n_clusters={k} is more than the {n} rows that have a weight; ask for at most {n}."
            )
        return k

    def _in_space(self, source: Any, table: Any) -> Any:
        """Return the rows of a source as the fit sees them: themselves, or features of a kernel."""
        if self.divergence != "kernel":
            for name in FITTED:
                self.__dict__.pop(name, None)
            return source
        check_kernel(self)
        if not (self.warm_start and hasattr(self, "landmarks_")):
            random = generator(self._seed, "landmarks")
            choose = partial(choose_landmarks, self, source, random)
            self.__dict__.update(self._recall(table, ("landmarks",), choose))
        if not isinstance(source, ArraySource):  # which makes its blocks anew in every pass
            return in_kernel_space(self, source)
        return in_kernel_space(self, source, held=self._recall(table, ("features",), HeldFeatures))

    def _rules(self, classes: int) -> Rules:
        """Return what "auto" stands for where there are so many classes."""
        return DESCENDED

    def _refinement(self, table: Any) -> int:
        """Return how many iterations of a refinement follow the descent."""
        return check_whole("refine", getattr(self, "refine", 0))

    def _is_honest(self, table: Any, expert: Expert) -> bool:
        """Tell whether prototypes are estimated once more, without the help of labels."""
        return False

    def _auto_clusters(self, n: int, expert: Expert) -> int:
        """Return a number of clusters that suits n distinct rows."""
        return int(np.sqrt(n))

    def _meet_labels(self, batch: Any, kept: float) -> None:
        """Make room for labels of a stream that are unlike those before."""

    def _ignored(self, spread: Spread) -> NDArray[np.bool_] | None:
        """Return constant features, unless there are no others: eq. 14 would prefer them."""
        some = spread.constant.any() and not spread.constant.all()
        if some and self.scale is None and self.divergence in WEIGHTED:
            warnings.warn(
                f"{CONSTANT} ({np.count_nonzero(spread.constant)} here) get most of the weight "
                "with scale=None, as they have no scatter (eq. 14); remove them, for example with "
                "sklearn.feature_selection.VarianceThreshold.",
                UserWarning,
                stacklevel=6,
            )
        return spread.constant if some and self.scale == "auto" else None

    def _strengths(
        self, spread: Spread, k: int, codes: int, label_unit: float
    ) -> tuple[float, float, float]:
        """Return alpha, gamma and lam as they stand in the paper's objective."""
        check_choice("scale", self.scale, ("auto", None))
        auto = self.scale == "auto"
        unit = unit_of(self.divergence, spread) if auto else 1.0
        rows = rows_a_weight(self.divergence, spread, k) if auto else 1.0
        alpha = strength(self, "alpha", codes, least=0) * unit / (label_unit if auto else 1.0)
        gamma = strength(self, "gamma", codes, above=0) * unit
        lam = strength(self, "lam", codes, above=0) * unit * rows
        if not (np.isfinite([alpha, gamma, lam]).all() and min(gamma, lam) > LEAST_STRENGTH):
            raise ValueError(BEYOND_PRECISION)
        return alpha, gamma, lam

    def _descent_settings(self, dtype: np.dtype[Any]) -> dict[str, Any]:
        return {
            "max_iter": check_count("max_iter", self.max_iter),
            "tol": check_number("tol", self.tol, least=0),
            "rounding": ROUNDING[dtype.str[1:]],
        }

    def _say(self, step: str, reached: Reached) -> None:
        """Print how a pass ended."""
        if step == "pass":
            values = reached()[1].values
            print(f"[{type(self).__name__}] pass {len(values)}: objective {values[-1]:.6g}")

    def _keep_params(
        self, objective: Objective, params: Params, mass: Any, origin: NDArray[np.float64]
    ) -> None:
        """Set the fitted attributes that do not depend on the expert."""
        form = params.divergence
        self.cluster_centers_ = origin + (form.centers if isinstance(form, Quadratic) else form.v)
        self.cluster_mass_ = mass
        self._origin = origin
        keep_params(self, objective.divergence, form)
        self.__dict__.pop("feature_importances_", None)
        if not is_kernel(self):
            self.feature_importances_ = self._prior() @ self.feature_weights_


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator of a name: what is drawn for one does not move others."""
    numbers = [int.from_bytes(str(name).encode(), "little") for name in names]
    return np.random.default_rng([seed, *numbers])


def check_precision(spread: Spread, table: Any) -> None:
    """Refuse rows whose squares their precision cannot hold; warn where it loses digits."""
    info = np.finfo(table.dtype)
    eps, smallest, largest = float(info.eps), float(info.tiny), float(info.max)
    if not (smallest < spread.variance * eps and spread.magnitude < largest * eps):
        raise ValueError(BEYOND_PRECISION)
    if table.is_sparse and spread.magnitude * eps > LOST_DIGITS * spread.variance:
        warnings.warn(
            "Sparse rows lie far from zero for their spread and cannot be centred, so distances "
            "are inaccurate; scale columns with MaxAbsScaler, or give dense rows.",
            UserWarning,
            stacklevel=5,
        )
