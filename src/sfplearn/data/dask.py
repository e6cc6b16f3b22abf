"""Rows in Dask collections: functions go to partitions, sums come back."""

from collections.abc import Callable
from typing import Any, TypeVar

import dask.array as da
import numpy as np
import scipy.sparse as sp
from dask.delayed import delayed as lazily

from sfplearn.data.blocks import Block

T = TypeVar("T")

# Sums are added in groups of so many, so that no task waits for all partitions.
FAN_IN = 8


class DaskStore:
    """The partitions of Dask arrays or data frames, side by side.

    A pass is one graph: a function at each partition, then additions. The scheduler is the
    user's: a distributed client where there is one, else threads.
    """

    def __init__(self, X: Any, y: Any, weight: Any) -> None:
        self._is_frame = hasattr(X, "columns")
        self.names = [*X.columns] if self._is_frame else None
        self.has_labels, self.has_weights = y is not None, weight is not None
        self._X = X if self._is_frame else _in_one_column(X)
        self._parts = _partitions(self._X)
        self._likes = _like(y), _like(weight)
        self._y, self._weight = (
            [None] * len(self._parts) if other is None else _beside(name, other, self._X)
            for name, other in (("y", y), ("sample_weight", weight))
        )

    def map_reduce(self, function: Callable[[Block], T], merge: Callable[[T, T], T]) -> T:
        """Apply a function to every partition and merge the results, neighbours first."""
        results = self._map(function)
        add = lazily(_merge, pure=False)
        # As nodes of the graph, functions travel to a worker once, whatever it has to do.
        merging = lazily(merge, pure=False)
        while len(results) > 1:
            results = [
                add(merging, results[i : i + FAN_IN]) for i in range(0, len(results), FAN_IN)
            ]
        total = results[0].compute()
        if total is None:
            raise ValueError("The Dask collection has no rows; give at least one.")
        return total

    def map_rows(self, function: Callable[[Block], Any]) -> Any:
        """Return a lazy array of what a function returns for each row."""
        p = self._X.shape[1] if not self._is_frame else len(self._X.columns)
        like = np.asarray(function(Block(np.zeros((1, p), _precision(self._X)), *self._likes)))
        sizes = [np.nan] * len(self._parts) if self._is_frame else self._X.chunks[0]
        parts = [
            da.from_delayed(part, (size, *like.shape[1:]), meta=like[:0])
            for part, size in zip(self._map(function, like[:0]), sizes, strict=True)
        ]
        return da.concatenate(parts, allow_unknown_chunksizes=True)

    def start(self, n_jobs: int | None) -> None:
        """Leave workers to Dask."""

    def stop(self) -> None:
        """Leave workers to Dask."""

    def _map(self, function: Callable[[Block], Any], empty: Any = None) -> list[Any]:
        """Return a delayed result for every partition; of those without rows, `empty`."""
        at_partition = lazily(_apply, pure=False)
        shared = lazily(function, pure=False, traverse=False)
        columns = zip(self._parts, self._y, self._weight, strict=True)
        return [
            at_partition(shared, f"partition {number}", empty, *column)
            for number, column in enumerate(columns)
        ]


def store_of(X: Any, y: Any, weight: Any) -> DaskStore:
    """Return the store of a Dask array or data frame."""
    if not (hasattr(X, "columns") or (isinstance(X, da.Array) and X.ndim == 2)):
        raise ValueError(
            f"X must be a Dask array with two dimensions or a Dask data frame; got "
            f"{type(X).__name__}."
        )
    return DaskStore(X, y, weight)


def _precision(X: Any) -> Any:
    """Return single precision if all features are of it, else double."""
    kinds = {*X.dtypes} if hasattr(X, "columns") else {X.dtype}
    return np.float32 if kinds == {np.dtype(np.float32)} else np.float64


def _like(other: Any) -> Any:
    """Return what a made-up row has of labels or weights."""
    if other is None:
        return None
    width = other.shape[1:] if getattr(other, "ndim", 1) > 1 else ()
    return np.ones((1, *(int(size) for size in width)))


def _in_one_column(X: Any) -> Any:
    """Return an array whose blocks hold whole rows."""
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _partitions(collection: Any) -> list[Any]:
    """Return the partitions of a collection as delayed objects."""
    delayed = collection.to_delayed()
    return list(delayed.ravel() if isinstance(delayed, np.ndarray) else delayed)


def _beside(name: str, other: Any, X: Any) -> list[Any]:
    """Return the partitions of labels or weights, cut like those of rows."""
    if not isinstance(other, da.Array) and not hasattr(other, "npartitions"):
        raise TypeError(
            f"{name} must be a Dask collection where X is one; make it so, for example with "
            "dask.array.from_array, with the chunks of X."
        )
    if other.ndim == 0:
        raise ValueError(f"{name} must hold one number or label for each row.")
    if isinstance(other, da.Array) and other.ndim > 1:
        other = _in_one_column(other)
    known = isinstance(X, da.Array) and isinstance(other, da.Array)
    if known and not np.isnan([*X.chunks[0], *other.chunks[0]]).any():
        if X.shape[0] != other.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows and {name} {other.shape[0]}; give as many.")
        other = other if X.chunks[0] == other.chunks[0] else other.rechunk({0: X.chunks[0]})
    parts, wanted = _partitions(other), X.npartitions
    if len(parts) != wanted:
        raise ValueError(
            f"X has {wanted} partitions and {name} {len(parts)}; cut them alike, for example by "
            "taking both from one data frame."
        )
    return parts


def _apply(
    function: Callable[[Block], Any], place: str, empty: Any, X: Any, y: Any, weight: Any
) -> Any:
    """Apply a function to a partition, where it lives."""
    if X.shape[0] == 0:
        return empty
    for name, other in (("y", y), ("sample_weight", weight)):
        if other is not None and len(other) != X.shape[0]:
            raise ValueError(
                f"{place}: X has {X.shape[0]} rows and {name} {len(other)}; give as many."
            )
    if sp.issparse(X):
        X = X.tocsr()
    return function(Block(X, _values(y), _values(weight), place))


def _values(column: Any) -> Any:
    """Return labels or weights as an array; words that occur again and again are made once."""
    if hasattr(column, "factorize") and not hasattr(column, "columns"):
        if getattr(column.dtype, "kind", "O") in "biuf":
            return column.to_numpy()
        codes, words = column.factorize()
        if len(codes) and codes.min() >= 0:
            return np.array(words.tolist())[codes]
    return column.to_numpy() if hasattr(column, "to_numpy") else column


def _merge(merge: Callable[[Any, Any], Any], results: list[Any]) -> Any:
    """Merge results in order, leaving out those of partitions without rows."""
    total = None
    for result in results:
        if result is not None:
            total = result if total is None else merge(total, result)
    return total
