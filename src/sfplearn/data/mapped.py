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
    """The rows of a source with other features, made anew block by block in every pass."""

    source: Any
    mapping: Callable[[Any], NDArray[np.float64]]
    """Maps features (n, p) to features (n, r)."""
    origin: NDArray[np.float64]

    def take(self, index: Any) -> Rows:
        return self._mapped(self.source.take(index))

    def sample(self, size: int, random: np.random.Generator) -> Rows:
        return self._mapped(self.source.sample(size, random))

    def map_reduce(self, function: Callable[[Rows], T], merge: Callable[[T, T], T]) -> T:
        return self.source.map_reduce(lambda rows: function(self._mapped(rows)), merge)

    def map_rows(self, function: Callable[[Rows], Any]) -> Any:
        return self.source.map_rows(lambda rows: function(self._mapped(rows)))

    def relative_to(self, origin: ArrayLike) -> Self:
        return replace(self, origin=np.asarray(origin, np.float64))

    def _mapped(self, rows: Rows) -> Rows:
        features = self.mapping(rows.X).astype(rows.X.dtype, copy=False)
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
