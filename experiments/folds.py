"""Numbers of a comparison by method, data set and fold."""

from collections import defaultdict
from typing import Any

Fold = tuple[int, int]
Scores = dict[str, dict[str, dict[Fold, float]]]
"""Method, data set, (repeat, fold) to a number."""


def scores_of(records: list[dict[str, Any]], field: str) -> Scores:
    """Return a field of records by method, data set and fold."""
    scores: Scores = defaultdict(lambda: defaultdict(dict))
    for record in records:
        if field in record:
            key = record["repeat"], record["fold"]
            scores[record["method"]][record["data"]][key] = record[field]
    return scores


def common_folds(scores: Scores, methods: list[str], name: str) -> list[Fold]:
    """Return the folds of a data set that all methods have; no methods have none."""
    each = [set(scores[m][name]) for m in methods]
    return sorted(set.intersection(*each)) if each else []
