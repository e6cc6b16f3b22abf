"""How far long work has come: on a terminal, on standard error, and gone when it is done."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

Step = Any


@contextmanager
def stage(console: Console, words: str, *, known: bool = True) -> Iterator[Step]:
    """Show a bar with the time left, or only that work goes on if its length is not known.

    What is given is to be called with the share that is done, and perhaps new words.
    """
    # Colours may be forced where there is no terminal; moving bars must not be.
    if console.quiet or not (console.is_terminal and console.file.isatty()):
        yield lambda share=None, text=None: None
        return
    spinner = SpinnerColumn("line" if console.options.ascii_only else "dots")
    text = TextColumn("{task.description}")
    shown = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn())
    columns = shown if known else (TimeElapsedColumn(),)
    with Progress(spinner, text, *columns, console=console, transient=True) as bars:
        task = bars.add_task(escape(words), total=1.0 if known else None)

        def step(share: float | None = None, text: str | None = None) -> None:
            bars.update(task, completed=share, description=escape(text) if text else None)

        yield step
