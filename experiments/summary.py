"""What the records of a comparison say: means, ranks, wins and times."""

from typing import Any, NamedTuple

import numpy as np

from experiments.datasets import GENES, LEAKING, UCI
from experiments.folds import Scores, common_folds, scores_of
from experiments.lead import beside_the_first, leads
from experiments.peers import UNTUNED
from experiments.reported import paper_accuracy

BEST = "SFP best"

# Time of a fit as records name it.
PROCESSOR = "fit_processor_seconds"


class Table(NamedTuple):
    """Means of some methods on some data sets, over the folds that all of them have."""

    methods: list[str]
    sets: list[str]
    mean: np.ndarray
    """Of shape (sets, methods)."""
    folds: list[int]
    """Folds that are compared, of each data set."""


def table_of(scores: Scores, methods: list[str], sets: list[str]) -> Table:
    """Compare methods on the folds that all have; data sets without such folds are left out."""
    common = {s: common_folds(scores, methods, s) for s in sets}
    sets = [s for s in sets if common[s]]
    means = [[np.mean([scores[m][s][k] for k in common[s]]) for m in methods] for s in sets]
    mean = np.array(means).reshape(len(sets), len(methods))
    return Table(methods, sets, mean, [len(common[s]) for s in sets])


def ranks(table: Table) -> np.ndarray:
    """Return the mean rank of each method, 1 for the best; equals share theirs."""
    better = (table.mean[:, None, :] > table.mean[:, :, None] + 1e-12).sum(axis=2)
    equal = (np.abs(table.mean[:, None, :] - table.mean[:, :, None]) <= 1e-12).sum(axis=2)
    return (better + (equal + 1) / 2).mean(axis=0)


def wins(table: Table) -> np.ndarray:
    """Return on how many data sets each method is the best, or one of them."""
    return (table.mean >= table.mean.max(axis=1, keepdims=True) - 1e-12).sum(axis=0)


def report(records: list[dict[str, Any]], methods: list[str]) -> str:
    """Return the comparison as text: UCI sets, gene sets, and the paper's figures beside ours."""
    measured = {record["method"] for record in records}
    known = [m for m in methods if m in measured and m not in UNTUNED]
    plain = [m for m in (*UNTUNED, "SFP default", "SFP best") if m in measured]
    accuracy, auc = scores_of(records, "accuracy"), scores_of(records, "auc")
    parts = [
        *_about_the_best(accuracy, auc, [m for m in methods if m in measured]),
        *_both_ways("UCI", accuracy, known),
        _ranking("UCI, untuned, and SFP at its best", accuracy, plain, list(UCI)),
        _each("Accuracy on each set, in percent", accuracy, known, [*UCI, LEAKING, *GENES], 100),
        _each("AUC on the gene sets", auc, known, list(GENES), 1),
        _beside_the_paper(accuracy, known),
        _times(scores_of(records, PROCESSOR), [m for m in methods if m in measured]),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part)


def _about_the_best(accuracy: Scores, auc: Scores, measured: list[str]) -> list[str]:
    """Return how sure the place of SFP at its best is."""
    rivals = [m for m in measured if not m.startswith("SFP") and m not in UNTUNED]
    if BEST not in measured or not rivals:
        return []
    both = [BEST, *rivals]
    return [
        *_both_ways("UCI, SFP at its best and its rivals", accuracy, both),
        leads(accuracy, BEST, rivals, list(UCI)),
        beside_the_first(f"{BEST}, accuracy on genes", accuracy, BEST, both, list(GENES), 100),
        beside_the_first(f"{BEST}, AUC on genes", auc, BEST, both, list(GENES), 1),
    ]


def _both_ways(title: str, scores: Scores, methods: list[str]) -> list[str]:
    """Return the ranking without the leaking columns of cardiotocography and, if known, with."""
    fair, leaking = "without its leaking columns", "with its leaking columns"
    made = [_ranking(f"{title}, cardiotocography {fair}", scores, methods, list(UCI))]
    if methods and common_folds(scores, methods, LEAKING):
        sets = [LEAKING if s == "cardiotocography" else s for s in UCI]
        made.append(_ranking(f"{title}, cardiotocography {leaking}", scores, methods, sets))
    return made


def _ranking(title: str, scores: Scores, methods: list[str], sets: list[str]) -> str:
    if not methods:
        return ""
    table = table_of(scores, methods, sets)
    if not table.sets:
        return ""
    mean, rank, won = 100 * table.mean.mean(axis=0), ranks(table), wins(table)
    lines = [f"{title}: {len(table.sets)} sets, {sum(table.folds)} folds"]
    lines += [f"  {'method':22} {'accuracy':>8} {'rank':>6} {'wins':>5}"]
    for i in np.argsort(-mean):
        lines.append(f"  {methods[i]:22} {mean[i]:8.2f} {rank[i]:6.2f} {won[i]:5d}")
    return "\n".join(lines)


def _each(title: str, scores: Scores, methods: list[str], sets: list[str], unit: float) -> str:
    table = table_of(scores, methods, sets)
    if not table.sets:
        return ""
    digits = 1 if unit == 100 else 3
    lines = [title, f"  {'':26}" + "".join(f"{m[:12]:>13}" for m in methods)]
    for name, row, folds in zip(table.sets, table.mean, table.folds, strict=True):
        cells = "".join(f"{unit * value:13.{digits}f}" for value in row)
        lines.append(f"  {name:20}{f'({folds})':>6}" + cells)
    return "\n".join(lines)


def _beside_the_paper(scores: Scores, methods: list[str]) -> str:
    """Return the difference of ours to the paper's figures, of methods that it reports."""
    shared = [m for m in methods if paper_accuracy("iris", m) is not None]
    head = f"  {'':22}" + "".join(f"{m[:12]:>13}" for m in shared)
    lines = ["Ours less the paper's, in points", head]
    for name in [LEAKING if s == "cardiotocography" else s for s in UCI] + list(GENES):
        cells = ""
        for method in shared:
            ours, theirs = scores[method].get(name), paper_accuracy(name, method)
            known = ours and theirs is not None
            cells += f"{100 * np.mean(list(ours.values())) - theirs:13.1f}" if known else f"{'':13}"
        if cells.strip():
            lines.append(f"  {name:22}" + cells)
    return "\n".join(lines) if shared and len(lines) > 2 else ""


def _times(seconds: Scores, methods: list[str]) -> str:
    """Return how long fits keep a processor busy, whatever else the machine did meanwhile."""
    known = [m for m in methods if m in seconds]
    table = table_of(seconds, known, [*UCI, *GENES])
    if not known or not table.sets:
        return ""
    title = "Seconds that a fit keeps one processor busy, tuning included: mean of"
    lines = [f"{title} {len(table.sets)} sets, {sum(table.folds)} folds"]
    lines += [f"  {m:22} {t:8.2f}" for m, t in zip(known, table.mean.mean(axis=0), strict=True)]
    return "\n".join(lines)
