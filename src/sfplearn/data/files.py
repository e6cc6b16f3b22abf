"""Tables on disk, read by pyarrow: Parquet, CSV and Arrow IPC."""

import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.data.blocks import Block
from sfplearn.data.chunks import BLOCK_CELLS, StoredRows

try:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.dataset
    import pyarrow.parquet
except ImportError:
    raise ImportError(
        'Reading Parquet, CSV and Arrow files needs pyarrow: pip install "sfplearn[files]"'
    ) from None

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".csv": "csv",
    ".csv.gz": "csv",
    ".tsv": "csv",
    ".tsv.gz": "csv",
    ".txt": "csv",
}
# Bytes of text that are parsed at a time.
CSV_BYTES = 1 << 23
# Longest message of pyarrow that is passed on.
LONGEST = 200
# How pandas names a column for the numbers of rows.
PANDAS_INDEX = re.compile(r"__index_level_\d+__")
# Batches that pyarrow may read ahead of those in use: more are faster to a point, and memory.
READ_AHEAD = 2


class TableRows(StoredRows):
    """Columns of tables on disk."""

    def __init__(self, source: Any, target: Any, weight: Any, columns: Any) -> None:
        super().__init__()
        self._tables = list(_tables(source))
        if not self._tables:
            raise ValueError("The dataset has no files; give at least one.")
        first = self._tables[0]
        self._target, self._is_flat = _names("target", target), isinstance(target, str)
        named = _names("weight", weight)
        self._weight = named[0] if named else None
        besides = {*self._target, self._weight}
        others = [name for name in first.schema.names if name not in besides]
        others = [name for name in others if not PANDAS_INDEX.fullmatch(name)]
        self.names: list[str] = others if columns is None else _names("columns", columns)
        self.has_labels, self.has_weights = bool(self._target), self._weight is not None
        if not self.names:
            raise ValueError(f"{first.path} has no columns of features; name some in columns.")
        self._check_columns(first)

    def __repr__(self) -> str:
        more = f" and {len(self._tables) - 1} more" if len(self._tables) > 1 else ""
        return f"open_rows({self._tables[0].path!r}{more})"

    def blocks(self) -> Iterator[Block]:
        """Read the blocks one after another."""
        size = max(1, BLOCK_CELLS // len(self._wanted()))
        for table in self._tables:
            self._check_columns(table)
            first = 0
            for batch in table.batches(self._wanted(), self._numeric(table), size):
                yield self._block(batch, table, first)
                first += len(batch)

    def _block(self, batch: Any, table: "Table", first: int) -> Block:
        y: Any = None
        if self._target:
            y = [table.labels(batch.column(name), name) for name in self._target]
            y = y[0] if self._is_flat else np.column_stack(y)
        return Block(
            X=_matrix(batch, self.names, _precision(table.schema, self.names)),
            y=y,
            weight=_numbers(batch.column(self._weight)) if self._weight else None,
            place=table.path,
            first=first,
        )

    def _wanted(self) -> list[str]:
        """Return the columns that are read."""
        return [*self.names, *self._target, *([self._weight] if self._weight else [])]

    def _numeric(self, table: "Table") -> list[str]:
        """Return the columns that are read as numbers even if the first ones are whole."""
        features = [*self.names, *([self._weight] if self._weight else [])]
        return [name for name in features if not pa.types.is_boolean(table.schema.field(name).type)]

    def _check_columns(self, table: "Table") -> None:
        """Refuse a table that lacks a column, or has something else than numbers in one."""
        for name in self._wanted():
            found = table.schema.names.count(name)
            if found != 1:
                what = "has no column" if not found else f"has {found} columns named"
                raise ValueError(
                    f"{table.path} {what} {name!r}; it has {_some(table.schema.names)}."
                )
        for name in self._target:
            if pa.types.is_binary(table.schema.field(name).type):
                raise ValueError(
                    f"{table.path}: column {name!r} is no text in UTF-8; convert the file first."
                )
        for name in [*self.names, *([self._weight] if self._weight else [])]:
            kind = table.schema.field(name).type
            if not _is_number(kind):
                raise ValueError(
                    f"{table.path}: column {name!r} holds {_words(kind)}, not numbers; leave "
                    "it out by columns, encode it first, for example by OneHotEncoder in a "
                    "pipeline, or let the command `sfp fit` do so."
                )


class Table:
    """A dataset of pyarrow, or one file that it reads."""

    def __init__(self, path: str, dataset: Any) -> None:
        self.path, self._dataset = path, dataset
        self.schema = dataset.schema

    def batches(self, columns: list[str], numeric: list[str], size: int) -> Iterator[Any]:
        """Read record batches of at most `size` rows."""
        with _explained(self.path):
            yield from self._dataset.scanner(
                columns=columns,
                batch_size=size,
                batch_readahead=READ_AHEAD,
                fragment_readahead=1,
            ).to_batches()

    def labels(self, column: Any, name: str) -> NDArray[Any]:
        """Return a column of labels."""
        return _labels(column)


class ParquetTable(Table):
    """One Parquet file."""

    def __init__(self, path: str) -> None:
        self.path = path
        with _explained(path), self._open() as file:
            self.schema = file.schema_arrow

    def batches(self, columns: list[str], numeric: list[str], size: int) -> Iterator[Any]:
        """Read record batches of at most `size` rows."""
        with _explained(self.path), self._open() as file:
            # On one thread: the others are busy with blocks that were read before.
            yield from file.iter_batches(batch_size=size, columns=columns, use_threads=False)

    def _open(self) -> Any:
        # Without a buffer for whole row groups, which may be large.
        return pa.parquet.ParquetFile(self.path, pre_buffer=False)


class CsvTable(Table):
    """One CSV file, perhaps compressed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._parse = pa.csv.ParseOptions(delimiter=_delimiter(path), newlines_in_values=True)
        with _explained(path), self._open() as reader:
            self.schema = reader.schema
            head = next(iter(reader), None)
        whole = [field.name for field in self.schema if pa.types.is_integer(field.type)]
        # Whole numbers may turn into fractions later, unless they are too large for that.
        self._small = [name for name in whole if _is_exact(head, self.schema.names.index(name))]

    def batches(self, columns: list[str], numeric: list[str], size: int) -> Iterator[Any]:
        """Read record batches of at most `size` rows."""
        convert = pa.csv.ConvertOptions(
            include_columns=columns,
            column_types=dict.fromkeys([*numeric, *self._small], pa.float64()),
            strings_can_be_null=True,
        )
        with _explained(self.path, columns=self.schema.names), self._open(convert) as reader:
            for batch in reader:
                for first in range(0, len(batch), size):
                    yield batch.slice(first, size)

    def labels(self, column: Any, name: str) -> NDArray[Any]:
        """Return a column of labels."""
        y = _labels(column)
        return _whole_again(y) if name in self._small else y

    def _open(self, convert: Any = None) -> Any:
        # One thread counts lines, and so can name the one where a type changes.
        read = pa.csv.ReadOptions(use_threads=False, block_size=CSV_BYTES)
        return pa.csv.open_csv(
            self.path, read_options=read, parse_options=self._parse, convert_options=convert
        )


def _tables(source: Any) -> Iterator[Table]:
    """Yield the tables of files or of a dataset, in order."""
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if isinstance(source, pa.Table):
        source = pa.dataset.dataset(source)
    if isinstance(source, pa.dataset.Dataset):
        yield Table("dataset", source)
        return
    if not isinstance(source, list):
        raise TypeError(
            f"open_rows takes datasets and tables of pyarrow; got {type(source).__name__}."
        )
    for path in source:
        kind = _format(path)
        if kind == "csv":
            yield CsvTable(path)
        elif kind == "parquet" and "://" not in path:
            yield ParquetTable(path)
        else:
            with _explained(path):
                dataset = pa.dataset.dataset(path, format=kind)
            yield Table(path, dataset)


def _names(role: str, given: Any) -> list[str]:
    """Return the columns that an argument names."""
    names = [given] if isinstance(given, str) and role != "columns" else given
    if names is None:
        return []
    listed = isinstance(names, list | tuple | np.ndarray)
    if not listed or not all(isinstance(name, str) and name for name in names):
        one = "a list of names" if role == "columns" else "the name of a column"
        raise TypeError(f"{role} must be {one}; got {given!r}.")
    if role == "weight" and len(names) > 1:
        raise TypeError(f"weight must be the name of a column; got {given!r}.")
    return list(names)


def _format(path: str) -> str:
    endings = [ending for ending in FORMATS if path.lower().endswith(ending)]
    if not endings:
        known = ", ".join([".npy", *FORMATS])
        raise ValueError(f"{path} ends in none of {known}; name files by what they are.")
    return FORMATS[endings[0]]


def _delimiter(path: str) -> str:
    """Return what separates the names in the first line: a tab, a semicolon or a comma."""
    opened = gzip.open if path.lower().endswith(".gz") else open
    with _explained(path), opened(path, "rt", encoding="utf-8", errors="replace") as file:
        head = file.readline()
    return max(",;\t", key=head.count)


def _matrix(batch: Any, names: list[str], dtype: Any) -> NDArray[Any]:
    """Return columns as one array, features side by side."""
    X = np.empty((len(batch), len(names)), dtype, order="F")  # as columns come: seven times faster
    for index, name in enumerate(names):
        X[:, index] = _numbers(batch.column(name))
    return X


def _precision(schema: Any, names: list[str]) -> Any:
    """Return single precision for columns that are all of it, else double."""
    single = all(schema.field(name).type == pa.float32() for name in names)
    return np.float32 if single else np.float64


def _labels(column: Any) -> NDArray[Any]:
    """Return labels as an array."""
    if _words(column.type) == "text":
        return _text(column)
    return column.to_numpy(zero_copy_only=False)


def _whole_again(y: NDArray[Any]) -> NDArray[Any]:
    """Return numbers that were read as fractions in case, but are whole, as whole ones."""
    whole = y.dtype.kind == "f" and len(y) and bool((y == np.round(y)).all())
    return y.astype(np.int64) if whole else y


def _is_exact(batch: Any, index: int) -> bool:
    """Tell whether whole numbers can be held as fractions."""
    if batch is None:
        return True
    numbers = batch.column(index).drop_null().to_numpy(zero_copy_only=False)
    return not len(numbers) or bool(np.abs(numbers).max() < 2**53)


def _text(column: Any) -> NDArray[Any]:
    """Return text as an array; of words that occur again and again each is made once."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    words = np.array([*column.dictionary.to_pylist(), None], dtype=object)
    if not column.null_count:
        words = np.array(words[:-1].tolist())
    return words[column.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)]


