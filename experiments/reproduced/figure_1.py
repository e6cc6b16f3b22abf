"""Figure 1: where a random forest and SFP draw the line between classes in the plane."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold

from experiments.drawing import COLOURS, GREY, MARKERS, panels, title
from experiments.markdown import signed, table
from sfplearn import SFPSearchCV

TITLE = "Figure 1: decision regions of random forest and SFP"
Predict = Callable[[np.ndarray], np.ndarray]
FOREST, SFP = MODELS = ("random forest", "SFP")

# The paper names sets and sizes, not distributions: these are ours, with little overlap.
SIZES = {"spiral": 312, "two-circle": 1000, "XOR": 1000}
FRESH, FOLDS = 10_000, 5

# Means over draws do not hang on luck with one; the first is drawn.
FULL = {
    "draws": 3, "trees": 100, "steps": 400, "sfp_grid": "reduced",
    "forest_grid": {"max_features": [1, 2], "min_samples_leaf": [1, 2, 5, 10]},
}  # fmt: skip
# The paper's literal model with alpha' = 0.475, gamma' = 0.95 or 0.85, and lam' = 0.05.
FEW = {
    "n_clusters": [60, 120], "alpha": [1.105], "gamma": [0.0526, 0.176], "lam": [19.0],
    "scale": [None], "refine": [0], "honest": [False], "init": ["random"], "n_init": [1],
    "max_iter": [10], "tol": [1e-3],
}  # fmt: skip
FAST = {
    "draws": 1, "trees": 20, "steps": 100, "sfp_grid": FEW,
    "forest_grid": {"max_features": [1], "min_samples_leaf": [1, 5]},
}  # fmt: skip

LEAST_TURNS = 0.01  # A boundary that is straight has none to divide by.
EDGE = 2.5  # Standard deviations from the middle of a picture to its edges.
PIXELS = 480  # Of a side of a picture, about as many as a panel has.
HALVINGS = 30  # A crossing is then known to a billionth of a step.
BESIDE = 1e-5  # Standard deviations to either side of a split of a tree.
PARALLEL = 1.0  # Degrees within which a piece is called parallel to an axis.

CLAIM = (
    "The paper: after a grid search both classify nearly 100 % correctly; boundaries of random "
    "forest are parallel to the axes, with many sharp turns, and those of SFP are much smoother. "
    "It gives no distributions, so rows are ours, of its sizes. Draws: {draws}; trees: {trees}."
)
MEASURE = (
    "Turns are the sum of all changes of direction along the boundary in the picture: 1 for a "
    "circle, a quarter for each corner of random forest. The boundary is found by halving, for "
    "random forest beside each of its splits, so that pixels leave no trace. Of a circle "
    f"{8 * PARALLEL / 3.6:.0f} % is parallel to an axis, within {PARALLEL:.0f} degree; on XOR the "
    "classes themselves meet along the axes. Lengths are in standard deviations of the rows."
)


def rows(data: str, n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows and labels; the spiral is shaped like that of Chang and Yeung (2008)."""
    noise, place = random.standard_normal((n, 2)), random.uniform(size=n)
    if data == "XOR":
        corner = np.arange(n) % 4
        return np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])[corner] + 0.35 * noise, corner // 2
    if data == "two-circle":
        circle = np.arange(n) % 2
        return _polar(np.array([0.45, 1.0])[circle] + 0.07 * noise[:, 0], place), circle
    arm = np.arange(n) % 3
    return _polar(3.0 + 12.5 * place, place + arm / 3) + 0.2 * noise, arm


def _polar(radius: np.ndarray, turns: np.ndarray) -> np.ndarray:
    angle = 2.0 * np.pi * turns
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _draw(data: str, draw: int) -> tuple[np.ndarray, ...]:
    """Return training and fresh rows, in standard deviations of the training rows."""
    random = np.random.default_rng(draw)
    (X, y), (fresh, truth) = (rows(data, n, random) for n in (SIZES[data], FRESH))
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    return (X - mean) / deviation, y, (fresh - mean) / deviation, truth


def compute(run: Any) -> dict[str, Any]:
    """Search, fit and measure both models on each set."""
    settings = FAST if run.fast else FULL
    tasks = [
        {"data": data, "model": model, "draw": draw, "settings": settings}
        for draw in range(settings["draws"])
        for data in SIZES
        for model in MODELS
    ]
    seeds = "the number of the draw, from 0, for rows, folds and models"
    shown = {data: _draw(data, 0)[:2] for data in SIZES}
    return {
        "settings": {**settings, "sizes": SIZES, "fresh": FRESH, "folds": FOLDS, "seed": seeds},
        "rows": {data: [*X.T.round(3).tolist(), y.tolist()] for data, (X, y) in shown.items()},
        "fits": run.each(fit, tasks),
    }


