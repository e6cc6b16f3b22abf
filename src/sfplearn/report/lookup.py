"""Rows to look up: what they hold, what was predicted, and what decided it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.report.clusters import saying
from sfplearn.report.columns import column_of, names_of, shape_of, take
from sfplearn.report.evidence import Evidence, predictions
from sfplearn.report.features import Features
from sfplearn.report.folds import stratified
from sfplearn.report.subject import Subject
from sfplearn.report.words import plain, shortened

Array = NDArray[np.float64]

# Rows of a page, and the part of them that may be wrong ones: these are looked for most.
ROWS_SHOWN, WRONG_PART = 500, 0.4
# Columns of a row, clusters that decided, and features that drew it there.
VALUES_SHOWN, CLUSTERS_TOLD, FEATURES_TOLD = 20, 3, 5
# Letters that all rows may take, so that a page stays light whatever the table.
LETTERS = 1_000_000
# Numbers that explanations hold at a time.
CELLS = 2_000_000
# Numbers that are missed by more than those of so many rows are told of as far off.
FAR_OFF = 0.9


def is_wrong(evidence: Evidence, classes: bool) -> NDArray[np.bool_]:
    """Tell which predictions are wrong, or far off."""
    if classes:
        return np.asarray(evidence.predicted != evidence.truth)
    missed = np.abs(evidence.predicted - evidence.truth)
    return np.asarray((missed >= np.quantile(missed, FAR_OFF)) & (missed > 0))


def chosen_rows(evidence: Evidence, wrong: NDArray[np.bool_], random: Any) -> NDArray[np.intp]:
    """Return places in the evidence of rows to show: wrong ones, and others of all labels."""
    bad = np.flatnonzero(wrong)
    bad = bad[stratified(evidence.truth[bad], int(WRONG_PART * ROWS_SHOWN), random)]
    good = np.flatnonzero(~wrong)
    good = good[stratified(evidence.truth[good], ROWS_SHOWN - len(bad), random)]
    return np.sort(np.concatenate([bad, good]))


def lookup_section(
    subject: Subject,
    X: Any,
    evidence: Evidence,
    features: Features | None,
    described: dict[str, Any],
    labels: list[str] | None,
    random: Any,
) -> dict[str, Any]:
    """Return rows with their predictions and, for models that can be read, values and reasons."""
    wrong = is_wrong(evidence, labels is not None)
    chosen = chosen_rows(evidence, wrong, random)
    table = take(X, evidence.index[chosen])
    said, _ = predictions(subject.given, table, subject.model.classes_ if labels else None)
    rows = [
        answer(evidence, i, predicted, bool(wrong[i]))
        for i, predicted in zip(chosen.tolist(), said, strict=True)
    ]
    if features is None:
        names = [shortened(name) for name in names_of(table, shape_of(table)[1])[:VALUES_SHOWN]]
        columns = [column_of(table, j) for j in range(len(names))]
    else:
        own = replace(features, table=table, prepared=subject.prepared(table), columns={})
        first = described["most_important"][:VALUES_SHOWN]
        names, columns = [own.names[j] for j in first], [own.column(j) for j in first]
        for row, why in zip(rows, reasons_of(subject, own, labels), strict=True):
            row["clusters"] = why
    for place, row in enumerate(rows):
        row["values"] = [column.cell(place) for column in columns]
    return {"features": names, "of": len(evidence.index), "rows": within_letters(rows)}


def answer(evidence: Evidence, i: int, predicted: Any, wrong: bool) -> dict[str, Any]:
    """Return truth and predictions of a row, as codes of classes or as numbers."""
    as_plain: Any = int if evidence.truth.dtype.kind == "i" else plain
    return {
        "row": int(evidence.index[i]),
        "truth": as_plain(evidence.truth[i]),
        "predicted": as_plain(predicted),
        "unseen": None if evidence.kind == "training" else as_plain(evidence.predicted[i]),
        "wrong": wrong,
    }


def reasons_of(
    subject: Subject, own: Features, labels: list[str] | None
) -> Iterator[list[dict[str, Any]]]:
    """Yield the clusters that decided about each row, and the features that drew it there."""
    n, p = shape_of(own.prepared)
    step = max(1, CELLS // (CLUSTERS_TOLD * p))
    for start in range(0, n, step):
        block = np.arange(start, min(start + step, n))
        why = subject.model.explain(take(own.prepared, block), n_clusters=CLUSTERS_TOLD)
        for i in range(len(block)):
            yield [
                {
                    "cluster": int(why.clusters[i, rank]),
                    "membership": plain(why.memberships[i, rank]),
                    "says": briefly(saying(why.says[i, rank], labels)),
                    **drawn_by(why, (i, rank), own, start + i),
                }
                for rank in range(why.clusters.shape[1])
            ]


def briefly(says: dict[str, Any]) -> dict[str, Any]:
    """Return what a cluster says without the names of classes, which the page knows."""
    if "mix" not in says:
        return says
    return says | {"mix": [{"class": m["class"], "share": m["share"]} for m in says["mix"]]}


def drawn_by(why: Any, at: tuple[int, int], own: Features, place: int) -> dict[str, Any]:
    """Return the distance of a row from a cluster, and the features that count in it most."""
    pulls, parts = own.gather(why.pulls[at]), own.gather(why.contributions[at])
    told = np.argsort(-pulls, kind="stable")[:FEATURES_TOLD].tolist()
    return {
        "distance": plain(why.distances[at]),
        "features": [
            {
                "feature": own.names[j],
                "value": own.column(j).cell(place),
                "pull": plain(pulls[j]),
                "contribution": plain(parts[j]),
            }
            for j in told
        ],
        "rest": plain(why.distances[at] - parts[told].sum()),
    }


def within_letters(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return as many rows, spread evenly, as the page has room for."""
    letters = sum(len(json.dumps(row)) for row in rows)
    if letters <= LETTERS:
        return rows
    kept = np.linspace(0, len(rows) - 1, max(1, int(len(rows) * LETTERS / letters))).astype(int)
    return [rows[i] for i in np.unique(kept)]
