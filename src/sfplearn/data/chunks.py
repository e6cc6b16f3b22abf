"""Rows that are read block by block, in every pass anew: files, memory maps, any iterable."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from glob import glob, has_magic
from itertools import zip_longest
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from sfplearn.core import kernel
from sfplearn.data.blocks import Block
from sfplearn.data.threads import IN_FLIGHT, map_in_order, thread_count

T = TypeVar("T")

READ_ONCE = (
    "open_rows needs blocks that can be read again for every pass; give a list or a function "
    "that returns a new iterator."
)

# Cells of a block: large enough to make little of handing it out, small enough to hold a few.
BLOCK_CELLS = 1 << 21


class StoredRows:
    """Rows that every pass reads anew, in blocks; see `open_rows`, which makes them.

    The next blocks are read while some are computed with. Memory is that of two blocks for each
    thread; blocks of files have about two million cells.
    """

    names: list[str] | None = None
    has_labels = True
    has_weights = False

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None
        self._threads = 1
        self._users = 0
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Travel without threads."""
        return {**vars(self), "_pool": None, "_users": 0, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())

    def blocks(self) -> Iterator[Block]:
        """Read the blocks one after another."""
        raise NotImplementedError

    def map_reduce(self, function: Callable[[Block], T], merge: Callable[[T, T], T]) -> T:
        """Apply a function to every block and merge the results, in order."""
        return reduce(merge, self._map(function))

    def map_rows(self, function: Callable[[Block], Any]) -> Any:
        """Apply a function that returns one row for each row, and put the results together."""
        return np.concatenate(list(self._map(function)))

    def map(self, function: Callable[[Any], Any]) -> "StoredRows":
        """Return the same rows with other features, such as those of a fitted StandardScaler.

        Parameters
        ----------
        function : callable
            Maps the features of a block to as many new rows; see the example of `open_rows`.
        """
        return MappedRows(self, function)

    def start(self, n_jobs: int | None) -> None:
        """Get threads ready; several fits at a time share them."""
        with self._lock:
            self._users += 1
            # The NumPy reference leaves threads to BLAS; two sets of them would fight.
            if self._pool is None and kernel.ENGINE.startswith("compiled"):
                self._threads = thread_count(n_jobs)
                self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="sfplearn")

    def stop(self) -> None:
        """Let threads go when nobody uses them."""
        with self._lock:
            self._users -= 1
            pool, self._pool = (self._pool, None) if self._users == 0 else (None, self._pool)
        if pool is not None:
            pool.shutdown(cancel_futures=True)

    def _map(self, function: Callable[[Block], T]) -> Iterable[T]:
        """Apply a function to every block, in order."""
        blocks = self._some_blocks()
        if self._pool is None:
            return map(function, blocks)
        return map_in_order(self._pool, function, blocks, ahead=IN_FLIGHT * self._threads)

    def _some_blocks(self) -> Iterator[Block]:
        """Read the blocks that have rows; there must be one."""
        any_rows = False
        for block in self.blocks():
            if block.n_rows:
                any_rows = True
                yield block
        if not any_rows:
            raise ValueError(f"{self!r} has no rows; give at least one.")


class IterableRows(StoredRows):
    """Blocks `(X, y)` or `(X, y, weight)` of an iterable, or of a function that returns one."""

    def __init__(self, blocks: Any) -> None:
        super().__init__()
        self._source = blocks
        again = blocks() if callable(blocks) else blocks
        if isinstance(again, Iterator) and again is (blocks() if callable(blocks) else blocks):
            raise ValueError(READ_ONCE)
        first = next(self._read(), None)
        if first is None:
            raise ValueError("open_rows was given no blocks; give at least one.")
        self.names = list(first.X.columns) if hasattr(first.X, "columns") else None
        self.has_labels, self.has_weights = first.y is not None, first.weight is not None

    def __repr__(self) -> str:
        return "open_rows(blocks)"

    def blocks(self) -> Iterator[Block]:
        """Read the blocks one after another."""
        for block in self._read():
            for what, has, part in (
                ("labels", self.has_labels, block.y),
                ("weights", self.has_weights, block.weight),
            ):
                if (part is not None) != has:
                    brings = "lacks" if has else "brings"
                    raise ValueError(f"{block.place} {brings} {what}, unlike the first block.")
            yield block

    def _read(self) -> Iterator[Block]:
        given = self._source() if callable(self._source) else self._source
        if not isinstance(given, Iterable):
            raise TypeError(
                f"The function given to open_rows must return blocks; got {type(given).__name__}."
            )
        for number, block in enumerate(given):
            yield _as_block(block, number)


