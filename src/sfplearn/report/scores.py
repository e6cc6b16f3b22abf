"""How good a model is: scores beside others, confusion, calibration, residuals."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, mean_absolute_error, r2_score

from sfplearn.report.evidence import Evidence
from sfplearn.report.words import counted, number, percent, plain, shortened

Array = NDArray[np.float64]

# Classes with a row of their own in the confusion matrix; the others are one.
CONFUSED_CLASSES = 16
# Bins of calibration and residuals, and points of a scatter.
CALIBRATION_BINS, RESIDUAL_BINS, SCATTER_POINTS = 10, 21, 600

NOTES = {
    "cross-validated": "Each of {folds} parts of {rows} was predicted by a model fitted to the "
    "other parts, so every prediction is of a row that the model had not seen.",
    "unseen": "Scored on {rows} that were handed in as rows the model had not seen.",
    "training": "Scored on {rows} that the model was fitted to, as it could not be fitted anew "
    "without some of them. New rows will be predicted less well.",
}
SEARCHED = " Settings were chosen with the help of these rows, so this is a little too good."


def score_section(
    evidence: Evidence,
    labels: list[str] | None,
    given: Mapping[str, float] | None,
    *,
    total: int,
    was_searched: bool,
) -> dict[str, Any]:
    """Return all that tells how good the predictions are."""
    scoring = _accuracy if labels is not None else _r2
    rows = counted(len(evidence.index), "row")
    if len(evidence.index) < total:
        rows = f"a sample of {rows}"
    note = NOTES[evidence.kind].format(folds=evidence.folds, rows=rows)
    content = {
        "evidence": evidence.kind,
        "note": note + (SEARCHED if was_searched and evidence.kind != "unseen" else ""),
        "rows": len(evidence.index),
        "folds": evidence.folds,
        "measure": "accuracy" if labels is not None else "R²",
        "value": plain(scoring(evidence, evidence.predicted)),
        "models": models_table(evidence, scoring, given),
        "given": bool(given),
    }
    if labels is not None:
        content["confusion"] = confusion(evidence, labels)
        content["calibration"] = calibration(evidence)
    else:
        content["residuals"] = residuals(evidence)
    content["verdict"] = verdict(evidence, content, labels)
    return content


def _accuracy(evidence: Evidence, predicted: NDArray[Any]) -> float:
    return float(accuracy_score(evidence.truth, predicted, sample_weight=evidence.weight))


def _r2(evidence: Evidence, predicted: NDArray[Any]) -> float:
    if np.ptp(evidence.truth) == 0:
        return float("nan")
    return float(r2_score(evidence.truth, predicted, sample_weight=evidence.weight))


def models_table(
    evidence: Evidence, scoring: Any, given: Mapping[str, float] | None
) -> list[dict[str, Any]]:
    """Return the score of this model and of others, best first."""
    scores = {name: scoring(evidence, said) for name, said in evidence.others.items()}
    scores |= {shortened(name): float(value) for name, value in (given or {}).items()}
    rows = [{"name": name, "score": plain(value), "own": False} for name, value in scores.items()]
    own = plain(scoring(evidence, evidence.predicted))
    rows.append({"name": "this model", "score": own, "own": True})
    return sorted(rows, key=lambda row: -np.inf if row["score"] is None else -row["score"])


def confusion(evidence: Evidence, labels: list[str]) -> dict[str, Any]:
    """Return counts of true and predicted classes; rare classes are one."""
    frequent = np.argsort(-np.bincount(evidence.truth, minlength=len(labels)), kind="stable")
    # A lone class need not hide behind "other".
    many = len(labels) > CONFUSED_CLASSES
    kept = np.sort(frequent[: CONFUSED_CLASSES - 1 if many else len(labels)])
    place = np.full(len(labels), len(kept))
    place[kept] = np.arange(len(kept))
    names = [labels[code] for code in kept]
    names += [f"{len(labels) - len(kept)} other classes"] if many else []
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (place[evidence.truth], place[evidence.predicted]), 1)
    return {"labels": names, "counts": counts.tolist()}


def calibration(evidence: Evidence) -> dict[str, Any] | None:
    """Return how often the predicted class was right, by how probable it was said to be."""
    if evidence.probabilities is None:
        return None
    sure = evidence.probabilities[np.arange(len(evidence.truth)), evidence.predicted]
    right = evidence.predicted == evidence.truth
    bins = np.minimum((sure * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    points = [
        {
            "said": plain(sure[bins == b].mean()),
            "right": plain(right[bins == b].mean()),
            "rows": int((bins == b).sum()),
        }
        for b in np.unique(bins)
    ]
    return {"points": points, "gap": plain(sure.mean() - right.mean())}


def residuals(evidence: Evidence) -> dict[str, Any]:
    """Return errors of numbers: in all, as counts, and points of truth against prediction."""
    truth, predicted = evidence.truth, evidence.predicted
    errors = predicted - truth
    counts, edges = np.histogram(errors, bins=RESIDUAL_BINS)
    shown = np.linspace(0, len(truth) - 1, min(SCATTER_POINTS, len(truth))).astype(int)
    return {
        "r2": plain(_r2(evidence, predicted)),
        "mae": plain(mean_absolute_error(truth, predicted, sample_weight=evidence.weight)),
        "bias": plain(np.average(errors, weights=evidence.weight)),
        "half_within": plain(np.median(np.abs(errors))),
        "counts": counts.tolist(),
        "edges": [plain(edge) for edge in edges],
        "points": [
            [int(evidence.index[i]), plain(truth[i]), plain(predicted[i])] for i in shown.tolist()
        ],
    }


def verdict(evidence: Evidence, content: dict[str, Any], labels: list[str] | None) -> str:
    """Return one sentence that anyone understands."""
    rows = "rows it was fitted to" if evidence.kind == "training" else "rows it had not seen"
    if labels is not None:
        counts = np.bincount(evidence.truth, evidence.weight, minlength=len(labels))
        usual, share = labels[int(counts.argmax())], counts.max() / counts.sum()
        return (
            f"Right for {percent(content['value'])} of {rows}, where always saying “{usual}” "
            f"would be right for {percent(share)}."
        )
    middle = np.average(evidence.truth, weights=evidence.weight)
    off = np.average(np.abs(evidence.truth - middle), weights=evidence.weight)
    explained = max(content["value"] or 0.0, 0.0)
    return (
        f"Off by {number(content['residuals']['mae'])} on average for {rows}, where always saying "
        f"the mean would be off by {number(off)}; it explains {percent(explained)} of the variance."
    )
