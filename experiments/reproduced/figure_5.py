"""Sensitivity, specificity and running time of six methods on the gene sets."""

import time
import warnings
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from experiments.accuracy import FOLDS
from experiments.datasets import load
from experiments.drawing import COLOURS, GREY, MARKERS, panels, title
from experiments.folds import scores_of
from experiments.literal import LITERAL, strengths
from experiments.markdown import signed, table
from experiments.preprocessing import prepared
from experiments.reported import ACCURACY_COLUMNS
from experiments.reproduced import table_5
from experiments.running import Run
from experiments.summary import table_of
from sfplearn import SFPClassifier

TITLE = "Figure 5: sensitivity, specificity and running time on the gene sets"

# One fit and its predictions of a fifth of the rows, so often; the first time does not count.
ROUNDS, FAST_ROUNDS = 9, 3

# Trees that R's randomForest and extraTrees grow unless told otherwise.
TREES, FAST_TREES = 500, 20

# The paper's k, and hyperparameters as in its figure 6.
CLUSTERS, BOUNDED = 2, {"alpha": 0.3, "gamma": 0.6, "lam": 0.3}

SEED = 0
RATES = ("sensitivity", "specificity")
SIZES = ("train", "test", "passes")

# SFP that ends after its first pass, beside which passes can be told from all else.
ONE_PASS = "SFP, one pass"

# What the paper says of running times; it prints no numbers.
PAPER_FASTEST = {"colon": "KNN", "leukemia": "SFP", "lung": "SFP", "lymphoma": "SFP"}
PAPER_SLOWEST = "random forest"


def compute(run: Any) -> dict[str, Any]:
    """Return rates over the folds that all methods have, and running times relative to SFP."""
    sets, methods = table_5.asked(run)
    records = table_5.records_of(run)
    rounds, trees = (FAST_ROUNDS, FAST_TREES) if run.fast else (ROUNDS, TREES)
    tables = {rate: table_of(scores_of(records, rate), methods, list(sets)) for rate in RATES}
    names = tables["sensitivity"].sets
    # Side by side, fits would wait for each other.
    alone = Run(run.name, run.folder, fast=run.fast, jobs=1)
    times = alone.each(seconds_of, [{"data": n, "rounds": rounds, "trees": trees} for n in names])
    found = {}
    for i, (name, timed) in enumerate(zip(names, times, strict=True)):
        means = {rate: table_5.by_method(of, i) for rate, of in tables.items()}
        means["repeats"] = tables["sensitivity"].folds[i] / FOLDS
        means["rows"] = table_5.class_sizes(records, name)
        found[name] = {**means, "time": _relative(timed)}
    settings = {"rounds": rounds, "trees": trees, "k": CLUSTERS, "bounded": BOUNDED}
    settings |= {"model": LITERAL, "seed": SEED, "test_share": 1 / FOLDS, "threads": 1}
    return {"settings": settings, "sets": found}


def seconds_of(data: str, rounds: int, trees: int) -> dict[str, Any]:
    """Return processor seconds of each method in each round, and the size of the problem."""
    raw = load(data)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    train, test = next(folds.split(raw.X, raw.y))
    rows, new = map(np.ascontiguousarray, prepared(raw, train, test))
    seconds: dict[str, list[float]] = {name: [] for name in (*ACCURACY_COLUMNS, ONE_PASS)}
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Methods take turns, so that whatever else the machine does meets all of them.
        for _ in range(rounds + 1):
            for name, model in models(trees).items():
                begin = time.process_time()
                model.fit(rows, raw.y[train]).predict(new)
                seconds[name].append(time.process_time() - begin)
    shape = {"train": len(train), "test": len(test), "passes": int(model.n_iter_)}
    return {"seconds": {name: each[1:] for name, each in seconds.items()}, **shape}


def models(trees: int) -> dict[str, Any]:
    """Return the methods with settled hyperparameters; SFP, whose passes are told, comes last."""
    alone = {"n_jobs": 1, "random_state": SEED}
    sfp = SFPClassifier(CLUSTERS, **LITERAL, **strengths(BOUNDED), **alone)
    return {
        "KNN": KNeighborsClassifier(5),
        "SVM-linear": SVC(kernel="linear"),
        "SVM-RBF": SVC(),
        "random forest": RandomForestClassifier(trees, **alone),
        "extra trees": ExtraTreesClassifier(trees, **alone),
        ONE_PASS: clone(sfp).set_params(max_iter=1),
        "SFP": sfp,
    }


