"""Run experiments: `python -m experiments --help`."""

import argparse
from pathlib import Path

from experiments import accuracy
from experiments.datasets import NAMES


def main() -> None:
    """Run the experiment that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="EXPERIMENT")
    one = commands.add_parser("accuracy", help="nested cross-validation of SFP and its peers")
    one.add_argument("--sets", nargs="+", choices=NAMES, default=NAMES, metavar="SET")
    one.add_argument("--methods", nargs="+", choices=list(accuracy.METHODS), metavar="METHOD")
    one.add_argument("--repeats", type=int, help="instead of 5, and 20 below 400 rows")
    one.add_argument("--jobs", type=int, default=-1, help="processes, all processors if not given")
    one.add_argument("--results", type=Path, default=accuracy.RESULTS, metavar="FOLDER")
    one.add_argument("--report", action="store_true", help="only print what is known")
    one.set_defaults(run=accuracy.main)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
