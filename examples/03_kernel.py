"""Clusters that bend: kernel SFP beside plain SFP on two circles and two spirals.

    python examples/03_kernel.py [picture.png]

In the space of a kernel two clusters suffice for two circles, and a few for two spirals; in
the plane as many clusters as these cannot follow them.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import make_circles

from sfplearn import SFPClassifier

COLOURS = ["#0072B2", "#E69F00"]


def spirals(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows from two spirals, one for each class."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    turn = np.sqrt(random.random(n)) * 3 * np.pi
    sign = np.where(y, -1, 1)
    X = sign[:, None] * turn[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    return X + 0.3 * random.standard_normal((n, 2)), y


def plot_regions(ax: Axes, model: SFPClassifier, X: np.ndarray, y: np.ndarray) -> None:
    """Draw rows and decision regions."""
    edge = 1.08 * np.abs(X).max()
    grid = np.meshgrid(*[np.linspace(-edge, edge, 300)] * 2)
    labels = model.predict(np.column_stack([axis.ravel() for axis in grid]))
    levels = np.arange(3) - 0.5
    ax.contourf(*grid, labels.reshape(300, 300), levels=levels, colors=COLOURS, alpha=0.22)
    for label, colour in enumerate(COLOURS):
        ax.scatter(*X[y == label].T, s=7, color=colour, lw=0)
    ax.set(xticks=[], yticks=[], aspect="equal")


def main(path: str) -> None:
    cases = {
        "two circles, 2 clusters": (
            lambda seed: make_circles(400, factor=0.5, noise=0.06, random_state=seed),
            {"n_clusters": 2},
            None,
        ),
        "two spirals, 12 clusters": (
            lambda seed: spirals(600, seed),
            {"n_clusters": 12, "gamma": 0.02},
            {"gamma": 0.3},
        ),
    }
    figure, axes = plt.subplots(2, 2, figsize=(8, 8.2), layout="constrained")
    for row, (name, (draw, settings, kernel)) in zip(axes, cases.items(), strict=True):
        (X, y), test = draw(0), draw(1)
        for ax, divergence in zip(row, ("weighted_euclidean", "kernel"), strict=True):
            model = SFPClassifier(
                divergence=divergence,
                kernel_params=kernel,
                refine=0,
                n_init=5,
                random_state=0,
                **settings,
            ).fit(X, y)
            score = model.score(*test)
            plot_regions(ax, model, X, y)
            title = "kernel SFP" if divergence == "kernel" else "plain SFP"
            ax.set_title(f"{title}: {100 * score:.1f} % of new rows", loc="left")
            print(f"{name}, {title}: {score:.3f}")
        row[0].set_ylabel(name)
    figure.savefig(path, dpi=120)
    print(f"picture in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "kernel.png")
