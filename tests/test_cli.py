"""The sfp command, run as users run it."""

import io
import subprocess
import sys

import pytest
from rich.console import Console
from typer.testing import CliRunner

from sfplearn.cli.app import app
from sfplearn.cli.demo import run_demo
from sfplearn.core import kernel

WITHOUT_TYPER = """
import sys
sys.modules["typer"] = None
from sfplearn.cli import main
main()
"""


def test_info_tells_versions_engine_and_threads():
    result = CliRunner().invoke(app, ["info"])
    assert result.exit_code == 0
    for word in ("python", "sfplearn", "scikit-learn", kernel.ENGINE, "threads"):
        assert word in result.output


def test_demo_compares_classifiers_and_describes_clusters():
    console = Console(width=80, record=True, file=io.StringIO())
    run_demo(console, seed=0)
    text = console.export_text()
    for word in ("SFP", "random forest", "SVM (RBF)", "class_0", "proline", "What 6 clusters"):
        assert word in text
    assert max(map(len, text.splitlines())) <= 80


def test_installed_command_runs():
    run = subprocess.run(["sfp", "info"], capture_output=True, text=True, check=True)
    assert "engine" in run.stdout


def test_without_the_extra_one_line_says_so():
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_TYPER], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert run.stderr == 'sfp needs the extra "cli"; install it with: pip install "sfplearn[cli]"\n'


@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--help"], ["info", "--help"]])
def test_help_fits_80_columns(arguments):
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, arguments)
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
