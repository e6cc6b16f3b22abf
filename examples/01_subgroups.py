"""Groups inside a class: what SFP finds, and the features that each cluster looks at.

    python examples/01_subgroups.py [picture.png]

The three-class example of the paper: class 1 is a thin band, class 3 falls into two groups.
SFP gives each group a centre, and the band a cluster that looks at one feature only.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse

from sfplearn import SFPClassifier

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ["#0072B2", "#E69F00", "#CC3311"]
FEATURES = ["feature 1", "feature 2"]


def draw(n: int = 500, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows and labels from the distribution in the paper's section 4.1."""
    random = np.random.default_rng(seed)
    centers = np.array([[0, 0], [-12, 0], [0, 8], [0, -4]])
    deviations = np.sqrt([[15, 0.05], [1, 1], [4, 4], [1, 1]])
    group = random.choice(4, size=n, p=[1 / 4, 1 / 4, 1 / 3, 1 / 6])
    X = centers[group] + deviations[group] * random.standard_normal((n, 2))
    return X, np.minimum(group, 2)


def plot_regions(ax: Axes, model: SFPClassifier, X: np.ndarray, y: np.ndarray) -> None:
    """Draw rows, decision regions and centres."""
    low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
    grid = np.meshgrid(*(np.linspace(a, b, 400) for a, b in zip(low, high, strict=True)))
    labels = model.predict(np.column_stack([axis.ravel() for axis in grid]))
    levels = np.arange(4) - 0.5
    ax.contourf(*grid, labels.reshape(400, 400), levels=levels, colors=COLOURS, alpha=0.16)
    for label, colour in enumerate(COLOURS):
        ax.scatter(*X[y == label].T, s=9, color=colour, lw=0, alpha=0.7, label=f"class {label + 1}")
    for number, (center, weights) in enumerate(
        zip(model.cluster_centers_, model.feature_weights_, strict=True), start=1
    ):
        # Points at equal distance from the centre: long where a feature hardly counts.
        width, height = 0.7 / np.sqrt(weights)
        ax.add_patch(Ellipse(center, width, height, fill=False, lw=1.2, color="black"))
        disc = {"boxstyle": "circle", "facecolor": "white", "edgecolor": "black"}
        ax.text(*center, str(number), ha="center", va="center", fontsize=9, bbox=disc)
    ax.set(xlabel=FEATURES[0], ylabel=FEATURES[1], xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set_title("Four clusters and their decision regions", loc="left")
    ax.legend(loc="upper left", frameon=False, markerscale=2)


def plot_weights(ax: Axes, model: SFPClassifier) -> None:
    """Draw the feature weights of each cluster as stacked bars."""
    first = model.feature_weights_[:, 0]
    rows = np.arange(len(first))
    for weights, left, colour, ink, name in (
        (first, 0 * first, "#4d4d4d", "white", FEATURES[0]),
        (1 - first, first, "#c9c9c9", "black", FEATURES[1]),
    ):
        ax.barh(rows, weights, left=left, color=colour, height=0.6)
        ax.text(left[0] + weights[0] / 2, 0, name, color=ink, ha="center", va="center")
    labels = [f"{j + 1}: class {model.prototypes_[j].argmax() + 1}" for j in rows]
    ax.set(yticks=rows, yticklabels=labels, xlim=(0, 1), xlabel="feature weight")
    ax.invert_yaxis()
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(left=False)
    ax.set_title("What each cluster looks at", loc="left")


def main(path: str) -> None:
    X, y = draw()
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = SFPClassifier(
        4, alpha=1, gamma=0.05, lam=25, scale=None, init="random", n_init=50, random_state=0
    ).fit(X, y)
    figure, axes = plt.subplots(
        1, 2, figsize=(10, 4.6), width_ratios=[1.7, 1], layout="constrained"
    )
    plot_regions(axes[0], model, X, y)
    plot_weights(axes[1], model)
    figure.savefig(path, dpi=130)
    print(f"accuracy {model.score(X, y):.3f}, picture in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "subgroups.png")
