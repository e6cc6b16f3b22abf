"""Discriminative refinement: from where block coordinate descent ends, down the true risk.

The objective of SFP bounds the risk of predictions from above; L-BFGS goes on to lower the risk
itself, over centres, logarithms of feature weights, biases and prototypes, held near their
start by a quadratic pull.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sfplearn.core.losses.domain import Domain
from sfplearn.core.risk import Fields, Readout, add, risk_summarizer, slopes

Array = NDArray[np.float64]

# Weights may change by this factor, biases by this many gammas: beyond, exponentials overflow.
FARTHEST = 50.0


class Refinement(NamedTuple):
    """Where a refinement ended and how it went."""

    fields: Fields
    """The parameters of least risk."""
    path: list[float]
    """Risk plus pull after each iteration."""


def refine(
    fields: Fields,
    source: Any,
    readout: Readout,
    domain: Domain,
    *,
    gamma: float,
    pull: float,
    iterations: int,
    is_mean: bool = True,
) -> Refinement:
    """Lower the mean loss of predictions by at most so many iterations of L-BFGS.

    The pull is that of each parameter to its start, in units in which it matters: centres in
    weighted distances over gamma, biases in gammas, and the rest as they are; means over each.
    """
    start = fields._replace(z=domain.leave(fields.z))
    scale = _scales(fields, gamma)

    def objective(flat: Array) -> tuple[float, Array]:
        t = _unflatten(flat, start, scale)
        z = domain.enter(t.z)
        here = t._replace(z=z)
        sums = source.map_reduce(risk_summarizer(here, readout, gamma, is_mean), add)
        along = slopes(here, sums)
        along = along._replace(z=domain.slope(z, along.z))
        slope = np.concatenate([(a * s).ravel() for a, s in zip(along, scale, strict=True)])
        total = sums.risk / sums.weight + pull * float(flat @ (share * flat))
        return total, slope / sums.weight + 2.0 * pull * share * flat

    share = np.concatenate([np.full(np.size(part), 1.0 / np.size(part)) for part in start])
    flat, path = _descend(objective, np.zeros(len(share)), iterations)
    end = _unflatten(flat, start, scale)
    return Refinement(fields=end._replace(z=domain.enter(end.z)), path=path)


def _descend(
    objective: Callable[[Array], tuple[float, Array]], start: Array, iterations: int
) -> tuple[Array, list[float]]:
    """Return the lowest point that L-BFGS meets, and the values on its way."""
    path = [objective(start)[0]]

    def note(intermediate_result: Any) -> None:
        path.append(float(intermediate_result.fun))

    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-FARTHEST, FARTHEST)] * len(start),
        callback=note,
        options={"maxiter": iterations, "ftol": 1e-9, "gtol": 1e-7},
    )
    return (found.x, path) if found.fun <= path[0] else (start, path[:1])


def _scales(fields: Fields, gamma: float) -> Fields:
    """Return the unit of each parameter: centres move by what a distance of gamma is."""
    width = np.sqrt(gamma / np.maximum(np.exp(fields.log_w), np.exp(fields.log_w).mean() * 1e-3))
    return Fields(
        v=width,
        log_w=np.ones_like(fields.log_w),
        b=np.full_like(fields.b, gamma),
        z=np.ones_like(fields.z),
    )


def _unflatten(flat: Array, start: Fields, scale: Fields) -> Fields:
    """Return start plus changes, which are given side by side in units of scale."""
    parts = np.split(flat, np.cumsum([np.size(part) for part in start])[:-1])
    return Fields(
        *(
            begin + unit * change.reshape(begin.shape)
            for begin, unit, change in zip(start, scale, parts, strict=True)
        )
    )
