"""Labels as users give them to labels as the core takes them, block by block.

A census of labels adds up over blocks; a coding is made from it and then applied to any block,
in memory, on disk, in a stream or on another machine.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.state import UNLABELLED
from sfplearn.estimators.labels import is_missing
from sfplearn.estimators.targets import FARTHEST, Standard, center_and_spread

# Numbers that differ up to this many are each a label; more are put into bins of equal weight.
MAX_LABELS = 1024
# Different numbers that are told apart exactly; where there are more, last digits are dropped.
MAX_VALUES = 1 << 18
# Classes that are whole numbers below this are found by a table.
LOOK_UP = 1 << 12
# Bits of a number that are dropped at a time.
BITS = 4

Mask = NDArray[np.bool_]


class Counts(NamedTuple):
    """How much each label weighs."""

    labels: NDArray[Any]
    """Different labels, in order."""
    sums: NDArray[np.float64]
    """Their weights."""
    dropped: int = 0
    """Lowest bits that were dropped of numbers, to tell fewer apart."""


class Spans(NamedTuple):
    """Weight, mean and standard deviation of labels that are numbers, column by column."""

    weight: float
    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    is_flat: bool
    """Whether labels are a vector, not a matrix."""


class Labels(NamedTuple):
    """Labels of a block as the core takes them."""

    codes: NDArray[np.int32]
    targets: NDArray[np.float64] | None = None
    weight: NDArray[np.float64] | float = 1.0
    """What weights of rows are times."""


class ClassCoding(NamedTuple):
    """Classes, each with a weight."""

    classes: NDArray[Any]
    weights: NDArray[np.float64]
    unlabeled: Any

    def __call__(self, y: Any) -> Labels:
        """Return labels as codes of classes; unknown classes are an error."""
        y, unlabelled = split_labels(one_column(y), self.unlabeled)
        if self.unlabeled is not None and unlabelled.any():
            codes = np.full(len(y), UNLABELLED, np.int32)
            codes[~unlabelled] = self._find(y[~unlabelled])
        else:
            codes = self._find(y)
        even = bool((self.weights == 1.0).all())
        return Labels(codes, weight=1.0 if even else np.append(self.weights, 1.0)[codes])

    def _find(self, y: NDArray[Any]) -> NDArray[np.int32]:
        """Return the place of each label among the classes."""
        found = self._look_up(y) if y.dtype.kind in "iu" else None
        if found is None:
            found = np.searchsorted(self.classes, y).astype(np.int32)
            found[found == len(self.classes)] = 0
            found[self.classes[found] != y] = -1
        if len(y) and found.min() < 0:
            named = ", ".join(map(repr, self.classes.tolist()))
            strange = y[found < 0][0]
            raise ValueError(
                f"y holds the label {getattr(strange, 'item', lambda: strange)()!r}, which is none "
                f"of the classes {named}; all must be known from the start."
            )
        return found

    def _look_up(self, y: NDArray[Any]) -> NDArray[np.int32] | None:
        """Return places by a table, several times as fast, if classes are numbers near 0."""
        classes = self.classes
        if classes.dtype.kind not in "iu" or not len(y):
            return None
        if min(classes[0], y.min()) < 0 or max(classes[-1], y.max()) >= LOOK_UP:
            return None
        table = np.full(LOOK_UP, -1, np.int32)
        table[classes] = np.arange(len(classes))
        return table[y]


class NumberCoding(NamedTuple):
    """Numbers put into bins, in order."""

    values: NDArray[np.float64]
    """The mean of each bin."""
    sums: NDArray[np.float64]
    """The weight of each bin."""
    upper: NDArray[np.float64]
    """The largest number of each bin but the last."""
    dropped: int
    unlabeled: Any

    def __call__(self, y: Any) -> Labels:
        """Return labels as codes of bins."""
        y, unlabelled = split_labels(y, self.unlabeled)
        numbers = _drop_bits(as_numbers(y, unlabelled), self.dropped)
        codes = np.searchsorted(self.upper, numbers).astype(np.int32)
        codes[unlabelled] = UNLABELLED
        return Labels(codes)


class TargetCoding(NamedTuple):
    """Numbers that join the pass exactly, in units of their own."""

    standard: Standard
    unlabeled: Any

    def __call__(self, y: Any) -> Labels:
        """Return labels as targets."""
        y, unlabelled = split_labels(y, self.unlabeled)
        numbers = as_numbers(y, unlabelled).reshape(len(y), -1)
        targets = np.clip(self.standard.apply(numbers), -FARTHEST, FARTHEST)
        targets[unlabelled] = 0.0
        return Labels(np.where(unlabelled, UNLABELLED, 0).astype(np.int32), targets)


def split_labels(y: Any, unlabeled: Any) -> tuple[NDArray[Any], Mask]:
    """Return labels as an array, and which rows have none."""
    # Lists keep the kinds of their entries: an array would turn NaN among text into text.
    array = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if unlabeled is None or not array.size:
        return _plain(array), np.zeros(len(array), bool)
    wanted = is_missing(array) if is_missing(unlabeled).all() else array == unlabeled
    unlabelled = wanted.reshape(len(array), -1).any(axis=1)
    if array.dtype.kind == "O" and unlabelled.any():
        some = array[~unlabelled]
        array = array.copy()
        array[unlabelled] = some[0] if len(some) else np.nan
    return _plain(array), unlabelled


def one_column(y: Any) -> Any:
    """Return labels of shape (n,), also if they are a column; refuse others."""
    shape: tuple[int, ...] = np.shape(y) if y is not None else ()
    if len(shape) == 0:
        raise ValueError("y must hold one label for each row; give a list or an array.")
    if len(shape) == 2 and shape[1] == 1:
        return np.asarray(y)[:, 0]
    if len(shape) > 1:
        raise ValueError(f"y must hold one label for each row; got the shape {shape}.")
    return y


def as_numbers(y: NDArray[Any], unlabelled: Mask) -> NDArray[np.float64]:
    """Return labels as numbers, 0 where there are none."""
    numbers = np.array(y, np.float64)
    numbers[unlabelled] = 0.0
    return numbers + 0.0


def count_classes(y: NDArray[Any], weight: NDArray[np.float64], unlabelled: Mask) -> Counts:
    """Return the classes of a block."""
    y = one_column(y)
    try:
        classes, codes = np.unique(y[~unlabelled], return_inverse=True)
    except TypeError:
        raise ValueError("y mixes kinds of labels, such as text and numbers; use one.") from None
    return Counts(classes, _bincount(codes, weight[~unlabelled]))


def count_values(y: NDArray[Any], weight: NDArray[np.float64], unlabelled: Mask) -> Counts:
    """Return the different numbers of a block."""
    counts = ~unlabelled & (weight > 0)
    values, codes = np.unique(as_numbers(y, unlabelled)[counts], return_inverse=True)
    sums = _bincount(codes, weight[counts])
    return _fewer(Counts(values, sums))


def merge_counts(left: Counts, right: Counts) -> Counts:
    """Return the labels of two sets of rows."""
    if not left.labels.size or not right.labels.size:
        return left if left.labels.size else right
    if (left.labels.dtype.kind in "OUS") != (right.labels.dtype.kind in "OUS"):
        raise ValueError("y mixes kinds of labels, such as text and numbers; use one.")
    dropped = max(left.dropped, right.dropped)
    both = [_drop_bits(part.labels, dropped) for part in (left, right)]
    labels, codes = np.unique(np.concatenate(both), return_inverse=True)
    sums = _bincount(codes, np.concatenate([left.sums, right.sums]))
    return (
        _fewer(Counts(labels, sums, dropped)) if labels.dtype.kind == "f" else Counts(labels, sums)
    )


def span_of(y: NDArray[Any], weight: NDArray[np.float64], unlabelled: Mask) -> Spans:
    """Return mean and spread of the numbers of a block."""
    counts = ~unlabelled & (weight > 0)
    numbers = as_numbers(y, unlabelled).reshape(len(y), -1)
    if not counts.any():
        return Spans(0.0, np.zeros(numbers.shape[1]), np.zeros(numbers.shape[1]), y.ndim == 1)
    mean, spread = center_and_spread(numbers, np.where(counts, weight, 0.0))
    return Spans(float(weight[counts].sum()), mean, spread, y.ndim == 1)


def merge_spans(left: Spans, right: Spans) -> Spans:
    """Return mean and spread of two sets of rows: squared deviations add, as roots of sums."""
    if len(left.mean) != len(right.mean):
        raise ValueError(
            f"y has {len(left.mean)} outputs in some blocks and {len(right.mean)} in others."
        )
    weight = left.weight + right.weight
    share = right.weight / (weight or 1.0)
    apart = right.mean - left.mean
    within = np.hypot(np.sqrt(1.0 - share) * left.spread, np.sqrt(share) * right.spread)
    return Spans(
        weight=weight,
        mean=left.mean + share * apart,
        spread=np.hypot(within, np.sqrt(share * (1.0 - share)) * apart),
        is_flat=left.is_flat,
    )


def number_coding(counts: Counts, unlabeled: Any) -> NumberCoding:
    """Return bins of numbers: one for each while few differ, else of about equal weight."""
    values, sums = counts.labels, counts.sums
    upper = values
    if len(values) > MAX_LABELS:
        bins = _equal_bins(sums)
        upper = values[np.append(np.flatnonzero(np.diff(bins)), len(bins) - 1)]
        values = np.bincount(bins, values * sums) / np.bincount(bins, sums)
        sums = _bincount(bins, sums)
    return NumberCoding(values, sums, upper[:-1], counts.dropped, unlabeled)


def _bincount(codes: NDArray[np.intp], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.bincount(codes, weight).astype(np.float64)


def _equal_bins(sums: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the bin of each label, in order, so that bins weigh about the same."""
    middle = (np.cumsum(sums) - sums / 2) / sums.sum()
    return np.unique((middle * MAX_LABELS).astype(int), return_inverse=True)[1]


def _fewer(counts: Counts) -> Counts:
    """Drop last digits until few enough numbers are told apart: in steps, so that parts agree."""
    while len(counts.labels) > MAX_VALUES:
        dropped = counts.dropped + BITS
        labels, codes = np.unique(_drop_bits(counts.labels, dropped), return_inverse=True)
        counts = Counts(labels, _bincount(codes, counts.sums), dropped)
    return counts


def _drop_bits(values: NDArray[Any], dropped: int) -> NDArray[Any]:
    """Return numbers with their last bits set to 0."""
    if not dropped:
        return values
    bits = values.astype(np.float64).view(np.uint64) >> np.uint64(dropped)
    return (bits << np.uint64(dropped)).view(np.float64)


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """Return labels of one kind as an array of that kind."""
    if array.dtype.kind != "O" or not array.size or array.ndim > 1:
        return array
    plain = np.array(array.tolist())
    if plain.dtype.kind in "US" and not all(isinstance(label, str | bytes) for label in array):
        raise ValueError("y mixes kinds of labels, such as text and numbers; use one.")
    return plain
