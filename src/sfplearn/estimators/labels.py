"""Rows without a label, as users mark them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
    wanted = is_missing(array) if is_missing(unlabeled).all() else array == unlabeled
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


def is_missing(value: Any) -> Any:
    """Tell which values are NaN, NA or None: those that do not equal themselves, and None."""
    array = np.asarray(value)
    if array.dtype.kind != "O":
        return array != array
    each = [one is None or not _is_true(one == one) for one in array.ravel()]
    return np.array(each, bool).reshape(array.shape)


def _is_true(answer: Any) -> bool:
    return isinstance(answer, bool | np.bool_) and bool(answer)
