"""Run experiments: `python -m experiments --help`."""

import argparse
from pathlib import Path

from experiments import accuracy, document
from experiments.catalogue import FILES, experiment
from experiments.datasets import NAMES
from experiments.running import RESULTS, run


def main() -> None:
    """Run the experiment that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_list(commands)
    _add_run(commands)
    _add_document(commands)
    _add_accuracy(commands)
    arguments = parser.parse_args()
    arguments.run(arguments)


def _add_list(commands: argparse._SubParsersAction) -> None:
    one = commands.add_parser("list", help="name the tables and figures that can be computed")
    one.set_defaults(run=lambda _: print(_listed()))


def _listed() -> str:
    return "\n".join(f"{name:12}{experiment(name).TITLE}" for name in FILES)


def _add_run(commands: argparse._SubParsersAction) -> None:
    one = commands.add_parser("run", help="compute a table or figure, write JSON and draw")
    one.add_argument("name", choices=FILES, metavar="NAME", help="as `list` names it")
    one.add_argument("--fast", action="store_true", help="a small version, to see that it works")
    one.add_argument("--known", action="store_true", help="measure no more folds")
    one.add_argument("--jobs", type=int, default=-1, help="processes, all processors if not given")
    one.add_argument("--results", type=Path, metavar="FOLDER", help="where to write")
    one.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> None:
    # Small versions must not take the place of results.
    folder = arguments.results or (RESULTS / "fast" if arguments.fast else RESULTS)
    how = {"fast": arguments.fast, "known": arguments.known, "jobs": arguments.jobs}
    found = run(arguments.name, folder, **how)
    print(experiment(arguments.name).describe(found))
    print(f"\nWritten to {folder}.")


def _add_document(commands: argparse._SubParsersAction) -> None:
    one = commands.add_parser(
        "document", help="write EXPERIMENTS.md and ACCURACY.md from what was found"
    )
    one.set_defaults(run=lambda _: document.write())


def _add_accuracy(commands: argparse._SubParsersAction) -> None:
    one = commands.add_parser("accuracy", help="nested cross-validation of SFP and its peers")
    one.add_argument("--sets", nargs="+", choices=NAMES, default=NAMES, metavar="SET")
    one.add_argument("--methods", nargs="+", choices=list(accuracy.METHODS), metavar="METHOD")
    one.add_argument("--repeats", type=int, help="instead of 5, and 20 below 400 rows")
    one.add_argument("--jobs", type=int, default=-1, help="processes, all processors if not given")
    one.add_argument("--results", type=Path, default=accuracy.RESULTS, metavar="FOLDER")
    one.add_argument("--report", action="store_true", help="only print what is known")
    one.set_defaults(run=accuracy.main)


if __name__ == "__main__":
    main()
