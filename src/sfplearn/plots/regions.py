"""Decision regions of a model, with its prototypes on top."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from sfplearn.estimators.checks import check_count, check_labels_match
from sfplearn.estimators.kernels import is_kernel
from sfplearn.plots.canvas import (
    ABOVE,
    FINE,
    Display,
    legend_beside,
    number_points,
    pyplot,
    quiet,
    shorten,
    title,
)
from sfplearn.plots.palette import QUIET, UNKNOWN, colours
from sfplearn.plots.reading import Clusters, Reading, codes_of, read
from sfplearn.plots.tones import class_handles, scale_of, tones_of

Array = NDArray[np.float64]

# Points of the grid along each axis, and the share of the range that is shown beyond it.
RESOLUTION, MARGIN = 300, 0.03

# Rows are far out if they are beyond this share of the others by more than so many times the
# range of these; centres, if they are outside by this share of the range.
FAR, FARTHEST, OUTSIDE = 0.01, 0.75, 0.6

# Inches.
HEIGHT = 5.6

# Share of the picture that the ellipses of all clusters cover together, if none overlap.
COVERED = 0.06

# Ellipses are at most so much longer than wide, on the page: weights may be zero.
LONGEST = 6.0

# How strong the colours of regions and ellipses are.
REGION, ELLIPSE = 0.22, 0.55

# Areas of rows and letters of axis labels.
ROW, LETTERS = 12, 40


class DecisionRegionsDisplay(Display):
    """Which prediction a model makes where, over two features, and its prototypes.

    An ellipse is a cluster: at its centre, as large as its mass, in the colour of what it says.
    All points of it are equally far from the centre, so it is wide where a feature has little
    weight. Centres are those of the model; other features than two are held at their mean.

    Parameters
    ----------
    xx0, xx1 : ndarray of shape (resolution, resolution)
        The grid.
    response : ndarray of shape (resolution, resolution)
        What is predicted there: codes of classes, numbers, or clusters.
    rows : ndarray of shape (n_samples, 2)
        Rows, as the model sees them.
    labels : ndarray of shape (n_samples,) or None
        Codes of their classes, -1 where unknown, or numbers.
    centers, axes_lengths : ndarray of shape (n_clusters, 2)
        Ellipses; none for kernels.
    clusters : Clusters
        What clusters say.
    feature_names : tuple of str
        Names of the two features.
    n_held : int, default=0
        Number of other features, which are held at their mean.

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
    >>> from sfplearn.plots import DecisionRegionsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SFPClassifier(4, refine=0, random_state=0).fit(X, y)
    >>> display = DecisionRegionsDisplay.from_estimator(model, X, y, features=(2, 3))
    >>> display.centers.shape
    (4, 2)
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        xx0: Array,
        xx1: Array,
        response: NDArray[Any],
        rows: Array,
        labels: NDArray[Any] | None,
        centers: Array,
        axes_lengths: Array,
        clusters: Clusters,
        feature_names: tuple[str, str],
        n_held: int = 0,
    ) -> None:
        self.xx0 = xx0
        self.xx1 = xx1
        self.response = response
        self.rows = rows
        self.labels = labels
        self.centers = centers
        self.axes_lengths = axes_lengths
        self.clusters = clusters
        self.feature_names = feature_names
        self.n_held = n_held

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        features: Any = None,
        grid_resolution: int = RESOLUTION,
        feature_names: Any = None,
        ax: Any = None,
    ) -> Self:
        """Predict a grid and draw it.

        Parameters
        ----------
        estimator : SFPClassifier, SFPRegressor, SFPClusterer or Pipeline that ends with one
            A fitted estimator. What comes before it in a pipeline prepares X: features are
            those that the last step sees. Of several outputs the first is shown.
        X : array-like of shape (n_samples, n_features)
            Rows to draw; they also say which range is shown, and where other features are held.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels, for colours.
        features : pair of int or str, or None, default=None
            The two features; None takes the two most important ones.
        grid_resolution : int, default=300
            Points of the grid along each axis.
        feature_names : sequence of str or None, default=None
            Names of the features; None takes those that the estimator knows.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : DecisionRegionsDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPRegressor
        >>> from sfplearn.plots import DecisionRegionsDisplay
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0.0, 1.0, 1.0, 2.0]
        >>> model = SFPRegressor(2, random_state=0).fit(X, y)
        >>> DecisionRegionsDisplay.from_estimator(model, X, y, grid_resolution=20).response.shape
        (20, 20)
        >>> plt.close("all")
        """
        pyplot()
        reading = read(estimator, feature_names)
        rows, pair = reading.dense(X), _pair(reading, features)
        if y is not None:
            check_labels_match(rows, y)
        size = check_count("grid_resolution", grid_resolution)
        centers = _centers(reading, pair)
        inner = _most_rows(rows[:, pair])
        lengths = _lengths(reading, pair, inner[1] - inner[0])
        low, high = _around(inner, centers, lengths)
        xx0, xx1 = np.meshgrid(*np.linspace(low, high, size).T)
        display = cls(
            xx0=xx0,
            xx1=xx1,
            response=_response(reading, rows, pair, np.stack([xx0, xx1], axis=-1)),
            rows=rows[:, pair],
            labels=_labels(reading.model, y),
            centers=centers,
            axes_lengths=lengths,
            clusters=reading.clusters(),
            feature_names=(str(reading.names[pair[0]]), str(reading.names[pair[1]])),
            n_held=len(reading.names) - 2,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw regions, rows and prototypes.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : DecisionRegionsDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import DecisionRegionsDisplay
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> model = SFPClusterer(2, random_state=0).fit(X)
        >>> display = DecisionRegionsDisplay.from_estimator(model, X, grid_resolution=20)
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        ax = self._take(ax, HEIGHT)
        numbers = self.clusters.classes is None and self.clusters.says.shape[1] > 0
        tones = self._draw_numbers() if numbers else self._draw_codes()
        self._draw_prototypes(tones)
        names = [shorten(name, LETTERS) for name in self.feature_names]
        extent = self._extent()
        ax.set(xlabel=names[0], ylabel=names[1], xlim=extent[:2], ylim=extent[2:])
        quiet(ax)
        title(ax, self._remark(), color=QUIET)
        return self

    def _remark(self) -> str:
        """Return what the picture does not show."""
        low, high = np.reshape(self._extent(), (2, 2)).T
        beyond = int(np.any((self.centers < low) | (self.centers > high), axis=1).sum())
        told = []
        if self.n_held:
            told.append(f"{_counted(self.n_held, 'other feature')} at the mean of the rows")
        if beyond:
            told.append(f"{_counted(beyond, 'centre')} beyond the picture")
        return "; ".join(told)

    def _extent(self) -> tuple[float, float, float, float]:
        corners = self.xx0[0, 0], self.xx0[-1, -1], self.xx1[0, 0], self.xx1[-1, -1]
        return tuple(map(float, corners))  # type: ignore[return-value]

    def _draw_numbers(self) -> Array:
        """Draw predicted numbers, and rows in the same colours; return those of clusters."""
        known = [self.response.ravel()] + ([] if self.labels is None else [self.labels])
        scale = scale_of(np.concatenate(known))
        look = {"cmap": scale.cmap, "norm": scale.norm}
        self.ax_.imshow(self.response, extent=self._extent(), origin="lower", aspect="auto", **look)
        if self.labels is None:
            self.ax_.scatter(*self.rows.T, ROW, "white", edgecolor="black", lw=FINE)
        else:
            c = self.labels
            self.ax_.scatter(*self.rows.T, 2 * ROW, c, edgecolor="white", lw=FINE, **look)
        self.figure_.colorbar(scale, ax=self.ax_, label="prediction")
        return tones_of(self.clusters, scale)

    def _draw_codes(self) -> Array:
        """Draw predicted classes, or clusters, and rows; return the colours of clusters."""
        classes = self.clusters.classes
        tones = colours(len(self.clusters.mass) if classes is None else len(classes))
        image = np.dstack([tones[self.response], np.full(self.response.shape, REGION)])
        self.ax_.imshow(image, extent=self._extent(), origin="lower", aspect="auto")
        codes = np.full(len(self.rows), -1) if self.labels is None else self.labels
        for code in np.unique(codes):
            own = self.rows[codes == code]
            self.ax_.scatter(*own.T, ROW, color=UNKNOWN if code < 0 else tones[code], lw=0)
        if classes is not None:
            legend_beside(self.ax_, class_handles(classes), "class")
        return tones_of(self.clusters)

    def _draw_prototypes(self, tones: Array) -> None:
        """Draw an ellipse for each cluster, large ones below small ones, and its number."""
        from matplotlib.patches import Ellipse

        largest = np.argsort(-self.clusters.mass[: len(self.centers)], kind="stable")
        for cluster in largest:
            width, height = self.axes_lengths[cluster]
            face = (*tones[cluster], ELLIPSE)
            look: Any = {"facecolor": face, "edgecolor": "black", "lw": 1.0, "zorder": ABOVE}
            self.ax_.add_patch(Ellipse(self.centers[cluster], width, height, **look))
        span = np.array([np.ptp(self.xx0), np.ptp(self.xx1)])
        number_points(self.ax_, self.centers, [str(j) for j in range(len(self.centers))], span)


def _pair(reading: Reading, features: Any) -> NDArray[np.intp]:
    """Return the places of two different features."""
    if len(reading.names) < 2:
        raise ValueError("Regions are drawn over two features; the model has one.")
    if features is None:
        first = [0, 1] if is_kernel(reading.model) else reading.most_important(2)
        return np.sort(first).astype(np.intp)
    places = [reading.position(feature) for feature in features]
    if len(set(places)) != 2 or len(places) != 2:
        raise ValueError(f"features must name two different features; got {features!r}.")
    return np.array(places)


def _centers(reading: Reading, pair: NDArray[np.intp]) -> Array:
    """Return the centres along two features; those of a kernel are elsewhere."""
    if is_kernel(reading.model):
        return np.zeros((0, 2))
    return np.asarray(reading.model.cluster_centers_[:, pair], dtype=np.float64)


def _most_rows(rows: Array) -> Array:
    """Return the corners of a box that holds all rows but a few far out, which would shrink it."""
    low, high = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
    first, last = np.nanquantile(rows, [FAR, 1 - FAR], axis=0)
    room = np.where(last > first, FARTHEST * (last - first), high - low)
    low, high = np.maximum(low, first - room), np.minimum(high, last + room)
    return np.stack([low, np.where(high > low, high, low + 1.0)])


def _around(inner: Array, centers: Array, lengths: Array) -> Array:
    """Return the corners of a picture: a box, the ellipses not far beyond it, and a margin."""
    size = inner[1] - inner[0]
    out = np.maximum(inner[0] - centers, centers - inner[1]) / size
    near = (out < OUTSIDE).all(axis=1)
    ends = [centers[near] - lengths[near] / 2, centers[near] + lengths[near] / 2]
    everything = np.concatenate([inner, *ends])
    low, high = everything.min(axis=0), everything.max(axis=0)
    margin = MARGIN * (high - low)
    return np.stack([low - margin, high + margin])


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" + ("s" if n > 1 else "")


def _response(reading: Reading, rows: Array, pair: NDArray[np.intp], grid: Array) -> NDArray[Any]:
    """Return what is predicted on a grid, other features being at the mean of the rows."""
    held = np.nanmean(rows, axis=0)
    points = np.tile(held, (grid[..., 0].size, 1))
    points[:, pair] = grid.reshape(-1, 2)
    found = reading.predict(points)
    found = found if found.ndim == 1 else found[:, 0]
    if is_classifier(reading.model):
        found = codes_of(found, reading.model.classes_)
    return found.reshape(grid.shape[:2])


def _lengths(reading: Reading, pair: NDArray[np.intp], span: Array) -> Array:
    """Return the axes of ellipses of equal distance, whose areas are as the masses.

    Axes are as one over the roots of the weights, on the page no longer than `LONGEST` times
    the other.
    """
    if is_kernel(reading.model):
        return np.zeros((0, 2))
    weights = reading.model.feature_weights_[:, pair]
    tiny = np.finfo(np.float64).tiny
    on_page = 1.0 / np.sqrt(np.maximum(weights, tiny)) / span
    ratio = np.clip(on_page[:, 0] / on_page[:, 1], 1 / LONGEST, LONGEST)
    # The area of an ellipse is pi times its half diameters.
    size = 2 * np.sqrt(COVERED * reading.clusters().shares() / np.pi)
    return size[:, None] * np.stack([np.sqrt(ratio), 1 / np.sqrt(ratio)], axis=1) * span


def _labels(model: Any, y: Any) -> NDArray[Any] | None:
    """Return codes of classes, or the first number of each label; clusters need none."""
    if y is None or not (is_classifier(model) or is_regressor(model)):
        return None
    if is_classifier(model):
        return codes_of(y, model.classes_)
    numbers = np.asarray(y, dtype=np.float64)
    return numbers if numbers.ndim == 1 else numbers[:, 0]
