"""Dates as numbers, which is what distances take."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

# Seconds are exact in double precision for millions of years.
SECONDS_A_DAY = 86400.0


class DaysSince1970(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Turn columns of dates into days since 1970, at the head of a pipeline.

    Dates may be datetimes of NumPy or pandas, or text such as "2024-01-31" or
    "2024-01-31 18:00"; what is missing becomes NaN. Numbers pass: they are days already.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.estimators.dates import DaysSince1970
    >>> dates = np.array([["1970-01-02"], ["1970-01-03 12:00"]], dtype=object)
    >>> DaysSince1970().fit_transform(dates).tolist()
    [[1.0], [2.5]]
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn nothing but the names of the columns.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            Columns of dates.
        y : None
            Not used.

        Returns
        -------
        self : DaysSince1970
            The transformer.
        """
        columns = _columns(X)
        self.n_features_in_ = len(columns)
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return days since 1970.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            Columns of dates.

        Returns
        -------
        days : ndarray of shape (n_samples, n_features)
            Fractions are times of the day; NaN where a date is missing.
        """
        return np.column_stack([days_of(column) for column in _columns(X)])


def days_of(column: NDArray[Any]) -> NDArray[np.float64]:
    """Return a column of dates as days since 1970.

    >>> days_of(np.array(["1970-01-02", None], dtype=object)).tolist()
    [1.0, nan]
    """
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    if column.dtype.kind == "M":
        return _days(column)
    cells = [None if _is_missing(cell) else cell for cell in column.tolist()]
    if all(cell is None or isinstance(cell, int | float) for cell in cells):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    try:
        return _days(np.array(cells, dtype="datetime64[us]"))
    except (TypeError, ValueError):
        wrong = next((cell for cell in cells if isinstance(cell, str)), cells[0])
        raise ValueError(
            f"A column of dates holds {str(wrong)!r} or something like it; write dates as "
            "2024-01-31, or turn them into datetimes first."
        ) from None


def _days(moments: NDArray[np.datetime64]) -> NDArray[np.float64]:
    seconds = (moments - np.datetime64(0, "s")) / np.timedelta64(1, "s")
    return np.asarray(seconds, dtype=np.float64) / SECONDS_A_DAY


def _is_missing(cell: Any) -> bool:
    return (
        cell is None or cell in ("", "NaT") or cell != cell
    )  # NaN and NaT are not even themselves


def _columns(X: Any) -> list[NDArray[Any]]:
    """Return the columns of a table, each with a type of its own."""
    if hasattr(X, "columns"):
        return [np.asarray(X[name]) for name in X.columns]
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X must be a table of rows and columns; got {X.ndim} dimension(s).")
    return list(X.T)
