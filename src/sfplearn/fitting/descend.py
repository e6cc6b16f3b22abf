"""Block coordinate descent: algorithm 1 of the paper, over any source of rows."""

import warnings
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import Objective, Params, Stats, merge, update, value
from sfplearn.core.objective import dead_clusters, halfway, summarizer
from sfplearn.core.state import Trace

# Passes in which dead clusters may be placed anew; later ones stay dead, so that fits end.
RESEEDS = 5

# Times that a step that leads up is halved; after so many nothing is left of it.
HALVINGS = 30

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
    the objective or of `magnitude`, the size of the sums that it is a difference of. Else
    steps that lead up are shortened; passes to find that out are not counted.
    """
    values: list[float] = []
    last: Params | None = None
    reseeds = 0
    while True:
        enough = np.inf if exact or last is None else values[-1] + rounding * abs(values[-1])
        params, stats, here = _pass_below(enough, objective, source, params, last)
        values.append(here)
        dead = dead_clusters(stats)
        if not np.isfinite(here) or dead.all():
            raise ValueError(BEYOND_PRECISION)
        if report is not None:
            report(len(values), here)
        fall = np.inf if last is None else values[-2] - here
        if exact and fall < -rounding * (abs(here) + magnitude):
            _warn_of_rise(len(values), -fall)
        last, params = params, update(objective, params, stats)
        ends = len(values) >= max_iter
        moves = reseed is not None and reseeds < RESEEDS and not ends and bool(dead.any())
        converged = not moves and tol > 0 and fall <= tol
        if converged or ends:
            # A step that may lead up is not taken where no pass will tell.
            end = params if exact else last
            return end, Trace(values=values, converged=converged, mass=stats.mass)
        if reseed is not None and moves:
            params, last = reseed(params, dead), None
            reseeds += 1


def _pass_below(
    enough: float, objective: Objective, source: Any, params: Params, last: Params | None
) -> tuple[Params, Stats, float]:
    """Pass over all rows; while the objective is not low enough, go halfway back to the last.

    Steps of which only the direction is known to lead down need this. Returns where it ends.
    """
    for _ in range(HALVINGS):
        stats = source.map_reduce(summarizer(objective, params), merge)
        here = value(objective, params, stats)
        if last is None or not here > enough:
            break
        params = halfway(objective, last, params)
    return params, stats, here


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
