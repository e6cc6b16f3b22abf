"""How a fit went: the objective of each pass, and the loss of a refinement."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfplearn.plots.canvas import MARKER, Display, pyplot, quiet, title
from sfplearn.plots.palette import COLOURS
from sfplearn.plots.reading import read

Array = NDArray[np.float64]

# Inches.
HEIGHT = 3.6

# Points of a line are marked if there are so many at most.
MARKED = 40


class ObjectiveDisplay(Display):
    """The objective that each pass of a fit found, and the path of a refinement.

    Parameters
    ----------
    objective : ndarray of shape (n_passes,)
        The objective at the start of each pass.
    refinement : ndarray or None
        Mean loss of predictions plus pull, before and after each iteration; None if there was no
        refinement.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, or those that both panels share out between them.
    axes_ : ndarray of matplotlib Axes
        One panel, or two of shape (1, 2).
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from sfplearn import SFPClassifier
    >>> from sfplearn.plots import ObjectiveDisplay
    >>> model = SFPClassifier(3, random_state=0).fit(*load_iris(return_X_y=True))
    >>> display = ObjectiveDisplay.from_estimator(model)
    >>> len(display.objective) == model.n_iter_
    True
    >>> plt.close(display.figure_)
    """

    def __init__(self, *, objective: Array, refinement: Array | None = None) -> None:
        self.objective = objective
        self.refinement = refinement

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Read the path of a fit and draw it.

        Parameters
        ----------
        estimator : SFPClassifier, SFPRegressor, SFPClusterer or Pipeline that ends with one
            A fitted estimator.
        ax : matplotlib Axes or None, default=None
            Where to draw; two panels take its place if there was a refinement. None makes a
            figure.

        Returns
        -------
        display : ObjectiveDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn import SFPClusterer
        >>> from sfplearn.plots import ObjectiveDisplay
        >>> model = SFPClusterer(2, random_state=0).fit([[0.0], [1.0], [9.0]])
        >>> ObjectiveDisplay.from_estimator(model).refinement is None
        True
        >>> plt.close("all")
        """
        pyplot()
        model = read(estimator).model
        if not hasattr(model, "objective_path_"):
            raise ValueError("A stream has no passes to show; give an estimator after fit.")
        path = getattr(model, "refine_path_", None)
        return cls(objective=model.objective_path_, refinement=path).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the path.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ObjectiveDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sfplearn.plots import ObjectiveDisplay
        >>> display = ObjectiveDisplay(objective=[3.0, 2.0, 1.5])
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        if self.refinement is None:
            first = self._take(ax, HEIGHT)
        else:
            first, second = self._share_out(ax, HEIGHT, 1, 2)[0]
            _draw(second, 0, self.refinement, "iteration", "mean loss of predictions, with pull")
            title(second, "Refinement")
            title(first, "Descent")
        _draw(first, 1, self.objective, "pass", "objective")
        return self


def _draw(ax: Any, first: int, values: Any, xlabel: str, ylabel: str) -> None:
    """Draw values over their number."""
    from matplotlib.ticker import MaxNLocator

    look = {"marker": "o", "markersize": MARKER} if len(values) <= MARKED else {}
    ax.plot(first + np.arange(len(values)), values, color=COLOURS[0], **look)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel=xlabel, ylabel=ylabel)
    quiet(ax)
