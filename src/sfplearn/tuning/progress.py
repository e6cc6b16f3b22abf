"""A line that says how far work has come and how long it will take."""

import sys
import time
from typing import TextIO


class Progress:
    """Counts what is done and, unless it is silent, says so at most a few times a second."""

    def __init__(
        self, name: str, total: int, silent: bool = False, stream: TextIO | None = None
    ) -> None:
        self.name, self.total, self.silent = name, total, silent
        self.stream = stream or sys.stderr
        self.done = 0
        self._begin = time.monotonic()
        self._said = 0.0

    def step(self, count: int = 1) -> None:
        """Note that some more is done."""
        self.done += count
        now = time.monotonic()
        if self.silent or (now - self._said < 0.2 and self.done < self.total):
            return
        self._said = now
        share = self.done / self.total
        left = (now - self._begin) * (1 - share) / share
        bar = "█" * round(20 * share) + "░" * (20 - round(20 * share))
        end = "\n" if self.done >= self.total else ""
        text = f"\r[{self.name}] {bar} {self.done}/{self.total}, {_clock(left)} left {end}"
        print(text, end="", file=self.stream, flush=True)


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02d}"
