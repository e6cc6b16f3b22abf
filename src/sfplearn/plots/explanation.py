"""Why a row is predicted as it is: its clusters, and the features that drew it there."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfplearn.estimators.checks import check_count
from sfplearn.estimators.explanation import Explanation
from sfplearn.plots.canvas import FINE, Display, percent, pyplot, quiet, shorten
from sfplearn.plots.palette import AGAINST, FOR, QUIET, colours
from sfplearn.plots.reading import SLIGHT, Clusters, read
from sfplearn.plots.tones import class_handles

# Clusters and features of each that are shown unless more are asked for.
CLUSTERS, FEATURES = 3, 6

# Inches that a bar and all around the bars of a cluster take, and what is around all of them.
BAR, AROUND, HEAD = 0.22, 0.5, 0.7

# Of the width, what clusters take and what features do.
WIDTHS = (1.15, 1.35)

# The bar of a cluster: its height, and that of the box it lies in.
THICKNESS, BOX = 0.5, 2.6

# Names of classes beside each other.
NAMES = 3

# The part of a bar that a row does not belong to.
TRACK = "#EEEEEE"

# The axis is longer than the longest bar by this factor.
REACH = 1.06


class ExplanationDisplay(Display):
    """What decided about a row.

    On the left the clusters that the row belongs to most: a bar as long as the membership, in
    the colours of the label mix. Beside each the features that brought the row nearer to it
    than to the others, or kept it away.

    Parameters
    ----------
    explanation : Explanation
        What `model.explain(X)` returns.
    row : int, default=0
        Position of the row in it.
    n_features : int, default=6
        Features to show for each cluster.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes that panels share out between them.
    axes_ : ndarray of matplotlib Axes, of shape (clusters, 2)
        The panels.
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from sfplearn import SFPClassifier
    >>> from sfplearn.plots import ExplanationDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SFPClassifier(3, refine=0, random_state=0).fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(model, X[:5], row=2)
    >>> display.axes_.shape
    (3, 2)
    >>> plt.close(display.figure_)
    """

    def __init__(
        self, *, explanation: Explanation, row: int = 0, n_features: int = FEATURES
    ) -> None:
        self.explanation = explanation
        self.row = row
        self.n_features = n_features

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        row: int = 0,
        *,
        n_clusters: int = CLUSTERS,
        n_features: int = FEATURES,
        feature_names: Any = None,
        ax: Any = None,
    ) -> Self:
        """Explain rows and draw one of them.

        Parameters
        ----------
        estimator : SFPClassifier, SFPRegressor, SFPClusterer or Pipeline that ends with one
            A fitted estimator.
        X : array-like of shape (n_samples, n_features)
            Rows.
        row : int, default=0
            Position of the row to draw.
        n_clusters : int, default=3
            Clusters to show, those that the row belongs to most.
        n_features : int, default=6
            Features to show for each cluster, those of the largest pulls either way.
        feature_names : sequence of str or None, default=None
            Names of the features; None takes those that the estimator knows.
        ax : matplotlib Axes or None, default=None
            Where to draw; panels take its place. None makes a figure.

        Returns
        -------
        display : ExplanationDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import ExplanationDisplay
        >>> X = [[0, 1], [1, 1], [9, 2]]
        >>> model = SFPClusterer(2, random_state=0).fit(X)
        >>> display = ExplanationDisplay.from_estimator(model, X, row=1, n_clusters=1)
        >>> display.axes_.shape
        (1, 2)
        >>> plt.close(display.figure_)
        """
        pyplot()
        reading = read(estimator, feature_names, by_features=cls.__name__)
        explanation = reading.model.explain(reading.prepared(X), n_clusters=n_clusters)
        named = replace(explanation, feature_names=reading.names)
        return cls.from_explanation(named, row, n_features=n_features, ax=ax)

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, row: int = 0, *, n_features: int = FEATURES, ax: Any = None
    ) -> Self:
        """Draw a row of an explanation.

        Parameters
        ----------
        explanation : Explanation
            What `model.explain(X)` returns.
        row : int, default=0
            Position of the row to draw.
        n_features : int, default=6
            Features to show for each cluster, those of the largest pulls either way.
        ax : matplotlib Axes or None, default=None
            Where to draw; panels take its place. None makes a figure.

        Returns
        -------
        display : ExplanationDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import ExplanationDisplay
        >>> X = [[0, 1], [1, 1], [9, 2]]
        >>> why = SFPClusterer(2, random_state=0).fit(X).explain(X)
        >>> ExplanationDisplay.from_explanation(why, row=2).row
        2
        >>> plt.close("all")
        """
        pyplot()
        n = len(explanation)
        if not -n <= row < n:
            raise ValueError(f"There is no row {row}; the explanation has {n}, from 0 on.")
        check_count("n_features", n_features)
        return cls(explanation=explanation, row=row, n_features=n_features).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw clusters and features.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; panels take its place. None makes a figure.

        Returns
        -------
        display : ExplanationDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import ExplanationDisplay
        >>> X = [[0, 1], [1, 1], [9, 2]]
        >>> why = SFPClusterer(2, random_state=0).fit(X).explain(X)
        >>> display = ExplanationDisplay.from_explanation(why)
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        c = self.explanation.clusters.shape[1]
        shown = min(self.n_features, self.explanation.pulls.shape[2])
        height = HEAD + c * (AROUND + BAR * shown)
        panels = self._share_out(ax, height, c, 2, width_ratios=WIDTHS)
        for rank, (left, right) in enumerate(panels):
            self._draw_cluster(left, rank)
            self._draw_pulls(right, rank, shown)
        panels[0, 0].set_title(self._heading(), loc="left", fontweight="bold")
        panels[-1, 1].set_xlabel("pull towards this cluster")
        self._tell_tones(panels[-1, 0])
        return self

    def _tell_tones(self, ax: Any) -> None:
        """Name the classes that a bar shows."""
        why = self.explanation
        if why.classes is None:
            return
        seen = np.flatnonzero(why.says[self.row].max(axis=0) >= SLIGHT)
        handles = class_handles(why.classes)
        ax.legend(
            handles=[handles[m] for m in seen],
            loc="upper left",
            bbox_to_anchor=(0.0, 0.0),
            ncols=NAMES,
            fontsize="small",
            frameon=False,
            borderaxespad=0.0,
            columnspacing=1.0,
        )

    def _heading(self) -> str:
        """Return what the row is predicted to be."""
        found = np.asarray(self.explanation.prediction[self.row])
        if self.explanation.classes is not None:
            return f"Row {self.row}: predicted {shorten(found)}"
        if not self.explanation.says.shape[2]:
            return f"Row {self.row}: in cluster {found}"
        numbers = ", ".join(f"{number:.4g}" for number in found.ravel())
        return f"Row {self.row}: predicted {numbers}"

    def _draw_cluster(self, ax: Any, rank: int) -> None:
        """Draw the membership of the row as a bar, split as the label mix of the cluster."""
        why, at = self.explanation, (self.row, rank)
        membership, says = why.memberships[at], why.says[at]
        ax.barh(0, 1, THICKNESS, color=TRACK)
        mix = says if why.classes is not None else np.ones(1)
        tones = colours(len(mix)) if why.classes is not None else [FOR]
        ends = membership * np.cumsum(mix)
        for width, end, tone in zip(membership * mix, ends, tones, strict=True):
            ax.barh(0, width, THICKNESS, left=end - width, color=tone)
        ax.set(xlim=(0, 1), ylim=(-BOX / 2, BOX / 2))
        ax.set_axis_off()
        above = f"cluster {why.clusters[at]}: membership {percent(membership)}"
        ax.text(0, THICKNESS, above, fontweight="bold", va="bottom")
        ax.text(0, -THICKNESS, self._says(at), va="top", color=QUIET, fontsize="small")

    def _says(self, at: tuple[int, int]) -> str:
        """Return what a cluster says, in words."""
        says, classes = self.explanation.says[at], self.explanation.classes
        if not len(says):
            return ""
        one = Clusters(says[None], np.ones(1), classes)
        return "it says " + one.name(0).removeprefix("0: ")

    def _draw_pulls(self, ax: Any, rank: int, shown: int) -> None:
        """Draw the features of the largest pulls, from those that drew the row to the others."""
        pulls = self.explanation.pulls[self.row, rank]
        order = _strongest(pulls, shown)
        tones = [FOR if pull > 0 else AGAINST for pull in pulls[order]]
        ax.barh(range(len(order)), pulls[order], color=tones)
        ax.set_yticks(range(len(order)), [self._cell(feature) for feature in order])
        ax.invert_yaxis()
        ax.axvline(0, color="black", lw=FINE)
        ax.set_xlim(self._limits(shown))
        ax.tick_params(axis="y", length=0, labelsize="small")
        ax.tick_params(axis="x", labelbottom=rank == len(self.axes_) - 1)
        quiet(ax)
        ax.spines["left"].set_visible(False)

    def _limits(self, shown: int) -> tuple[float, float]:
        """Return the ends of the axis that all bars share, zero between them."""
        ends = [pulls[_strongest(pulls, shown)] for pulls in self.explanation.pulls[self.row]]
        low, high = min(0.0, np.min(ends)), max(0.0, np.max(ends))
        return (REACH * low, REACH * high) if high > low else (-1.0, 1.0)

    def _cell(self, feature: int) -> str:
        """Return a feature and its value in the row."""
        name = shorten(self.explanation.feature_names[feature])
        return f"{name} = {self.explanation.rows[self.row, feature]:.3g}"


def _strongest(pulls: NDArray[np.float64], shown: int) -> NDArray[np.intp]:
    """Return the features of the largest pulls either way, from those for to those against."""
    first = np.argsort(-np.abs(pulls), kind="stable")[:shown]
    return first[np.argsort(-pulls[first], kind="stable")]