def _relative(timed: dict[str, Any]) -> dict[str, Any]:
    """Return quartiles of the ratios to SFP of the same round, and what takes its time."""
    seconds = {name: np.array(each) for name, each in timed["seconds"].items()}
    ratios = {name: seconds[name] / seconds["SFP"] for name in ACCURACY_COLUMNS}
    quartiles = {name: np.quantile(each, [0.5, 0.25, 0.75]) for name, each in ratios.items()}
    train, test, passes = (timed[size] for size in SIZES)
    one = (seconds["SFP"] - seconds[ONE_PASS]) / (passes - 1)
    profile = {"a pass to KNN": one / seconds["KNN"], "all passes": passes * one / seconds["SFP"]}
    # KNN multiplies each test row with each training row, SVM training rows with each other too;
    # a pass of SFP takes x and x^2 times k slopes and, back, times k memberships.
    work = {"KNN": test, "SVM": train / 2 + test}
    work["SFP"] = 4 * CLUSTERS * passes + 2 * CLUSTERS * test / train
    return {
        "ratio": {name: [round(float(q), 3) for q in each] for name, each in quartiles.items()},
        "profile": {name: round(float(np.median(each)), 2) for name, each in profile.items()},
        "multiplications": {name: round(each, 1) for name, each in work.items()},
        **{size: timed[size] for size in SIZES},
    }


def describe(found: dict[str, Any]) -> str:
    """Return the paper's claims and rates beside ours."""
    sets, settings = found["sets"], found["settings"]
    repeats = ", ".join(f"{name} {of['repeats']:g}" for name, of in sets.items())
    rates = (
        "The paper draws sensitivity against specificity and prints neither; its figures here "
        "are what its accuracy and AUC imply if AUC is balanced accuracy (see table 5). Where "
        "classes are nearly equal they cannot be told. Positive are Tumor, AML, MPM and GCL. "
        f"Repeats: {repeats}."
    )
    head = ["", "sensitivity, paper", "ours", "difference"]
    head += ["specificity, paper", "ours", "difference"]
    rows = [_rates_row(n, m, of) for n, of in sets.items() for m in of["sensitivity"]]
    times = (
        "The paper: SFP is by far the fastest on all sets but Colon, where KNN is, and random "
        "forest the slowest. Ours is processor time of one fit and its predictions of a fifth of "
        f"the rows, on one thread, hyperparameters settled ({settings['trees']} trees; R grows "
        f"{TREES}), the median of {settings['rounds']} ratios to SFP."
    )
    tables = _times_table(sets), _claims_table(sets)
    return "\n\n".join([rates, table(head, rows), _apart(rows), times, *tables, _why(sets)])


def _apart(rows: list[list[str]]) -> str:
    """Say how far rates are from the paper's, and where they are the farthest."""
    apart = {(row[0], i): float(row[i]) for row in rows for i in (3, 6) if row[i]}
    label, i = max(apart, key=lambda place: abs(apart[place]))
    mean = sum(map(abs, apart.values())) / len(apart)
    worst = f"{RATES[i // 6]} of {label.split(': ')[1]} on {label.split(':')[0]}"
    return f"They differ by {mean:.3f} on average, most ({signed(apart[label, i], 3)}) in {worst}."


def _rates_row(name: str, method: str, of: dict[str, Any]) -> list[str]:
    ours = [of[rate][method] for rate in RATES]
    theirs = recovered(name, method, of["rows"]) or (None, None)
    row = [f"{name.capitalize()}: {method}"]
    for paper, here in zip(theirs, ours, strict=True):
        told = ("", "") if paper is None else (f"{paper:.3f}", signed(here - paper, 3))
        row += [told[0], f"{here:.3f}", told[1]]
    return row


def recovered(name: str, method: str, rows: list[int]) -> tuple[float, float] | None:
    """Return the paper's sensitivity and specificity, if its table lets them be told."""
    theirs = table_5.reported(name, method)
    known = theirs is not None and table_5.tells_rates(rows)
    return table_5.implied_rates(*theirs, rows) if known else None


def _times_table(sets: dict[str, Any]) -> str:
    rows = []
    for name, of in sets.items():
        medians = [of["time"]["ratio"][method][0] for method in ACCURACY_COLUMNS]
        rows.append([name.capitalize(), *(f"{median:.2f}" for median in medians)])
    return table(["time relative to SFP", *ACCURACY_COLUMNS], rows)


def _claims_table(sets: dict[str, Any]) -> str:
    rows = []
    for name, of in sets.items():
        order = sorted(ACCURACY_COLUMNS, key=lambda method: of["time"]["ratio"][method][0])
        pairs = (PAPER_FASTEST[name], order[0]), (PAPER_SLOWEST, order[-1])
        cells = [[*pair, "none" if pair[0] == pair[1] else "another"] for pair in pairs]
        rows.append([name.capitalize(), *cells[0], *cells[1]])
    head = ["", "fastest, paper", "ours", "difference", "slowest, paper", "ours", "difference"]
    return table(head, rows)


