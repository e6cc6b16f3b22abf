"""Accuracy on zoo against each hyperparameter, with LOESS curves.

Panels have the letters that stand under them in the paper; its caption exchanges some.
"""

import warnings
from itertools import combinations, product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold

from experiments.datasets import load
from experiments.drawing import COLOURS, MARKERS, panels, title
from experiments.literal import LITERAL, strengths
from experiments.markdown import table
from experiments.preprocessing import prepared
from sfplearn import SFPClassifier

TITLE = "Figure 3: accuracy on zoo against each hyperparameter"

DATA, FOLDS = "zoo", 5
REPEATS, FAST_REPEATS = 20, 1

# What is kept where it is not varied, from the captions of the paper's panels.
KEPT = {"k": 20, "alpha": 0.4, "lam": 0.05}

# The paper does not name its lines. Much fuzzier ones are flat; k goes from M to all rows.
GAMMAS = [0.5, 0.6, 0.7, 0.8, 0.9]
COUNTS = [7, 20, 40, 80]

# Local lines over few points: parabolas overshoot where accuracy collapses.
LOESS = {"span": 0.4, "degree": 1}

# One of the 101 rows of zoo, in percent: smaller differences are none.
ROW = 1.0

# What the paper says about curves; of k that is needed, about pairs of them.
CLAIMS = (
    ("accuracy against k", "rises, then stays or falls"),
    ("k that is needed, in pairs of lines", "grows with γ′"),
    ("best γ′", "in (0.5, 1)"),
    ("best α′", "in (0, γ′)"),
    ("α′ in (0, γ′)", "matters little over a large range"),
)

SYMBOLS = {"k": "k", "gamma": "γ′", "alpha": "α′", "lam": "λ′"}
MEANINGS = {
    "k": "clusters", "gamma": "greater: crisper", "alpha": "greater: labels count less",
    "lam": "greater: fewer features",
}  # fmt: skip


def compute(run: Any) -> dict[str, Any]:
    """Return mean accuracies, in percent, and smooth curves of every panel."""
    repeats = FAST_REPEATS if run.fast else REPEATS
    places = [{"repeat": r, "fold": f} for r, f in product(range(repeats), range(FOLDS))]
    drawn = [
        _smoothed(panel, run.each(accuracies_of, [{**place, **panel} for place in places]))
        for panel in _panels(run.fast)
    ]
    settings = {"data": DATA, "folds": FOLDS, "repeats": repeats, "kept": KEPT, "model": LITERAL}
    seeds = "of folds: the repeat; of starts: 5 times the repeat, plus the fold"
    return {"settings": {**settings, "seeds": seeds, "loess": LOESS}, "panels": drawn}


def _panels(fast: bool) -> list[dict[str, Any]]:
    """Return what is varied along each panel and between its lines."""
    counts = [7, 10, *range(15, 81, 5)]
    twentieths = [round(0.05 * i, 2) for i in range(1, 20)]
    gammas, ks = ([0.5, 0.8], [20, 40]) if fast else (GAMMAS, COUNTS)
    return [
        {"along": "k", "values": counts, "by": "gamma", "lines": gammas},
        {"along": "gamma", "values": twentieths, "by": "k", "lines": ks},
        {"along": "alpha", "values": [*twentieths, 1.0], "by": "gamma", "lines": gammas},
        {"along": "lam", "values": twentieths, "by": "gamma", "lines": gammas},
    ]


def accuracies_of(
    repeat: int, fold: int, along: str, values: list[float], by: str, lines: list[float]
) -> list[list[float]]:
    """Return the accuracy on the rows of a fold for each line and each value along a panel."""
    data = load(DATA)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
    with warnings.catch_warnings():
        # A class has fewer rows than there are folds, and ten passes need not converge.
        warnings.simplefilter("ignore", UserWarning)
        train, test = list(folds.split(data.X, data.y))[fold]
        rows, new = prepared(data, train, test)
        found = [
            _model({**KEPT, by: line, along: value}, FOLDS * repeat + fold)
            .fit(rows, data.y[train])
            .score(new, data.y[test])
            for line, value in product(lines, values)
        ]
    return (100 * np.reshape(found, (len(lines), -1))).round(3).tolist()


