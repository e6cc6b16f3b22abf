"""Every example runs, prints something, and draws if it says so."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("[0-9]*.py"))
ARGUMENTS = {"05_files": "300000"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example, tmp_path):
    draws = "picture.png" in example.read_text()
    argument = "picture.png" if draws else ARGUMENTS.get(example.stem)
    command = [sys.executable, str(example), *([argument] if argument else [])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()
    assert (tmp_path / "picture.png").exists() == draws
