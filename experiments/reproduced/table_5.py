"""Accuracy, balanced accuracy and AUC of six methods on the gene sets.

What the paper calls AUC looks like balanced accuracy of predicted labels. If it is, it and
accuracy follow from sensitivity and specificity, which can then be recovered from the two.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from experiments.accuracy import FOLDS
from experiments.comparison import METHODS, measured, settings_of
from experiments.folds import scores_of
from experiments.markdown import signed, table
from experiments.reported import ACCURACY_COLUMNS, GENE_ACCURACY, GENE_AUC
from experiments.summary import Table, table_of

TITLE = "Table 5: accuracy and AUC on the gene sets"

FAST_METHODS = ["KNN", "SVM-linear", "SFP default"]

# The paper has 20. A fold of lung takes SFP's search six times as long as one of leukemia.
REPEATS = {"colon": 20, "leukemia": 20, "lung": 2, "lymphoma": 20}
FAST_REPEATS = {"colon": 1}

# To recover rates multiplies errors by all rows over the difference of the sizes of the classes:
# too much where that difference is a smaller share; and elsewhere the paper's three digits leave
# rates uncertain by up to ROUNDING.
LEAST_CONTRAST, ROUNDING = 0.1, 0.005

FIELDS = ("accuracy", "balanced", "auc")


def compute(run: Any) -> dict[str, Any]:
    """Return means over the folds that all methods have."""
    sets, methods = asked(run)
    records = records_of(run)
    tables = {f: table_of(scores_of(records, f), methods, list(sets)) for f in FIELDS}
    spread = _spread(records)
    found = {}
    for i, name in enumerate(tables["accuracy"].sets):
        means = {f: by_method(tables[f], i) for f in FIELDS}
        repeats = tables["accuracy"].folds[i] / FOLDS
        found[name] = {**means, "repeats": repeats, "rows": class_sizes(records, name)}
        found[name]["spread"] = {method: spread.get((name, method)) for method in methods}
    return {"settings": {"folds": FOLDS, **settings_of(sets, methods)}, "sets": found}


def by_method(of: Table, i: int) -> dict[str, float]:
    """Return the means of a data set by method."""
    return dict(zip(of.methods, of.mean[i].round(5).tolist(), strict=True))


def asked(run: Any) -> tuple[dict[str, int], list[str]]:
    """Return the repeats of each data set, and the methods, that a run asks for."""
    return (FAST_REPEATS, FAST_METHODS) if run.fast else (REPEATS, METHODS)


def records_of(run: Any) -> list[dict[str, Any]]:
    """Return the records that a run asks for, with rates of both classes."""
    return [{**record, **rates(record["hits"])} for record in measured(run, *asked(run))]


def rates(hits: Iterable[int]) -> dict[str, float]:
    """Return sensitivity, specificity and their mean."""
    true_positive, positive, true_negative, negative = hits
    sensitivity, specificity = true_positive / positive, true_negative / negative
    balanced = (sensitivity + specificity) / 2
    return {"sensitivity": sensitivity, "specificity": specificity, "balanced": balanced}


def class_sizes(records: list[dict[str, Any]], name: str) -> list[int]:
    """Return how many rows of a data set are positive and negative, from the folds of a repeat."""
    of: dict[int, dict[int, list[int]]] = {}
    for r in records:
        if r["data"] == name:
            of.setdefault(r["repeat"], {})[r["fold"]] = r["hits"]
    folds = max(of.values(), key=len)
    return [sum(hits[1] for hits in folds.values()), sum(hits[3] for hits in folds.values())]


def _spread(records: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Return the standard deviation of accuracy between repeats that are whole, if some are."""
    each: dict[tuple[str, str], dict[int, list[float]]] = {}
    for r in records:
        of = each.setdefault((r["data"], r["method"]), {})
        of.setdefault(r["repeat"], []).append(r["accuracy"])
    means = {key: [np.mean(a) for a in of.values() if len(a) == FOLDS] for key, of in each.items()}
    return {key: round(float(np.std(m, ddof=1)), 5) for key, m in means.items() if len(m) > 1}


def reported(name: str, method: str) -> tuple[float, float] | None:
    """Return the paper's accuracy and AUC, in shares, if it has them."""
    column = "SFP" if method == "SFP as in the paper" else method
    if column not in ACCURACY_COLUMNS:
        return None
    i = ACCURACY_COLUMNS.index(column)
    return GENE_ACCURACY[name][i] / 100, GENE_AUC[name][i]


def implied_rates(accuracy: float, balanced: float, rows: list[int]) -> tuple[float, float]:
    """Return the sensitivity and specificity that have this accuracy and this mean."""
    positive = rows[0] / sum(rows)
    sensitivity = (accuracy - 2 * (1 - positive) * balanced) / (2 * positive - 1)
    return sensitivity, 2 * balanced - sensitivity


def tells_rates(rows: list[int]) -> bool:
    """Tell whether classes differ enough in size for rates to follow from rounded figures."""
    return abs(rows[0] - rows[1]) / sum(rows) > LEAST_CONTRAST


def describe(found: dict[str, Any]) -> str:
    """Return the paper's table beside ours, and what it calls AUC."""
    repeats = ", ".join(f"{name} {of['repeats']:g}" for name, of in found["sets"].items())
    absent = [name for name in found["settings"]["repeats"] if name not in found["sets"]]
    head = (
        "The paper: SFP is the most accurate on Colon and Leukemia, by AUC too; SVM-linear and "
        f"random forest are on Lung and Lymphoma. Ours is nested {FOLDS}-fold cross-validation "
        f"on the same folds for all methods. Repeats: {repeats}; the paper has 20."
        + (f" Not yet measured: {', '.join(absent)}." if absent else "")
    )
    names = ["accuracy, paper", "ours", "difference"]
    names += ["AUC, paper", "balanced accuracy, ours", "difference", "AUC, ours"]
    rows = [_row(n, m, of) for n, of in found["sets"].items() for m in of["accuracy"]]
    parts = [head, table(["", *names], rows), _what_auc_is(found), _claims(found)]
    return "\n\n".join([*parts, _beyond_noise(found)])


