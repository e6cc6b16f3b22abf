"""What all cells of a column have in common, gathered block by block."""

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sfplearn.cli import cells
from sfplearn.cli.readings import Reading

# More than any number has.
MANY_LETTERS = 1 << 30


@dataclass
class Census:
    """What is known of a column when all of it has been read."""

    name: str
    missing: int = 0
    kinds: set[str] = field(default_factory=set)
    """What its cells are, block by block."""
    least: float = np.inf
    most: float = -np.inf
    are_whole: bool = True
    """Whether all numbers are whole, and written so."""
    numbers: int = 0
    """Cells that are numbers."""
    words: int = 0
    """Cells that are none."""
    odd: tuple[int, str] | None = None
    """The first row, counted from 1, and the text of a cell that is no number."""
    has_commas: bool = False
    """Whether numbers have decimal commas."""
    has_sure_commas: bool = False
    """Whether some of these cannot separate thousands."""
    marks: set[str] = field(default_factory=set)
    """Signs of numbers that are amounts; "" where some have none."""
    lengths: tuple[int, int] = (MANY_LETTERS, 0)
    """Letters of the shortest and of the longest number, where they are text."""
    has_codes: bool = False
    """Whether some number begins with a zero, while all are equally long."""
    are_digits: bool = True
    """Whether numbers consist of digits, likewise."""
    are_truths: bool = True
    """Whether all cells are true or false."""
    infinite: int = 0
    """Cells that are missing because they are infinite numbers."""
    placeholders: Counter[str] = field(default_factory=Counter)
    """Cells such as "-" and "None", which are missing unless the column is one of words."""
    may_have_groups: bool = True
    """Whether all points may separate thousands."""
    grouped: "Census | None" = None
    """The same column if they do, as soon as there are some."""
    reading: Reading = field(default_factory=Reading)
    """How cells are to be read, as soon as all of them are known."""

    def take(self, column: Any, commas: bool, before: int) -> None:
        """Look at one more block of the column; `before` rows were there before."""
        written, column = column, cells.without_placeholders(column)
        self._take_groups(column, written, commas, before)
        if column.null_count > written.null_count:
            self.placeholders += cells.count_placeholders(written)
        self.missing += column.null_count
        if column.null_count == len(column):
            return
        kind = cells.kind_of(column, commas)
        self.kinds.add(kind)
        self.are_truths = self.are_truths and cells.are_truths(column)
        if kind == cells.NUMBERS:
            self._take_numbers(column, commas)
        elif cells.is_text(column.type):
            self._take_words(column, commas, before)

    def _take_groups(self, column: Any, written: Any, commas: bool, before: int) -> None:
        """Look at the block as if points separated thousands, while nothing speaks against it."""
        text = commas and cells.is_text(column.type)
        self.may_have_groups = self.may_have_groups and text and cells.may_have_groups(column)
        if not self.may_have_groups:
            self.grouped = None
            return
        if self.grouped is None and cells.has_groups(column):
            # Blocks before this one mean the same either way.
            self.grouped = deepcopy(self)
        if self.grouped is not None:
            self.grouped.may_have_groups = False
            self.grouped.take(cells.without_groups(written), commas, before)

    def _take_numbers(self, column: Any, commas: bool) -> None:
        numbers = cells.as_numbers(column, commas)
        assert numbers is not None
        if np.isnan(numbers).all():
            return
        self.numbers += int(np.count_nonzero(~np.isnan(numbers)))
        self.least = min(self.least, float(np.nanmin(numbers)))
        self.most = max(self.most, float(np.nanmax(numbers)))
        self.are_whole = self.are_whole and cells.are_integers(column)
        if cells.is_text(column.type):
            self._take_commas(column, commas)
            self.marks |= cells.marks_of(column, commas)
            self._take_lengths(column)

    def _take_commas(self, column: Any, commas: bool) -> None:
        if commas and cells.has_commas(column):
            self.has_commas = True
            self.has_sure_commas = self.has_sure_commas or cells.has_sure_commas(column)

    def _take_lengths(self, column: Any) -> None:
        shortest, longest = cells.lengths_of(column)
        self.lengths = min(self.lengths[0], shortest), max(self.lengths[1], longest)
        if self.lengths[0] == self.lengths[1]:  # else it does not matter, and takes time
            self.has_codes = self.has_codes or cells.has_codes(column)
            self.are_digits = self.are_digits and cells.are_digits(column)

    @property
    def are_codes(self) -> bool:
        """Whether numbers are names, as 02139 is: all of one length, some with a zero in front."""
        return self.has_codes and self.are_digits and self.lengths[0] == self.lengths[1]

    def _take_words(self, column: Any, commas: bool, before: int) -> None:
        numbers = cells.count_numbers(column, commas)
        self.numbers += numbers
        self.words += len(column) - column.null_count - numbers
        if self.odd is None:
            place, text = cells.first_word(column, commas)
            self.odd = (before + place + 1, text)

    @property
    def are_words(self) -> bool:
        """Whether the column is one of words; truths are no words, but values as numbers are."""
        return (cells.WORDS in self.kinds or len(self.kinds) > 1) and not self.are_truths

    @property
    def uses_commas(self) -> bool:
        """Whether it tells that commas are decimal in the table, read in one way or the other."""
        ways = [self] if self.grouped is None else [self, self.grouped]
        return any(each.kinds == {cells.NUMBERS} and each.has_sure_commas for each in ways)

    def settled(self, commas_are_used: bool, known: Reading | None) -> "Census":
        """Return what is known when all was read, or as a model had it read before."""
        thousands = known.thousands if known else commas_are_used and self.grouped is not None
        chosen = self.grouped if thousands and self.grouped is not None else self
        words = known.placeholders if known else chosen.are_words
        held = chosen.placeholders.total() if words else 0
        return replace(
            chosen,
            missing=chosen.missing - held,
            kinds=chosen.kinds | ({cells.WORDS} if held else set()),
            infinite=self.infinite,
            reading=Reading(words, thousands),
        )
