"""From a fitted estimator and its rows to a plain dictionary: all that a report tells."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from sfplearn.report.clusters import Truth, describe
from sfplearn.report.columns import row_numbers, shape_of, take
from sfplearn.report.evidence import MOST_CELLS, MOST_ROWS, codes_of, gather
from sfplearn.report.features import Features, features_of
from sfplearn.report.folds import stratified
from sfplearn.report.lookup import lookup_section
from sfplearn.report.scores import score_section
from sfplearn.report.subject import Subject, check_data, subject_of
from sfplearn.report.training import training_section, versions
from sfplearn.report.words import TITLE_LENGTH, plain, shortened

# Rows that clusters are described by at most: means over more do not differ visibly.
DESCRIBED_ROWS, DESCRIBED_CELLS = 20_000, 20_000_000

# What seeds of folds and samples are drawn below.
SEEDS = 2**31 - 1


def collect(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    title: str | None = None,
    source: str | None = None,
    scores: Mapping[str, float] | None = None,
    unseen: bool = False,
    searched: bool = False,
    dates: Collection[str] = (),
    random_state: Any = 0,
) -> dict[str, Any]:
    """Return all that a report tells, as numbers, text, lists and dictionaries.

    See `Report` for the parameters.
    """
    subject = subject_of(estimator)
    subject = replace(subject, was_searched=subject.was_searched or searched)
    y, weight, labelled = check_data(subject, X, y, sample_weight)
    labels = label_names(subject)
    coded = coded_labels(subject, y, labelled)
    random = check_random_state(random_state)
    seed = random_state if isinstance(random_state, int) else int(random.randint(SEEDS))
    rows = scored_rows(X, coded, labelled, random)
    judging: dict[str, Any] = {"unseen": unseen, "compare": scores is None, "seed": seed}
    evidence = gather(subject, X, coded, weight, rows, **judging)
    truth = Truth(coded, labelled, labels)
    features, described = read_model(subject, X, truth, weight, random, dates)
    about: dict[str, Any] = {"total": int(labelled.sum()), "was_searched": subject.was_searched}
    content = {
        **head(subject, title, source),
        "data": data_section(coded, labelled, labels, X, features),
        "score": score_section(evidence, labels, scores, **about),
        "clusters": public(described),
        "training": training_section(subject.model),
        "lookup": lookup_section(subject, X, evidence, features, described, labels, random),
    }
    return renumbered(content, row_numbers(X))


def renumbered(content: dict[str, Any], numbers: NDArray[Any]) -> dict[str, Any]:
    """Give rows the numbers that the table gives them, in place of their position."""
    for row in content["lookup"]["rows"]:
        row["row"] = int(numbers[row["row"]])
    for point in content["score"].get("residuals", {}).get("points", []):
        point[0] = int(numbers[point[0]])
    return content


def label_names(subject: Subject) -> list[str] | None:
    """Return the names of classes, None for numbers."""
    if not subject.is_classifier:
        return None
    return [shortened(label) for label in subject.model.classes_.tolist()]


def coded_labels(subject: Subject, y: NDArray[Any], labelled: NDArray[np.bool_]) -> NDArray[Any]:
    """Return labels as codes of classes, or as numbers; whatever for rows without one."""
    if not subject.is_classifier:
        return y.astype(np.float64)
    coded = np.zeros(len(y), dtype=np.intp)
    coded[labelled] = codes_of(y[labelled], subject.model.classes_)
    return coded


def scored_rows(
    X: Any, coded: NDArray[Any], labelled: NDArray[np.bool_], random: Any
) -> NDArray[np.intp]:
    """Return the labelled rows that predictions are judged on, at most so many."""
    rows = np.flatnonzero(labelled)
    most = max(1, min(MOST_ROWS, MOST_CELLS // shape_of(X)[1]))
    return rows[stratified(coded[rows], most, random)]


def read_model(
    subject: Subject,
    X: Any,
    truth: Truth,
    weight: Any,
    random: Any,
    dates: Collection[str],
) -> tuple[Features | None, dict[str, Any]]:
    """Return features and a description of clusters, or why there are none."""
    if subject.why_unreadable is not None:
        return None, {"why_not": subject.why_unreadable}
    n, p = shape_of(X)
    most = max(1, min(DESCRIBED_ROWS, DESCRIBED_CELLS // p))
    rows = stratified(np.zeros(n), most, random)
    table = take(X, rows)
    prepared = subject.prepared(table)
    features = features_of(subject, table, prepared, dates)
    u = np.asarray(subject.model.memberships(prepared), dtype=np.float64)
    counts = np.ones(len(rows)) if weight is None else weight[rows]
    described = describe(subject, features, u, counts, truth.take(rows))
    return features, {"why_not": None, **described}


def public(described: dict[str, Any]) -> dict[str, Any]:
    """Return a description without what only the look-up needs."""
    return {key: value for key, value in described.items() if key != "most_important"}


def head(subject: Subject, title: str | None, source: str | None) -> dict[str, Any]:
    """Return what was fitted on what, and when it was told."""
    name = None if source is None else shortened(source)
    usual = "What SFP learned" + (f" from {name}" if name else "")
    return {
        "title": shortened(title or usual, TITLE_LENGTH),
        "source": name,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions(),
        "model": {
            "name": type(subject.model).__name__,
            "kind": "classifier" if subject.is_classifier else "regressor",
            "steps": [type(step).__name__ for step in subject.steps],
            "searched": subject.was_searched,
        },
    }


def data_section(
    coded: NDArray[Any],
    labelled: NDArray[np.bool_],
    labels: list[str] | None,
    X: Any,
    features: Features | None,
) -> dict[str, Any]:
    """Return the size of the table and what its labels are."""
    n, p = shape_of(X)
    content: dict[str, Any] = {"rows": n, "columns": p, "unlabelled": int((~labelled).sum())}
    content["features"] = p if features is None else len(features.groups)
    y = coded[labelled]
    if labels is None:
        about = {"mean": y.mean(), "sd": y.std(), "least": y.min(), "most": y.max()}
        return content | {"target": {name: plain(value) for name, value in about.items()}}
    counts = np.bincount(y, minlength=len(labels))
    classes = [
        {"label": label, "rows": int(count)} for label, count in zip(labels, counts, strict=True)
    ]
    return content | {"classes": classes}
