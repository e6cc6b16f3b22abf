"""How loops let others look on: step by step, without knowing who does."""

from collections.abc import Callable
from typing import Any, Protocol


class Watch(Protocol):
    """Looks on while a loop runs, and may end it."""

    def begin(self, name: str, most: int = 0) -> None:
        """Note that a step begins, of at most so many steps within, unless one is under way."""

    def within(self) -> "Watch":
        """Return who looks on at the steps within the step that is under way."""

    def end(self, reached: Callable[[], Any]) -> bool:
        """Note that the step is done, and return whether the loop is to end here.

        `reached` tells what the loop would return if it did.
        """
