"""Block coordinate descent: algorithm 1 of the paper, over any source of rows."""

import warnings
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import Objective, Params, merge, update, value
from sfplearn.core.objective import dead_clusters, summarizer
from sfplearn.core.state import Trace

# Passes in which dead clusters may be placed anew; later ones stay dead, so that fits end.
RESEEDS = 5

BEYOND_PRECISION = (
    "The objective is beyond the precision of the data: bring features to comparable scales, for "
    "example with StandardScaler, and alpha, gamma and lam nearer to 1."
)

Reseed = Callable[[Params, NDArray[np.bool_]], Params]
Report = Callable[[int, float], None]


def descend(
    objective: Objective,
    source: Any,
    params: Params,
    *,
    max_iter: int,
    tol: float = 0.0,
    rounding: float = 1e-9,
    magnitude: float = 0.0,
    exact: bool = True,
    reseed: Reseed | None = None,
    report: Report | None = None,
) -> tuple[Params, Trace]:
    """Alternate passes and steps until the objective falls by at most `tol` in a pass.

    With `tol=0` exactly `max_iter` passes are made. `reseed` places dead clusters anew. If every
    step is an `exact` minimisation, a rise is a bug and warns, beyond `rounding` as a share of
    the objective or of `magnitude`, the size of the sums that it is a difference of.
    """
    values: list[float] = []
    reseeds = 0
    moved = True
    while True:
        stats = source.map_reduce(summarizer(objective, params), merge)
        values.append(value(objective, params, stats))
        dead = dead_clusters(stats)
        if not np.isfinite(values[-1]) or dead.all():
            raise ValueError(BEYOND_PRECISION)
        if report is not None:
            report(len(values), values[-1])
        fall = np.inf if moved else values[-2] - values[-1]
        if exact and fall < -rounding * (abs(values[-1]) + magnitude):
            _warn_of_rise(len(values), -fall)
        params = update(objective, params, stats)
        last = len(values) >= max_iter
        moved = reseed is not None and reseeds < RESEEDS and not last and bool(dead.any())
        if reseed is not None and moved:
            params = reseed(params, dead)
            reseeds += 1
        converged = not moved and tol > 0 and fall <= tol
        if converged or last:
            return params, Trace(values=values, converged=converged, mass=stats.mass)


def descend_best(
    objective: Objective,
    source: Any,
    starts: Iterable[Params],
    *,
    rounding: float = 1e-9,
    **settings: Any,
) -> tuple[Params, Trace]:
    """Descend from several starts and return the first end that lies lowest, up to rounding."""

    def better(best: tuple[Params, Trace], end: tuple[Params, Trace]) -> tuple[Params, Trace]:
        lowest, here = best[1].values[-1], end[1].values[-1]
        return end if here < lowest - rounding * abs(lowest) else best

    settings["rounding"] = rounding
    return reduce(better, (descend(objective, source, params, **settings) for params in starts))


def _warn_of_rise(step: int, rise: float) -> None:
    warnings.warn(
        f"The objective rose by {rise:.3g} in pass {step}; please report this bug of sfplearn.",
        RuntimeWarning,
        stacklevel=3,
    )
