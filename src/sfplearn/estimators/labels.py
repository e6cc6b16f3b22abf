"""From labels as users give them to labels as the core takes them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.state import UNLABELLED

# Numbers that differ up to this many are each a label; more are put into bins of equal weight.
MAX_LABELS = 1024


def find_unlabelled(y: Any, unlabeled: Any) -> tuple[Any, NDArray[np.bool_] | None]:
    """Return labels with those of unlabelled rows filled in, and which rows these are.

    A row of several labels is unlabelled if any of them is missing. None if all are labelled.
    """
    if unlabeled is None or y is None:
        return y, None
    # Lists keep the kinds of their entries: an array would turn NaN among text into text.
    array = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if array.ndim == 0 or not array.size:
        return y, None
    if np.ndim(unlabeled):
        raise ValueError(f"unlabeled must be one label; got {unlabeled!r}.")
    wanted = _is_missing(array) if _is_missing(unlabeled).all() else array == unlabeled
    unlabelled = wanted.reshape(len(array), -1).any(axis=1)
    if not unlabelled.any():
        return y, None
    if unlabelled.all():
        raise ValueError(
            f"Every row is unlabelled (unlabeled={unlabeled!r}); label some rows, or use "
            "SFPClusterer, which needs no labels."
        )
    filled = array.copy()
    filled[unlabelled] = filled[np.argmin(unlabelled)]
    return np.array(filled.tolist()) if filled.dtype.kind == "O" else filled, unlabelled


def encode_numbers(
    y: NDArray[np.float64], weight: NDArray[np.float64], unlabelled: NDArray[np.bool_] | None
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
    """Return numbers as labels: their values in order, the code of each row, weight by label.

    Exact while at most MAX_LABELS differ; else neighbours share a bin and its mean.
    """
    counts = weight > 0 if unlabelled is None else (weight > 0) & ~unlabelled
    values, codes = np.unique(y[counts], return_inverse=True)
    sums = np.bincount(codes, weight[counts]).astype(np.float64)
    if len(values) > MAX_LABELS:
        bins = _equal_bins(sums)
        values = np.bincount(bins, values * sums) / np.bincount(bins, sums)
        sums, codes = np.bincount(bins, sums).astype(np.float64), bins[codes]
    # Labels of rows that do not count take the nearest.
    all_codes = np.searchsorted((values[1:] + values[:-1]) / 2, y).astype(np.int32)
    all_codes[counts] = codes
    if unlabelled is not None:
        all_codes[unlabelled] = UNLABELLED
    return values, all_codes, sums


def _equal_bins(sums: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the bin of each label, in order, so that bins weigh about the same."""
    middle = (np.cumsum(sums) - sums / 2) / sums.sum()
    return np.unique((middle * MAX_LABELS).astype(int), return_inverse=True)[1]


def _is_missing(value: Any) -> Any:
    """Tell which values are NaN, NA or None: those that do not equal themselves, and None."""
    array = np.asarray(value)
    if array.dtype.kind != "O":
        return array != array
    each = [one is None or not _is_true(one == one) for one in array.ravel()]
    return np.array(each, bool).reshape(array.shape)


def _is_true(answer: Any) -> bool:
    return isinstance(answer, bool | np.bool_) and bool(answer)
