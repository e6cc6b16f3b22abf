"""Block coordinate descent: algorithm 1 of the paper, over any source of rows."""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import Objective, Params, Stats, merge, update, value
from sfplearn.core.objective import dead_clusters, halfway, summarizer
from sfplearn.core.state import Trace
from sfplearn.fitting.watch import Watch

# Passes in which dead clusters may be placed anew; later ones stay dead, so that fits end.
RESEEDS = 5

# Times that a step that leads up is halved; after so many nothing is left of it.
HALVINGS = 30

BEYOND_PRECISION = (
    "The objective is beyond the precision of the data: bring features to comparable scales, for "
    "example with StandardScaler, and alpha, gamma and lam nearer to 1."
)

Reseed = Callable[[Params, NDArray[np.bool_], int], Params]


class Progress(NamedTuple):
    """How far a descent has come, between two passes."""

    params: Params
    last: Params | None = None
    """Parameters of the last pass; None if what follows must not be compared with it."""
    values: tuple[float, ...] = ()
    """The objective at the start of each pass."""
    reseeds: int = 0
    """How often dead clusters were placed anew."""


def descend(
    objective: Objective,
    source: Any,
    begin: Params | Progress,
    *,
    max_iter: int,
    tol: float = 0.0,
    rounding: float = 1e-9,
    magnitude: float = 0.0,
    exact: bool = True,
    reseed: Reseed | None = None,
    watch: Watch | None = None,
    save: Callable[[Progress], None] | None = None,
) -> tuple[Params, Trace]:
    """Alternate passes and steps until the objective falls by at most `tol` in a pass.

    With `tol=0` exactly `max_iter` passes are made. `reseed` places dead clusters anew. If every
    step is an `exact` minimisation, a rise is a bug and warns, beyond `rounding` as a share of
    the objective or of `magnitude`, the size of the sums that it is a difference of. Else
    steps that lead up are shortened; passes to find that out are not counted. `watch` sees every
    pass, and may end the descent after it. What `save` is given after each pass can be begun
    from, with the same end.
    """
    params, last, values, reseeds = begin if isinstance(begin, Progress) else Progress(begin)
    while True:
        if watch is not None:
            watch.begin("pass")
        enough = np.inf if exact or last is None else values[-1] + rounding * abs(values[-1])
        params, stats, here = _pass_below(enough, objective, source, params, last)
        fall = np.inf if last is None else values[-1] - here
        values = (*values, here)
        dead = dead_clusters(stats)
        if not np.isfinite(here) or dead.all():
            raise ValueError(BEYOND_PRECISION)
        if exact and fall < -rounding * (abs(here) + magnitude):
            _warn_of_rise(len(values), -fall)
        last, params = params, update(objective, params, stats)
        ends = len(values) >= max_iter
        moves = reseed is not None and reseeds < RESEEDS and not ends and bool(dead.any())
        converged = not moves and tol > 0 and fall <= tol
        # A step that may lead up is not taken where no pass will tell.
        reached = partial(_reached, params if exact else last, values, converged, stats)
        stopped = watch is not None and watch.end(reached)
        if converged or ends or stopped:
            return reached(stopped=stopped)
        if reseed is not None and moves:
            params, last = reseed(params, dead, reseeds), None
            reseeds += 1
        if save is not None:
            save(Progress(params, last, values, reseeds))


def _reached(
    params: Params,
    values: tuple[float, ...],
    converged: bool,
    stats: Stats,
    stopped: bool = False,
) -> tuple[Params, Trace]:
    """Return what a descent returns that ends here."""
    return params, Trace(list(values), converged=converged, stats=stats, stopped=stopped)


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
    starts: Sequence[Callable[[], Params]],
    *,
    max_iter: int,
    rounding: float = 1e-9,
    reseed: Callable[[int, Params, NDArray[np.bool_], int], Params] | None = None,
    watch: Watch | None = None,
    checkpoint: Any = None,
    **settings: Any,
) -> tuple[Params, Trace]:
    """Descend from several starts and return the first end that lies lowest, up to rounding.

    `reseed` is told which start it serves. `watch` sees every descent and the passes within, and
    may end it here, too. With a checkpoint, go on where it was left.
    """
    best: Any
    held = None if checkpoint is None else checkpoint.load()
    number, best, progress = (0, None, None) if held is None else held[1]
    for number in range(number, len(starts)):  # noqa: B020 (from where it was left)
        if watch is not None:
            watch.begin("descent", max_iter)
        end = descend(
            objective,
            source,
            starts[number]() if progress is None else progress,
            max_iter=max_iter,
            rounding=rounding,
            reseed=None if reseed is None else partial(reseed, number),
            watch=None if watch is None else watch.within(),
            save=None if checkpoint is None else _saver(checkpoint, number, best),
            **settings,
        )
        best, progress = _lower(best, end, rounding), None
        if watch is not None and watch.end(partial(tuple, best)):
            break
    return best


def _lower(
    best: tuple[Params, Trace] | None, end: tuple[Params, Trace], rounding: float
) -> tuple[Params, Trace]:
    """Return the end that lies lower, the first of those that are equal up to rounding."""
    if best is None:
        return end
    lowest, here = best[1].values[-1], end[1].values[-1]
    return end if here < lowest - rounding * abs(lowest) else best


def _saver(checkpoint: Any, number: int, best: Any) -> Callable[[Progress], None]:
    return lambda progress: checkpoint.save((number, best, progress))


def _warn_of_rise(step: int, rise: float) -> None:
    warnings.warn(
        f"The objective rose by {rise:.3g} in pass {step}; please report this bug of sfplearn.",
        RuntimeWarning,
        stacklevel=3,
    )
