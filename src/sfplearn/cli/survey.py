"""One pass over a table: how many rows, what each column holds, and a sample of the rows."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfplearn.cli import cells
from sfplearn.cli.readings import AS_WRITTEN, Reading, read_as, shown_cells
from sfplearn.cli.tables import TableFile

# Rows and cells of the sample: as many as fit into a little memory.
SAMPLE_ROWS = 100_000
SAMPLE_CELLS = 20_000_000

# Different values of a target that are counted; with more, it has no classes.
MOST_CLASSES = 1000

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


class Sample:
    """Rows drawn at random, all equally likely, in the order of the table."""

    def __init__(self, limit: int, seed: int) -> None:
        self.limit = limit
        self._random = np.random.default_rng(seed)
        self._tables: list[Any] = []
        self._keys = np.empty(0)
        self._places = np.empty(0, dtype=np.int64)
        self._seen = 0

    def take(self, batch: Any) -> None:
        """Look at more rows: the ones of least random keys are kept."""
        self._tables.append(pa.Table.from_batches([batch]))
        self._keys = np.concatenate([self._keys, self._random.random(len(batch))])
        fresh = np.arange(self._seen, self._seen + len(batch))
        self._places = np.concatenate([self._places, fresh])
        self._seen += len(batch)
        # Throwing rows out is copying: it is done when there are twice as many as needed.
        if len(self._keys) > 2 * self.limit:
            self._shrink()

    def table(self) -> Any:
        """Return the rows as one table."""
        self._shrink()
        return self._tables[0]

    def places(self) -> NDArray[np.int64]:
        """Return the places of the rows in the table, counted from 0."""
        self._shrink()
        return self._places

    def _shrink(self) -> None:
        whole = pa.concat_tables(self._tables)
        if len(self._keys) > self.limit:
            kept = np.sort(np.argpartition(self._keys, self.limit)[: self.limit])
            self._keys, self._places = self._keys[kept], self._places[kept]
            whole = whole.take(pa.array(kept))
        self._tables = [whole.combine_chunks()]


@dataclass
class Survey:
    """What one pass over a table tells."""

    table: TableFile
    rows: int
    columns: dict[str, Census]
    labels: Counter[Any] | None
    """How often each value of the target occurs; None if too many differ."""
    sample: Any
    """Some rows, or all, as a table of pyarrow; missing cells are null."""
    places: NDArray[np.int64]
    """Where rows of the sample are in the table, counted from 0."""
    missing: tuple[str, ...]
    """Words that stand for a missing value, besides the usual ones."""

    @property
    def is_whole(self) -> bool:
        """Whether the sample has all rows."""
        return bool(len(self.sample) == self.rows)

    @property
    def commas(self) -> bool:
        """Whether numbers of the table may have decimal commas."""
        return may_have_commas(self.table)

    @property
    def readings(self) -> dict[str, Reading]:
        """How cells of each column are to be read."""
        return {name: census.reading for name, census in self.columns.items()}


def may_have_commas(table: TableFile) -> bool:
    """Tell whether a comma can be part of a number: not where it separates cells."""
    return table.is_text and getattr(table, "separator", ",") != ","


def survey(
    table: TableFile,
    target: str | None,
    seed: int,
    missing: Collection[str] = (),
    step: Callable[[float], None] = lambda share: None,
    known: Mapping[str, Reading] | None = None,
) -> Survey:
    """Read a table once; `step` is told how far it is, columns that are `known` stay as they are.

    What cells mean is decided when all were seen: until then they are kept as they are written.
    """
    limit = min(SAMPLE_ROWS, max(1, SAMPLE_CELLS // max(1, len(table.names))))
    found = {name: Census(name) for name in table.names}
    written = dict.fromkeys(table.names, AS_WRITTEN)
    sample, commas, rows = Sample(limit, seed), may_have_commas(table), 0
    labels: Counter[Any] | None = Counter()
    for read in table.blocks():
        batch = shown_cells(read, missing, written)
        for name, raw, column in zip(table.names, read.columns, batch.columns, strict=True):
            found[name].infinite += cells.count_infinite(raw)
            found[name].take(column, commas, rows)
        labels = _counted(labels, batch, target)
        sample.take(batch)
        rows += len(batch)
        step(table.share)
    if not rows:
        raise ValueError(f"{table.name} has names but no rows; give a table with rows.")
    columns = settled(found, known or {})
    readings = {name: census.reading for name, census in columns.items()}
    kept = read_as(sample.table(), readings), sample.places()
    return Survey(
        table, rows, columns, _settled_labels(labels, readings, target), *kept, tuple(missing)
    )


def settled(found: Mapping[str, Census], known: Mapping[str, Reading]) -> dict[str, Census]:
    """Return columns as all of the table, or a model before, has them read."""
    commas_are_used = any(census.uses_commas for census in found.values())
    return {
        name: census.settled(commas_are_used, known.get(name)) for name, census in found.items()
    }


def _counted(labels: Counter[Any] | None, batch: Any, target: str | None) -> Counter[Any] | None:
    """Return how often each label occurs so far, while few differ."""
    if labels is None or target is None:
        return None
    column = cells.cells_of(batch, target)
    if pa.types.is_nested(column.type):
        return None
    for each in column.value_counts().tolist():
        labels[each["values"]] += each["counts"]
    labels.pop(None, None)
    return labels if len(labels) <= MOST_CLASSES + len(cells.PLACEHOLDERS) else None


def _settled_labels(
    labels: Counter[Any] | None, readings: Mapping[str, Reading], target: str | None
) -> Counter[Any] | None:
    """Return how often each label occurs, read as its column is."""
    if not labels or target is None or not all(isinstance(label, str) for label in labels):
        return labels
    read = readings[target].of(pa.array(list(labels)))
    counts: Counter[Any] = Counter()
    for label, count in zip(read.to_pylist(), labels.values(), strict=True):
        counts[label] += count
    counts.pop(None, None)
    return counts if len(counts) <= MOST_CLASSES else None
