"""What the clusters of a fitted pipeline are, in the units of the table."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from sfplearn.cli.columns import DATE
from sfplearn.cli.preparation import owners_of
from sfplearn.cli.scoring import some_rows
from sfplearn.estimators.explanation import sayings
from sfplearn.report.clusters import saying
from sfplearn.report.collect import label_names
from sfplearn.report.features import Features, features_of, typical
from sfplearn.report.subject import Subject, subject_of

Array = NDArray[np.float64]

# Rows that typical values are taken from, enough for two digits or three, and those among them
# that are asked what drew them to their cluster.
DESCRIBED_ROWS, ASKED_ROWS = 10_000, 500

# Clusters that are written down, and columns of each.
CLUSTERS_TOLD, COLUMNS_TOLD = 30, 6


def describe_clusters(
    pipeline: Pipeline, X: Any, weight: Array | None, kinds: dict[str, str], seed: int
) -> dict[str, Any]:
    """Return the clusters of a model, heaviest first, as plain values."""
    subject = subject_of(pipeline)
    if subject.why_unreadable:
        return {"why_none": subject.why_unreadable, "cards": []}
    chosen = some_rows(len(X), DESCRIBED_ROWS, seed)
    X = X.iloc[chosen]
    counted = np.ones(len(X)) if weight is None else weight[chosen]
    features, labels = traced(subject, X, kinds), label_names(subject)
    shares = np.asarray(subject.model.memberships(features.prepared), dtype=np.float64)
    rows = counted[:, None] * shares
    says, telling = sayings(subject.model), pulls_of(subject, features, rows, seed)
    order = np.argsort(-rows.sum(axis=0), kind="stable")[:CLUSTERS_TOLD].tolist()
    cards = [
        {
            "cluster": j,
            "share": float(rows[:, j].sum() / counted.sum()),
            "says": saying(says[j], labels),
            "columns": [
                describe_column(features, place, rows[:, j], counted)
                for place in np.argsort(-telling[j], kind="stable")[:COLUMNS_TOLD].tolist()
            ],
        }
        for j in order
    ]
    return {"cards": cards, "left_out": rows.shape[1] - len(cards)}


def pulls_of(subject: Subject, features: Features, rows: Array, seed: int) -> Array:
    """Return how much each column draws rows to each cluster, on average by membership, (k, p)."""
    asked = some_rows(len(rows), ASKED_ROWS, seed)
    k, rows = rows.shape[1], rows[asked]
    why = subject.model.explain(features.prepared.iloc[asked], n_clusters=k)
    pulls = np.empty_like(why.pulls)
    np.put_along_axis(pulls, why.clusters[:, :, None], why.pulls, axis=1)
    mass = np.maximum(rows.sum(axis=0), np.finfo(float).tiny)
    return features.gather(np.einsum("nk,nkp->kp", rows, pulls) / mass[:, None])


def traced(subject: Subject, X: Any, kinds: dict[str, str]) -> Features:
    """Return the columns of a table, and which of them each feature of the model was made of."""
    prepared = subject.prepared(X)
    dates = [name for name, kind in kinds.items() if kind == DATE]
    if not isinstance(subject.steps[0], ColumnTransformer):
        return features_of(subject, X, prepared, dates)
    # Names of features may be mistaken, which the preparation itself cannot be.
    columns = list(X.columns)
    places = {name: place for place, name in enumerate(columns)}
    groups = np.array([places[name] for name in owners_of(subject.steps[0])], dtype=np.intp)
    return Features(columns, groups, {}, X, prepared, list(range(len(columns))), frozenset(dates))


def describe_column(features: Features, place: int, rows: Array, counted: Array) -> dict[str, str]:
    """Return the typical value of a column in a cluster, and in all rows."""
    found = typical(features.column(place), rows, counted)
    return {
        "name": features.names[place],
        "value": _plainer(found["value"]),
        "all": _plainer(found["all"]),
    }


def _plainer(text: str) -> str:
    r"""Return a value without the brackets and blanks that suit a page.

    >>> _plainer("female (85\xa0%)")
    'female 85 %'
    """
    text = text.replace("\xa0", " ")
    return re.sub(r" \((\S+ %)\)$", r" \1", text)