def fit(data: str, model: str, draw: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Return accuracy and boundary of a model, and its regions if it is of the first draw."""
    X, y, fresh, truth = _draw(data, draw)
    search = _search(model, draw, settings).fit(X, y)
    best, scores = search.best_estimator_, search.cv_results_["mean_test_score"]
    lines = splits(best) if model == FOREST else [np.linspace(-EDGE, EDGE, settings["steps"])] * 2
    varied = [*settings["forest_grid"], "n_clusters", "alpha", "gamma", "lam"]
    found = {
        "data": data, "model": model, "draw": draw,
        "chosen": {n: round(search.best_params_[n], 4) for n in varied if n in search.best_params_},
        "candidates": len(scores), "tied": int(np.isclose(scores, scores.max()).sum()),
        "cross_validated": round(100 * float(search.best_score_), 2),
        "fresh": round(100 * float(best.score(fresh, truth)), 2),
        **measures(*boundary(best.predict, lines)),
    }  # fmt: skip
    return found | ({"regions": _regions(best.predict)} if draw == 0 else {})


def _search(model: str, seed: int, settings: dict[str, Any]) -> Any:
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    if model == FOREST:
        forest = RandomForestClassifier(settings["trees"], random_state=seed)
        return GridSearchCV(forest, settings["forest_grid"], cv=folds)
    grid = settings["sfp_grid"]
    space = grid if isinstance(grid, str) else list(ParameterGrid(grid))
    return SFPSearchCV(space=space, ensemble=None, halving=False, cv=folds, random_state=seed)


def splits(forest: RandomForestClassifier) -> list[np.ndarray]:
    """Return lines close beside every split of a forest, so that its corners are in the grid."""
    trees = [tree.tree_ for tree in forest.estimators_]
    both = [np.concatenate([t.threshold[t.feature == f] for t in trees]) for f in (0, 1)]
    return [np.unique([-EDGE, EDGE, *(at - BESIDE), *(at + BESIDE)]) for at in both]


def boundary(predict: Predict, lines: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return points (m, 2) where labels change on lines of a grid, and pairs that share a cell."""
    grid = np.stack(np.meshgrid(*lines), axis=-1)
    labels = predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    across, along = labels[:, 1:] != labels[:, :-1], labels[1:] != labels[:-1]
    low = np.concatenate([grid[:, :-1][across], grid[:-1][along]])
    high = np.concatenate([grid[:, 1:][across], grid[1:][along]])
    label = np.concatenate([labels[:, :-1][across], labels[:-1][along]])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        same = (predict(middle) == label)[:, None]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    bottom, left = np.full(across.shape, -1), np.full(along.shape, -1)
    bottom[across], left[along] = np.split(np.arange(len(low)), [across.sum()])
    sides = np.stack([bottom[:-1], bottom[1:], left[:, :-1], left[:, 1:]], axis=-1).reshape(-1, 4)
    # Cells with more than two are where three regions, or four, meet.
    return (low + high) / 2, np.sort(sides[(sides >= 0).sum(axis=1) == 2])[:, 2:]


def measures(points: np.ndarray, pairs: np.ndarray) -> dict[str, float]:
    """Return length, full turns, and the share that is parallel to an axis, of a boundary."""
    # A boundary that runs through a crossing of the grid is found there more than once.
    points, same = np.unique(points.round(9), axis=0, return_inverse=True)
    pairs = same.ravel()[pairs][np.diff(same.ravel()[pairs])[:, 0] != 0]
    pieces = points[pairs[:, 1]] - points[pairs[:, 0]]
    length = np.hypot(*pieces.T)
    angle = np.degrees(np.arctan2(pieces[:, 1], pieces[:, 0]))
    parallel = np.abs((angle + 45) % 90 - 45) <= PARALLEL
    # Seen from a point where two pieces meet, a straight line leaves it by opposite angles.
    end, leaving = pairs.T.ravel(), np.concatenate([angle, angle + 180])
    order = np.argsort(end, kind="stable")
    meeting = np.diff(end[order]) == 0
    turn = np.abs(np.diff(leaving[order])[meeting] % 360 - 180)
    share = length[parallel].sum() / length.sum()
    found = {"length": length.sum(), "turns": turn.sum() / 360, "parallel": 100 * share}
    return {name: round(float(value), 3) for name, value in found.items()}


def _regions(predict: Predict) -> list[str]:
    """Return labels of pixels, line by line from below, as "label*times label*times"."""
    grid = np.stack(np.meshgrid(*[np.linspace(-EDGE, EDGE, PIXELS)] * 2), axis=-1)
    labels = predict(grid.reshape(-1, 2)).reshape(PIXELS, PIXELS)
    return [" ".join(f"{k}*{len(list(g))}" for k, g in groupby(line)) for line in labels]


def describe(found: dict[str, Any]) -> str:
    """Return accuracies and boundaries as Markdown."""
    head = ["set, classifier", "paper", "ours, 5-fold", "difference", "ours, fresh rows",
            "boundary length", "full turns", "turns per length", "axis-parallel"]  # fmt: skip
    lines = [_line(found["fits"], data, model) for data in SIZES for model in MODELS]
    return "\n\n".join([CLAIM.format(**found["settings"]), table(head, lines), _compared(found)])


def _line(fits: list[dict[str, Any]], data: str, model: str) -> list[str]:
    """Return means over draws as a line of the table."""
    same = [one for one in fits if (one["data"], one["model"]) == (data, model)]
    names = ("cross_validated", "fresh", "length", "turns", "parallel")
    known, fresh, length, turns, parallel = (np.mean([one[n] for one in same]) for n in names)
    return [
        f"{data}, {model}", "about 100 %", f"{known:.1f} %", signed(known - 100), f"{fresh:.1f} %",
        f"{length:.1f}", f"{turns:.1f}", f"{turns / length:.2f}", f"{parallel:.0f} %",
    ]  # fmt: skip


def _compared(found: dict[str, Any]) -> str:
    """Return how the two classifiers differ, draw by draw."""
    forests, partitions = ([f for f in found["fits"] if f["model"] == m] for m in MODELS)
    worst = min(found["fits"], key=lambda one: one["fresh"])
    gaps = [s["fresh"] - f["fresh"] for f, s in zip(forests, partitions, strict=True)]
    pairs = zip(forests, partitions, strict=True)
    times = [f["turns"] / max(s["turns"], LEAST_TURNS) for f, s in pairs]
    chosen = [f"{s['chosen']['n_clusters']} on {s['data']} ({s['tied']} of {s['candidates']})"
              for s in partitions[: len(SIZES)]]  # fmt: skip
    return (
        f"The lowest accuracy of any draw is {worst['fresh']:.1f} % of fresh rows, of "
        f"{worst['model']} on {worst['data']}; SFP less random forest is {signed(min(gaps))} to "
        f"{signed(max(gaps))} points. The boundary of random forest turns {min(times):.0f} to "
        f"{max(times):.0f} times as much as that of SFP.\n\n{MEASURE}\n\nNumbers of clusters that "
        "SFP chose in the first draw, and how many candidates were best alike, of which the first "
        f"is taken: {', '.join(chosen)}."
    )


def draw(found: dict[str, Any]) -> Figure:
    """Draw the regions of the first draw: random forest above, SFP below."""
    figure, axes = panels(2, 3, 6.7)
    figure.get_layout_engine().set(h_pad=0.08)
    for one in (one for one in found["fits"] if one["draw"] == 0):
        place = MODELS.index(one["model"]), list(SIZES).index(one["data"])
        _draw_one(axes[place], one, found["rows"][one["data"]])
    return figure


def _draw_one(ax: Axes, one: dict[str, Any], rows: list[list[float]]) -> None:
    runs = [[run.split("*") for run in line.split()] for line in one["regions"]]
    labels = np.array([np.repeat(*np.array(line, dtype=int).T) for line in runs])
    light = np.array([to_rgb(colour) for colour in COLOURS]) * 0.3 + 0.7
    extent = (-EDGE, EDGE, -EDGE, EDGE)
    ax.imshow(light[labels], origin="lower", extent=extent)
    x, y, classes = map(np.array, rows)
    for label in np.unique(labels):
        ax.contour(labels == label, [0.5], extent=extent, colors="black", linewidths=0.7)
        at = classes == label
        ax.scatter(x[at], y[at], 7, COLOURS[label], marker=MARKERS[label], lw=0, alpha=0.8)
    # The second line of the title, in smaller letters.
    title(ax, f"{one['model'][0].upper()}{one['model'][1:]}, {one['data']}\n")
    note = f"{one['fresh']:.1f} % of fresh rows; {one['turns']:.1f} turns"
    ax.text(0, 1.03, note, transform=ax.transAxes, fontsize=9, color=GREY)
    ax.set(xlabel="feature 1", ylabel="feature 2", xticks=range(-2, 3), yticks=range(-2, 3))
    ax.label_outer()
