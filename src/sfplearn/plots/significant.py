"""How many features are significant, over the strength that evens their weights out."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline

from sfplearn.estimators.selector import check_threshold, significant_features
from sfplearn.plots.canvas import MARKER, Display, plain_logarithms, pyplot, quiet
from sfplearn.plots.palette import COLOURS
from sfplearn.plots.reading import read

Array = NDArray[np.float64]

# Strengths that are tried unless others are given: from a few features to all of most tables.
LAMS = tuple(np.geomspace(0.01, 10.0, 10).round(4).tolist())

# Inches, without and with scores below.
HEIGHT, WITH_SCORES = 3.8, 5.6

# The axis ends a little above all features, so that markers are whole.
TOP = 1.04

# How strong the band of one standard deviation is.
BAND = 0.2


class SignificantFeaturesDisplay(Display):
    """The share of significant features over lam, the evenness of feature weights.

    In each cluster the fewest features whose weights sum to a threshold are significant; all
    that are significant to some cluster count (the paper's section 4.3).

    Parameters
    ----------
    lams : ndarray of shape (n_lams,)
        The strengths.
    counts : ndarray of shape (n_lams,)
        Significant features with each.
    n_features : int
        Number of all features.
    threshold : float
        Sum of weights that significant features reach.
    scores : ndarray of shape (n_lams, n_folds) or None, default=None
        Scores of a cross-validation.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, or those that both panels share out between them.
    axes_ : ndarray of matplotlib Axes
        One panel, or two of shape (2, 1).
    figure_ : matplotlib Figure
        The figure.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from sklearn.datasets import load_iris
    >>> from sfplearn import SFPClassifier
    >>> from sfplearn.plots import SignificantFeaturesDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SFPClassifier(3, refine=0, random_state=0)
    >>> display = SignificantFeaturesDisplay.from_estimator(model, X, y, lams=[0.01, 10])
    >>> bool(display.counts[0] < display.counts[1])
    True
    >>> plt.close(display.figure_)
    """

    def __init__(
        self,
        *,
        lams: Array,
        counts: NDArray[np.intp],
        n_features: int,
        threshold: float,
        scores: Array | None = None,
    ) -> None:
        self.lams = lams
        self.counts = counts
        self.n_features = n_features
        self.threshold = threshold
        self.scores = scores

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        lams: Any = LAMS,
        threshold: float = 0.9,
        cv: Any = None,
        scoring: Any = None,
        ax: Any = None,
    ) -> Self:
        """Fit clones with each strength, count significant features, and draw.

        Parameters
        ----------
        estimator : SFPClassifier, SFPRegressor, SFPClusterer or Pipeline that ends with one
            An estimator, which stays as it is, fitted or not.
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or None, default=None
            Their labels.
        lams : sequence of float, default=ten values from 0.01 to 10
            The strengths to try.
        threshold : float, default=0.9
            Sum of weights that the significant features of a cluster reach.
        cv : int, splitter or None, default=None
            Folds of a cross-validation, whose scores are then shown too; None for none.
        scoring : str, callable or None, default=None
            The score, as scikit-learn takes it; None for that of the estimator.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : SignificantFeaturesDisplay
            What was drawn.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> from sklearn.datasets import load_iris
        >>> from sfplearn import SFPClassifier
        >>> from sfplearn.plots import SignificantFeaturesDisplay
        >>> X, y = load_iris(return_X_y=True)
        >>> model = SFPClassifier(3, refine=0, random_state=0)
        >>> display = SignificantFeaturesDisplay.from_estimator(model, X, y, lams=[1], cv=3)
        >>> display.scores.shape
        (1, 3)
        >>> plt.close(display.figure_)
        """
        pyplot()
        check_threshold(threshold)
        lams = np.sort(np.asarray(lams, dtype=np.float64).ravel())
        if not len(lams):
            raise ValueError("lams is empty; give the strengths to try.")
        tried = [_with(estimator, float(lam)) for lam in lams]
        found = [_significant(each.fit(X, y), threshold, cls.__name__) for each in tried]
        scores = None
        if cv is not None:
            how = {"cv": cv, "scoring": scoring}
            scores = np.array([cross_val_score(clone(each), X, y, **how) for each in tried])
        display = cls(
            lams=lams,
            counts=np.array([mask.sum() for mask in found]),
            n_features=len(found[0]),
            threshold=threshold,
            scores=scores,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the share of significant features, and scores below it if there are any.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : SignificantFeaturesDisplay
            This display.

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> import numpy as np
        >>> from sfplearn.plots import SignificantFeaturesDisplay
        >>> display = SignificantFeaturesDisplay(
        ...     lams=np.array([0.1, 1.0]), counts=np.array([1, 4]), n_features=4, threshold=0.9
        ... )
        >>> _, ax = plt.subplots()
        >>> display.plot(ax=ax).ax_ is ax
        True
        >>> plt.close("all")
        """
        if self.scores is None:
            first = last = self._take(ax, HEIGHT)
        else:
            (first,), (last,) = self._share_out(ax, WITH_SCORES, 2, 1)
            self._draw_scores(last)
            first.sharex(last)
            first.tick_params(labelbottom=False)
        self._draw_shares(first)
        plain_logarithms(last)
        last.set_xlabel("lam, the evenness of feature weights")
        return self

    def _draw_shares(self, ax: Any) -> None:
        """Draw shares on the left axis, which are counts on the right one."""
        p = self.n_features
        ax.plot(self.lams, self.counts / p, color=COLOURS[0], marker="o", markersize=MARKER)
        ax.set(ylabel="share of significant features", ylim=(0, TOP))
        quiet(ax)
        right = ax.secondary_yaxis("right", functions=(lambda s: s * p, lambda c: c / p))
        right.set_ylabel(f"count, of {p}")

    def _draw_scores(self, ax: Any) -> None:
        """Draw mean scores over folds, and a band of one standard deviation."""
        assert self.scores is not None
        mean, deviation = self.scores.mean(axis=1), self.scores.std(axis=1)
        tone = COLOURS[1]
        ax.fill_between(self.lams, mean - deviation, mean + deviation, color=tone, alpha=BAND, lw=0)
        ax.plot(self.lams, mean, color=tone, marker="s", markersize=MARKER)
        ax.set_ylabel(f"score of {self.scores.shape[1]} folds, mean ± sd")
        quiet(ax)


def _with(estimator: Any, lam: float) -> Any:
    """Return an unfitted copy with another strength."""
    step = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    return clone(estimator).set_params(**{f"{step}lam": lam})


def _significant(fitted: Any, threshold: float, display: str) -> NDArray[np.bool_]:
    """Return which features are significant to some cluster that has rows."""
    model = read(fitted, by_features=display).model
    alive = model.cluster_mass_ > 0
    chosen = significant_features(model.feature_weights_[alive], threshold)
    return np.asarray(chosen.any(axis=0))