class MappedRows(StoredRows):
    """Rows whose features go through a function when they are read."""

    def __init__(self, rows: StoredRows, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self._rows, self._function = rows, function
        self.has_labels, self.has_weights = rows.has_labels, rows.has_weights
        first = next(self.blocks(), None)
        named = first is not None and hasattr(first.X, "columns")
        self.names = list(first.X.columns) if first is not None and named else None

    def __repr__(self) -> str:
        return f"{self._rows!r}.map(...)"

    def blocks(self) -> Iterator[Block]:
        """Read the blocks one after another."""
        for block in self._rows.blocks():
            yield block._replace(X=self._function(block.X))


class ArrayRows(StoredRows):
    """Arrays on disk (.npy), read through memory maps."""

    def __init__(self, X: list[str], y: list[str], weight: list[str]) -> None:
        super().__init__()
        for name, files in (("target", y), ("weight", weight)):
            if files and len(files) != len(X):
                raise ValueError(
                    f"{name} must name one .npy file for each of the {len(X)} with rows; got "
                    f"{len(files)}."
                )
        self._files = list(zip_longest(X, y, weight))
        self.has_labels, self.has_weights = bool(y), bool(weight)

    def __repr__(self) -> str:
        return f"open_rows({self._files[0][0]!r})"

    def blocks(self) -> Iterator[Block]:
        """Read the blocks one after another."""
        for files in self._files:
            X: Any = _open_array(files[0])
            if X.ndim != 2:
                raise ValueError(f"{files[0]} must have rows and columns; it has shape {X.shape}.")
            y, weight = (None if file is None else _open_array(file) for file in files[1:])
            for name, other in (("target", y), ("weight", weight)):
                if other is not None and len(other) != len(X):
                    raise ValueError(
                        f"{files[0]} has {len(X)} rows and its {name} {len(other)}; they must "
                        "be equally many."
                    )
            size = max(1, BLOCK_CELLS // max(1, X.shape[1]))
            for first in range(0, len(X), size):
                part = slice(first, first + size)
                yield Block(
                    X=X[part],
                    y=None if y is None else y[part],
                    weight=None if weight is None else weight[part],
                    place=str(files[0]),
                    first=first,
                )


def open_rows(
    source: Any, *, target: Any = None, weight: Any = None, columns: Any = None
) -> StoredRows:
    """Return rows larger than memory, for `fit`, `predict` and the like to read block by block.

    Parameters
    ----------
    source : path, list of paths, dataset or iterable
        Files, folders or patterns such as "big/*.parquet": Parquet, CSV (also .csv.gz; .tsv),
        Arrow IPC (.arrow, .feather) or .npy. Or a pyarrow dataset. Or blocks `(X, y)` or
        `(X, y, weight)`, as a list, as any object that can be iterated over again, or as a
        function that returns an iterator.
    target : str, list of str or None, default=None
        The column of labels; several for regression of several outputs. Of .npy files, the
        file, files or pattern with labels.
    weight : str or None, default=None
        The column that says how often each row counts. Of .npy files, the file with weights.
    columns : list of str or None, default=None
        The columns of features; all others than target and weight if None.

    Returns
    -------
    rows : StoredRows
        To be given in place of X and y. Every pass reads them once, and four or five times
        more before the first; memory is that of two blocks for each thread, which have two
        million cells unless they are given.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn import SFPClassifier, open_rows
    >>> random = np.random.default_rng(0)
    >>> X = random.standard_normal((1000, 2))
    >>> blocks = [(X[i : i + 100], X[i : i + 100, 0] > 0) for i in range(0, 1000, 100)]
    >>> rows = open_rows(blocks)
    >>> model = SFPClassifier(4, random_state=0).fit(rows)
    >>> model.predict(rows).shape
    (1000,)

    Features on comparable scales, without a pipeline, which wants all rows at once:

    >>> from sklearn.preprocessing import StandardScaler
    >>> scaler = StandardScaler()
    >>> for block in rows.blocks():
    ...     scaler = scaler.partial_fit(block.X)
    >>> scaled = rows.map(scaler.transform)
    >>> SFPClassifier(4, random_state=0).fit(scaled).n_features_in_
    2
    """
    paths = _paths(source)
    if paths is not None and all(path.lower().endswith(".npy") for path in paths):
        if columns is not None:
            raise ValueError("columns names columns of tables; .npy files have none.")
        labels, weights = _paths(target), _paths(weight)
        if (labels is None) != (target is None) or (weights is None) != (weight is None):
            raise TypeError("target and weight of .npy files must be the paths of other ones.")
        return ArrayRows(paths, labels or [], weights or [])
    if paths is not None or type(source).__module__.startswith("pyarrow"):
        from sfplearn.data.files import TableRows  # pyarrow is an extra

        return TableRows(source if paths is None else paths, target, weight, columns)
    if target is not None or weight is not None or columns is not None:
        raise ValueError(
            "target, weight and columns name columns of files; blocks bring their own."
        )
    if type(source).__module__.startswith(("dask", "pyspark")):
        raise TypeError("Collections of Dask and Spark are no files; give them to fit as they are.")
    if not (callable(source) or isinstance(source, Iterable)):
        raise TypeError(f"open_rows takes paths, a dataset or blocks; got {type(source).__name__}.")
    return IterableRows(source)


def _as_block(given: Any, number: int) -> Block:
    """Return a block that a user's iterable yields."""
    place = f"block {number}"
    if not isinstance(given, tuple | list) or not 1 <= len(given) <= 3:
        raise ValueError(f"{place} must be (X, y) or (X, y, weight); got {type(given).__name__}.")
    X, y, weight = (*given, None, None)[:3]
    try:
        X = X if hasattr(X, "shape") else np.asarray(X)
    except ValueError:
        raise ValueError(f"{place}: X must have rows that are equally long.") from None
    if len(X.shape) != 2:
        raise ValueError(f"{place}: X must have rows and columns; got the shape {X.shape}.")
    if np.ndim(weight) == 0 and weight is not None:
        weight = np.full(X.shape[0], weight)
    return Block(X, y, weight, place)


def _paths(source: Any) -> list[str] | None:
    """Return the files that paths, folders and patterns stand for; None if they are no paths."""
    if source is None:
        return None
    if isinstance(source, list | tuple) and source and all(map(_is_path, source)):
        return [path for each in source for path in _paths(each) or []]
    if not _is_path(source):
        return None
    text = os.fspath(source)
    if "://" in text:
        return [text]
    is_pattern = has_magic(text) and not os.path.exists(text)
    found = sorted(glob(text, recursive=True)) if is_pattern else [text]
    files = [file for path in found for file in _files_within(path)]
    if not files:
        raise FileNotFoundError(f"{text} is no file; check the path.")
    return files


def _files_within(path: str) -> list[str]:
    """Return a file, or the files of a folder, hidden ones apart, in order."""
    if not os.path.isdir(path):
        return [path] if os.path.exists(path) else []
    inside = sorted(file for file in Path(path).rglob("*") if file.is_file())
    hidden = [any(part[0] in "._" for part in file.relative_to(path).parts) for file in inside]
    return [str(file) for file, hide in zip(inside, hidden, strict=True) if not hide]


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def _open_array(path: str) -> Any:
    """Return a memory map of an array on disk."""
    try:
        array = np.load(path, mmap_mode="r")
    except (ValueError, EOFError, OSError) as error:
        raise ValueError(f"{path} cannot be read as an array (.npy): {error}") from None
    if not isinstance(array, np.ndarray) or array.dtype.names is not None:
        raise ValueError(f"{path} holds no plain array; save one by numpy.save.")
    return array
