"""How well a model predicts rows it was not fitted to, beside others on the same folds."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    mean_absolute_error,
    r2_score,
)
from sklearn.pipeline import Pipeline

from sfplearn.cli.names import listed
from sfplearn.cli.preparation import MODEL, PREPARE
from sfplearn.report.folds import FOLDS, FOREST, rivals, split, stratified

# Rows that are cross-validated at most: seconds, whatever the table.
SCORED_ROWS = 5000

# With fewer rows a score is chance.
FEWEST_ROWS = 10

BALANCED = "balanced accuracy"
MEASURES = {
    True: (("accuracy", accuracy_score), (BALANCED, balanced_accuracy_score)),
    False: (("R2", r2_score), ("mean error", mean_absolute_error)),
}


def peers(pipeline: Pipeline, has_classes: bool, seed: int) -> dict[str, Pipeline]:
    """Return what a model is compared with: a constant, and a random forest."""
    names = "most frequent class" if has_classes else "mean", FOREST
    models = zip(names, rivals(has_classes, seed, n_jobs=-1), strict=True)
    return {name: Pipeline([(PREPARE, pipeline[0]), (MODEL, model)]) for name, model in models}


def why_no_score(y: NDArray[Any], has_classes: bool) -> str:
    """Return why rows are too few for a score; nothing if they are not."""
    if len(y) < FEWEST_ROWS:
        return f"{len(y)} rows are too few"
    if has_classes and sum(count > 1 for count in Counter(y.tolist()).values()) < 2:
        return f"among {len(y):,} rows, all classes but one have a single one at most"
    return ""


def some_rows(n: int, most: int, seed: int) -> NDArray[np.intp]:
    """Return places of rows drawn at random, at most so many, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def spread_rows(y: NDArray[Any], most: int, seed: int) -> NDArray[np.intp]:
    """Return places of rows drawn at random, at most so many, with each class in its share.

    >>> spread_rows(np.array(["a"] * 6 + ["b"] * 2), 4, 0).tolist()[-1] > 5
    True
    """
    _, order = np.unique(y, return_inverse=True)
    return stratified(order, most, np.random.RandomState(seed))


def compare(
    models: dict[str, Pipeline],
    X: Any,
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    *,
    has_classes: bool,
    seed: int,
    most_rows: int = SCORED_ROWS,
    most_folds: int = FOLDS,
    step: Callable[[float], None] = lambda share: None,
) -> dict[str, Any]:
    """Cross-validate models on the same folds, and return their scores."""
    chosen = spread_rows(y, most_rows, seed)
    X, y = X.iloc[chosen], y[chosen]
    weight = None if weight is None else weight[chosen]
    reason = why_no_score(y, has_classes)
    if reason:
        return {"why_none": reason, "models": []}
    folds = split(y, has_classes, seed, most_folds)
    found, guesses = _each_fold(models, X, y, weight, folds, has_classes, step)
    rows = [_summary(name, scores, has_classes) for name, scores in found.items()]
    if has_classes:
        for row in rows:
            row[BALANCED] = pooled(y, guesses[row["name"]], weight)
    first = next(iter(models))
    return {
        "rows": len(y),
        "folds": len(folds),
        "measures": [name for name, _ in MEASURES[has_classes]],
        "models": rows,
        "notes": never_answered(first, y, guesses[first]) if has_classes else [],
    }


def _each_fold(
    models: dict[str, Pipeline],
    X: Any,
    y: Any,
    weight: Any,
    folds: list[tuple[Any, Any]],
    has_classes: bool,
    step: Callable[[float], None],
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Return scores and times of each model and fold, and its predictions of all rows."""
    found: dict[str, list[Any]] = {name: [] for name in models}
    guesses = {name: np.empty_like(y) for name in models}
    for number, (train, test) in enumerate(folds):
        for place, (name, model) in enumerate(models.items()):
            guess, *rest = _one(model, X, y, weight, train, test, has_classes)
            guesses[name][test] = guess
            found[name].append(rest)
            step((number * len(models) + place + 1) / (len(folds) * len(models)))
    return found, guesses


def pooled(y: Any, guess: Any, weight: Any) -> dict[str, Any]:
    """Return balanced accuracy over all folds: a tiny class may be absent from some."""
    mean = float(balanced_accuracy_score(y, guess, sample_weight=weight))
    return {"mean": mean, "deviation": None}


def never_answered(name: str, y: Any, guess: Any) -> list[str]:
    """Return a sentence about classes that a model never answers with, if there are some."""
    counts, given = Counter(y.tolist()), set(guess.tolist())
    never = [label for label in counts if label not in given]
    if not never:
        return []
    rows = sum(counts[label] for label in never)
    return [f"{name} never answers {listed(never)} ({rows:,} of {len(y):,} rows)."]


def _one(
    model: Pipeline, X: Any, y: Any, weight: Any, train: Any, test: Any, has_classes: bool
) -> tuple[Any, list[float], float]:
    """Fit to one part, and return predictions and scores on another, and the time of the fit."""
    params = {} if weight is None else {f"{MODEL}__sample_weight": weight[train]}
    begin = time.perf_counter()
    fitted = clone(model).fit(X.iloc[train], y[train], **params)
    seconds = time.perf_counter() - begin
    guess = fitted.predict(X.iloc[test])
    counted = None if weight is None else weight[test]
    scores = [
        float(measure(y[test], guess, sample_weight=counted))
        for _, measure in MEASURES[has_classes]
    ]
    return guess, scores, seconds


def _summary(name: str, found: list[Any], has_classes: bool) -> dict[str, Any]:
    scores = np.array([scores for scores, _ in found])
    row: dict[str, Any] = {"name": name, "seconds": float(np.median([t for _, t in found]))}
    for place, (measure, _) in enumerate(MEASURES[has_classes]):
        row[measure] = {
            "mean": float(scores[:, place].mean()),
            "deviation": float(scores[:, place].std()),
        }
    return row
