"""One pass over a table: how many rows, what each column holds, and a sample of the rows."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfplearn.cli import cells
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

    def take(self, column: Any, commas: bool, before: int) -> None:
        """Look at one more block of the column; `before` rows were there before."""
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
            self.has_commas = self.has_commas or (commas and cells.has_commas(column))
            self.marks |= cells.marks_of(column, commas)
            self._take_lengths(column)

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


def may_have_commas(table: TableFile) -> bool:
    """Tell whether a comma can be part of a number: not where it separates cells."""
    return table.is_text and getattr(table, "separator", ",") != ","


def survey(
    table: TableFile,
    target: str | None,
    seed: int,
    missing: Collection[str] = (),
    step: Callable[[float], None] = lambda share: None,
) -> Survey:
    """Read a table once; `step` is told how far it is."""
    limit = min(SAMPLE_ROWS, max(1, SAMPLE_CELLS // max(1, len(table.names))))
    found = {name: Census(name) for name in table.names}
    sample, commas, rows = Sample(limit, seed), may_have_commas(table), 0
    labels: Counter[Any] | None = Counter()
    for read in table.blocks():
        batch = shown_cells(read, missing)
        for name, raw, column in zip(table.names, read.columns, batch.columns, strict=True):
            found[name].infinite += cells.count_infinite(raw)
            found[name].take(column, commas, rows)
        labels = _counted(labels, batch, target)
        sample.take(batch)
        rows += len(batch)
        step(table.share)
    if not rows:
        raise ValueError(f"{table.name} has names but no rows; give a table with rows.")
    kept = sample.table(), sample.places()
    return Survey(table, rows, found, labels, *kept, tuple(missing))


def shown_cells(batch: Any, missing: Collection[str]) -> Any:
    """Return a block whose missing cells are null."""
    columns = [cells.present(column, missing) for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


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
    return labels if len(labels) <= MOST_CLASSES else None
