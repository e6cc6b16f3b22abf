"""Sub-commands of `sfp`."""

import platform
from importlib.metadata import version
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sfplearn.core import kernel
from sfplearn.data.threads import thread_count

app = typer.Typer(
    name="sfp",
    help="Supervised Fuzzy Partitioning: a supervised k-means that a person can read.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

PACKAGES = ("sfplearn", "numpy", "scipy", "scikit-learn")


@app.command()
def demo(
    seed: Annotated[int, typer.Option(min=0, help="Seed of folds and starts.")] = 0,
) -> None:
    """Fit a wine data set, compare with other classifiers, and show what was learned."""
    from sfplearn.cli.demo import run_demo  # its imports would slow down every other command

    run_demo(Console(), seed)


@app.command()
def info() -> None:
    """Print versions, the engine that runs passes, and the number of threads."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("python", platform.python_version())
    for package in PACKAGES:
        table.add_row(package, version(package))
    table.add_row("engine", kernel.ENGINE)
    table.add_row("threads", str(thread_count(None)))
    Console().print(table)
