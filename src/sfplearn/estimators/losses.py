"""The loss that a parameter asks for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import (
    CLASSIFICATION_LOSSES,
    REGRESSION_LOSSES,
    CostMatrix,
    FunctionLoss,
    Loss,
    SquaredError,
)
from sfplearn.core.losses.custom import check_loss
from sfplearn.estimators.checks import check_choice

KINDS = {"classes": CLASSIFICATION_LOSSES, "numbers": REGRESSION_LOSSES}
KNOWN = {CostMatrix, *CLASSIFICATION_LOSSES.values(), *REGRESSION_LOSSES.values()}


def find_loss(loss: Any, kind: str) -> Loss:
    """Return the loss that a parameter of a classifier ("classes") or regressor ("numbers") names.

    >>> find_loss("hinge", "classes"), find_loss("huber", "numbers")
    (Hinge(), Huber(delta=1.35))
    """
    if isinstance(loss, Loss):
        _check_kind(loss, kind)
        return loss
    if callable(loss) and not isinstance(loss, type):
        return FunctionLoss(loss)
    known = KINDS[kind]
    return known[check_choice("loss", loss, known, or_else=", a function or a Loss object")]()


def _check_kind(loss: Loss, kind: str) -> None:
    """Refuse a loss of classes for numbers, and the other way round."""
    (other,) = KINDS.keys() - {kind}
    alien = {*KINDS[other].values(), *([CostMatrix] if kind == "numbers" else [])}
    if type(loss) in alien:
        raise ValueError(f"{loss!r} is a loss of {other}; this estimator predicts {kind}.")


def check_labels_of(loss: Loss, given: NDArray[Any], labels: NDArray[Any]) -> None:
    """Refuse labels, as given, that a loss is not meant for; try a user's loss on its labels."""
    loss.check(given)
    if type(loss) not in KNOWN:
        check_loss(loss, labels)


def mean_loss(loss: Loss, labels: NDArray[Any], sums: NDArray[np.float64]) -> float:
    """Return the mean loss of the best single prototype: the unit of alpha; 1 if that is 0."""
    z = loss.prototype(labels, sums[None])
    mean = float(loss.cost(labels, z)[0] @ sums / sums.sum())
    return mean if 0 < mean < np.inf else 1.0


def same_loss(one: Any, other: Any) -> bool:
    """Tell whether two parameters ask for the same loss, settings included."""
    if isinstance(one, Loss) and isinstance(other, Loss):
        return type(one) is type(other) and repr(one) == repr(other)
    return one is other or (isinstance(one, str) and one == other)


def is_squared_error(loss: Loss) -> bool:
    """Tell whether labels join the pass exactly, as targets."""
    return type(loss) is SquaredError
