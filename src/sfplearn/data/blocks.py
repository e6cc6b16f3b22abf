"""Rows that are too many, too far or too scattered to hold: blocks in a store.

A store hands out blocks as users have them, labels and all, to a function that comes to them. A
`BlockSource` is a source over any store: it turns blocks into rows of the core on the spot.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, NoReturn, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfplearn.core import Rows
from sfplearn.data.arrays import ArraySource
from sfplearn.data.sampling import draw

T = TypeVar("T")


class Block(NamedTuple):
    """Some rows as their owner has them."""

    X: Any
    """Features: an array, a CSR matrix or a data frame."""
    y: Any = None
    """Labels, if there are any."""
    weight: Any = None
    """How often each row counts; once if None."""
    place: str = ""
    """Where the block is, such as the name of a file, for messages."""
    first: int = 0
    """How many rows of that place come before."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])


class Store(Protocol):
    """Blocks somewhere, that functions are sent to.

    Adding a place where rows live is writing one of these. Functions and what they return can
    be pickled by cloudpickle; blocks without rows are left out.
    """

    names: list[str] | None
    """Names of the features, where they have any."""
    has_labels: bool
    """Whether blocks bring labels."""
    has_weights: bool
    """Whether blocks bring weights."""

    def map_reduce(self, function: Callable[[Block], T], merge: Callable[[T, T], T]) -> T:
        """Apply a function to every block and merge the results in an order that is fixed."""

    def map_rows(self, function: Callable[[Block], Any]) -> Any:
        """Apply a function that returns one row for each row; lazily if the store is lazy."""

    def start(self, n_jobs: int | None) -> None:
        """Get workers ready, where the store has workers of its own."""

    def stop(self) -> None:
        """Let workers go."""


@dataclass(frozen=True)
class BlockSource:
    """The rows of a store, as the core takes them."""

    store: Store
    encode: Callable[[Block], Rows]
    """Turns a block into rows."""
    origin: NDArray[np.float64]
    n_clusters: int = 1
    n_jobs: int | None = None
    width: int = 0

    def take(self, index: Any) -> NoReturn:
        raise ValueError(
            "init by row indices needs rows in memory; give centres of shape (n_clusters, "
            "n_features), or the name of a method."
        )

    def sample(self, size: int, random: np.random.Generator) -> Rows:
        return draw(self, size, random)

    def map_reduce(self, function: Callable[[Rows], T], merge: Callable[[T, T], T]) -> T:
        return self.store.map_reduce(partial(self._reduce, function, merge), merge)

    def map_rows(self, function: Callable[[Rows], Any]) -> Any:
        return self.store.map_rows(partial(self._map, function))

    def relative_to(self, origin: ArrayLike) -> Self:
        return replace(self, origin=np.asarray(origin, np.float64))

    def _reduce(self, function: Callable[[Rows], T], merge: Callable[[T, T], T], block: Block) -> T:
        return self._within(block).map_reduce(function, merge)

    def _map(self, function: Callable[[Rows], Any], block: Block) -> Any:
        return self._within(block).map_rows(function)

    def _within(self, block: Block) -> ArraySource:
        """Return the rows of a block: in smaller blocks where much is made of a row."""
        rows = self.encode(block)
        if rows.X.shape[1] != len(self.origin):
            raise ValueError(
                f"{block.place} has {rows.X.shape[1]} features, and had {len(self.origin)} before; "
                "blocks must be the same in every pass."
            )
        rows = rows._replace(origin=self.origin)
        return ArraySource(rows, self.n_clusters, n_jobs=1, width=self.width)

    def __getstate__(self) -> dict[str, Any]:
        """Travel to where blocks are without the store."""
        return {**vars(self), "store": None}

    def __enter__(self) -> Self:
        self.store.start(self.n_jobs)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.store.stop()
