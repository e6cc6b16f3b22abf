"""Losses of label prototypes: the paper's table 1, its multi-class versions, and of numbers.

    base     Loss: what the pass and the prediction rule ask of a loss
    argmin   prototypes found numerically, for losses without a closed form
    labels   losses of classes, given by their codes 0, 1, ...
    numbers  losses of real numbers
    custom   a user's function as a loss, and what is checked of it

To add a loss, write a class with `cost` in `labels` or `numbers` and a line below.
"""

from sfplearn.core.losses.base import Loss
from sfplearn.core.losses.labels import (
    CostMatrix,
    Hinge,
    Logistic,
    LogLoss,
    Ordinal,
    SquaredHinge,
    ZeroOne,
)
from sfplearn.core.losses.numbers import AbsoluteError, Huber, Poisson, Quantile, SquaredError

CLASSIFICATION_LOSSES: dict[str, type[Loss]] = {
    "log_loss": LogLoss,
    "logistic": Logistic,
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "zero_one": ZeroOne,
    "ordinal": Ordinal,
}

REGRESSION_LOSSES: dict[str, type[Loss]] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "huber": Huber,
    "quantile": Quantile,
    "poisson": Poisson,
}

__all__ = [
    "CLASSIFICATION_LOSSES",
    "REGRESSION_LOSSES",
    "AbsoluteError",
    "CostMatrix",
    "Hinge",
    "Huber",
    "LogLoss",
    "Logistic",
    "Loss",
    "Ordinal",
    "Poisson",
    "Quantile",
    "SquaredError",
    "SquaredHinge",
    "ZeroOne",
]
