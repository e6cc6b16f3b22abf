"""Why rows are predicted as they are, in the words of the table."""

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from sfplearn.cli.clusters import traced
from sfplearn.cli.columns import DATE
from sfplearn.report.clusters import saying
from sfplearn.report.collect import label_names
from sfplearn.report.columns import date_of
from sfplearn.report.subject import subject_of

# Columns that are told of a row.
REASONS = 3

# Rows that are explained at a time: a few numbers for each cluster and feature.
ROWS_AT_A_TIME = 2000

CLUSTER, MEMBERSHIP, SAYS = "cluster", "membership", "cluster_says"


def names() -> list[str]:
    """Return the columns that explanations add."""
    return [CLUSTER, MEMBERSHIP, SAYS, *(f"reason_{i + 1}" for i in range(REASONS))]


def explain_rows(pipeline: Pipeline, X: Any, kinds: dict[str, str]) -> dict[str, list[Any]]:
    """Return for each row its cluster, what that says, and the columns that drew it there."""
    found: dict[str, list[Any]] = {name: [] for name in names()}
    for first in range(0, len(X), ROWS_AT_A_TIME):
        some = X.iloc[first : first + ROWS_AT_A_TIME]
        for name, values in _explain_some(pipeline, some, kinds).items():
            found[name] += values
    return found


def _explain_some(pipeline: Pipeline, X: Any, kinds: dict[str, str]) -> dict[str, list[Any]]:
    subject = subject_of(pipeline)
    if subject.why_unreadable:
        raise ValueError(subject.why_unreadable)
    features, labels = traced(subject, X, kinds), label_names(subject)
    why = subject.model.explain(features.prepared, n_clusters=1)
    # Features that were made of one column are told as one.
    pulls = features.gather(why.pulls[:, 0])
    told = [_reasons(X, pulls, row, kinds) for row in range(len(X))]
    return {
        CLUSTER: why.clusters[:, 0].tolist(),
        MEMBERSHIP: why.memberships[:, 0].round(4).tolist(),
        SAYS: [_said(saying(said, labels)) for said in why.says[:, 0]],
        **{f"reason_{i + 1}": [row[i] for row in told] for i in range(REASONS)},
    }


def _reasons(X: Any, pulls: Any, row: int, kinds: dict[str, str]) -> list[str]:
    """Return the columns that drew a row to its cluster, strongest first, as name = value."""
    order = np.argsort(-pulls[row], kind="stable")[:REASONS]
    lines = [
        f"{X.columns[place]} = {_value(X.iat[row, place], kinds[X.columns[place]])}"
        for place in order
        if pulls[row, place] > 0
    ]
    return lines + [""] * (REASONS - len(lines))


def _value(value: Any, kind: str) -> str:
    if value is None or value != value:
        return "missing"
    if isinstance(value, str | bool):
        return str(value)
    return date_of(float(value)) if kind == DATE else f"{float(value):.6g}"


def _said(says: dict[str, Any]) -> str:
    """Return the likeliest class and its share, or a number."""
    if "mix" not in says:
        return f"{says['numbers'][0]:.6g}"
    likeliest = says["mix"][0]
    return f"{likeliest['label']} ({likeliest['share']:.0%})"
