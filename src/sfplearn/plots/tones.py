"""Colours of what clusters say, and the legend or scale that tells what they mean."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.plots.canvas import CLASS_LETTERS, legend_beside, shorten
from sfplearn.plots.palette import NUMBERS, colours, marker
from sfplearn.plots.reading import Clusters

Array = NDArray[np.float64]

# Size of a marker in a legend, in points.
MARKER = 7


def scale_of(numbers: Any) -> Any:
    """Return matplotlib's map from these numbers to colours."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    known = np.asarray(numbers, dtype=np.float64)
    return ScalarMappable(Normalize(np.nanmin(known), np.nanmax(known)), NUMBERS)


def tones_of(clusters: Clusters, scale: Any = None) -> Array:
    """Return the colour of each cluster (k, 3): of its class, of its number, or its own."""
    said = clusters.said()
    if clusters.classes is not None:
        return colours(len(clusters.classes))[said]
    if not clusters.says.shape[1]:
        return colours(len(said))
    scale = scale_of(said) if scale is None else scale
    return np.asarray(scale.to_rgba(said))[:, :3]


def tell_tones(ax: Any, clusters: Clusters, **look: Any) -> None:
    """Tell what the colours of clusters mean; clusters that say nothing bear their numbers."""
    if clusters.classes is not None:
        legend_beside(ax, class_handles(clusters.classes, **look), "class")
    elif clusters.says.shape[1]:
        ax.figure.colorbar(scale_of(clusters.said()), ax=ax, label="what the cluster says")


def class_handles(classes: Any, *, marked: bool = False, line: bool = False) -> list[Any]:
    """Return an entry of a legend for each class: a square, a line, or a marker of its own."""
    from matplotlib.lines import Line2D

    tones = colours(len(classes))
    return [
        Line2D(
            [],
            [],
            color="black" if marked else tones[m],
            marker="" if line else marker(m) if marked else "s",
            markersize=MARKER,
            linestyle="-" if line else "",
            linewidth=2,
            label=shorten(label, CLASS_LETTERS),
        )
        for m, label in enumerate(classes)
    ]
