"""What cannot be converted, and why."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sfplearn.estimators import SFPClassifier, SFPRegressor
from sfplearn.estimators.losses import find_loss
from sfplearn.onnx.rules import CLASS_RULES, NUMBER_RULES, Rule


def estimator_of(model: Any) -> Any:
    """Return the estimator that a model is, or ends in; refuse what cannot be converted."""
    estimator = model
    while isinstance(estimator, Pipeline):
        estimator = estimator[-1]
    if not isinstance(estimator, SFPClassifier | SFPRegressor):
        raise NotImplementedError(
            "to_onnx converts a SFPClassifier, a SFPRegressor, or a Pipeline that ends in one; "
            f"got {type(estimator).__name__}."
        )
    check_convertible(estimator)
    return estimator


def check_convertible(estimator: Any) -> None:
    """Refuse a fitted estimator that has no graph."""
    check_is_fitted(estimator)
    if estimator.divergence_ == "kernel":
        raise NotImplementedError("Kernels cannot be converted to ONNX; fit another divergence.")
    if hasattr(estimator, "local_coef_"):
        raise NotImplementedError(
            "Linear experts cannot be converted to ONNX; fit with expert='constant'."
        )
    if estimator.allow_nan:
        raise NotImplementedError(
            "Rows with missing cells cannot be converted to ONNX; put an imputer before the "
            "estimator, or set allow_nan=False if no cell will be missing."
        )
    rule_of(estimator)
    if isinstance(estimator, SFPClassifier):
        as_labels(estimator.classes_)


def loss_of(estimator: Any) -> Any:
    """Return the loss that was fitted."""
    is_classifier = isinstance(estimator, SFPClassifier)
    return find_loss(estimator.loss_, "classes" if is_classifier else "numbers")


def rule_of(estimator: Any) -> Rule:
    """Return how an estimator answers; a loss of a user's own has no rule that we know."""
    loss = loss_of(estimator)
    rules = CLASS_RULES if isinstance(estimator, SFPClassifier) else NUMBER_RULES
    if type(loss) not in rules:
        raise NotImplementedError(
            f"{loss!r} cannot be converted to ONNX, as only losses of the library can; name one."
        )
    return rules[type(loss)]


def as_labels(classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels as ONNX can hold them: whole numbers or text."""
    if classes.dtype.kind in "iufb" and np.array_equal(classes, classes.astype(np.int64)):
        return classes.astype(np.int64)
    if all(isinstance(label, str) for label in classes):
        return classes.astype(object)
    raise NotImplementedError(
        "Labels must be text or whole numbers to be converted to ONNX; got "
        f"{type(classes[0]).__name__}."
    )
