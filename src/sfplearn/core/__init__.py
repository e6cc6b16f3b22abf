"""The mathematics of SFP: one objective, one pass, one step.

Statistics are public. Whoever can hold rows can take part in a fit: send out parameters,
`summarize` rows where they are, `merge` what comes back, `update`. See `Objective`.
"""

from sfplearn.core.divergences import DIVERGENCES, Balls, WeightedEuclidean
from sfplearn.core.experts import Prototype, Prototypes
from sfplearn.core.losses import LOSSES, Hinge, Logistic, LogLoss, Loss, ZeroOne
from sfplearn.core.objective import (
    Objective,
    dead_clusters,
    distances,
    memberships,
    params_at,
    summarize,
    summarizer,
    update,
    value,
)
from sfplearn.core.state import Params, Rows, Stats, Trace, decay, keep, merge
from sfplearn.core.terms import ClassSums, CostTable, Expert, Moments, Quadratic, Term

__all__ = [
    "DIVERGENCES",
    "LOSSES",
    "Balls",
    "ClassSums",
    "CostTable",
    "Expert",
    "Hinge",
    "LogLoss",
    "Logistic",
    "Loss",
    "Moments",
    "Objective",
    "Params",
    "Prototype",
    "Prototypes",
    "Quadratic",
    "Rows",
    "Stats",
    "Term",
    "Trace",
    "WeightedEuclidean",
    "ZeroOne",
    "dead_clusters",
    "decay",
    "distances",
    "keep",
    "memberships",
    "merge",
    "params_at",
    "summarize",
    "summarizer",
    "update",
    "value",
]
