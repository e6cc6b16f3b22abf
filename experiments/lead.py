"""How far one method is ahead of others, and how sure that is."""

from typing import NamedTuple

import numpy as np

from experiments.folds import Scores, common_folds
from experiments.markdown import signed, table


class Lead(NamedTuple):
    """How far a method is ahead of another, in points."""

    mean: float
    """Mean over data sets of the mean difference on the folds that both have."""
    by_folds: float
    """Its standard error if these data sets are what matters, and if folds were independent: they
    share rows, so that it is larger."""
    by_sets: float
    """Its standard error if they stand for others."""


def lead_of(scores: Scores, method: str, other: str, sets: list[str]) -> Lead:
    """Return how far a method is ahead of another on data sets that have several folds of both."""
    gains = [_gains(scores, method, other, name) for name in sets]
    gains = [each for each in gains if len(each) > 1]
    means = np.array([each.mean() for each in gains])
    within = np.array([each.var(ddof=1) / len(each) for each in gains])
    return Lead(
        mean=float(means.mean()),
        by_folds=float(np.sqrt(within.sum()) / len(means)),
        by_sets=float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else np.nan,
    )


def _gains(scores: Scores, method: str, other: str, name: str) -> np.ndarray:
    """Return what a method gains on another on each fold of a data set, in points."""
    folds = common_folds(scores, [method, other], name)
    return np.array([100 * (scores[method][name][k] - scores[other][name][k]) for k in folds])


def leads(scores: Scores, method: str, others: list[str], sets: list[str]) -> str:
    """Return how far a method is ahead of each other, the nearest first, as Markdown."""
    common = [s for s in sets if all(len(common_folds(scores, [method, m], s)) > 1 for m in others)]
    if not common or not others:
        return ""
    found = sorted((lead_of(scores, method, other, common), other) for other in others)
    rows = [
        [other, signed(lead.mean, 2), f"{lead.by_folds:.2f}", f"{lead.by_sets:.2f}"]
        for lead, other in found
    ]
    return table([f"{method} ahead of", "points", "error by folds", "error by sets"], rows)


def beside_the_first(
    scores: Scores, method: str, methods: list[str], sets: list[str], unit: float
) -> str:
    """Return a method beside the best one on each data set, as Markdown.

    Standard errors are those of folds that are independent, as in `Lead`.
    """
    digits, rows = (1 if unit == 100 else 3), []
    for name in sets:
        folds = common_folds(scores, methods, name)
        if len(folds) > 1:
            all_of = {m: unit * np.array([scores[m][name][k] for k in folds]) for m in methods}
            first = max(methods, key=lambda m: all_of[m].mean())
            ours, best = (_with_error(all_of[m], digits) for m in (method, first))
            rows.append([name, len(folds), ours, best, first])
    return table(["", "folds", method, "the first", "which is"], rows) if rows else ""


def _with_error(values: np.ndarray, digits: int) -> str:
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"
