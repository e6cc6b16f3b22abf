"""Which classes are in which cluster, as a heat map."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from sfplearn.estimators.checks import check_labels_match
from sfplearn.plots.canvas import (
    CLASS_LETTERS,
    SCALE,
    TURNED,
    Display,
    percent,
    pyplot,
    shorten,
)
from sfplearn.plots.palette import HEAT, ink
from sfplearn.plots.reading import Clusters, codes_of, read

Array = NDArray[np.float64]

# Inches that a row of the map and all around it take.
ROW, AROUND = 0.42, 1.9


# Letters below the map beyond which names are turned.
LETTERS = 70

# Shares below this are not written: they are 0 %.
NOTHING = 0.005

# With more columns, counts are left out and only shares written.
COUNTED = 7


class ClusterClassesDisplay(Display):
    """The confusion of clusters and classes.

    A cell is the sum of memberships of the rows of a class in a cluster; beside it is the share
    of the cluster that this is, unless it rounds to 0 %. Clusters are in order of the class that
    most of their rows have.

    Parameters
    ----------
    counts : ndarray of shape (n_clusters, n_classes)
        Sums of memberships.
    classes : ndarray of shape (n_classes,)
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
    >>> from sfplearn.plots import ClusterClassesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SFPClusterer(5, random_state=0).fit(X)
    >>> display = ClusterClassesDisplay.from_estimator(model, X, y)
    >>> float(display.counts.sum().round(6))
    150.0
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, counts: Array, classes: NDArray[Any]) -> None:
        self.counts = counts
        self.classes = classes

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Sum memberships over the rows of each class and draw the sums.

        Parameters
        ----------
        estimator : SFPClassifier, SFPRegressor, SFPClusterer or Pipeline that ends with one
            A fitted estimator.
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their classes; rows of labels that a classifier does not know are left out.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ClusterClassesDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClassifier
        >>> from sfplearn.plots import ClusterClassesDisplay
        >>> X, y = [[0], [1], [8], [9]], ["a", "a", "b", "b"]
        >>> model = SFPClassifier(2, gamma=0.01, refine=0, random_state=0).fit(X, y)
        >>> display = ClusterClassesDisplay.from_estimator(model, X, y)
        >>> sorted(display.counts.round(1).tolist())
        [[0.0, 2.0], [2.0, 0.0]]
        >>> plt.close(display.figure_)
        """
        pyplot()
        reading = read(estimator)
        if type_of_target(y).startswith("continuous"):
            raise ValueError("y holds numbers, not classes; cut them into classes first.")
        u = reading.memberships(X)
        check_labels_match(u, y)
        known = getattr(reading.model, "classes_", None)
        classes = np.unique(np.asarray(y)) if known is None else known
        indicators = codes_of(y, classes)[:, None] == np.arange(len(classes))
        return cls(counts=u.T @ indicators, classes=classes).plot(ax=ax)

    def shares(self) -> Array:
        """Return the share of each class in each cluster; 0 in clusters without rows."""
        mass = self.counts.sum(axis=1, keepdims=True)
        return np.divide(self.counts, mass, out=np.zeros_like(self.counts), where=mass > 0)

    def order(self) -> NDArray[np.intp]:
        """Return clusters by the class most of their rows have, then by mass."""
        mass = self.counts.sum(axis=1)
        return Clusters(self.shares(), mass, self.classes).order()

    def plot(self, ax: Any = None) -> Self:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ClusterClassesDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> import numpy as np
        >>> from sfplearn.plots import ClusterClassesDisplay
        >>> counts, classes = np.array([[8.0, 2.0], [1.0, 9.0]]), np.array(["a", "b"])
        >>> display = ClusterClassesDisplay(counts=counts, classes=classes)
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        k, m = self.counts.shape
        ax = self._take(ax, AROUND + ROW * k)
        order = self.order()
        image = ax.imshow(self.counts[order], cmap=HEAT, vmin=0.0, aspect="auto")
        names = [shorten(label, CLASS_LETTERS) for label in self.classes]
        crowded = m * max(map(len, names)) > LETTERS
        turned = TURNED if crowded else {}
        ax.set_xticks(range(m), names, **turned)
        ax.set_yticks(range(k), map(str, order))
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlabel="class", ylabel="cluster")
        self._write(image, order)
        self.figure_.colorbar(image, ax=ax, label="sum of memberships", **SCALE)
        return self

    def _write(self, image: Any, order: NDArray[np.intp]) -> None:
        """Write shares of the row, and sums if there is room."""
        shares, counts = self.shares()[order], self.counts[order]
        for (row, column), share in np.ndenumerate(shares):
            if share < NOTHING:
                continue
            count = counts[row, column]
            text = percent(share)
            if len(self.classes) <= COUNTED:
                text += f"  ({count:.1f})"
            tone = ink(image.cmap(image.norm(count)))
            look = {"ha": "center", "va": "center", "fontsize": "small", "color": tone}
            self.ax_.text(column, row, text, **look)
