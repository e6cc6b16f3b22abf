"""Outcomes of candidates as the table that scikit-learn's searches have."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from sfplearn.tuning.candidates import Candidate
from sfplearn.tuning.trials import Outcome

Array = NDArray[np.float64]


def table_of(candidates: list[Candidate], outcomes: list[Outcome]) -> dict[str, Any]:
    """Return `cv_results_`: a column of each setting, score and time, a row a candidate."""
    scores = np.array([outcome.scores for outcome in outcomes])
    table: dict[str, Any] = {"params": candidates}
    for name in dict.fromkeys(name for candidate in candidates for name in candidate):
        table[f"param_{name}"] = _column([candidate.get(name) for candidate in candidates])
    for fold, column in enumerate(scores.T):
        table[f"split{fold}_test_score"] = column
    table["mean_test_score"], table["std_test_score"] = _mean_and_std(scores)
    table["rank_test_score"] = _ranks(table["mean_test_score"])
    short = np.array([outcome.is_short for outcome in outcomes])
    if short.any():
        table["was_halved"] = short
    for name, field in (("fit", "fit_seconds"), ("score", "score_seconds")):
        seconds = np.array([getattr(outcome, field) for outcome in outcomes])
        table[f"mean_{name}_time"], table[f"std_{name}_time"] = _mean_and_std(seconds)
    return table


def _mean_and_std(table: Array) -> tuple[Array, Array]:
    """Return those of each row, over the folds that were tried; NaN of failures."""
    tried = ~np.isnan(table).all(axis=1)
    mean, std = np.full((2, len(table)), np.nan)
    mean[tried], std[tried] = np.nanmean(table[tried], axis=1), np.nanstd(table[tried], axis=1)
    return mean, std


def _column(values: list[Any]) -> NDArray[Any]:
    """Return values as an array of objects, whatever they are."""
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return 1 for the highest score; equals share the better rank, failures come last."""
    known = np.where(np.isnan(scores), -np.inf, scores)
    return rankdata(-known, method="min").astype(int)
