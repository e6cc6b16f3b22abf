"""Where the descents of an estimator start, as its parameters ask for."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sfplearn.core import Objective, Params, Rows
from sfplearn.estimators.checks import check_array_like, check_choice, check_count
from sfplearn.estimators.geometry import fitted_params, is_refined
from sfplearn.estimators.kernels import feature_map
from sfplearn.estimators.plugin import setting
from sfplearn.estimators.refinement import before_refinement
from sfplearn.fitting import STARTS, initial_params, params_from_centers, params_from_rows

# Restarts of n_init="auto" for random starts, which vary more than those that spread out.
AUTO_RESTARTS = 10

Seeds = Callable[..., np.random.Generator]


def starts(
    estimator: Any,
    objective: Objective,
    source: Any,
    table: Any,
    sample: Callable[[], Rows],
    k: int,
    random: Seeds,
) -> list[Callable[[], Params]]:
    """Return functions that make the parameters that descents start from."""
    if estimator.warm_start and hasattr(estimator, "cluster_centers_"):
        return [partial(_where_it_ended, estimator, source, k, table.n_features)]
    classes = objective.expert.n_codes
    init, restarts = setting(estimator, "init", classes), _restarts(estimator)
    if not callable(init) and not isinstance(init, str):
        return [partial(_from_array, estimator, init, objective, source, table, k)]

    def start(number: int) -> Params:
        if callable(init):
            given = _ask(init, table, k, random("start", number))
            if not isinstance(given, str):
                return _from_array(estimator, given, objective, source, table, k)
        method = given if callable(init) else init
        method = check_choice("init", method, STARTS, or_else=", 'auto', an array or a function")
        chance = random("start", number)
        return initial_params(method, objective, source, sample(), k, chance)

    return [partial(start, number) for number in range(restarts)]


def clusters_before(estimator: Any) -> int | None:
    """Return how many clusters the last descent had, before alike ones were joined; None if none.

    >>> from sfplearn import SFPClusterer
    >>> clusters_before(SFPClusterer()), clusters_before(SFPClusterer(2).fit([[0.0], [1.0]]))
    (None, 2)
    """
    if not hasattr(estimator, "cluster_centers_"):
        return None
    if is_refined(estimator):
        return len(before_refinement(estimator).divergence.v)
    return len(estimator.cluster_centers_)


def _restarts(estimator: Any) -> int:
    if isinstance(estimator.n_init, str):
        check_choice("n_init", estimator.n_init, ("auto",), or_else=" or a whole number")
        return (
            AUTO_RESTARTS if isinstance(estimator.init, str) and estimator.init == "random" else 1
        )
    return check_count("n_init", estimator.n_init, or_else=" or 'auto'")


def _ask(init: Callable[..., Any], table: Any, k: int, random: np.random.Generator) -> Any:
    """Return what a user's function answers, which wants to see the rows."""
    if not hasattr(table, "X"):
        raise ValueError(
            "init by a function needs rows in memory; give centres of shape (n_clusters, "
            "n_features), or the name of a method."
        )
    seed = np.random.RandomState(random.integers(2**31 - 1))
    return init(table.X, table.y, n_clusters=k, random_state=seed)


def _from_array(
    estimator: Any, given: Any, objective: Objective, source: Any, table: Any, k: int
) -> Params:
    """Start at rows of the table given by index, or at given centres."""
    init = check_array_like("init", given)
    p = table.n_features
    whole = init.shape == (k,) and init.dtype.kind in "iu"
    n = len(table.weight) if hasattr(table, "weight") else table.n_counting
    if whole and np.all((init >= 0) & (init < n)):
        return params_from_rows(objective, source, source.take(init))
    if init.shape == (k, p) and init.dtype.kind in "fiu" and np.isfinite(init).all():
        centers = init.astype(np.float64)
        centers = feature_map(estimator)(centers) if estimator.divergence == "kernel" else centers
        return params_from_centers(objective, source, centers - source.origin)
    raise ValueError(
        f"init must be one of {', '.join(map(repr, STARTS))}, 'auto', a function, {k} row indices "
        f"between 0 and {n - 1}, or finite centres of shape ({k}, {p}); got an array of shape "
        f"{init.shape} and type {init.dtype}."
    )


def _where_it_ended(estimator: Any, source: Any, k: int, p: int) -> Params:
    """Start where the last fit ended."""
    if estimator.divergence_ != estimator.divergence:
        raise ValueError(
            f"warm_start=True needs the divergence of the last fit, {estimator.divergence_!r}; got "
            f"{estimator.divergence!r}. Set warm_start=False to fit anew."
        )
    centers, origin = estimator.cluster_centers_, estimator._origin
    before_k = clusters_before(estimator)
    if before_k != k or origin.shape != source.origin.shape:
        raise ValueError(
            f"warm_start=True needs the same number of clusters and features as the last fit, "
            f"{(before_k, centers.shape[1])}; got {(k, p)}. Set warm_start=False to fit anew."
        )
    if is_refined(estimator):
        before = before_refinement(estimator)
        moved = before.divergence.v + origin - source.origin
        return before._replace(divergence=before.divergence._replace(v=moved))
    divergence = fitted_params(estimator, centers - source.origin)
    return Params(divergence, estimator._expert_params(source.origin))
