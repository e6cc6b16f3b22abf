"""The target: whether it has classes or numbers, and its values as models take them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfplearn.cli import cells
from sfplearn.cli.census import Census
from sfplearn.cli.names import plain, quoted
from sfplearn.cli.survey import MOST_CLASSES, Survey
from sfplearn.core import CLASSIFICATION_LOSSES, REGRESSION_LOSSES
from sfplearn.estimators.checks import check_choice

CLASSIFICATION, REGRESSION = "classification", "regression"

# Whole numbers are classes if at most so many differ, and at most so many of the rows.
MOST_WHOLE_CLASSES, CLASSES_SHARE = 20, 0.1

# Text has classes if it repeats itself: with more classes than these, a class has two rows at
# least, on average.
SURELY_CLASSES = 20


@dataclass(frozen=True)
class Target:
    """What is to be predicted."""

    name: str
    task: str
    was_guessed: bool
    missing: int
    """Rows without a target."""
    kind: str
    """What cells are: numbers or words."""
    is_whole: bool
    counts: dict[str, int]
    """How many rows each class has, by the class as text; empty for numbers."""

    @property
    def has_classes(self) -> bool:
        """Whether the task is classification."""
        return self.task == CLASSIFICATION

    def values(self, column: Any, commas: bool) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the labels of a block, and which rows have one."""
        known = column.is_valid().to_numpy(zero_copy_only=False)
        there = column.drop_null()
        if self.kind == cells.NUMBERS:
            if self.has_classes and self.is_whole:
                return cells.as_integers(there), known
            numbers = cells.as_numbers(there, commas)
            assert numbers is not None
            return numbers, known
        if there.type == "bool":
            return there.to_numpy(zero_copy_only=False).astype(bool), known
        return cells.as_words(there).astype(str), known

    def classes(self, found: Survey) -> NDArray[Any]:
        """Return all classes of a table, sorted."""
        labels, _ = self.values(pa.array(list(found.labels or ())), found.commas)
        return np.unique(labels)


def find_target(found: Survey, name: str, task: str | None) -> Target:
    """Return what the target is, from all of its cells."""
    census, place = found.columns[name], found.table.name
    known = found.rows - census.missing
    if not known:
        raise ValueError(
            f"{place}: the target {quoted(name)} is missing in every row; name another --target."
        )
    if not census.kinds <= {cells.NUMBERS, cells.WORDS}:
        raise ValueError(
            f"{place}: the target {quoted(name)} holds dates, times or lists; it must be numbers "
            "or text."
        )
    codes = census.are_codes and task != REGRESSION and not _are_many(found, known)
    kind = cells.WORDS if codes or cells.WORDS in census.kinds else cells.NUMBERS
    guess = guess_task(found, census, kind)
    chosen = task or guess
    if chosen == CLASSIFICATION and census.marks - {""}:
        kind = cells.WORDS  # 50% and 100% are names of classes
    target = Target(
        name=name,
        task=chosen,
        was_guessed=task is None,
        missing=census.missing,
        kind=kind,
        is_whole=census.are_whole,
        counts=_counts(found, chosen, kind == cells.NUMBERS),
    )
    check_target(found, target, known)
    return target


def guess_task(found: Survey, census: Census, kind: str) -> str:
    """Return classification for text and for few whole numbers, else regression."""
    if kind == cells.WORDS:
        return CLASSIFICATION
    known = found.rows - census.missing
    few = found.labels is not None and len(found.labels) <= MOST_WHOLE_CLASSES
    amounts = bool(census.marks - {""})
    whole = few and (amounts or all(_is_whole(value) for value in found.labels or ()))
    # Of two values, each row more tells that they are classes, however few there are.
    limit = max(2, CLASSES_SHARE * known)
    return CLASSIFICATION if whole and len(found.labels or ()) <= limit else REGRESSION


def _is_whole(value: Any) -> bool:
    try:
        return float(value).is_integer()
    except (TypeError, ValueError):
        return False


def whole_number(label: Any) -> str:
    """Return a whole number with all its digits, however it was written.

    >>> whole_number("1234567.0"), whole_number("01"), whole_number("1e3")
    ('1234567', '1', '1000')
    """
    try:
        return str(int(label))
    except ValueError:
        return str(int(float(label)))


def as_number(label: Any) -> str:
    """Return a label as the whole number that it may be, else as text.

    >>> as_number("01"), as_number(1.0), as_number("a"), as_number(True)
    ('1', '1', 'a', 'True')
    """
    return str(label) if isinstance(label, bool) or not _is_whole(label) else whole_number(label)


def _counts(found: Survey, task: str, numbers: bool) -> dict[str, int]:
    """Return rows of each class; numbers that are written in several ways are one class."""
    counts: dict[str, int] = {}
    if task == CLASSIFICATION:
        for label, count in sorted((found.labels or {}).items(), key=str):
            name = as_number(label) if numbers else str(label)
            counts[name] = counts.get(name, 0) + count
    return counts


def check_target(found: Survey, target: Target, known: int) -> None:
    """Refuse targets that cannot be learned."""
    what = f"{found.table.name}: the target {quoted(target.name)}"
    census = found.columns[target.name]
    if target.has_classes:
        check_classes(found, target, known, what)
    elif target.kind == cells.WORDS:
        odd = plain(census.odd[1]) if census.odd else "True"
        raise ValueError(
            f"{what} holds text such as {quoted(odd)}, and regression needs numbers; "
            "name another --target, or --task classification."
        )
    elif not cells.agree(census.marks):
        raise ValueError(
            f"{what} mixes percents or money with other numbers; write all in one unit."
        )
    elif census.least == census.most:
        raise ValueError(f"{what} is the same number in every row; name another --target.")


def _are_many(found: Survey, known: int) -> bool:
    """Tell whether there are too many different labels for classes."""
    return found.labels is None or SURELY_CLASSES < len(found.labels) > known / 2


def check_classes(found: Survey, target: Target, known: int, what: str) -> None:
    """Refuse classes that are too many, too few, or fractions."""
    if found.labels is None or _are_many(found, known):
        many = f"more than {MOST_CLASSES}" if found.labels is None else len(found.labels)
        raise ValueError(
            f"{what} has {many} different values in {known} rows, too many for classes; choose "
            "another target, or --task regression for numbers."
        )
    if len(target.counts) < 2:
        only = quoted(next(iter(found.labels)))
        raise ValueError(
            f"{what} is {only} in every row; there must be two classes: name another --target."
        )
    if target.kind == cells.NUMBERS and not all(map(_is_whole, found.labels)):
        raise ValueError(
            f"{what} holds fractions, and classes must be whole numbers or text; "
            "name another --target, or --task regression."
        )


def check_loss(name: str | None, target: Target, labels: NDArray[Any]) -> None:
    """Refuse a loss that is not known, or not meant for these labels."""
    if name is None:
        return
    known: dict[str, Any] = CLASSIFICATION_LOSSES if target.has_classes else REGRESSION_LOSSES
    known[check_choice("--loss", name, known)]().check(np.unique(labels))