def _why(sets: dict[str, Any]) -> str:
    """Name what is faster than SFP, what takes its time, and how often methods multiply a cell."""
    times = {name: of["time"] for name, of in sets.items()}
    faster = {m: [n for n in sets if times[n]["ratio"][m][0] < 1] for m in ACCURACY_COLUMNS}
    told = [f"{method} on {', '.join(where)}" for method, where in faster.items() if where]
    rows = []
    for name, time_of in times.items():
        profile = f"{time_of['profile']['a pass to KNN']:.2f}", _percent(time_of)
        sizes = [time_of[size] for size in SIZES]
        rows.append([name.capitalize(), *sizes, *profile, *time_of["multiplications"].values()])
    head = ["", "training rows", "test rows", "passes of SFP", "a pass to KNN", "all passes"]
    return (
        f"Faster than SFP: {'; '.join(told) or 'none'}. The paper timed R packages; R's KNN goes "
        "through a table that lies in memory by columns row by row, scikit-learn's is one matrix "
        f"product. {_a_pass(times)} The rest of its time goes into checks of the rows, their "
        "spread, the start and predictions. What methods cost at least is how often each cell of "
        "the training table is multiplied: with test rows for KNN, with training rows too for "
        "SVM, and four times a pass for each cluster of SFP; the last columns count that.\n\n"
        + table([*head, "KNN", "SVM", "SFP"], rows)
    )


def _a_pass(times: dict[str, Any]) -> str:
    """Say how a pass of SFP, without which there is no fit, compares with all of KNN."""
    shares = [of["profile"]["a pass to KNN"] for of in times.values()]
    needed = [of["passes"] for of in times.values()]
    return (
        f"One pass of SFP takes {min(shares):.2f} to {max(shares):.2f} of the time that KNN takes "
        f"in all, and it makes {min(needed)} to {max(needed)} of them."
    )


def _percent(time_of: dict[str, Any]) -> str:
    return f"{100 * time_of['profile']['all passes']:.0f} %"


def draw(found: dict[str, Any]) -> Figure:
    """Draw rates over running times, a column for each data set."""
    sets = found["sets"]
    figure, axes = panels(2, len(sets), 6.2, sharex="row", sharey="row")
    for (top, bottom), (name, of) in zip(axes.T, sets.items(), strict=True):
        title(top, name.capitalize())
        _draw_rates(top, name, of)
        _draw_times(bottom, of["time"]["ratio"])
    axes[0, 0].set_ylabel("sensitivity")
    axes[1, 0].set_yticks(range(len(ACCURACY_COLUMNS)), ACCURACY_COLUMNS)
    axes[1, 0].invert_yaxis()
    look = {"color": GREY, "marker": "o", "linestyle": "none", "markersize": 8}
    handles = [Line2D([], [], **look), Line2D([], [], **look, fillstyle="none")]
    labels = ["ours", "paper, recovered from its accuracy and AUC"]
    figure.legend(handles, labels, loc="outside upper right", ncols=2, frameon=False)
    return figure


def _draw_rates(ax: Axes, name: str, of: dict[str, Any]) -> None:
    for method, sensitivity in of["sensitivity"].items():
        i = next(i for i, c in enumerate(ACCURACY_COLUMNS) if method.startswith(c))
        look = {"color": COLOURS[i], "marker": MARKERS[i], "linestyle": "none", "markersize": 8}
        ours = of["specificity"][method], sensitivity
        theirs = recovered(name, method, of["rows"])
        if theirs:
            ax.plot([ours[0], theirs[1]], [ours[1], theirs[0]], color=COLOURS[i], linewidth=0.6)
            ax.plot(theirs[1], theirs[0], **look, fillstyle="none")
        ax.plot(*ours, **look)
    ax.set_xlabel("specificity")


def _draw_times(ax: Axes, ratios: dict[str, list[float]]) -> None:
    ax.axvline(1.0, color=GREY, linewidth=1, linestyle=":")
    for i, method in enumerate(ACCURACY_COLUMNS):
        middle, low, high = ratios[method]
        ax.plot([low, high], [i, i], color=COLOURS[i], linewidth=1.5)
        ax.plot(middle, i, MARKERS[i], color=COLOURS[i], markersize=8)
    ax.set_xscale("log")
    ax.set_xticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    ax.set_xlabel("time relative to SFP")