def _model(point: dict[str, float], seed: int) -> SFPClassifier:
    """Return the paper's model at a point, in its bounded hyperparameters."""
    settings = {**LITERAL, **strengths(point), "n_jobs": 1, "random_state": seed}
    return SFPClassifier(int(point["k"]), **settings)


def _smoothed(panel: dict[str, Any], found: list[Any]) -> dict[str, Any]:
    """Return means over folds and repeats, and their curve, for each line."""
    means = np.mean(found, axis=0).round(3)
    curves = [_smooth(panel["values"], line).round(3).tolist() for line in means]
    return {**panel, "accuracy": means.tolist(), "curves": curves}


def _smooth(x: list[float], y: np.ndarray) -> np.ndarray:
    from skmisc.loess import loess

    model = loess(np.array(x, float), y, **LOESS, surface="direct")
    model.fit()
    return np.asarray(model.outputs.fitted_values)


def describe(found: dict[str, Any]) -> str:
    """Return the paper's claims beside what curves, and means before smoothing, show."""
    folds, repeats = found["settings"]["folds"], found["settings"]["repeats"]
    head = (
        f"The paper draws accuracy of {folds}-fold cross-validation on zoo against each "
        "hyperparameter, with LOESS curves, and says what it sees there; it prints no numbers. "
        f"Ours is the mean over {repeats} × {folds} folds, with tables prepared inside folds. Each "
        f"line agrees with a claim or does not; differences below {ROW:g} point, about a row, "
        "count as none. A claim holds if all curves agree, and mostly if more than half do. How "
        "wide LOESS looks, and when α′ is said to matter little, was settled after a look at two "
        "repeats; wider curves and a stricter rule spoke against the claims on α′ on some lines, "
        "so means without smoothing stand beside."
    )
    means = [{**panel, "curves": panel["accuracy"]} for panel in found["panels"]]
    agreeing = zip(CLAIMS, _agreeing(found["panels"]), _agreeing(means), strict=True)
    rows = [
        [*claim, *[f"{sum(these)} of {len(these)}" for these in (ours, raw)], _verdict(ours)]
        for claim, ours, raw in agreeing
    ]
    claims = table(["claim", "paper", "ours, curves", "ours, means", "holds"], rows)
    return "\n\n".join([head, claims, *_remarks(found), _numbers(found)])


def _agreeing(drawn: list[dict[str, Any]]) -> list[list[bool]]:
    """Return for each claim which lines agree."""
    by_k, by_gamma, by_alpha, _ = drawn
    gammas = by_alpha["lines"]
    ends = np.searchsorted(by_alpha["values"], gammas)
    return [
        [_rises(curve) for curve in by_k["curves"]],
        [low < high for low, high in combinations(_needs(by_k), 2)],
        [0.5 < best < 1.0 for best in _best(by_gamma)],
        [best < gamma for best, gamma in zip(_best(by_alpha), gammas, strict=True)],
        [_is_level(curve[:end]) for curve, end in zip(by_alpha["curves"], ends, strict=True)],
    ]


def _verdict(agrees: list[bool]) -> str:
    share = sum(agrees) / len(agrees)
    return "yes" if share == 1.0 else "mostly" if share > 0.5 else "no"


def _best(panel: dict[str, Any]) -> list[float]:
    """Return where each curve is highest."""
    return [panel["values"][int(np.argmax(curve))] for curve in panel["curves"]]


def _needs(panel: dict[str, Any]) -> list[int]:
    """Return the least k at which each curve is within a row of its best."""
    near = [np.array(curve) > max(curve) - ROW for curve in panel["curves"]]
    return [panel["values"][int(np.argmax(close))] for close in near]


