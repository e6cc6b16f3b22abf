"""The experiments that can be run by name."""

from importlib import import_module
from typing import Any, Protocol

# Names, in the order of the paper, and the files that they live in.
FILES = {
    "figure-1": "figure_1",
    "figure-2": "figure_2",
    "table-2": "table_2",
    "figure-3": "figure_3",
    "figure-4": "figure_4",
    "table-3": "table_3",
    "table-4": "table_4",
    "table-5": "table_5",
    "figure-5": "figure_5",
    "figure-6": "figure_6",
    "complexity": "complexity",
}


class Experiment(Protocol):
    """What a file of `experiments.reproduced` has; `draw(found)` too, if there is a picture."""

    TITLE: str

    def compute(self, run: Any) -> dict[str, Any]:
        """Return what was found; "settings" among it, with all that it depends on."""

    def describe(self, found: dict[str, Any]) -> str:
        """Return what was found beside the paper's figures, as Markdown."""


def experiment(name: str) -> Any:
    """Return an experiment by its name."""
    return import_module(f"experiments.reproduced.{FILES[name]}")
