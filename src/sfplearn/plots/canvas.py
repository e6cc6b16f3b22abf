"""What all displays draw on: axes, panels, names that fit, labels that keep apart."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Inches; saved at 100 dots an inch this is a page of 800 pixels.
WIDTH = 8.0

# Letters of a feature's name and of a class's that fit beside a picture.
FEATURE_LETTERS, CLASS_LETTERS = 22, 18

# A third of the letters of a name that is cut are its last ones.
TAIL = 3

# Labels nearer than this share of the axes are written as one.
NEAR = 0.05

# What lies above the data, and what is written on top of all.
ABOVE, ON_TOP = 3, 5

# Width of lines that only part things, in points; size of markers on lines; cells are a column
# wide, so their edges are half a column from their middle.
FINE, MARKER, HALF = 0.7, 5, 0.5

# What is drawn over other data lets it through.
SEE_THROUGH = 0.8

# Names below an axis that would run into each other, and a scale beside a heat map.
TURNED: dict[str, Any] = {"rotation": 45, "ha": "right"}
SCALE: dict[str, Any] = {"fraction": 0.05, "pad": 0.02}

# Where a legend begins, in widths of the axes.
LEGEND_AT = 1.01

# Lines of text that keep numbers readable on any ground.
HALO = 2.5

# Classes that a legend names; more would be longer than the picture is high.
LEGEND = 20


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            'Pictures need matplotlib; install it with pip install "sfplearn[plots]".'
        ) from error
    return plt


class Display:
    """What displays share: the axes they are drawn on.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, or those that panels share out between them.
    axes_ : ndarray of matplotlib Axes
        The panels; one in most displays.
    figure_ : matplotlib Figure
        The figure.
    """

    ax_: Any
    axes_: Any
    figure_: Any

    def _take(self, ax: Any, height: float) -> Any:
        """Take the axes that are given, or make some of page width."""
        if ax is None:
            _, ax = pyplot().subplots(figsize=(WIDTH, height), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self.axes_ = np.array([ax], dtype=object)
        return ax

    def _share_out(self, ax: Any, height: float, rows: int, columns: int, **ratios: Any) -> Any:
        """Take axes and put panels in their place, (rows, columns)."""
        outer = self._take(ax, height)
        place = outer.get_subplotspec()
        if place is None:
            raise ValueError("ax must be a subplot to be shared out; make it with plt.subplots.")
        outer.set_axis_off()
        grid = place.subgridspec(rows, columns, **ratios)
        self.axes_ = np.array(
            [[self.figure_.add_subplot(grid[i, j]) for j in range(columns)] for i in range(rows)]
        )
        return self.axes_


def shorten(name: Any, letters: int = FEATURE_LETTERS) -> str:
    """Return a name that fits, cut with an ellipsis: names often differ at their ends.

    >>> shorten("alcohol"), shorten("od280/od315_of_diluted_wines", 12)
    ('alcohol', 'od280/o…ines')
    """
    text = str(name)
    if len(text) <= letters:
        return text
    last = letters // TAIL
    return f"{text[: letters - last - 1].rstrip()}…{text[len(text) - last :].lstrip()}"


def percent(share: float) -> str:
    """Return a share in words.

    >>> percent(0.974)
    '97 %'
    """
    return f"{share:.0%}".replace("%", " %")


def quiet(ax: Any) -> None:
    """Remove the lines of axes that bound nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def plain_logarithms(ax: Any) -> None:
    """Make the horizontal axis logarithmic, with numbers written out."""
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")


def title(ax: Any, text: str, **look: Any) -> None:
    """Set a title over the left edge."""
    ax.set_title(text, loc="left", fontsize="medium", **look)


def legend_beside(ax: Any, handles: list[Any], heading: str | None = None) -> None:
    """Put a legend to the right of the axes, where it covers no data."""
    ax.legend(
        handles=handles[:LEGEND],
        title=heading,
        loc="upper left",
        bbox_to_anchor=(LEGEND_AT, 1.0),
        borderaxespad=0.0,
        alignment="left",
        frameon=False,
    )


def number_points(ax: Any, points: Array, names: list[str], span: Array) -> None:
    """Write names at points (k, 2), once for points that lie together."""
    from matplotlib.patheffects import withStroke

    for together in near_groups(points / span):
        ax.annotate(
            listed([names[i] for i in together]),
            points[together].mean(axis=0),
            ha="center",
            va="center",
            fontsize="medium",
            fontweight="bold",
            path_effects=[withStroke(linewidth=HALO, foreground="white")],
            zorder=ON_TOP,
        )


def near_groups(points: Array, near: float = NEAR) -> list[list[int]]:
    """Return which points lie together: each joins the first group whose first is near.

    >>> near_groups(np.array([[0.0], [1.0], [0.01]]))
    [[0, 2], [1]]
    """
    groups: list[list[int]] = []
    for i, point in enumerate(points):
        homes = [g for g in groups if np.hypot.reduce(point - points[g[0]]) < near]
        if homes:
            homes[0].append(i)
        else:
            groups.append([i])
    return groups


def listed(names: list[str]) -> str:
    """Return names in one short text, runs of numbers from first to last.

    >>> listed(["0", "1", "2", "5"]), listed(["3", "4"])
    ('0–2, 5', '3, 4')
    """
    if not all(name.isdigit() for name in names):
        return ", ".join(names)
    numbers = sorted(int(name) for name in names)
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(_run(run) for run in runs)


def _run(run: list[int]) -> str:
    return f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run))


def spread_out(heights: Array, least: float) -> Array:
    """Return heights at least so far apart, in the same order, as near as can be.

    Neighbours that are too near share the middle of their group, again until all have room.

    >>> spread_out(np.array([0.0, 0.1, 3.0]), 1.0).tolist()
    [-0.45, 0.55, 3.0]
    """
    order = np.argsort(heights, kind="stable")
    groups: list[list[float]] = []
    for height in heights[order]:
        groups.append([float(height)])
        while len(groups) > 1 and _too_near(groups[-2], groups[-1], least):
            groups[-2:] = [groups[-2] + groups[-1]]
    placed = [p for group in groups for p in _ladder(group, least)]
    found = np.empty(len(heights))
    found[order] = placed
    return found


def _ladder(group: list[float], least: float) -> Array:
    """Return equal steps around the middle of a group."""
    steps = np.arange(len(group)) - (len(group) - 1) / 2
    return np.mean(group) + least * steps


def _too_near(below: list[float], above: list[float], least: float) -> bool:
    return bool(_ladder(above, least)[0] - _ladder(below, least)[-1] < least)
