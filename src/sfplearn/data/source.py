"""The protocol that every place where rows live obeys."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import Rows

T = TypeVar("T")


class RowSource(Protocol):
    """Rows that can be passed over any number of times, in blocks.

    The cut into blocks and the order of merging depend on the rows alone, never on how many
    workers there are, so results do not either. Use a source as a context manager: that is
    when workers exist.
    """

    @property
    def origin(self) -> NDArray[np.float64]:
        """What is subtracted from every row."""

    def take(self, index: Any) -> Rows:
        """Return the rows at given positions."""

    def sample(self, size: int, random: np.random.Generator) -> Rows:
        """Return at most `size` distinct rows in an order that depends on their content alone.

        Distinct rows have equal chances, whatever their weights, which count all that are equal.
        The weights add up to the total weight of all rows.
        """

    def map_reduce(self, function: Callable[[Rows], T], merge: Callable[[T, T], T]) -> T:
        """Apply a function to every block and merge the results, in order."""

    def map_rows(self, function: Callable[[Rows], Any]) -> Any:
        """Apply a function that returns one row for each row, and put the results together."""

    def relative_to(self, origin: Any) -> Self:
        """Return the same rows relative to another origin."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
