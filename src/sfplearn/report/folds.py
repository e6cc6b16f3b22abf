"""Rows, folds and rivals of honest scores: what reports and the command line have in common."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold

FOLDS = 5

FOREST = "random forest"
FOREST_TREES = 100


def stratified(order: NDArray[Any], most: int, random: Any) -> NDArray[np.intp]:
    """Return rows spread evenly over an order (classes, or numbers), at most so many.

    >>> rows = stratified(np.array([0, 1] * 50), 10, np.random.RandomState(0))
    >>> (rows % 2).sum()
    np.int64(5)
    """
    if len(order) <= most:
        return np.arange(len(order))
    sorted_rows = np.lexsort((random.random_sample(len(order)), order))
    return np.sort(sorted_rows[np.linspace(0, len(order) - 1, most).astype(np.intp)])


def split(
    labels: NDArray[Any], classes: bool, seed: int, most: int = FOLDS
) -> list[tuple[Any, Any]]:
    """Return folds, as many as the smallest class of two rows allows; none without two of these.

    >>> len(split(np.array([0] * 30 + [1] * 3), True, 0))
    3
    """
    if not classes:
        return list(KFold(min(most, len(labels)), shuffle=True, random_state=seed).split(labels))
    counts = np.unique(labels, return_counts=True)[1]
    shared = counts[counts > 1]
    if len(shared) < 2:
        return []
    splitter = StratifiedKFold(min(most, int(shared.min())), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class of one row is never right out of fold, which is the truth.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(splitter.split(labels, labels))


def rivals(classes: bool, seed: int, n_jobs: int | None = None) -> tuple[Any, Any]:
    """Return what a model is compared with: one that knows no features, and a forest."""
    settings: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs}
    if classes:
        forest = RandomForestClassifier(FOREST_TREES, **settings)
        return DummyClassifier(strategy="most_frequent"), forest
    return DummyRegressor(), RandomForestRegressor(FOREST_TREES, **settings)
