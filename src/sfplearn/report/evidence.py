"""Predictions of rows that a model had not seen, from which all scores of a report are made."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sfplearn.report.columns import take
from sfplearn.report.folds import FOREST, rivals, split
from sfplearn.report.subject import Subject

Array = NDArray[np.float64]

# Rows and cells that are cross-validated on at most, so that a report takes seconds to minutes.
MOST_ROWS, MOST_CELLS = 3000, 1_500_000
# Fewer rows than this are no evidence of anything.
FEWEST_ROWS = 20


@dataclass(frozen=True)
class Evidence:
    """Predictions, and how they came about."""

    kind: str
    """"cross-validated", "unseen" or "training"."""
    index: NDArray[np.intp]
    """The rows, by their place in the table."""
    truth: NDArray[Any]
    """Their labels: codes of classes, or numbers."""
    predicted: NDArray[Any]
    """What the model predicts, likewise."""
    probabilities: Array | None
    """Of classes, where the model gives any."""
    weight: Array | None
    """What each row counts."""
    others: dict[str, NDArray[Any]]
    """What other models predict of the same rows."""
    folds: int
    """How many parts the rows were split into; 0 if not at all."""


def gather(
    subject: Subject,
    X: Any,
    y: NDArray[Any],
    weight: Array | None,
    rows: NDArray[np.intp],
    *,
    unseen: bool,
    compare: bool,
    seed: int,
) -> Evidence:
    """Predict rows: out of fold if the model can be fitted anew and rows suffice."""
    table, truth = take(X, rows), y[rows]
    weight = None if weight is None else weight[rows]
    splits = subject.can_refit and not unseen and len(truth) >= FEWEST_ROWS
    folds = split(truth, subject.is_classifier, seed) if splits else []
    if folds:
        try:
            return _cross_validated(subject, table, truth, weight, rows, folds, compare, seed)
        except ValueError:
            # Folds may lack what all rows have: a class, or enough rows for the clusters.
            folds = []
    predicted, probabilities = predictions(subject.given, table, _classes(subject))
    others = {} if not unseen else {"baseline": _constant(truth, weight, subject.is_classifier)}
    kind = "unseen" if unseen else "training"
    return Evidence(kind, rows, truth, predicted, probabilities, weight, others, 0)


def _cross_validated(
    subject: Subject,
    table: Any,
    truth: NDArray[Any],
    weight: Array | None,
    rows: NDArray[np.intp],
    folds: list[tuple[Any, Any]],
    compare: bool,
    seed: int,
) -> Evidence:
    """Predict every row by a model, and by others, that were fitted to the other folds."""
    data = table, truth, weight, folds, _classes(subject)
    predicted, probabilities = out_of_fold(subject.ending_in(subject.model), *data)
    others = {
        name: out_of_fold(pipeline, *data)[0]
        for name, pipeline in peers(subject, compare, seed).items()
    }
    return Evidence(
        "cross-validated", rows, truth, predicted, probabilities, weight, others, len(folds)
    )


def peers(subject: Subject, compare: bool, seed: int) -> dict[str, Any]:
    """Return models to compare with: one that knows no features, and a forest if asked for."""
    constant, forest = rivals(subject.is_classifier, seed)
    found = {"baseline": subject.ending_in(constant)}
    return {**found, FOREST: subject.ending_in(forest)} if compare else found


def out_of_fold(
    pipeline: Any,
    table: Any,
    truth: NDArray[Any],
    weight: Array | None,
    folds: list[tuple[Any, Any]],
    classes: NDArray[Any] | None,
) -> tuple[NDArray[Any], Array | None]:
    """Return predictions, codes or numbers, and probabilities if there are any."""
    labels = truth if classes is None else classes[truth]
    predicted = np.zeros(len(truth), dtype=truth.dtype)
    probabilities = None
    for train, test in folds:
        model = clone(pipeline)
        extra = {} if weight is None else {"model__sample_weight": weight[train]}
        model.fit(take(table, train), labels[train], **extra)
        predicted[test], found = predictions(model, take(table, test), classes)
        if found is not None:
            if probabilities is None:
                probabilities = np.zeros((len(truth), found.shape[1]))
            probabilities[test] = found
    return predicted, probabilities


def predictions(
    model: Any, table: Any, classes: NDArray[Any] | None
) -> tuple[NDArray[Any], Array | None]:
    """Return what a fitted model predicts, as codes of all classes or as numbers."""
    predicted = np.asarray(model.predict(table))
    if classes is None:
        # Of several quantiles the middle one stands for all.
        return predicted if predicted.ndim == 1 else predicted[:, predicted.shape[1] // 2], None
    codes = codes_of(predicted, classes)
    if not hasattr(model, "predict_proba"):
        return codes, None
    probabilities = np.zeros((len(codes), len(classes)))
    probabilities[:, codes_of(model.classes_, classes)] = model.predict_proba(table)
    return codes, probabilities


def codes_of(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the places of labels among classes.

    >>> codes_of(np.array(["b", "a"]), np.array(["a", "b"])).tolist()
    [1, 0]
    """
    places = {label: code for code, label in enumerate(classes.tolist())}
    try:
        return np.array([places[label] for label in labels.tolist()], dtype=np.intp)
    except KeyError as missing:
        raise ValueError(
            f"y holds the label {missing}, which the model has not learned; leave such rows out."
        ) from None


def _classes(subject: Subject) -> NDArray[Any] | None:
    return subject.model.classes_ if subject.is_classifier else None


def _constant(truth: NDArray[Any], weight: Array | None, classes: bool) -> NDArray[Any]:
    """Return what a model without features would say of these rows."""
    if classes:
        return np.full(len(truth), np.bincount(truth, weight).argmax())
    return np.full(len(truth), np.average(truth, weights=weight))
