"""Scores of a search over one hyperparameter."""

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sfplearn.plots.canvas import (
    HALF,
    SEE_THROUGH,
    Display,
    legend_beside,
    plain_logarithms,
    pyplot,
    quiet,
    shorten,
)
from sfplearn.plots.palette import AGAINST, FOR, QUIET
from sfplearn.plots.smoothing import can_smooth, smoothed

Array = NDArray[np.float64]

# Inches.
HEIGHT = 4.2

# Values whose largest is more than this times their least are drawn on a logarithmic axis.
DECADES = 20.0

# Places at which the curve is computed.
CURVE = 200

# Areas of a candidate and of the choice, in square points.
DOT, RING = 28, 150


class HyperparameterDisplay(Display):
    """How the score of candidates depends on a hyperparameter.

    A point is a candidate; others of its settings may differ too. The curve is a local linear
    regression with Gaussian weights, over logarithms where the axis is logarithmic.

    Parameters
    ----------
    values : ndarray of shape (n_candidates,)
        What candidates have for the hyperparameter: numbers, or anything else.
    scores : ndarray of shape (n_candidates,)
        Their mean scores.
    parameter : str
        Name of the hyperparameter.
    best : int, default=-1
        Place of the candidate that was chosen; -1 for none.
    brief : ndarray of shape (n_candidates,) or None, default=None
        Whether candidates were given few passes or folds only.

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
    >>> from sfplearn import SFPSearchCV
    >>> from sfplearn.plots import HyperparameterDisplay
    >>> grid = [{"n_clusters": 3, "gamma": g, "refine": 0} for g in (0.01, 0.1, 0.3, 1.0)]
    >>> search = SFPSearchCV(space=grid, random_state=0).fit(*load_iris(return_X_y=True))
    >>> display = HyperparameterDisplay.from_search(search, "gamma")
    >>> display.ax_.get_xscale()
    'log'
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        values: NDArray[Any],
        scores: Array,
        parameter: str,
        best: int = -1,
        brief: NDArray[np.bool_] | None = None,
    ) -> None:
        self.values = values
        self.scores = scores
        self.parameter = parameter
        self.best = best
        self.brief = brief

    @classmethod
    def from_search(cls, search: Any, parameter: str | None = None, *, ax: Any = None) -> Self:
        """Read the scores of a search and draw them.

        Parameters
        ----------
        search : SFPSearchCV, or any search with `cv_results_`
            A fitted search.
        parameter : str or None, default=None
            Name of the hyperparameter, without that of a pipeline's step if it is clear. None
            takes the one with most different numbers.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : HyperparameterDisplay
            What was drawn. Candidates that failed are left out; if some have a number for the
            hyperparameter, so are those that have none, such as "auto".

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_iris
        >>> from sfplearn import SFPSearchCV
        >>> from sfplearn.plots import HyperparameterDisplay
        >>> grid = [{"n_clusters": k, "refine": 0} for k in (3, 4, 6)]
        >>> search = SFPSearchCV(space=grid, random_state=0).fit(*load_iris(return_X_y=True))
        >>> HyperparameterDisplay.from_search(search).parameter
        'n_clusters'
        >>> plt.close("all")
        """
        pyplot()
        check_is_fitted(search, "cv_results_")
        table = search.cv_results_
        name = _find(table, parameter)
        values, scores = table[name], np.asarray(table["mean_test_score"], dtype=np.float64)
        kept = ~np.isnan(scores) & _comparable(values)
        best = np.flatnonzero(np.flatnonzero(kept) == getattr(search, "best_index_", -1))
        brief = table.get("was_halved")
        display = cls(
            values=np.asarray([value for value, keep in zip(values, kept, strict=True) if keep]),
            scores=scores[kept],
            parameter=name.removeprefix("param_"),
            best=int(best[0]) if len(best) else -1,
            brief=None if brief is None else np.asarray(brief)[kept],
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw points and curve.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : HyperparameterDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> import numpy as np
        >>> from sfplearn.plots import HyperparameterDisplay
        >>> scores, values = np.array([0.8, 0.9]), np.array([1, 2])
        >>> display = HyperparameterDisplay(values=values, scores=scores, parameter="gamma")
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        ax = self._take(ax, HEIGHT)
        names, x = _along(self.values)
        if names is None:
            self._draw_curve(x)
        else:
            ax.set_xticks(range(len(names)), [shorten(name) for name in names])
            ax.set_xlim(-HALF, len(names) - HALF)
        brief = np.zeros(len(x), bool) if self.brief is None else self.brief
        look = {"edgecolor": FOR, "alpha": SEE_THROUGH, "zorder": 2}
        ax.scatter(x[~brief], self.scores[~brief], DOT, color=FOR, label="candidate", **look)
        if brief.any():
            label = "candidate, tried a little"
            ax.scatter(x[brief], self.scores[brief], DOT, facecolor="none", label=label, **look)
        if self.best >= 0:
            at = x[self.best], self.scores[self.best]
            ax.scatter(*at, RING, facecolor="none", edgecolor=AGAINST, lw=2, label="chosen")
        ax.set(xlabel=self.parameter, ylabel="mean score over folds")
        quiet(ax)
        legend_beside(ax, ax.get_legend_handles_labels()[0])
        return self

    def _draw_curve(self, x: Array) -> None:
        """Draw a smooth curve, and make the axis logarithmic where numbers ask for it."""
        from matplotlib.ticker import MaxNLocator

        is_log = bool(x.min() > 0 and x.max() > DECADES * x.min())
        if is_log:
            plain_logarithms(self.ax_)
        elif (x == np.round(x)).all():
            self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        along = np.log(x) if is_log else x
        if can_smooth(along):
            at = np.linspace(along.min(), along.max(), CURVE)
            curve = smoothed(along, self.scores, at)
            places = np.exp(at) if is_log else at
            self.ax_.plot(places, curve, color=QUIET, lw=2, zorder=1, label="smooth")


def _find(table: dict[str, Any], parameter: str | None) -> str:
    """Return the column of a hyperparameter."""
    columns = [name for name in table if name.startswith("param_")]
    if parameter is None:
        if not columns:
            raise ValueError("The search has no hyperparameters to show; give it some candidates.")
        return max(columns, key=lambda name: len({v for v in table[name] if _is_number(v)}))
    for name in columns:
        if name == f"param_{parameter}" or name.endswith(f"__{parameter}"):
            return name
    known = ", ".join(repr(name.removeprefix("param_")) for name in columns)
    raise ValueError(f"The search has no hyperparameter {parameter!r}; it has {known}.")


def _comparable(values: Any) -> NDArray[np.bool_]:
    """Return which values go on one axis: numbers if there are any, else all."""
    numbers = np.array([_is_number(value) for value in values])
    return numbers if numbers.any() else np.ones(len(values), bool)


def _is_number(value: Any) -> bool:
    masked = value is np.ma.masked
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and not masked


def _along(values: NDArray[Any]) -> tuple[list[str] | None, Array]:
    """Return names of categories, None for numbers, and where each value lies."""
    if all(_is_number(value) for value in values.tolist()):
        return None, values.astype(np.float64)
    texts = ["not set" if value is None else str(value) for value in values.tolist()]
    names = list(dict.fromkeys(texts))
    return names, np.array([names.index(text) for text in texts], dtype=np.float64)
