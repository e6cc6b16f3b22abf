"""Rows on a plane, each in the colour of its strongest cluster."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from sfplearn.estimators.checks import check_choice, check_labels_match
from sfplearn.plots.canvas import (
    ABOVE,
    SEE_THROUGH,
    Display,
    legend_beside,
    number_points,
    percent,
    pyplot,
    quiet,
    shorten,
)
from sfplearn.plots.palette import colours, marker
from sfplearn.plots.reading import Reading, codes_of, means_of, read
from sfplearn.plots.tones import class_handles

Array = NDArray[np.float64]

# Inches.
HEIGHT = 5.6

# Area of a row, of the centre of a cluster of average mass, and of the smallest one.
ROW, CENTRE, SMALLEST = 28, 320, 120

# Rows stay visible however little they belong to a cluster.
FAINTEST = 0.12

# Letters of axis labels.
LETTERS = 40

PROJECTIONS = ("pca", "features")


class MembershipMapDisplay(Display):
    """Rows on a plane: the cluster each belongs to most, and how much.

    The colour of a row is that of its strongest cluster, and the more it belongs there the less
    one sees through it. Centres are the means of the rows of a cluster, by membership.

    Parameters
    ----------
    points : ndarray of shape (n_samples, 2)
        Rows on the plane.
    memberships : ndarray of shape (n_samples, n_clusters)
        How much each row belongs to each cluster.
    centers : ndarray of shape (n_clusters, 2)
        Centres on the plane.
    axes_names : tuple of str
        What the axes are.
    labels : ndarray of shape (n_samples,) or None, default=None
        Codes of classes, for markers; -1 where unknown.
    classes : ndarray or None, default=None
        The classes.

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
    >>> from sfplearn import SFPClusterer
    >>> from sfplearn.plots import MembershipMapDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SFPClusterer(3, random_state=0).fit(X)
    >>> MembershipMapDisplay.from_estimator(model, X, y).points.shape
    (150, 2)
    >>> plt.close("all")
    """

    def __init__(
        self,
        *,
        points: Array,
        memberships: Array,
        centers: Array,
        axes_names: tuple[str, str],
        labels: NDArray[np.intp] | None = None,
        classes: NDArray[Any] | None = None,
    ) -> None:
        self.points = points
        self.memberships = memberships
        self.centers = centers
        self.axes_names = axes_names
        self.labels = labels
        self.classes = classes

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        projection: str = "pca",
        features: Any = (0, 1),
        feature_names: Any = None,
        ax: Any = None,
    ) -> Self:
        """Project rows and draw them.

        Parameters
        ----------
        estimator : SFPClassifier, SFPRegressor, SFPClusterer or Pipeline that ends with one
            A fitted estimator.
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or None, default=None
            Their classes, which markers then tell.
        projection : {"pca", "features"}, default="pca"
            The plane: of the first two principal components of the rows as the model sees
            them, or of two features.
        features : pair of int or str, default=(0, 1)
            The two features, for `projection="features"`.
        feature_names : sequence of str or None, default=None
            Names of the features; None takes those that the estimator knows.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : MembershipMapDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import MembershipMapDisplay
        >>> X = [[0, 1], [1, 1], [9, 2]]
        >>> model = SFPClusterer(2, random_state=0).fit(X)
        >>> display = MembershipMapDisplay.from_estimator(model, X, projection="features")
        >>> display.axes_names
        ('x0', 'x1')
        >>> plt.close(display.figure_)
        """
        pyplot()
        reading = read(estimator, feature_names)
        rows, u = reading.dense(X), reading.memberships(X)
        if y is not None:
            check_labels_match(rows, y)
        project, names = _plane(reading, rows, projection, features)
        classes = None if y is None else _classes(reading, y)
        display = cls(
            points=project(rows),
            memberships=u,
            centers=project(means_of(rows, u)),
            axes_names=names,
            labels=None if classes is None else codes_of(y, classes),
            classes=classes,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw rows and centres.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : MembershipMapDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import MembershipMapDisplay
        >>> X = [[0, 1], [1, 1], [9, 2]]
        >>> model = SFPClusterer(2, random_state=0).fit(X)
        >>> display = MembershipMapDisplay.from_estimator(model, X)
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        ax = self._take(ax, HEIGHT)
        codes = np.zeros(len(self.points), int) if self.labels is None else self.labels
        for code in np.unique(codes):
            own = codes == code
            shape = "." if code < 0 else marker(code)
            ax.scatter(*self.points[own].T, ROW, self._row_tones()[own], marker=shape, lw=0)
        self._draw_centers()
        names = [shorten(name, LETTERS) for name in self.axes_names]
        ax.set(xlabel=names[0], ylabel=names[1])
        quiet(ax)
        if self.classes is not None:
            legend_beside(ax, class_handles(self.classes, marked=True), "class")
        return self

    def _row_tones(self) -> Array:
        """Return red, green, blue and opacity of rows."""
        strongest, most = self.memberships.argmax(axis=1), self.memberships.max(axis=1)
        tones = colours(self.memberships.shape[1])[strongest]
        return np.column_stack([tones, np.clip(most, FAINTEST, 1.0)])

    def _draw_centers(self) -> None:
        """Draw the centres of clusters, areas as their masses, and their numbers."""
        mass = self.memberships.sum(axis=0)
        areas = np.maximum(CENTRE * mass / mass.mean(), SMALLEST)
        tones = colours(len(mass))
        look = {"edgecolor": "black", "lw": 1, "alpha": SEE_THROUGH, "zorder": ABOVE}
        self.ax_.scatter(*self.centers.T, areas, tones, **look)
        names = [str(j) for j in range(len(mass))]
        span = np.maximum(np.ptp(self.points, axis=0), np.finfo(np.float64).tiny)
        number_points(self.ax_, self.centers, names, span)


def _plane(reading: Reading, rows: Array, projection: str, features: Any) -> Any:
    """Return a function from rows to points, and the names of its axes."""
    if rows.shape[1] < 2:
        raise ValueError("A map needs rows of two features; the model has one.")
    if check_choice("projection", projection, PROJECTIONS) == "features":
        pair = [reading.position(feature) for feature in features]
        if len(pair) != 2:
            raise ValueError(f"features must name two features; got {features!r}.")
        return lambda X: X[:, pair], tuple(str(name) for name in reading.names[pair])
    if len(rows) < 2:
        raise ValueError("Principal components need two rows; use projection='features'.")
    middle = np.nanmean(rows, axis=0)
    filled = np.where(np.isnan(rows), middle, rows)
    pca = PCA(2, svd_solver="full").fit(filled)
    names = [
        f"component {i + 1} ({percent(share)} of the variance)"
        for i, share in enumerate(pca.explained_variance_ratio_)
    ]
    return lambda X: pca.transform(np.where(np.isnan(X), middle, X)), tuple(names)


def _classes(reading: Reading, y: Any) -> NDArray[Any]:
    """Return the classes of the model, or those of the labels where it has none."""
    known = getattr(reading.model, "classes_", None)
    return np.unique(np.asarray(y)) if known is None else known
