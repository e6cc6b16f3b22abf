"""A curve from a few straight pieces: linear experts beside constant ones.

    python examples/02_local_lines.py [picture.png]

A zigzag with noise, fitted by three clusters. Constant experts can only say three numbers and
mix them; linear experts find the pieces and their slopes.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from sfplearn import SFPRegressor

CURVE, ROWS = "#CC3311", "#9a9a9a"


def draw(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows from three straight pieces with slopes -2, 1 and -2."""
    random = np.random.default_rng(seed)
    x = random.uniform(-3, 3, n)
    pieces = [-2 * x - 3, x, 3 - 2 * x]
    y = np.select([x < -1, x < 1], pieces[:2], pieces[2])
    return x[:, None], y + 0.2 * random.standard_normal(n)


def main(path: str) -> None:
    X, y = draw()
    grid = np.linspace(-3, 3, 600)[:, None]
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for ax, expert in zip(axes, ("constant", "linear"), strict=True):
        model = SFPRegressor(3, expert=expert, gamma=0.05, refine=0, random_state=0).fit(X, y)
        score = model.score(*draw(seed=1))
        ax.scatter(X[:, 0], y, s=10, color=ROWS, lw=0, label="rows")
        ax.plot(grid[:, 0], model.predict(grid), color=CURVE, lw=2.2, label="prediction")
        ax.scatter(
            model.cluster_centers_[:, 0], model.prototypes_[:, 0], s=60, color="white",
            edgecolor="black", zorder=3, label="centres, and what they say there",
        )  # fmt: skip
        ax.set_title(f"Three {expert} experts: R² {score:.2f} on new rows", loc="left")
        ax.set(xlabel="x")
        ax.spines[["top", "right"]].set_visible(False)
        print(f"{expert}: R2 {score:.3f}")
    axes[0].set(ylabel="y")
    axes[0].legend(frameon=False, loc="upper right")
    figure.savefig(path, dpi=130)
    print(f"picture in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "local_lines.png")
