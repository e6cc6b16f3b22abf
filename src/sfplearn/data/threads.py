"""Threads over blocks of rows."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar

import joblib
from threadpoolctl import ThreadpoolController

T = TypeVar("T")

# Blocks under way for each thread: enough to keep it busy, few enough to bound memory.
IN_FLIGHT = 2

# Whoever has it holds BLAS to one thread.
_HOLD = Lock()


def thread_count(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` asks for.

    None asks for as many as BLAS may use: limits that joblib, threadpoolctl or the environment
    set for linear algebra then hold for us too, and searches in parallel do not oversubscribe.
    """
    if n_jobs is not None:
        return int(joblib.effective_n_jobs(n_jobs))
    allowed = [library.num_threads for library in _blas_libraries().lib_controllers]
    return min(allowed, default=int(joblib.cpu_count()))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread, unless somebody in this process does so already.

    Where passes do not need BLAS, what is left to it (small systems, steps of L-BFGS) is too
    little to share: its threads wait for one another, on a busy machine ten times as long as one
    alone would take. Of fits that overlap in several threads only the first holds it: the last to
    end would leave it as the first had made it.
    """
    if not _HOLD.acquire(blocking=False):
        yield
        return
    try:
        with _blas_libraries().limit(limits=1):
            yield
    finally:
        _HOLD.release()


def map_in_order(
    pool: ThreadPoolExecutor, function: Callable[[Any], T], items: Iterable[Any], ahead: int
) -> Iterator[T]:
    """Yield function(item) in the order of items, with at most `ahead` under way."""
    under_way: deque[Future[T]] = deque()
    try:
        for item in items:
            under_way.append(pool.submit(function, item))
            if len(under_way) >= ahead:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        if hasattr(items, "close"):  # a generator, which may hold a file open
            items.close()


@cache
def _blas_libraries() -> ThreadpoolController:
    """Look for BLAS libraries once: it takes tens of milliseconds."""
    return ThreadpoolController().select(user_api="blas")
