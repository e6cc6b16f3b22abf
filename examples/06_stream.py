"""A stream whose classes turn around each other, followed by forgetting.

    python examples/06_stream.py [picture.png]

Every block of rows is predicted first and learned from afterwards. A model of the first rows is
soon as good as guessing; one that never forgets mixes all times; one with a half-life follows.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from sfplearn import SFPClassifier

N, BLOCK, KNOWN = 12_000, 50, 1000
COLOURS = ["#0072B2", "#E69F00"]
LINES = {"half-life of 200 rows": "#009E73", "never forgets": "#CC79A7", "first rows": "0.55"}


def draw_rows(n: int = N) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of a checkerboard of four fields that turns once."""
    X = np.random.default_rng(0).uniform(-1, 1, (n, 2))
    angle = 2 * np.pi * np.arange(n) / n
    one = np.cos(angle) * X[:, 0] + np.sin(angle) * X[:, 1]
    other = np.cos(angle) * X[:, 1] - np.sin(angle) * X[:, 0]
    return X, ((one > 0) ^ (other > 0)).astype(int)


def plot_regions(ax: Axes, model: SFPClassifier, X: np.ndarray, y: np.ndarray) -> None:
    """Draw what is predicted everywhere now, and the next rows."""
    grid = np.meshgrid(np.linspace(-1, 1, 200), np.linspace(-1, 1, 200))
    rows = np.column_stack([axis.ravel() for axis in grid])
    labels = model.predict(rows).reshape(200, 200)
    ax.contourf(*grid, labels, levels=np.arange(3) - 0.5, colors=COLOURS, alpha=0.25)
    for label, colour in enumerate(COLOURS):
        ax.scatter(*X[y == label].T, s=7, color=colour, lw=0)
    ax.set(xticks=[], yticks=[], aspect="equal")


def main(path: str) -> None:
    X, y = draw_rows()
    models = {
        "half-life of 200 rows": SFPClassifier(20, half_life=200, random_state=0),
        "never forgets": SFPClassifier(20, random_state=0),
        "first rows": SFPClassifier(20, refine=0, random_state=0).fit(X[:KNOWN], y[:KNOWN]),
    }
    right: dict[str, list[float]] = {name: [] for name in models}
    figure = plt.figure(figsize=(9, 5.6), layout="constrained")
    grid = figure.add_gridspec(2, 4, height_ratios=(1, 1.15))
    looks = dict(zip((2000, 5000, 8000, 11_000), range(4), strict=True))
    for first in range(0, N, BLOCK):
        part = slice(first, first + BLOCK)
        for name, model in models.items():
            if first >= KNOWN:
                right[name].append(float(np.mean(model.predict(X[part]) == y[part])))
            if name != "first rows":
                model.partial_fit(X[part], y[part], classes=[0, 1])
        if first in looks:
            ax, ahead = figure.add_subplot(grid[0, looks[first]]), slice(first, first + 300)
            plot_regions(ax, models["half-life of 200 rows"], X[ahead], y[ahead])
            ax.set_title(f"row {first}", loc="left", fontsize=10)
    ax = figure.add_subplot(grid[1, :])
    at = np.arange(KNOWN, N, BLOCK)
    for name, colour in LINES.items():
        smooth = np.convolve(right[name], np.full(10, 0.1), mode="valid")
        ax.plot(at[9:], smooth, color=colour, lw=2, label=f"{name}: {np.mean(right[name]):.2f}")
        print(f"{name}: {np.mean(right[name]):.3f} of rows told right before they were learned")
    ax.set(xlabel="rows seen", ylabel="share told right", ylim=(0, 1), xlim=(0, N))
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    print(f"picture in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "stream.png")
