"""Columns with heavy tails, which a few far rows would rule, brought near the others."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sfplearn.estimators.checks import check_number

Array = NDArray[np.float64]

# Mean fourth power of a standardised column from which on its tails are heavy; it is 3 for a
# normal and 9 for an exponential one.
HEAVY = 5.0

# Many cells that lie equally far make no such power: the deviation then is this many times what
# the middle half of the column tells.
SQUEEZED = 5.0

# Deviations of a normal column in the range of its middle half.
MIDDLE_HALF = 1.349

# Cells that are looked at together.
MOST_CELLS = 1_000_000

# Knots of a curve, about, besides those of its ends.
KNOTS = 100


class TameTails(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Give columns with heavy tails the shape of a normal one, and keep rows within what was seen.

    Squared distances make much of a few far rows: an amount, or a 9999 for what is not known,
    can drown all else. A cell becomes the normal number that has its place among those of the
    column; the mean and variance of the fit stay. Other columns stay as they are, but cells of
    new rows beyond all that the fit saw count as the farthest that it saw: clusters know nothing
    of what lies there.

    Parameters
    ----------
    heavy : float, default=5.0
        Columns whose kurtosis is larger are changed; and those whose deviation is far beyond that
        of their middle half.

    Attributes
    ----------
    is_heavy_ : ndarray of bool of shape (n_features,)
        Which columns are changed.
    ends_ : ndarray of shape (2, n_features)
        The least and the largest cell of each column.
    knots_ : ndarray of shape (n_knots, number of these)
        Cells as they are, ascending; between them, and what they become, lines are drawn.
    normal_ : ndarray of shape (n_knots, number of these)
        What they become.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn import TameTails
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [999.0]])
    >>> TameTails().fit_transform(X).ravel().round().tolist()
    [-420.0, -226.0, -111.0, -19.0, 64.0, 143.0, 226.0, 318.0, 433.0, 627.0]
    """

    def __init__(self, heavy: float = HEAVY) -> None:
        self.heavy = heavy

    def fit(self, X: Any, y: Any = None) -> "TameTails":
        """Find columns with heavy tails, and what their cells become.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; NaN where nothing is known.
        y : None
            Not used.

        Returns
        -------
        self : TameTails
            Itself.
        """
        check_number("heavy", self.heavy, above=0)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        known = [column[~np.isnan(column)] for column in X.T]
        self.is_heavy_ = _find_heavy(X, known, self.heavy)
        ends = [(x.min(), x.max()) if len(x) else (-np.inf, np.inf) for x in known]
        self.ends_ = np.array(ends).T
        curves = [_curve(known[place]) for place in np.flatnonzero(self.is_heavy_)]
        count = max((len(knots) for knots, _ in curves), default=0)
        made = np.empty((2, count, len(curves)))
        for place, curve in enumerate(curves):
            # What is left of the shorter ones repeats their ends, which draws nothing.
            made[:, :, place] = np.pad(curve, ((0, 0), (0, count - curve.shape[1])), mode="edge")
        self.knots_, self.normal_ = made
        return self

    def transform(self, X: Any) -> Array:
        """Return rows within what was seen, whose heavy columns are changed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        tamed : ndarray of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, dtype=np.float64, ensure_all_finite="allow-nan", copy=True, reset=False
        )
        np.clip(X, *self.ends_, out=X)
        for place, *curve in zip(
            np.flatnonzero(self.is_heavy_), self.knots_.T, self.normal_.T, strict=True
        ):
            X[:, place] = np.interp(X[:, place], *curve)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _find_heavy(X: Array, known: list[Array], heavy: float) -> NDArray[np.bool_]:
    """Tell which columns have heavy tails, of those without gaps many at a time."""
    found = np.zeros(X.shape[1], bool)
    gaps = np.array([len(x) < len(X) for x in known])
    whole = np.flatnonzero(~gaps)
    for some in np.array_split(whole, max(1, len(X) * len(whole) // MOST_CELLS)):
        found[some] = _are_heavy(X[:, some], heavy)
    for place in np.flatnonzero(gaps):
        found[place] = _are_heavy(known[place][:, None], heavy)[0]
    return found


def _are_heavy(X: Array, heavy: float) -> NDArray[np.bool_]:
    """Tell of which columns a few cells lie far from the others.

    Two values have one distance, whatever they are changed to.
    """
    if len(X) < 3:
        return np.zeros(X.shape[1], bool)
    several = np.count_nonzero(np.diff(np.sort(X, axis=0), axis=0), axis=0) >= 2
    far = X - X.mean(axis=0)
    size = np.abs(far).max(axis=0)
    far /= np.where(size > 0, size, 1.0)  # so that no square is too large
    variance = np.mean(far**2, axis=0)
    low, high = np.quantile(far, [0.25, 0.75], axis=0)
    squeezed = (low < high) & (np.sqrt(variance) > SQUEEZED * (high - low) / MIDDLE_HALF)
    return several & (squeezed | (np.mean(far**4, axis=0) > heavy * variance**2))


def _curve(x: Array) -> Array:
    """Return knots among the cells of a column, and the normal numbers that these become, (2, m).

    Equal cells become the one of the middle of their places. The first knot is the least cell, the
    last the largest.
    """
    cells, counts = np.unique(x, return_counts=True)
    shares = (np.cumsum(counts) - counts / 2) / len(x)
    kept = _kept(shares, 0.5 / len(x))
    knots, normal = cells[kept], ndtri(shares[kept])
    scores = np.interp(x, knots, normal)
    size = np.abs(x - x.mean()).max()
    scale = size * (((x - x.mean()) / size).std() / scores.std())
    return np.stack([knots, x.mean() + scale * (normal - scores.mean())])


def _kept(shares: Array, least: float) -> NDArray[np.intp]:
    """Return which places become knots: even ones, and ever closer ones towards the ends.

    `least` is the share of half a row.
    """
    ends = least * 2.0 ** np.arange(np.log2(0.5 / least))
    even = (np.arange(KNOTS) + 0.5) / KNOTS
    wanted = np.concatenate([even, ends, 1.0 - ends])
    near = np.searchsorted(shares, wanted).clip(0, len(shares) - 1)
    return np.unique([0, *near, len(shares) - 1])
