"""Rows in memory: dense arrays of either order and precision, memory maps, CSR matrices."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from math import ceil, log2
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sfplearn.core import Rows, kernel
from sfplearn.data.sampling import draw
from sfplearn.data.threads import IN_FLIGHT, map_in_order, one_blas_thread, thread_count

T = TypeVar("T")

# Operations of the smallest problem worth sharing out between two threads, over 2: two blocks
# of about half a millisecond.
UNIT_WORK = 1.1e7
# Operations of making and adding up the two sums that a block has for each feature and cluster.
MERGE_WORK = 400
# Numbers that a block may hold at a time: about three for each cluster of a row where
# memberships are mixed, one for each cell where rows are centred.
BLOCK_NUMBERS = 4e6


def block_count(n: int, p: int, k: int, cells: float | None = None) -> int:
    """Return into how many blocks to cut n rows, from the shape of the problem alone.

    A row costs 8 k operations a cell in the four matrix products of the pass, about 60 k in
    the softmax, 20 a cell in reading, and 1200 in itself; sparse rows have fewer cells than p.
    The number grows with the square root of the work, a compromise between the cost of handing
    blocks out and an even load, and is a power of 2, as numbers of threads are. Fewer if
    merging their k p sums would cost as much as the pass, more if blocks would need much memory.
    """
    cells = p if cells is None else cells
    work = n * (8.0 * cells * k + 60 * k + 20 * cells + 1200)
    balanced = 2 ** max(0, round(0.5 * log2(work / UNIT_WORK)))
    worth_merging = max(1, int(work / (MERGE_WORK * p * k)))
    within_memory = ceil(n * (3 * k + cells) / BLOCK_NUMBERS)
    return min(n, max(min(balanced, worth_merging), within_memory))


@dataclass
class ArraySource:
    """Rows held in memory as arrays; threads share the blocks.

    `n_clusters` tells how much work a row is, hence how large blocks should be; `width`, how many
    numbers are made of a row where these are more than its cells.
    """

    rows: Rows
    n_clusters: int
    n_jobs: int | None = None
    width: int = 0
    _pool: ThreadPoolExecutor | None = field(default=None, init=False, repr=False)
    _threads: int = field(default=1, init=False, repr=False)
    _open: ExitStack | None = field(default=None, init=False, repr=False)
    _cut: list[Rows] | None = field(default=None, init=False, repr=False)

    @property
    def origin(self) -> NDArray[np.float64]:
        return self.rows.origin

    def take(self, index: Any) -> Rows:
        return self.rows.take(index)

    def sample(self, size: int, random: np.random.Generator) -> Rows:
        return draw(self, size, random)

    def map_reduce(self, function: Callable[[Rows], T], merge: Callable[[T, T], T]) -> T:
        return reduce(merge, self._map(function))

    def map_rows(self, function: Callable[[Rows], Any]) -> Any:
        parts = list(self._map(function))
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def relative_to(self, origin: ArrayLike) -> Self:
        moved = copy(self)
        moved.rows = self.rows._replace(origin=np.asarray(origin, np.float64))
        moved._cut = None
        return moved

    def _map(self, function: Callable[[Rows], T]) -> Iterable[T]:
        """Apply a function to every block, in order."""
        blocks = self._blocks()
        if self._pool is None:
            return map(function, blocks)
        return map_in_order(self._pool, function, blocks, ahead=IN_FLIGHT * self._threads)

    def _block_count(self) -> int:
        n, p = self.rows.X.shape
        cells = self.rows.X.nnz / n if sp.issparse(self.rows.X) else p
        return block_count(n, p, self.n_clusters, max(cells, self.width))

    def _blocks(self) -> list[Rows]:
        if self._cut is None:
            n, count = len(self.rows.y), self._block_count()
            edges = [n * block // count for block in range(count + 1)]
            blocks = [self.rows.take(slice(a, b)) for a, b in pairwise(edges)]
            if self.rows.missing:  # blocks without a missing cell are spared the search for them
                blocks = [block._replace(missing=not block.observed().all()) for block in blocks]
            self._cut = blocks if count > 1 or self.rows.missing else [self.rows]
        return self._cut

    def __enter__(self) -> Self:
        # The NumPy reference leaves threads to BLAS; two sets of them would fight.
        several, free = self._block_count() > 1, not kernel.uses_blas(self.rows)
        self._threads = thread_count(self.n_jobs) if several and free else 1
        self._open = ExitStack()
        if self._threads > 1:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="sfplearn")
            self._open.callback(self._dismiss)
        if free or not several:
            self._open.enter_context(one_blas_thread())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _dismiss(self) -> None:
        """Let threads go."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def as_source(
    X: Any,
    y: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    *,
    targets: ArrayLike | None = None,
    missing: bool = False,
    n_clusters: int = 1,
    n_jobs: int | None = None,
    width: int = 0,
) -> ArraySource:
    """Return a source of the rows in a container.

    >>> import numpy as np
    >>> with as_source(np.eye(3), n_clusters=2) as source:
    ...     source.map_rows(lambda rows: rows.X.sum(axis=1)).tolist()
    [1.0, 1.0, 1.0]
    """
    rows = Rows.of(X, y, weight, targets=targets, missing=missing)
    return ArraySource(rows, n_clusters=n_clusters, n_jobs=n_jobs, width=width)
