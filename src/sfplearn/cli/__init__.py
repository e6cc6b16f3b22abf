"""The `sfp` command. It needs the extra `cli`; without it, one line says so."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from sfplearn.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit('sfp needs the extra "cli"; install it with: pip install "sfplearn[cli]"')
    app()