def _row(name: str, method: str, of: dict[str, Any]) -> list[str]:
    ours = [of[field][method] for field in FIELDS]
    theirs = reported(name, method)
    accuracy, balanced, auc = f"{100 * ours[0]:.1f}", f"{ours[1]:.3f}", f"{ours[2]:.3f}"
    label = f"{name.capitalize()}: {method}"
    if theirs is None:
        return [label, "", accuracy, "", "", balanced, "", auc]
    apart = signed(100 * (ours[0] - theirs[0])), signed(ours[1] - theirs[1], 3)
    paper = f"{100 * theirs[0]:.1f}", f"{theirs[1]:.3f}"
    return [label, paper[0], accuracy, apart[0], paper[1], balanced, apart[1], auc]


def _what_auc_is(found: dict[str, Any]) -> str:
    """Say whether the paper's AUC can be balanced accuracy, and whether ours could be taken so."""
    near: dict[str, list[float]] = {"balanced": [], "auc": []}
    fits: dict[str, list[bool]] = {"paper": [], "ours": []}
    for name, of in found["sets"].items():
        for method in of["accuracy"]:
            theirs, ours = reported(name, method), (of["accuracy"][method], of["auc"][method])
            if theirs is not None:
                for field, apart in near.items():
                    apart.append(abs(theirs[1] - of[field][method]))
                if tells_rates(of["rows"]):
                    fits["paper"].append(_can_be_balanced(*theirs, of["rows"]))
                    fits["ours"].append(_can_be_balanced(*ours, of["rows"]))
    return (
        "If AUC in the paper is balanced accuracy of predicted labels, it gives, with accuracy, "
        f"rates of both classes between 0 and 1. It does in {sum(fits['paper'])} of "
        f"{len(fits['paper'])} cells of sets whose classes differ in size; our accuracy and AUC "
        f"of probabilities do in {sum(fits['ours'])}. It is {np.mean(near['balanced']):.3f} from "
        f"our balanced accuracy on average, and {np.mean(near['auc']):.3f} from our AUC."
        f"{_on_equal_classes(found['sets'])}"
    )


def _can_be_balanced(accuracy: float, auc: float, rows: list[int]) -> bool:
    return all(abs(rate - 0.5) <= 0.5 + ROUNDING for rate in implied_rates(accuracy, auc, rows))


def _on_equal_classes(sets: dict[str, Any]) -> str:
    """Say how far the paper's AUC and accuracy are apart where balance makes no difference."""
    if "lymphoma" not in sets:
        return ""
    pairs = zip(GENE_ACCURACY["lymphoma"], GENE_AUC["lymphoma"], strict=True)
    theirs = max(abs(accuracy / 100 - auc) for accuracy, auc in pairs)
    of = sets["lymphoma"]
    ours = np.mean([of["auc"][m] - of["accuracy"][m] for m in of["auc"]])
    return (
        f" On Lymphoma, with {of['rows'][0]} and {of['rows'][1]} rows, no AUC in the paper is more "
        f"than {theirs:.3f} from accuracy; ours exceeds it by {ours:.3f} on average."
    )


def _claims(found: dict[str, Any]) -> str:
    """Return the best methods and the place of SFP, in the paper and here."""
    rows = []
    for name, of in found["sets"].items():
        theirs = dict(zip(ACCURACY_COLUMNS, GENE_ACCURACY[name], strict=True))
        their_auc = dict(zip(ACCURACY_COLUMNS, GENE_AUC[name], strict=True))
        ours = of["accuracy"]
        places = _place(theirs, "SFP"), _place(ours, list(ours)[-1])
        best = _best(theirs), _best(ours), _best(their_auc), _best(of["balanced"])
        rows.append([name.capitalize(), *best, *places, signed(places[1] - places[0], 0)])
    names = ["best accuracy, paper", "ours", "best AUC, paper", "best balanced accuracy, ours"]
    return table(["", *names, "place of SFP by accuracy, paper", "ours", "difference"], rows)


def _best(scores: dict[str, float]) -> str:
    top = [method for method, value in scores.items() if value >= max(scores.values()) - 1e-9]
    return ", ".join(top)


def _place(scores: dict[str, float], method: str) -> int:
    return 1 + sum(value > scores[method] + 1e-9 for value in scores.values())


def _beyond_noise(found: dict[str, Any]) -> str:
    """List differences of accuracy that are larger than repeats differ among themselves."""
    said, compared = [], 0
    for name, of in found["sets"].items():
        for method, spread in of["spread"].items():
            theirs = reported(name, method)
            if theirs is None or spread is None:
                continue
            compared += 1
            apart = of["accuracy"][method] - theirs[0]
            if abs(apart) > 2 * max(spread, 0.0005):
                said.append(f"{method} on {name} ({signed(100 * apart)})")
    if not compared:
        return "With one repeat there is no telling which differences are chance."
    some = f": {', '.join(said)}." if said else "."
    return (
        f"{len(said)} of {compared} differences of accuracy, in points, are larger than two "
        f"standard deviations between our repeats{some} Grids and libraries of the peers differ "
        "from the paper's, which does not list its own."
    )
