"""Columns of a table as it came: a data frame, an array or a sparse matrix."""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sfplearn.estimators import TameTails
from sfplearn.estimators.labels import is_missing
from sfplearn.report.words import CELL_LENGTH, number, shortened

# What stands for a missing cell.
MISSING = "missing"


def take(X: Any, index: NDArray[np.intp]) -> Any:
    """Return some rows of a table, as the kind of table that it is.

    >>> take([[1], [2], [3]], np.array([2, 0])).tolist()
    [[3], [1]]
    """
    if hasattr(X, "iloc"):
        return X.iloc[index]
    if sp.issparse(X):
        return X.tocsr()[index]
    return (X if hasattr(X, "shape") else np.asarray(X))[index]


def names_of(X: Any, width: int) -> list[str]:
    """Return the names of columns; x0, x1, ... where they have none, as scikit-learn does.

    >>> names_of([[1, 2]], 2)
    ['x0', 'x1']
    """
    columns = getattr(X, "columns", None)
    return [f"x{i}" for i in range(width)] if columns is None else [str(name) for name in columns]


def shape_of(X: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns.

    >>> shape_of([[1, 2], [3, 4], [5, 6]])
    (3, 2)
    """
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) != 2:
        raise ValueError(f"X must be a table of rows and columns; got {len(shape)} dimension(s).")
    return int(shape[0]), int(shape[1])


def row_numbers(X: Any) -> NDArray[Any]:
    """Return the numbers of rows: the index of a data frame if it numbers them, or their places.

    >>> row_numbers([[1], [2]]).tolist()
    [0, 1]
    """
    places = np.arange(shape_of(X)[0])
    index = getattr(X, "index", None)
    if index is None or not hasattr(index, "to_numpy"):
        return places
    numbers = index.to_numpy()
    told = numbers.dtype.kind in "iu" and len(np.unique(numbers)) == len(numbers)
    return numbers if told else places


class Column:
    """A column: numbers, dates (days since 1970) or text (categories), some cells missing.

    >>> Column(np.array(["b", None, "a"], dtype=object)).cell(1)
    'missing'
    >>> Column(np.array([1.5, np.nan])).is_number
    True
    """

    def __init__(self, values: NDArray[Any], is_date: bool = False) -> None:
        self.missing = np.asarray(is_missing(values), dtype=bool)
        numbers = None if values.dtype.kind in "bmM" else _as_numbers(values, self.missing)
        self.is_number = numbers is not None
        self.is_date = is_date and self.is_number
        self.values = values if numbers is None else numbers

    @cached_property
    def even(self) -> NDArray[np.float64]:
        """Numbers whose tails are tamed, so that a few far cells do not rule a comparison."""
        known = np.where(np.isfinite(self.values), self.values, np.nan)[:, None]
        return TameTails().fit_transform(known)[:, 0]

    @cached_property
    def has_tails(self) -> bool:
        """Whether its tails are heavy."""
        return not np.array_equal(self.even, self.values, equal_nan=True)

    def text(self, value: float) -> str:
        """Return a number of the column as people read it."""
        return date_of(value) if self.is_date else number(value)

    def cell(self, row: int) -> str:
        """Return the value of a row as people read it."""
        if self.missing[row]:
            return MISSING
        value = self.values[row]
        return self.text(value) if self.is_number else shortened(value, CELL_LENGTH)


def date_of(days: float) -> str:
    """Return the day of a number of days since 1970.

    >>> date_of(365.75)
    '1971-01-01'
    """
    return str(np.datetime64(0, "D") + np.timedelta64(int(np.floor(days)), "D"))


def column_of(X: Any, j: int, is_date: bool = False) -> Column:
    """Return a column of a table.

    >>> column_of([[1, 2], [3, 4]], 1).values.tolist()
    [2.0, 4.0]
    """
    if hasattr(X, "iloc"):
        return Column(X.iloc[:, j].to_numpy(), is_date)
    if sp.issparse(X):
        return Column(X.tocsc()[:, [j]].toarray()[:, 0])
    values = X[:, j] if hasattr(X, "shape") else np.asarray(X)[:, j]
    values = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    return Column(values, is_date)


def _as_numbers(values: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """Return numbers, NaN where missing; None if some are no numbers."""
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)
    present = values[~missing]
    if any(isinstance(one, str | bytes | bool | np.bool_) for one in present):
        return None
    found = np.full(len(values), np.nan)
    try:
        found[~missing] = present.astype(np.float64)
    except (TypeError, ValueError):
        return None
    return found
