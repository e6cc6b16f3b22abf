"""Threads over blocks, and BLAS held to one thread meanwhile.

Threads replace those of BLAS instead of adding to them: by default there are as many as BLAS
may use in this process, so limits set by joblib, threadpoolctl or the environment are obeyed.
"""

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


def thread_count(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` asks for; None asks for those that BLAS may use."""
    if n_jobs is not None:
        return int(joblib.effective_n_jobs(n_jobs))
    allowed = [library.num_threads for library in _blas().lib_controllers]
    return min(allowed, default=int(joblib.cpu_count()))


def map_in_order(
    pool: ThreadPoolExecutor, function: Callable[[Any], T], items: Iterable[Any], threads: int
) -> Iterator[T]:
    """Yield function(item) in the order of items, working ahead by a bounded number."""
    ahead: deque[Future[T]] = deque()
    for item in items:
        ahead.append(pool.submit(function, item))
        if len(ahead) >= IN_FLIGHT * threads:
            yield ahead.popleft().result()
    while ahead:
        yield ahead.popleft().result()


@contextmanager
def blas_held() -> Iterator[None]:
    """Hold BLAS to one thread until the last of all overlapping holders leaves."""
    _hold.enter()
    try:
        yield
    finally:
        _hold.leave()


class _Hold:
    """Counts holders: limits that overlap in time must not restore each other's settings."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.holders = 0
        self.limit: Any = None

    def enter(self) -> None:
        with self.lock:
            if self.holders == 0:
                self.limit = _blas().limit(limits=1)
                self.limit.__enter__()
            self.holders += 1

    def leave(self) -> None:
        with self.lock:
            self.holders -= 1
            if self.holders == 0:
                self.limit.__exit__(None, None, None)


@cache
def _blas() -> ThreadpoolController:
    """Look for BLAS libraries once: it takes tens of milliseconds."""
    return ThreadpoolController().select(user_api="blas")


_hold = _Hold()
