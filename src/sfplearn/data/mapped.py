"""Rows that are shown as something else: a source whose blocks go through a function."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfplearn.core import Rows

T = TypeVar("T")


@dataclass(frozen=True)
class MappedSource:
    """The rows of a source with other features, made block by block in every pass.

    Where `held` is given, the features of the last block are kept in it: if one block holds all
    rows, they are made once.
    """

    source: Any
    mapping: Callable[[Any], NDArray[np.float64]]
    """Maps features (n, p) to features (n, r)."""
    origin: NDArray[np.float64]
    held: dict[str, Any] | None = None
    """The last block and its features, for sources that show the same blocks in every pass."""

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
        return self._with(self._features(rows), rows)

    def _met(self, rows: Rows) -> Rows:
        """Return a block that the next pass may meet again."""
        if self.held is None:
            return self._mapped(rows)
        block, features = self.held.get("last", (None, None))
        if block is not rows.X:
            features = self._features(rows)
            self.held["last"] = rows.X, features
        return self._with(features, rows)

    def _features(self, rows: Rows) -> NDArray[np.floating]:
        return self.mapping(rows.X).astype(rows.X.dtype, copy=False)

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
