"""Labels that are classes, from users' rows to the core's: for classifiers."""

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from sfplearn.data import find_store
from sfplearn.estimators.checks import (
    NO_LABELS,
    check_classes,
    check_labels_match,
    check_rows,
    check_weight,
    encode_classes,
)
from sfplearn.estimators.coding import (
    ClassCoding,
    Labels,
    count_classes,
    merge_counts,
    one_column,
    split_labels,
)
from sfplearn.estimators.labels import find_unlabelled
from sfplearn.estimators.losses import check_labels_of, find_loss, same_loss
from sfplearn.estimators.streaming import Batch, check_in_memory, is_streaming
from sfplearn.estimators.survey import survey
from sfplearn.estimators.table import Table
from sfplearn.estimators.weights import in_rows


def labelled_table(estimator: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray[Any]]:
    """Return validated rows with labels as the core takes them, and the classes."""
    store = find_store(X, y, sample_weight)
    if store is not None:
        facts = survey(estimator, store, count_classes, merge_counts)
        classes, sums, _ = facts.labels
        check_classes(classes)
        coding = ClassCoding(classes, class_weights(estimator, classes, sums), estimator.unlabeled)
        return in_rows(estimator, facts.table(store, estimator, coding)), classes
    given = y
    y, unlabelled = find_unlabelled(y, estimator.unlabeled)
    X, y = check_rows(estimator, X, y, reset=True)
    given = y if unlabelled is None else np.asarray(given)
    classes, codes = encode_classes(y, unlabelled)
    check_classification_targets(y)
    weight = check_weight(sample_weight, len(y))
    table = Table(X, given, codes, weight).without_empty_rows(estimator.allow_nan)
    table = in_rows(estimator, table)
    counts = codes >= 0
    sums = np.bincount(codes[counts], table.weight[counts], minlength=len(classes))
    of_class = class_weights(estimator, classes, sums.astype(np.float64))
    if estimator.class_weight is None:
        return table, classes
    weight = check_weight(table.weight * np.append(of_class, 1.0)[codes], len(y))
    return table._replace(weight=weight), classes


def class_weights(
    estimator: Any, classes: NDArray[Any], sums: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what rows of each class count, given the weight of each class."""
    if not sums.any():
        raise ValueError(NO_LABELS)
    with np.errstate(divide="ignore"):
        of_class = compute_class_weight(
            estimator.class_weight, classes=classes, y=classes, sample_weight=sums
        )
    return np.where(np.isinf(of_class), 1.0, of_class)  # of a class that weighs nothing


def check_warm_classes(estimator: Any, classes: NDArray[Any]) -> None:
    """Refuse to continue a fit whose prototypes mean something else."""
    before, loss = estimator.classes_, estimator.loss_
    if not np.array_equal(before, classes) or not same_loss(loss, estimator.loss):
        raise ValueError(
            f"warm_start=True needs the classes and the loss of the last fit, "
            f"{before.tolist()} and {loss!r}; got {classes.tolist()} and "
            f"{estimator.loss!r}. Set warm_start=False to fit anew."
        )


def batch_of(estimator: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> Batch:
    """Return validated rows of a stream, labels as codes.

    The first ones, or an announcement, tell the classes.
    """
    check_in_memory(X)
    first, y = not is_streaming(estimator), one_column(y)
    X = check_rows(estimator, X, reset=first)
    check_labels_match(X, y)
    known, none = split_labels(y if classes is None else classes, estimator.unlabeled)
    known = np.unique(known[~none])
    if first:
        check_classes(known)
        check_labels_of(find_loss(estimator.loss, "classes"), known, np.arange(len(known)))
        estimator.classes_, estimator.loss_ = known, deepcopy(estimator.loss)
    elif classes is not None and not np.array_equal(known, estimator.classes_):
        raise ValueError(
            f"classes must be those of the first call, {estimator.classes_.tolist()}; got "
            f"{known.tolist()}."
        )
    codes = ClassCoding(estimator.classes_, np.ones(len(estimator.classes_)), estimator.unlabeled)(
        y
    )
    return Batch(X, codes.codes, check_weight(sample_weight, len(y), may_be_zero=True))


def encoded(estimator: Any, batch: Batch) -> Labels:
    """Return the labels of rows of a stream as the core takes them."""
    if estimator.class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' needs all rows at once; give a dictionary of weights for "
            "partial_fit."
        )
    weights = class_weights(estimator, estimator.classes_, np.ones(len(estimator.classes_)))
    return Labels(batch.y, weight=np.append(weights, 1.0)[batch.y])
