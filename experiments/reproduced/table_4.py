"""Paired t-tests between the methods of table 3."""

from typing import Any

import numpy as np
from scipy.stats import ttest_rel

from experiments.comparison import OURS
from experiments.markdown import signed, table
from experiments.reported import ACCURACY, ACCURACY_COLUMNS, P_VALUES
from experiments.reproduced import table_3
from experiments.running import Run

TITLE = "Table 4: paired t-tests between methods"

SIGNIFICANT = 0.05


def compute(run: Run) -> dict[str, Any]:
    """Return p-values of the paper's pairs, from our means and from the paper's own table."""
    three = table_3.compute(run)
    means = {_column(m): _of(three["sets"], m) for m in three["settings"]["methods"]}
    theirs = dict(zip(ACCURACY_COLUMNS, np.array(list(ACCURACY.values())).T, strict=True))
    pairs = [pair for pair in P_VALUES if set(pair) <= set(means)]
    tests = [
        {"pair": list(pair), "again": p_value(theirs, pair), "ours": p_value(means, pair)}
        | {"ahead": round(float(np.mean(means[pair[0]] - means[pair[1]])), 4)}
        for pair in pairs
    ]
    return {"settings": {**three["settings"], "sets": list(three["sets"])}, "tests": tests}


def _column(method: str) -> str:
    return "SFP" if method == OURS else method


def _of(sets: dict[str, Any], method: str) -> np.ndarray:
    return np.array([of["mean"][method] for of in sets.values()])


def p_value(means: dict[str, np.ndarray], pair: tuple[str, str]) -> float:
    """Return the two-sided p-value of equal means on the same data sets."""
    return round(float(ttest_rel(means[pair[0]], means[pair[1]]).pvalue), 4)


def describe(found: dict[str, Any]) -> str:
    """Return p-values beside the paper's, and what they say about SFP."""
    tests = found["tests"]
    head = (
        "The paper tests mean accuracies on the data sets, in pairs, the better method first; "
        "“again” is the same test on the means that its table 3 prints. Ours has "
        f"{len(found['settings']['sets'])} of its 20 sets. A negative lead means that ours has "
        "the other method ahead."
    )
    rows = [_row(test) for test in tests]
    names = ["", "paper", "again", "ours", "difference", "our lead in points"]
    return "\n\n".join([head, table(names, rows), _claims(tests)])


def _row(test: dict[str, Any]) -> list[str]:
    paper = P_VALUES[tuple(test["pair"])]
    numbers = [f"{value:.3f}" for value in (paper, test["again"], test["ours"])]
    apart = signed(test["ours"] - paper, 3)
    return [" vs. ".join(test["pair"]), *numbers, apart, signed(test["ahead"], 2)]


def _claims(tests: list[dict[str, Any]]) -> str:
    """Say over which methods SFP is significantly ahead, in the paper and here."""
    of_sfp = [test for test in tests if test["pair"][0] == "SFP"]
    theirs = [t["pair"][1] for t in of_sfp if P_VALUES[tuple(t["pair"])] < SIGNIFICANT]
    ours = [t["pair"][1] for t in of_sfp if t["ours"] < SIGNIFICANT and t["ahead"] > 0]
    again = max(abs(test["again"] - P_VALUES[tuple(test["pair"])]) for test in tests)
    return (
        f"At {SIGNIFICANT:.0%}, SFP is significantly better than {_listed(theirs)} in the paper, "
        f"and than {_listed(ours)} here. The paper's p-values and those of its own table differ "
        f"by {again:.3f} at most."
    )


def _listed(methods: list[str]) -> str:
    return " and ".join(methods) or "none of the others"
