"""The `sfp` command. It needs the extra `cli`; without it, one line says so.

app  the commands, their options and help
│    fit, tune, select, predict, report, info, demo: a file for each
├──> tables > cells > survey > columns, target: what a table holds, and what its columns are for
├──> preparation, training, scoring, clusters: from rows to a model, and what it is worth
└──> show, progress, output, errors, names: what users see, and files that are whole
"""

import sys

NEEDED = ("typer", "rich", "pandas", "pyarrow", "jinja2", "skops")


def main() -> None:
    """Run the command line."""
    try:
        from sfplearn.cli.app import app
        from sfplearn.cli.errors import stop_on_signals
    except ModuleNotFoundError as error:
        if error.name not in NEEDED:
            raise
        sys.exit('sfp needs the extra "cli"; install it with: pip install "sfplearn[cli]"')
    stop_on_signals()
    app()
