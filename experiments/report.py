"""The comparison as a page: means, ranks, wins and times, each set, and the paper's figures."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.datasets import GENES, LEAKING, UCI
from experiments.folds import Scores, common_folds, scores_of
from experiments.lead import beside_the_first, leads
from experiments.markdown import signed, table
from experiments.peers import PEERS, UNTUNED
from experiments.reported import paper_accuracy
from experiments.sfp import SFP
from experiments.summary import ranks, table_of, wins

BEST, DEFAULT = "SFP best", "SFP default"

# The UCI sets as the paper has them: ten columns of cardiotocography are its target.
WITH_LEAKS = [LEAKING if name == "cardiotocography" else name for name in UCI]


class Report:
    """What the records of some methods say, section by section."""

    def __init__(self, records: list[dict[str, Any]], methods: list[str]) -> None:
        measured = {record["method"] for record in records}
        self.methods = [m for m in methods if m in measured]
        self.compared = self._of(PEERS, [BEST])
        self.accuracy = scores_of(records, "accuracy")
        self.auc = scores_of(records, "auc")
        self.seconds = scores_of(records, "fit_processor_seconds")

    def __str__(self) -> str:
        return "\n\n".join(part for part in self._parts() if part)

    def _parts(self) -> Iterator[str]:
        yield self.standing(self.compared)
        yield leads(self.accuracy, BEST, self._of(PEERS), list(UCI)) if self._has(BEST) else ""
        yield self._titled("Cardiotocography with its leaking columns", self._with_leaks())
        yield self._titled("Without tuning", self.standing(self._of(UNTUNED, [DEFAULT, BEST])))
        yield self._titled("SFP, from the paper's to the best", self.standing(self._of(SFP)))
        yield self._titled("Each set", self._each(self.accuracy, [*UCI, LEAKING], 100))
        yield self._titled("Gene sets: accuracy", self._on_genes(self.accuracy, 100))
        yield self._titled("Gene sets: AUC", self._on_genes(self.auc, 1))
        yield self._titled("Ours less the paper's, in points", self._beside_the_paper())

    def _has(self, method: str) -> bool:
        return method in self.methods

    def _of(self, *groups: Any) -> list[str]:
        """Return the methods of some groups that have been measured."""
        return [m for m in self.methods if any(m in group for group in groups)]

    def _titled(self, title: str, text: str) -> str:
        return f"## {title}\n\n{text}" if text else ""

    def standing(self, methods: list[str], sets: list[str] | None = None) -> str:
        """Return means over data sets, the best first, and how long a fit takes."""
        shared = table_of(self.accuracy, methods, sets or list(UCI))
        if not shared.sets:
            return ""
        mean, rank, won = 100 * shared.mean.mean(axis=0), ranks(shared), wins(shared)
        seconds = self._seconds(methods, shared.sets)
        rows = [
            [methods[i], f"{mean[i]:.2f}", f"{rank[i]:.2f}", won[i], seconds[methods[i]]]
            for i in np.argsort(-mean, kind="stable")
        ]
        head = [f"{len(shared.sets)} sets, {sum(shared.folds)} folds"]
        return table([*head, "accuracy", "mean rank", "wins", "seconds a fit"], rows)

    def _seconds(self, methods: list[str], sets: list[str]) -> dict[str, str]:
        """Return how long a fit keeps one processor busy, on folds that have times of all."""
        timed = [m for m in methods if m in self.seconds]
        shared = table_of(self.seconds, timed, sets)
        if not shared.sets:
            return dict.fromkeys(methods, "")
        mean = dict(zip(timed, shared.mean.mean(axis=0), strict=True))
        return {m: f"{mean[m]:.2f}" if m in mean else "" for m in methods}

    def _with_leaks(self) -> str:
        known = common_folds(self.accuracy, self.compared, LEAKING)
        return self.standing(self.compared, WITH_LEAKS) if known else ""

    def _each(self, scores: Scores, sets: list[str], unit: float) -> str:
        """Return the means of each data set, its best ones in bold."""
        methods = self._of(PEERS, [DEFAULT, BEST])
        shared, digits = table_of(scores, methods, sets), 1 if unit == 100 else 3
        rows = []
        for name, row, folds in zip(shared.sets, shared.mean, shared.folds, strict=True):
            cells = [f"{unit * value:.{digits}f}" for value in row]
            top = f"{unit * row.max():.{digits}f}"
            rows.append([name, folds, *(f"**{c}**" if c == top else c for c in cells)])
        return table(["", "folds", *methods], rows) if rows else ""

    def _on_genes(self, scores: Scores, unit: float) -> str:
        parts = [self._each(scores, list(GENES), unit)]
        if self._has(BEST) and parts[0]:
            parts.append(beside_the_first(scores, BEST, self.compared, list(GENES), unit))
        return "\n\n".join(part for part in parts if part)

    def _beside_the_paper(self) -> str:
        """Return how far methods that the paper reports are from its figures, on all our folds."""
        shared = [m for m in self.methods if paper_accuracy("iris", m) is not None]
        rows = [[name, *(self._apart(name, m) for m in shared)] for name in [*WITH_LEAKS, *GENES]]
        rows = [row for row in rows if any(row[1:])]
        return table(["", *shared], rows) if rows else ""

    def _apart(self, name: str, method: str) -> str:
        ours, theirs = self.accuracy[method].get(name), paper_accuracy(name, method)
        if not ours or theirs is None:
            return ""
        return signed(100 * float(np.mean(list(ours.values()))) - theirs)
