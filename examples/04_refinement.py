"""The same clusters before and after refinement on the loss of predictions.

    python examples/04_refinement.py [picture.png]

Four clusters cannot follow two moons if each just sits where its rows are. Refinement moves and
stretches them until their mix predicts best, and the boundary bends.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import make_moons

from sfplearn import SFPClassifier

COLOURS = ["#0072B2", "#E69F00"]


def plot_regions(ax: Axes, model: SFPClassifier, X: np.ndarray, y: np.ndarray) -> None:
    """Draw rows, the probability of the second class, its boundary, and centres."""
    low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
    grid = np.meshgrid(*(np.linspace(a, b, 300) for a, b in zip(low, high, strict=True)))
    rows = np.column_stack([axis.ravel() for axis in grid])
    labels = model.predict(rows).reshape(300, 300)
    ax.contourf(*grid, labels, levels=np.arange(3) - 0.5, colors=COLOURS, alpha=0.22)
    second = model.predict_proba(rows)[:, 1].reshape(300, 300)
    ax.contour(*grid, second, levels=[0.5], colors="black", linewidths=1.4)
    for label, colour in enumerate(COLOURS):
        ax.scatter(*X[y == label].T, s=9, color=colour, lw=0)
    ax.scatter(*model.cluster_centers_.T, s=80, color="white", edgecolor="black", zorder=3)
    ax.set(xticks=[], yticks=[], xlim=(low[0], high[0]), ylim=(low[1], high[1]))


def main(path: str) -> None:
    X, y = make_moons(400, noise=0.15, random_state=0)
    test = make_moons(2000, noise=0.15, random_state=1)
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for ax, refine in zip(axes, (0, 100), strict=True):
        start = {"gamma": 0.1, "lam": 1.0, "init": "k-means++"}
        model = SFPClassifier(4, refine=refine, refine_pull=0.01, random_state=0, **start).fit(X, y)
        score = model.score(*test)
        plot_regions(ax, model, X, y)
        name = "after refinement" if refine else "four clusters"
        ax.set_title(f"{name}: {100 * score:.1f} % of new rows", loc="left")
        print(f"{name}: {score:.3f}")
    figure.savefig(path, dpi=130)
    print(f"picture in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "refinement.png")
