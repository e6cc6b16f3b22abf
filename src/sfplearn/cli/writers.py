"""Rows that are written block by block: as text, or as Parquet."""

import csv
import io
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from sfplearn.cli.cells import AMOUNT, COMMA, INFINITE, NUMBER, PLACEHOLDERS, POINTED
from sfplearn.cli.errors import ReaderLeft
from sfplearn.cli.output import whole_file

# What text begins with that a spreadsheet would run; numbers may begin so, too.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
HARMLESS = re.compile(
    "|".join((NUMBER, COMMA, f"^{POINTED}$", AMOUNT, INFINITE.removeprefix("(?i)"))), re.IGNORECASE
)

# Signs alone, which are no formula, and may be classes.
SIGNS = ("+", *PLACEHOLDERS)


class Writer(Protocol):
    """Where rows go, block by block."""

    def begin(self, names: list[str]) -> None:
        """Take names of columns."""

    def write(self, block: dict[str, Any]) -> None:
        """Write rows: arrays or lists by the names of columns."""


def as_text(cell: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula: text like one is quoted.

    >>> as_text("=HYPERLINK(1)"), as_text("-3"), as_text(-3.0), as_text("a=b")
    ("'=HYPERLINK(1)", '-3', -3.0, 'a=b')
    """
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    return cell if cell in SIGNS or HARMLESS.match(cell) else f"'{cell}"


class TextWriter:
    """Rows as text."""

    def __init__(self, stream: Any, separator: str = ",") -> None:
        self._csv = csv.writer(stream, delimiter=separator, lineterminator="\n")
        self._names: list[str] = []

    def begin(self, names: list[str]) -> None:
        """Remember names of columns: of a table that cannot be read, nothing is written."""
        self._names = names

    def write(self, block: dict[str, Any]) -> None:
        """Write rows."""
        self._write_names()
        columns = [map(as_text, values_of(column)) for column in block.values()]
        self._csv.writerows(zip(*columns, strict=True))

    def __enter__(self) -> "TextWriter":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        # A table without rows has names only.
        if kind is None:
            self._write_names()

    def _write_names(self) -> None:
        if self._names:
            self._csv.writerow(map(as_text, self._names))
            self._names = []


def values_of(column: Any) -> list[Any]:
    """Return the cells of an array, of NumPy or of pyarrow, or of a list."""
    if isinstance(column, np.ndarray):
        return column.tolist()
    return column.to_pylist() if isinstance(column, pa.Array) else column


class ParquetWriter:
    """Rows as Parquet; of what type columns are, the first block tells."""

    def __init__(self, path: Path) -> None:
        self._path, self._names = path, [""]
        self._file: Any = None

    def __enter__(self) -> "ParquetWriter":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        # A table without rows has names only.
        if self._file is None and kind is None:
            self.write({name: pa.array([], pa.string()) for name in self._names})
        if self._file is not None:
            self._file.close()

    def begin(self, names: list[str]) -> None:
        """Remember names of columns."""
        self._names = names

    def write(self, block: dict[str, Any]) -> None:
        """Write rows."""
        batch = pa.table(block)
        if self._file is None:
            self._file = pa.parquet.ParquetWriter(self._path, batch.schema)
        self._file.write_table(batch.cast(self._file.schema))


@contextmanager
def writing(output: Path | None, separator: str = ",") -> Iterator[Writer]:
    """Give what writes to a file, all of it or nothing, or to standard output.

    Cells of text are separated as its ending says, or else by `separator`.
    """
    if output is None:
        stream = _standard_output()
        try:
            with TextWriter(stream) as text:
                yield text
            stream.flush()
        except BrokenPipeError:
            raise ReaderLeft from None
        return
    with whole_file(output) as part:
        if output.suffix.lower() == ".parquet":
            with ParquetWriter(part) as table:
                yield table
        else:
            tabs = output.suffix.lower() == ".tsv"
            with (
                part.open("w", encoding="utf-8", newline="") as file,
                TextWriter(file, "\t" if tabs else separator) as text,
            ):
                yield text


def _standard_output() -> Any:
    """Return standard output in UTF-8, as files are, whatever the terminal shows."""
    try:
        place = sys.stdout.fileno()
    except io.UnsupportedOperation:
        return sys.stdout
    return open(place, "w", encoding="utf-8", newline="", closefd=False)
