"""The mathematics of SFP: one objective, one pass, one step.

Statistics are public. Whoever can hold rows can take part in a fit: send out parameters,
`summarize` rows where they are, `merge` what comes back, `update`. See `Objective`.
"""

from sfplearn.core.divergences import WeightedEuclidean
from sfplearn.core.experts import Prototype
from sfplearn.core.losses import LOSSES, Hinge, Logistic, LogLoss, Loss, ZeroOne
from sfplearn.core.objective import (
    Objective,
    distances,
    memberships,
    params_at,
    summarize,
    update,
    value,
)
from sfplearn.core.state import Params, Rows, Stats, decay, merge

__all__ = [
    "LOSSES",
    "Hinge",
    "LogLoss",
    "Logistic",
    "Loss",
    "Objective",
    "Params",
    "Prototype",
    "Rows",
    "Stats",
    "WeightedEuclidean",
    "ZeroOne",
    "decay",
    "distances",
    "memberships",
    "merge",
    "params_at",
    "summarize",
    "update",
    "value",
]
