"""The mathematics of SFP: one objective, one pass, one step.

Statistics are public. Whoever can hold rows can take part in a fit: send out parameters,
`summarize` rows where they are, `merge` what comes back, `update`. See `Objective`.
"""

from sfplearn.core.divergences import (
    DIVERGENCES,
    DiagonalGaussian,
    SharedWeights,
    WeightedEuclidean,
)
from sfplearn.core.experts import Means, Prototype, Silent
from sfplearn.core.losses import (
    CLASSIFICATION_LOSSES,
    REGRESSION_LOSSES,
    AbsoluteError,
    CostMatrix,
    Hinge,
    Huber,
    Logistic,
    LogLoss,
    Loss,
    Ordinal,
    Poisson,
    Quantile,
    SquaredError,
    SquaredHinge,
    ZeroOne,
)
from sfplearn.core.losses.custom import FunctionLoss
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
    "CLASSIFICATION_LOSSES",
    "DIVERGENCES",
    "REGRESSION_LOSSES",
    "AbsoluteError",
    "CostMatrix",
    "DiagonalGaussian",
    "FunctionLoss",
    "Hinge",
    "Huber",
    "LogLoss",
    "Logistic",
    "Loss",
    "Means",
    "Objective",
    "Ordinal",
    "Params",
    "Poisson",
    "Prototype",
    "Quantile",
    "Rows",
    "SharedWeights",
    "Silent",
    "SquaredError",
    "SquaredHinge",
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