def _numbers(column: Any) -> NDArray[Any]:
    """Return a column as an array; what is missing is NaN."""
    if pa.types.is_boolean(column.type) or pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan)
    return column.to_numpy(zero_copy_only=False)


def _is_number(kind: Any) -> bool:
    types = pa.types
    return (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def _words(kind: Any) -> str:
    if pa.types.is_temporal(kind):
        return "dates or times"
    textual = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return "text" if textual or pa.types.is_dictionary(kind) else f"values of type {kind}"


def _some(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:10]))
    return shown + (f" and {len(names) - 10} more" if len(names) > 10 else "")


@contextmanager
def _explained(path: str, columns: list[str] | None = None) -> Iterator[None]:
    """Name the file, and for text also row and column, that pyarrow could not read."""
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is no file; check the path.") from None
    except (pa.ArrowException, OSError) as error:
        message = str(error).splitlines()[0]
        where = _where(message, columns)
        message = message[:LONGEST] + "..." * (len(message) > LONGEST)
        raise ValueError(f"{path}{where} cannot be read: {message}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is no text in UTF-8; convert it first.") from None
    except KeyError as error:
        raise ValueError(f"{path} is not what it was when it was opened: {error}") from None


def _where(message: str, columns: list[str] | None) -> str:
    """Return the row and column that a message about text names."""
    row = re.search(r"Row #(\d+)", message)
    column = re.search(r"CSV column #(\d+)", message)
    where = f", line {row[1]}" if row else ""
    if column and columns:
        where += f", column {columns[int(column[1])]!r}"
    return where
