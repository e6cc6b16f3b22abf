"""Prototypes as lines over features: parallel coordinates."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfplearn.estimators.checks import check_count
from sfplearn.plots.canvas import (
    ABOVE,
    FINE,
    HALF,
    SEE_THROUGH,
    TURNED,
    Display,
    listed,
    near_groups,
    pyplot,
    quiet,
    shorten,
    spread_out,
)
from sfplearn.plots.palette import QUIET
from sfplearn.plots.reading import Clusters, Reading, means_of, read
from sfplearn.plots.tones import tell_tones, tones_of

Array = NDArray[np.float64]

# Features that are shown unless more are asked for: as many as lines can be followed over.
FEATURES = 12

# Inches.
HEIGHT = 4.8

# Widths of lines, in points, of clusters without rows and of one that had them all.
THIN, THICK = 0.8, 8.0

# Area of a marker of average weight, in square points, and the largest, times that.
MARKER, LARGEST = 40.0, 6.0

# Numbers at the ends of lines: how near they are one, and how far apart, of the height.
SAME, APART = 0.012, 0.05

# Lines behind the data.
GRID = "#DDDDDD"

# Columns between the last feature and the numbers.
BESIDE = 0.25


class PrototypesDisplay(Display):
    """Where clusters lie along the most important features.

    A line is a cluster: as thick as its mass, in the colour of what it says. Markers are large
    where the feature has much weight in that cluster.

    Parameters
    ----------
    values : ndarray of shape (n_clusters, n_shown)
        Where clusters lie.
    weights : ndarray of shape (n_clusters, n_shown)
        Feature weights times the number of all features: 1 on average.
    features : list of str
        Names of the features.
    clusters : Clusters
        What clusters say.
    unit : str
        What values are.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from sfplearn import SFPClassifier
    >>> from sfplearn.plots import PrototypesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SFPClassifier(3, refine=0, random_state=0).fit(X, y)
    >>> PrototypesDisplay.from_estimator(model, X).values.shape
    (3, 4)
    >>> plt.close("all")
    """

    def __init__(
        self,
        *,
        values: Array,
        weights: Array,
        features: list[str],
        clusters: Clusters,
        unit: str,
    ) -> None:
        self.values = values
        self.weights = weights
        self.features = features
        self.clusters = clusters
        self.unit = unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        n_features: int = FEATURES,
        feature_names: Any = None,
        ax: Any = None,
    ) -> Self:
        """Read prototypes and draw them.

        Parameters
        ----------
        estimator : SFPClassifier, SFPRegressor, SFPClusterer or Pipeline that ends with one
            A fitted estimator.
        X : array-like of shape (n_samples, n_features) or None, default=None
            Rows. If given, lines are the means of the rows of each cluster, by membership, in
            standard deviations from the mean of all rows. If None, they are the centres of the
            model, which after a refinement need not lie amidst rows.
        n_features : int, default=12
            Features to show, the most important ones.
        feature_names : sequence of str or None, default=None
            Names of the features; None takes those that the estimator knows.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : PrototypesDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import PrototypesDisplay
        >>> model = SFPClusterer(2, random_state=0).fit([[0, 1], [1, 1], [9, 2]])
        >>> display = PrototypesDisplay.from_estimator(model, n_features=1)
        >>> display.values.shape
        (2, 1)
        >>> plt.close(display.figure_)
        """
        pyplot()
        reading = read(estimator, feature_names, by_features=cls.__name__)
        shown = reading.most_important(check_count("n_features", n_features))
        values, unit = _places(reading, X)
        display = cls(
            values=values[:, shown],
            weights=len(reading.names) * reading.model.feature_weights_[:, shown],
            features=[str(name) for name in reading.names[shown]],
            clusters=reading.clusters(),
            unit=unit,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : PrototypesDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import PrototypesDisplay
        >>> model = SFPClusterer(2, random_state=0).fit([[0, 1], [1, 1], [9, 2]])
        >>> display = PrototypesDisplay.from_estimator(model)
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        ax = self._take(ax, HEIGHT)
        p = len(self.features)
        ax.vlines(range(p), 0, 1, colors=GRID, lw=FINE, transform=ax.get_xaxis_transform())
        self._draw_lines()
        ax.set_xticks(range(p), map(shorten, self.features), **TURNED)
        ax.set(xlim=(-HALF, p - HALF + BESIDE), ylabel=self.unit)
        ax.tick_params(axis="x", length=0)
        self._number_lines()
        quiet(ax)
        tell_tones(ax, self.clusters, line=True)
        return self

    def _draw_lines(self) -> None:
        """Draw heavy clusters below light ones."""
        tones, shares = tones_of(self.clusters), self.clusters.shares()
        areas = MARKER * np.minimum(self.weights, LARGEST)
        places = np.arange(len(self.features))
        for cluster in np.argsort(-shares, kind="stable"):
            tone, line = tones[cluster], self.values[cluster]
            width = THIN + (THICK - THIN) * shares[cluster]
            self.ax_.plot(places, line, color=tone, lw=width, alpha=SEE_THROUGH, zorder=2)
            look = {"color": [tone], "edgecolor": "white", "lw": FINE, "zorder": ABOVE}
            self.ax_.scatter(places, line, areas[cluster], **look)

    def _number_lines(self) -> None:
        """Write numbers of clusters beside the ends of their lines, where they have room."""
        low, high = self.ax_.get_ylim()
        ends = self.values[:, -1]
        groups = near_groups(ends[:, None] / (high - low), SAME)
        heights = np.array([ends[group].mean() for group in groups])
        last = len(self.features) - 1
        rooms = spread_out(heights, APART * (high - low))
        rooms += max(0.0, low - rooms.min()) - max(0.0, rooms.max() - high)
        for group, height, placed in zip(groups, heights, rooms, strict=True):
            self.ax_.annotate(
                listed([str(j) for j in group]),
                (last, height),
                (last + BESIDE, placed),
                va="center",
                fontsize="small",
                fontweight="bold",
                arrowprops={"arrowstyle": "-", "color": QUIET, "lw": FINE},
            )


def _places(reading: Reading, X: Any) -> tuple[Array, str]:
    """Return where clusters lie, and in what unit."""
    if X is None:
        return reading.model.cluster_centers_, "centre"
    rows = reading.dense(X)
    middle, spread = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
    means = means_of(rows, reading.memberships(X))
    deviations = (means - middle) / np.where(spread > 0, spread, 1.0)
    return deviations, "mean of its rows, in standard deviations"
