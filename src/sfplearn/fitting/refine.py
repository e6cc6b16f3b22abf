"""Discriminative refinement: from where block coordinate descent ends, down the true risk.

The objective of SFP bounds the risk of predictions from above; L-BFGS goes on to lower the risk
itself, over centres, logarithms of feature weights, biases and prototypes, held near their
start by a quadratic pull.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from sfplearn.core.losses.domain import Domain
from sfplearn.core.risk import Fields, Readout, add, risk_summarizer, slopes
from sfplearn.fitting.watch import Watch

Array = NDArray[np.float64]

# Logarithms of weights below this are those of features that do not count.
WEIGHTLESS = np.log(1e-100)

# Weights may change by this factor, biases by this many gammas: beyond, exponentials overflow.
FARTHEST = 50.0


class Refinement(NamedTuple):
    """Where a refinement ended and how it went."""

    fields: Fields
    """The parameters of least risk."""
    path: list[float]
    """The risk where it began, and risk plus pull after each iteration."""


def refine(
    fields: Fields,
    source: Any,
    readout: Readout,
    domain: Domain,
    *,
    gamma: float,
    pull: float,
    iterations: int,
    unit: float = 1.0,
    spread: float = 1.0,
    is_mean: bool = True,
    watch: Watch | None = None,
) -> Refinement:
    """Lower the mean loss of predictions by at most so many iterations of L-BFGS.

    The pull is that of each parameter to its start, in units in which it matters: centres in
    weighted distances over gamma, biases in gammas, free numbers of prototypes in `spread`, and
    logarithms of weights as they are; means over each. Losses are in units of `unit`. `watch` sees
    every iteration, and may end the refinement after it.
    """
    start = fields._replace(z=domain.leave(fields.z))
    scale = _scales(fields, gamma, spread)
    begin = source.map_reduce(risk_summarizer(fields, readout, gamma, is_mean), add)
    before = begin.risk / begin.weight / unit

    def objective(flat: Array) -> tuple[float, Array]:
        if watch is not None:
            watch.begin("iteration")
        t = _unflatten(flat, start, scale)
        z = domain.enter(t.z)
        here = t._replace(z=z)
        sums = source.map_reduce(risk_summarizer(here, readout, gamma, is_mean), add)
        along = slopes(here, sums)
        along = along._replace(z=domain.slope(z, along.z))
        slope = np.concatenate([(a * s).ravel() for a, s in zip(along, scale, strict=True)])
        rows = sums.weight * unit
        total = sums.risk / rows + pull * float(flat @ (share * flat))
        return total, slope / rows + 2.0 * pull * share * flat

    share = np.concatenate([np.full(np.size(part), 1.0 / n) for part, n in _counts(start)])
    bounded = np.repeat([False, True, True, False], [np.size(part) for part in start])

    def reached(flat: Array, values: list[float]) -> Refinement:
        path = [unit * each for each in [before, *values]]
        if path[-1] > path[0]:
            return Refinement(fields=fields, path=path[:1])
        end = _unflatten(flat, start, scale)
        return Refinement(fields=end._replace(z=domain.enter(end.z)), path=path)

    def stops(flat: Array, values: list[float]) -> bool:
        return watch is not None and watch.end(partial(reached, flat, values))

    return reached(*_descend(objective, bounded, iterations, stops))


def _counts(start: Fields) -> list[tuple[Array, int]]:
    """Return parameters, and of how many of each kind a mean is: features without weight are none.

    Else columns that say nothing would weaken the pull on the others.
    """
    live = max(1, int(np.count_nonzero(start.log_w > WEIGHTLESS)))
    return [(part, live if part.shape == start.log_w.shape else np.size(part)) for part in start]


def _descend(
    objective: Callable[[Array], tuple[float, Array]],
    bounded: NDArray[np.bool_],
    iterations: int,
    stops: Callable[[Array, list[float]], bool],
) -> tuple[Array, list[float]]:
    """Return where L-BFGS ends from 0, or is stopped after an iteration, and the values there."""
    path: list[float] = []
    farthest = np.where(bounded, FARTHEST, np.inf)

    def note(intermediate_result: Any) -> None:
        path.append(float(intermediate_result.fun))
        if stops(intermediate_result.x, path):
            raise StopIteration

    found = minimize(
        objective,
        np.zeros(len(bounded)),
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(-farthest, farthest),
        callback=note,
        options={"maxiter": iterations, "ftol": 1e-9, "gtol": 1e-7},
    )
    return found.x, path or [float(found.fun)]


def _scales(fields: Fields, gamma: float, spread: float) -> Fields:
    """Return the unit of each parameter: centres move by what a distance of gamma is."""
    width = np.sqrt(gamma / np.maximum(np.exp(fields.log_w), np.exp(fields.log_w).mean() * 1e-3))
    return Fields(
        v=width,
        log_w=np.ones_like(fields.log_w),
        b=np.full_like(fields.b, gamma),
        z=np.full_like(fields.z, spread),
    )


def _unflatten(flat: Array, start: Fields, scale: Fields) -> Fields:
    """Return start plus changes, which are given side by side in units of scale."""
    parts, at = [], 0
    for begin, unit in zip(start, scale, strict=True):
        change = flat[at : at + begin.size].reshape(begin.shape)
        parts.append(begin + unit * change)
        at += begin.size
    return Fields(*parts)
