"""How the time of an iteration grows with rows, clusters and features."""

import time
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator
from threadpoolctl import threadpool_limits

from experiments.drawing import BLUE, GREY, panels, title
from experiments.markdown import signed, table
from sfplearn import SFPClassifier

TITLE = "Complexity: the time of an iteration"

# One factor at a time is this many times the least of its sizes, the others stay in the middle.
GROWTH = (1, 2, 4, 8, 16)
MIDDLE = 4
LEAST = {"n": 5000, "k": 10, "p": 10}
FAST_LEAST = {"n": 500, "k": 4, "p": 4}
REPEATS, FAST_REPEATS = 5, 2

# The paper's cost of losses, r, is the number of classes: few, and always the same.
CLASSES = 3

# A long fit less a short one is the time of passes alone, without checks and starts.
LONG, SHORT = 41, 1
SEED = 0

# Strengths are in units of the data, so that memberships are as fuzzy at every size.
MODEL = {
    "alpha": 1.0, "gamma": 0.1, "lam": 1.0, "scale": "auto", "init": "random", "n_init": 1,
    "refine": 0, "honest": False, "tol": 0.0, "n_jobs": 1,
}  # fmt: skip

NAMES = {"n": "rows n", "k": "clusters k", "p": "features p"}

# Exponents nearer to the paper's than this agree with it.
CLOSE = 0.1


def compute(run: Any) -> dict[str, Any]:
    """Return the time of a pass for each size of each factor, and exponents."""
    least, repeats = (FAST_LEAST, FAST_REPEATS) if run.fast else (LEAST, REPEATS)
    middle = {name: MIDDLE * size for name, size in least.items()}
    sizes = {name: [size * growth for growth in GROWTH] for name, size in least.items()}
    shapes = [{**middle, name: size} for name in sizes for size in sizes[name]]
    fit_times(**shapes[0])  # the first fit of all also loads what it needs
    # Not side by side, which would disturb; in turns, so that a busy while meets all alike.
    times = np.array([[fit_times(**shape) for shape in shapes] for _ in range(repeats)]).min(axis=0)
    seconds = (times[:, 1] - times[:, 0]).reshape(len(sizes), -1) / (LONG - SHORT)
    pairs = zip(sizes, seconds, strict=True)
    settings = {"middle": middle, "repeats": repeats, "passes": LONG - SHORT, "classes": CLASSES}
    return {
        "settings": {**settings, "seed": SEED, "model": MODEL},
        "factors": {name: _factor(sizes[name], a_pass) for name, a_pass in pairs},
    }


def _factor(sizes: list[int], seconds: np.ndarray) -> dict[str, Any]:
    """Return the times of a factor, their exponent, and that of the last two."""
    milliseconds = (1e3 * seconds).round(5).tolist()
    exponents = {"exponent": _exponent(sizes, seconds), "last": _exponent(sizes[-2:], seconds[-2:])}
    return {"sizes": sizes, "milliseconds": milliseconds, **exponents}


def fit_times(n: int, k: int, p: int) -> tuple[float, float]:
    """Return the processor time of a short and of a long fit to random rows."""
    random = np.random.default_rng(SEED)
    X, y = random.standard_normal((n, p)), random.integers(CLASSES, size=n)
    return _seconds(X, y, k, SHORT), _seconds(X, y, k, LONG)


def _seconds(X: np.ndarray, y: np.ndarray, k: int, passes: int) -> float:
    model = SFPClassifier(k, **MODEL, max_iter=passes, random_state=SEED)
    with threadpool_limits(1):
        begin = time.process_time()
        model.fit(X, y)
        return time.process_time() - begin


def _exponent(sizes: list[int], seconds: np.ndarray) -> float:
    """Return the slope of the logarithm of time over that of size."""
    return round(float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0]), 4)


def describe(found: dict[str, Any]) -> str:
    """Return exponents beside the paper's."""
    factors, middle = found["factors"], found["settings"]["middle"]
    others = ", ".join(f"{name} = {size:,}" for name, size in middle.items())
    head = (
        "The paper says that an iteration takes O(n k p): time grows as the first power of each. "
        f"One of them grows here while the others stay ({others}); exponents are slopes of the "
        "logarithm of time. It is processor time of one thread, the least of "
        f"{found['settings']['repeats']} measurements, and still depends on what else the machine "
        "does and on its caches."
    )
    rows = []
    for name, one in factors.items():
        row = [NAMES[name], f"{one['sizes'][0]:,} to {one['sizes'][-1]:,}", "1"]
        row += [f"{one['exponent']:.2f}", signed(one["exponent"] - 1.0, 2), f"{one['last']:.2f}"]
        rows.append(row)
    columns = ["factor", "sizes", "paper", "ours", "difference", "ours, last doubling"]
    return "\n\n".join([head, table(columns, rows), " ".join(_remarks(factors))])


def _remarks(factors: dict[str, Any]) -> list[str]:
    """Return a sentence on factors that grow as the paper says, less, and more."""
    away = {NAMES[name]: one["exponent"] - 1.0 for name, one in factors.items()}
    as_told = [name for name, difference in away.items() if abs(difference) <= CLOSE]
    less = [name for name, difference in away.items() if difference < -CLOSE]
    more = [name for name, difference in away.items() if difference > CLOSE]
    costs = "is less: a pass has costs that do not depend on it and weigh most at small sizes" + (
        "; the paper's own count n k (2 p + r) has such a part, r, beside p" * (NAMES["p"] in less)
    )
    told = [
        (as_told, f"is as the paper says, within {CLOSE:g}"),
        (less, costs),
        (more, "is more, as it may be where rows or clusters outgrow a cache"),
    ]
    return [f"Growth with {' and with '.join(names)} {text}." for names, text in told if names]


def draw(found: dict[str, Any]) -> Figure:
    """Draw the time of a pass over each factor, with a line of slope 1."""
    figure, axes = panels(1, 3, 3.4, sharey=True)
    for ax, (name, one) in zip(axes.flat, found["factors"].items(), strict=True):
        _draw_factor(ax, one)
        ax.set_xlabel(NAMES[name])
        title(ax, f"{name}: exponent {one['exponent']:.2f}")
    axes[0, 0].set_ylabel("milliseconds a pass")
    axes[0, 0].legend(frameon=False, loc="upper left")
    return figure


def _draw_factor(ax: Axes, one: dict[str, Any]) -> None:
    sizes, times = np.array(one["sizes"]), np.array(one["milliseconds"])
    ax.loglog(sizes, times[-1] * sizes / sizes[-1], "--", color=GREY, lw=1.2, label="slope 1")
    ax.loglog(sizes, times, "o-", color=BLUE, label="measured")
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=9)
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
