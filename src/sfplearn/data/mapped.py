"""Rows that are shown as something else: a source whose blocks go through a function."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfplearn.core import Rows

T = TypeVar("T")

# Numbers of features to hold: 64 MB, whatever the number of rows.
HELD_NUMBERS = 8_000_000


class HeldFeatures:
    """Features of blocks that were met before, as long as they take little memory.

    Blocks of one array are known by their place in it, so that fits of the same rows, which cut
    them anew, share their features.
    """

    def __init__(self, room: int = HELD_NUMBERS) -> None:
        self.room = room
        self._known: dict[Any, tuple[Any, NDArray[np.floating]]] = {}

    def of(self, block: Any, make: Callable[[Any], NDArray[np.floating]]) -> NDArray[np.floating]:
        """Return the features of a block, made if they are not known."""
        place = _place(block)
        known = self._known.get(place)
        if known is not None:
            return known[1]
        features = make(block)
        taken = sum(held.size for _, held in list(self._known.values()))
        if taken + features.size > self.room:
            self._known.clear()  # what is held may be of blocks that nobody will ask for again
        if features.size <= self.room:
            self._known[place] = block, features  # as long as the block lives, its place is its own
        return features


def _place(block: Any) -> Any:
    """Return what tells a block from others that live."""
    if not isinstance(block, np.ndarray):
        return id(block)
    return block.ctypes.data, block.shape, block.strides, block.dtype


@dataclass(frozen=True)
class MappedSource:
    """The rows of a source with other features, made block by block in every pass.

    Where `held` is given, features that find room in it are made once.
    """

    source: Any
    mapping: Callable[[Any], NDArray[np.float64]]
    """Maps features (n, p) to features (n, r)."""
    origin: NDArray[np.float64]
    held: HeldFeatures | None = None
    """Features of blocks, for sources that show the same ones in every pass."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "held": None}  # who works elsewhere has blocks of their own

    def take(self, index: Any) -> Rows:
        return self._mapped(self.source.take(index))

    def sample(self, size: int, random: np.random.Generator) -> Rows:
        return self._mapped(self.source.sample(size, random))

    def map_reduce(self, function: Callable[[Rows], T], merge: Callable[[T, T], T]) -> T:
        return self.source.map_reduce(lambda rows: function(self._met(rows)), merge)

    def map_rows(self, function: Callable[[Rows], Any]) -> Any:
        return self.source.map_rows(lambda rows: function(self._mapped(rows)))

    def relative_to(self, origin: ArrayLike) -> Self:
        return replace(self, origin=np.asarray(origin, np.float64))

    def _mapped(self, rows: Rows) -> Rows:
        return self._with(self._features(rows.X), rows)

    def _met(self, rows: Rows) -> Rows:
        """Return a block that the next pass may meet again."""
        if self.held is None:
            return self._mapped(rows)
        return self._with(self.held.of(rows.X, self._features), rows)

    def _features(self, X: Any) -> NDArray[np.floating]:
        return self.mapping(X).astype(X.dtype, copy=False)

    def _with(self, features: NDArray[np.floating], rows: Rows) -> Rows:
        return Rows.of(features, rows.y, rows.weight, self.origin, rows.targets)

    def __enter__(self) -> Self:
        self.source.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.source.__exit__(kind, error, traceback)
