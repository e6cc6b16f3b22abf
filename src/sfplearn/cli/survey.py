"""One pass over a table: how many rows, what each column holds, and a sample of the rows."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfplearn.cli import cells
from sfplearn.cli.census import Census
from sfplearn.cli.readings import AS_WRITTEN, Reading, read_as, shown_cells
from sfplearn.cli.tables import TableFile

# Rows and cells of the sample: as many as fit into a little memory.
SAMPLE_ROWS = 100_000
SAMPLE_CELLS = 20_000_000

# Different values of a target that are counted; with more, it has no classes.
MOST_CLASSES = 1000


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
