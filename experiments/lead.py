"""How far one method is ahead of others, and how sure that is."""

from typing import NamedTuple

import numpy as np

from experiments.folds import Scores, common_folds


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
    """Return how far a method is ahead of each other, as text."""
    common = [s for s in sets if all(len(common_folds(scores, [method, m], s)) > 1 for m in others)]
    if not common or not others:
        return ""
    found = sorted((lead_of(scores, method, other, common), other) for other in others)
    title = f"{method} ahead of, in points (standard error by folds, by sets)"
    lines = [f"{title}: {len(common)} of {len(sets)} sets"]
    lines += [
        f"  {other:22} {lead.mean:8.2f} ({lead.by_folds:.2f}, {lead.by_sets:.2f})"
        for lead, other in found
    ]
    return "\n".join(lines)


def beside_the_first(
    title: str, scores: Scores, method: str, methods: list[str], sets: list[str], unit: float
) -> str:
    """Return a method beside the best one on each data set, as text.

    Standard errors are those of folds that are independent, as in `Lead`.
    """
    digits, lines = (1 if unit == 100 else 3), [title]
    for name in sets:
        folds = common_folds(scores, methods, name)
        if len(folds) > 1:
            all_of = {m: unit * np.array([scores[m][name][k] for k in folds]) for m in methods}
            first = max(methods, key=lambda m: all_of[m].mean())
            ours, best = (_with_error(all_of[m], digits) for m in (method, first))
            lines.append(f"  {name:22} {ours:>16}   first: {best} ({first})")
    return "\n".join(lines) if len(lines) > 1 else ""


def _with_error(values: np.ndarray, digits: int) -> str:
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.{digits}f} ± {error:.{digits}f}"
