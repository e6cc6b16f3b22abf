"""Discriminative refinement: from where block coordinate descent ends, down the true risk.

The objective of SFP bounds the risk of predictions from above; L-BFGS goes on to lower the risk
itself, over centres, logarithms of feature weights, biases and prototypes, held near their
start by a quadratic pull.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, minimize

from sfplearn.core.losses.domain import Domain
from sfplearn.core.risk import Fields, Readout, RiskSums, add, risk_summarizer, slopes
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


@dataclass(frozen=True)
class Landscape:
    """The mean loss of predictions plus the pull, over changes of the parameters side by side."""

    source: Any
    readout: Readout
    domain: Domain
    gamma: float
    pull: float
    unit: float
    """What losses are measured in."""
    is_mean: bool
    start: Fields
    """Where nothing has changed, prototypes as free numbers."""
    scale: Fields
    """What changes are measured in."""
    share: Array
    """What the square of each change counts in the pull."""

    def at(self, flat: Array) -> Fields:
        """Return the parameters after changes."""
        free = _unflatten(flat, self.start, self.scale)
        return free._replace(z=self.domain.enter(free.z))

    def sums(self, fields: Fields) -> RiskSums:
        """Return what a pass over all rows leaves behind."""
        one = risk_summarizer(fields, self.readout, self.gamma, self.is_mean)
        return self.source.map_reduce(one, add)

    def value(self, flat: Array) -> tuple[float, Array]:
        """Return loss plus pull, and the slope along changes."""
        here = self.at(flat)
        sums = self.sums(here)
        along = slopes(here, sums)
        along = along._replace(z=self.domain.slope(here.z, along.z))
        slope = np.concatenate([(a * s).ravel() for a, s in zip(along, self.scale, strict=True)])
        rows = sums.weight * self.unit
        total = sums.risk / rows + self.pull * float(flat @ (self.share * flat))
        return total, slope / rows + 2.0 * self.pull * self.share * flat


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
    kinds = start, _scales(fields, gamma, spread), _shares(start)
    land = Landscape(source, readout, domain, gamma, pull, unit, is_mean, *kinds)
    begin = land.sums(fields)

    def reached(flat: Array, values: list[float]) -> Refinement:
        path = [begin.risk / begin.weight, *(unit * each for each in values)]
        if path[-1] > path[0]:
            return Refinement(fields=fields, path=path[:1])
        return Refinement(fields=land.at(flat), path=path)

    return reached(*_descend(land, iterations, reached, watch))


def _shares(start: Fields) -> Array:
    """Return what the square of each change counts: the pull is a mean over each kind.

    Features without weight are not counted: columns that say nothing would weaken the pull on the
    others.
    """
    live = max(1, int(np.count_nonzero(start.log_w > WEIGHTLESS)))
    counts = [live if part.shape == start.log_w.shape else np.size(part) for part in start]
    return np.concatenate(
        [np.full(np.size(a), 1.0 / n) for a, n in zip(start, counts, strict=True)]
    )


def _descend(
    land: Landscape,
    iterations: int,
    reached: Callable[[Array, list[float]], Refinement],
    watch: Watch | None,
) -> tuple[Array, list[float]]:
    """Return where L-BFGS ends from 0, or is stopped after an iteration, and the values there."""
    path: list[float] = []

    def value(flat: Array) -> tuple[float, Array]:
        if watch is not None:
            watch.begin("iteration")
        return land.value(flat)

    def note(intermediate_result: Any) -> None:
        path.append(float(intermediate_result.fun))
        if watch is not None and watch.end(partial(reached, intermediate_result.x, path)):
            raise StopIteration

    farthest = _farthest(land)
    found = minimize(
        value,
        np.zeros(len(farthest)),
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(-farthest, farthest),
        callback=note,
        options={"maxiter": iterations, "ftol": 1e-9, "gtol": 1e-7},
    )
    return found.x, path or [float(found.fun)]


def _farthest(land: Landscape) -> Array:
    """Return how far each parameter may go."""
    limits = np.inf, FARTHEST, FARTHEST, land.domain.reach
    parts = zip(land.start, limits, strict=True)
    return np.concatenate([np.full(np.size(part), limit) for part, limit in parts])


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
