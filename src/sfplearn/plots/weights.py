"""Feature weights of clusters as a heat map."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfplearn.estimators.checks import check_count
from sfplearn.plots.canvas import HALF, SCALE, TURNED, Display, percent, pyplot, shorten
from sfplearn.plots.palette import HEAT, ink
from sfplearn.plots.reading import Clusters, read
from sfplearn.plots.tones import tones_of

# Features that are shown unless more are asked for: as many names as a page holds.
FEATURES = 20

# Inches that a row of the map and all around it take.
ROW, AROUND = 0.32, 2.2

# Points between the rows of two classes.
GAP = 4

# With up to this many columns, weights are written into their cells.
WRITTEN = 14

# The square of a class: points from the map to its middle, its area, and points to the names.
SQUARE, SQUARE_SIZE, PAD = 9, 60, 18


class FeatureWeightsDisplay(Display):
    """Which features matter to which cluster.

    A row is a cluster: its number and what it says, in order of what clusters say, then of
    mass. A column is a feature, the most important one first.

    Parameters
    ----------
    weights : ndarray of shape (n_clusters, n_shown)
        Feature weights, in the order of the picture.
    features : list of str
        Names of the columns.
    order : ndarray of shape (n_clusters,)
        The clusters in the order of rows.
    clusters : Clusters
        What clusters say.
    n_features : int
        Number of all features.

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
    >>> from sfplearn.plots import FeatureWeightsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SFPClassifier(4, refine=0, random_state=0).fit(X, y)
    >>> display = FeatureWeightsDisplay.from_estimator(model)
    >>> display.weights.shape
    (4, 4)
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        weights: NDArray[np.float64],
        features: list[str],
        order: NDArray[np.intp],
        clusters: Clusters,
        n_features: int,
    ) -> None:
        self.weights = weights
        self.features = features
        self.order = order
        self.clusters = clusters
        self.n_features = n_features

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        n_features: int = FEATURES,
        feature_names: Any = None,
        ax: Any = None,
    ) -> Self:
        """Read feature weights and draw them.

        Parameters
        ----------
        estimator : SFPClassifier, SFPRegressor, SFPClusterer or Pipeline that ends with one
            A fitted estimator.
        n_features : int, default=20
            Features to show, the most important ones.
        feature_names : sequence of str or None, default=None
            Names of the features; None takes those that the estimator knows.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FeatureWeightsDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import FeatureWeightsDisplay
        >>> model = SFPClusterer(2, random_state=0).fit([[0, 1], [1, 1], [9, 2]])
        >>> display = FeatureWeightsDisplay.from_estimator(model, feature_names=["a", "b"])
        >>> sorted(display.features)
        ['a', 'b']
        >>> plt.close(display.figure_)
        """
        pyplot()
        reading = read(estimator, feature_names, by_features=cls.__name__)
        clusters = reading.clusters()
        order = clusters.order()
        shown = reading.most_important(check_count("n_features", n_features))
        display = cls(
            weights=reading.model.feature_weights_[order][:, shown],
            features=[str(name) for name in reading.names[shown]],
            order=order,
            clusters=clusters,
            n_features=len(reading.names),
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FeatureWeightsDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import FeatureWeightsDisplay
        >>> model = SFPClusterer(2, random_state=0).fit([[0, 1], [1, 1], [9, 2]])
        >>> display = FeatureWeightsDisplay.from_estimator(model)
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        k, p = self.weights.shape
        ax = self._take(ax, AROUND + ROW * k)
        image = ax.imshow(self.weights, cmap=HEAT, vmin=0.0, aspect="auto")
        ax.set_xticks(range(p), map(shorten, self.features), **TURNED)
        ax.set_yticks(range(k), [self.clusters.name(j) for j in self.order])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlabel=self._told(), ylabel="cluster")
        if p <= WRITTEN:
            self._write(image)
        self._mark_classes()
        self.figure_.colorbar(image, ax=ax, label="feature weight", **SCALE)
        return self

    def _told(self) -> str:
        """Return which features these are, and how much of all weight they hold."""
        p = self.weights.shape[1]
        if p == self.n_features:
            return "feature, the most important first"
        held = percent(self.clusters.shares()[self.order] @ self.weights.sum(axis=1))
        return f"the {p} most important of {self.n_features} features: {held} of the weight"

    def _write(self, image: Any) -> None:
        """Write weights into their cells."""
        for (row, column), weight in np.ndenumerate(self.weights):
            self.ax_.text(
                column,
                row,
                f"{weight:.2f}".removeprefix("0"),
                ha="center",
                va="center",
                fontsize="small",
                color=ink(image.cmap(image.norm(weight))),
            )

    def _mark_classes(self) -> None:
        """Draw the colour of what it says beside each cluster, and lines between classes."""
        from matplotlib.transforms import offset_copy

        k, p = self.weights.shape
        beside = offset_copy(
            self.ax_.get_yaxis_transform(), self.figure_, x=-SQUARE, units="points"
        )
        tones = tones_of(self.clusters)[self.order]
        look = {"marker": "s", "transform": beside, "clip_on": False}
        self.ax_.scatter(np.zeros(k), np.arange(k), SQUARE_SIZE, tones, **look)
        self.ax_.tick_params(axis="y", pad=PAD)
        if self.clusters.classes is not None:
            between = np.flatnonzero(np.diff(self.clusters.said()[self.order])) + HALF
            self.ax_.hlines(between, -HALF, p - HALF, colors="white", lw=GAP)
