"""Tables on disk, read block by block by pyarrow; cells of text files stay text.

What a column of text holds, numbers, dates or words, is decided when all of it has been read: the
first lines of a file do not tell.
"""

import csv
import gzip
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet

from sfplearn.cli.encodings import LATE, NO_TEXT, decoded, encoding_of, note_of
from sfplearn.cli.names import check_known, quoted

# Endings, and what they stand for.
FORMATS = {
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
PACKED = ".gz"

# Bytes of text that are parsed at a time, and cells of other blocks.
TEXT_BYTES = 1 << 22
BLOCK_CELLS = 1 << 20

# Bytes that are looked at to find out what separates cells.
HEAD = 1 << 20
SEPARATORS = ",;\t|"

# A first line by which spreadsheets are told what separates cells.
SEPARATOR_LINE = re.compile(rf'"?sep=([{SEPARATORS}])"?[ {SEPARATORS}]*(\r\n|\r|\n)', re.IGNORECASE)

# Letters of a message of pyarrow that are passed on.
LONGEST = 160


class TableFile:
    """A table on disk: its columns, and its rows in blocks."""

    names: list[str]
    is_text = False
    note = ""
    """What a user should know of how it is read."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        self.names = []
        self._share = 0.0

    @property
    def share(self) -> float:
        """The part of the file that was read so far, from 0 to 1."""
        return self._share

    def blocks(self) -> Iterator[Any]:
        """Read record batches, one after another."""
        raise NotImplementedError


class TextFile(TableFile):
    """CSV and its like, perhaps compressed; all cells are text."""

    is_text = True

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with explained(self.name):
            head = self._head()
            is_all = len(head) < HEAD
            self.encoding = encoding_of(head, is_all, self.name)
            text = decoded(head, self.encoding, is_all)
        self.note = note_of(self.encoding, self.name)
        told = SEPARATOR_LINE.match(text)
        self._skipped, text = (1, text[told.end() :]) if told else (0, text)
        self.separator = told[1] if told else separator_of(text)
        self._written = header_of(text, self.separator, self.name)
        # As pandas calls columns without a name.
        shown = [name.strip() or f"Unnamed: {i}" for i, name in enumerate(self._written)]
        self.names = named_once(shown, self.name)

    def blocks(self) -> Iterator[Any]:
        """Read record batches, one after another."""
        size = max(1, self.path.stat().st_size)
        with explained(self.name), self.path.open("rb") as raw:
            for batch in self._reader(raw):
                self._share = min(1.0, raw.tell() / size)
                yield pa.RecordBatch.from_arrays(batch.columns, names=self.names)
        self._share = 1.0

    def _reader(self, raw: Any) -> Any:
        packed = self.path.name.lower().endswith(PACKED)
        file = pa.CompressedInputStream(pa.PythonFile(raw, "r"), "gzip") if packed else raw
        return pa.csv.open_csv(
            file,
            # One thread counts lines, and so can name the one that is wrong.
            pa.csv.ReadOptions(
                use_threads=False,
                block_size=TEXT_BYTES,
                skip_rows=self._skipped,
                encoding=self.encoding,
            ),
            pa.csv.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(self._written, pa.string()), strings_can_be_null=False
            ),
        )

    def _head(self) -> bytes:
        """Return the first bytes of the file, unpacked."""
        packed = self.path.name.lower().endswith(PACKED)
        with (gzip.open if packed else open)(self.path, "rb") as file:
            return file.read(HEAD)


class ParquetFile(TableFile):
    """A Parquet file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with explained(self.name), pa.parquet.ParquetFile(path) as file:
            self.names = named_once(file.schema_arrow.names, self.name)

    def blocks(self) -> Iterator[Any]:
        """Read record batches, one after another."""
        size = max(1, BLOCK_CELLS // max(1, len(self.names)))
        done = 0
        # Without a buffer for whole row groups, which may be large.
        with explained(self.name), pa.parquet.ParquetFile(self.path, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=size, use_threads=False):
                done += len(batch)
                self._share = done / max(1, file.metadata.num_rows)
                yield batch


class ArrowFile(TableFile):
    """An Arrow IPC (Feather) file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        with explained(self.name), pa.ipc.open_file(str(path)) as file:
            self.names = named_once(file.schema.names, self.name)

    def blocks(self) -> Iterator[Any]:
        """Read record batches, one after another."""
        size = max(1, BLOCK_CELLS // max(1, len(self.names)))
        with explained(self.name), pa.ipc.open_file(str(self.path)) as file:
            for number in range(file.num_record_batches):
                batch = file.get_batch(number)
                for first in range(0, len(batch), size):
                    yield batch.slice(first, size)
                self._share = (number + 1) / file.num_record_batches


KINDS = {"text": TextFile, "parquet": ParquetFile, "arrow": ArrowFile}


def open_table(path: Path) -> TableFile:
    """Open a table, of a kind that its name tells."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; give one file.")
    if not path.exists():
        raise ValueError(f"{path} is no file; check the path.")
    name = path.name.lower()
    text = name.removesuffix(PACKED)
    kind = next((kind for ending, kind in FORMATS.items() if text.endswith(ending)), None)
    if kind is None or (text != name and kind != "text"):
        known = ", ".join([*FORMATS, *(f"{ending}{PACKED}" for ending in (".csv", ".tsv"))])
        raise ValueError(f"{path.name} ends in none of {known}; name files by what they are.")
    return KINDS[kind](path)


def stem_of(name: str) -> str:
    """Return the name of a table without the endings that tell its kind.

    >>> stem_of("sales.2024.csv.gz"), stem_of("T.CSV")
    ('sales.2024', 'T')
    """
    if name.lower().endswith(PACKED):
        name = name[: -len(PACKED)]
    ending = next((each for each in FORMATS if name.lower().endswith(each)), "")
    return name[: len(name) - len(ending)]


def find_columns(table: TableFile, names: list[str]) -> None:
    """Refuse names that a table does not have."""
    check_known(names, table.names, table.name)


def separator_of(text: str) -> str:
    r"""Return what stands most often between the names of the first line.

    >>> separator_of('"a,b,c";d;e\n1;2;3')
    ';'
    """
    line = re.split(r"[\r\n]", re.sub(r'"[^"]*"', "", text).lstrip())[0]
    return max(SEPARATORS, key=line.count)


def header_of(text: str, separator: str, place: str) -> list[str]:
    """Return the names in the first line of a text."""
    if "\0" in text:
        raise ValueError(f"{place} is no table but binary data; name files by what they are.")
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    names = next((line for line in lines if line), None)
    if names is None:
        raise ValueError(f"{place} is empty; give a table with a line of names and rows below.")
    return names


def named_once(names: list[str], place: str) -> list[str]:
    """Return names if each is there once."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(
            f"{place} has {names.count(twice)} columns named {quoted(twice)}; rename all but one."
        )
    return list(names)


@contextmanager
def explained(place: str) -> Iterator[None]:
    """Name the file that could not be read, and say why in one sentence."""
    try:
        yield
    except UnicodeError:
        raise ValueError(f"{place} {NO_TEXT}") from None
    except (pa.ArrowException, OSError, EOFError, gzip.zlib.error) as error:  # type: ignore[attr-defined]
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise ValueError(f"{place} {_reason(str(error))}") from None


def _reason(message: str) -> str:
    """Return what pyarrow says in the words of a user."""
    if "UTF8" in message or "UTF-8" in message:
        return LATE
    ragged = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", message)
    if ragged:
        line = f"line {ragged[1]}" if ragged[1] else "some line"
        return (
            f"has {ragged[3]} cells in {line} and {ragged[2]} names; put cells that hold the "
            "separator in quotes."
        )
    if "Empty CSV" in message:
        return "has names but no rows; give a table with rows."
    first = (message.splitlines() or ["no reason given"])[0]
    return f"cannot be read: {first[:LONGEST]}{'...' * (len(first) > LONGEST)}"
