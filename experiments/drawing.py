"""How pictures of experiments look: one width, quiet axes, colours that all readers can tell."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's colours, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, GREY = "#CC79A7", "#56B4E9", "#F0E442", "#666666"
COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY)

# Markers that go with them, for readers who see no colours.
MARKERS = ("o", "s", "^", "D", "v", "P")

# Inches; at the width of a page text is then about as large as the text around it.
WIDTH = 9.0


def panels(rows: int, columns: int, height: float, **more: Any) -> tuple[Figure, np.ndarray]:
    """Return a figure of page width and its axes, of shape (rows, columns)."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **more)
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def title(ax: Axes, text: str) -> None:
    """Set a title over the left edge of axes."""
    ax.set_title(text, loc="left", fontsize=11)
