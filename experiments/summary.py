"""What scores of a comparison say: means over the folds that methods share, ranks and wins."""

from typing import NamedTuple

import numpy as np

from experiments.folds import Scores, common_folds


class Table(NamedTuple):
    """Means of some methods on some data sets, over the folds that all of them have."""

    methods: list[str]
    sets: list[str]
    mean: np.ndarray
    """Of shape (sets, methods)."""
    folds: list[int]
    """Folds that are compared, of each data set."""


def table_of(scores: Scores, methods: list[str], sets: list[str]) -> Table:
    """Compare methods on the folds that all have; data sets without such folds are left out."""
    common = {s: common_folds(scores, methods, s) for s in sets}
    sets = [s for s in sets if common[s]]
    means = [[np.mean([scores[m][s][k] for k in common[s]]) for m in methods] for s in sets]
    mean = np.array(means).reshape(len(sets), len(methods))
    return Table(methods, sets, mean, [len(common[s]) for s in sets])


def ranks(table: Table) -> np.ndarray:
    """Return the mean rank of each method, 1 for the best; equals share theirs."""
    better = (table.mean[:, None, :] > table.mean[:, :, None] + 1e-12).sum(axis=2)
    equal = (np.abs(table.mean[:, None, :] - table.mean[:, :, None]) <= 1e-12).sum(axis=2)
    return (better + (equal + 1) / 2).mean(axis=0)


def wins(table: Table) -> np.ndarray:
    """Return on how many data sets each method is the best, or one of them."""
    return (table.mean >= table.mean.max(axis=1, keepdims=True) - 1e-12).sum(axis=0)