def _rises(curve: list[float]) -> bool:
    """Tell whether a curve rises by a row or more, and does not fall by one on its way."""
    way = np.array(curve[: int(np.argmax(curve)) + 1])
    dips = np.maximum.accumulate(way) - way
    return bool(way[-1] - way[0] >= ROW > dips.max())


def _is_level(curve: list[float]) -> bool:
    """Tell whether a curve stays within a row over more than half of its length."""
    parts = combinations(range(len(curve) + 1), 2)
    level = [end - begin for begin, end in parts if np.ptp(curve[begin:end]) < ROW]
    return 2 * max(level) > len(curve)


def _remarks(found: dict[str, Any]) -> list[str]:
    """Return a sentence or two on each panel."""
    by_k, by_gamma, _, _ = found["panels"]
    needed = f"The least k within a point of that is {_listed(_needs(by_k))}."
    more = [needed, _collapse(by_gamma), "", "The paper claims nothing of λ′ on zoo."]
    return [
        f"({letter}) Curves of {SYMBOLS[panel['by']]} = {_listed(panel['lines'])} are highest at "
        f"{SYMBOLS[panel['along']]} = {_listed(_best(panel))}. {rest}".strip()
        for letter, panel, rest in zip("abcd", found["panels"], more, strict=True)
    ]


def _listed(values: list[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _collapse(panel: dict[str, Any]) -> str:
    """Say up to where rows are so alike to all clusters that k makes no difference."""
    same = int(np.argmin(np.ptp(panel["accuracy"], axis=0) == 0.0))
    if same == 0:
        return ""
    last, share = panel["values"][same - 1], panel["accuracy"][0][0]
    return f"Up to γ′ = {last:g} all is so fuzzy that rows get the commonest class ({share:.1f} %)."


def _numbers(found: dict[str, Any]) -> str:
    """Return a table of accuracies over k, a row for each gamma'."""
    panel = found["panels"][0]
    first, last = (f"at k = {panel['values'][i]}" for i in (0, -1))
    columns = zip(panel["lines"], panel["curves"], _best(panel), _needs(panel), strict=True)
    rows = [
        [gamma, f"{curve[0]:.1f}", f"{max(curve):.1f}", best, f"{curve[-1]:.1f}", need]
        for gamma, curve, best, need in columns
    ]
    head = ["γ′", first, "best", "at k", last, "k needed"]
    return "Accuracy in percent on the curves of panel (a):\n\n" + table(head, rows)


def draw(found: dict[str, Any]) -> Figure:
    """Draw the four panels: means as points, LOESS as lines."""
    figure, axes = panels(2, 2, 7.8)
    for ax, letter, panel in zip(axes.flat, "abcd", found["panels"], strict=True):
        _draw_panel(ax, panel)
        kept = {n: v for n, v in KEPT.items() if n not in (panel["along"], panel["by"])}
        text = ", ".join(f"{SYMBOLS[name]} = {value}" for name, value in kept.items())
        title(ax, f"({letter})  {text}")
    return figure


def _draw_panel(ax: Axes, panel: dict[str, Any]) -> None:
    lines = zip(panel["lines"], panel["accuracy"], panel["curves"], COLOURS, MARKERS, strict=False)
    for line, means, curve, colour, marker in lines:
        ax.plot(panel["values"], curve, color=colour, lw=1.6)
        ax.plot(panel["values"], means, marker, color=colour, ms=4, alpha=0.7, label=f"{line:g}")
    ax.set_xlabel(f"{SYMBOLS[panel['along']]} ({MEANINGS[panel['along']]})")
    ax.set_ylabel("accuracy in %")
    legend = {"frameon": False, "fontsize": 9, "handletextpad": 0.1, "labelspacing": 0.3}
    ax.legend(title=SYMBOLS[panel["by"]], loc="upper left", bbox_to_anchor=(1.0, 1.0), **legend)
