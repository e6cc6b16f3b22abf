"""Small tables, and ways to run the command on them."""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from sfplearn.cli.app import app


def sfp(*arguments):
    """Run the command in this process."""
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(each) for each in arguments])
    assert "Traceback" not in result.output
    assert not isinstance(result.exception, Exception), result.exception
    return result


def fit(table, target, *more, model="model.skops"):
    """Fit a table beside which the model is written, and return the model's path."""
    path = Path(table).with_name(model)
    result = sfp("fit", table, "--target", target, "-o", path, "--no-score", "--quiet", *more)
    assert result.exit_code == 0, result.output
    return path


def installed(*arguments, **settings):
    """Run the installed command in a process of its own."""
    command = ["sfp", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **settings)


def one_line(text):
    """Tell whether a text is one line that the command says."""
    return text.startswith("sfp: ") and text.count("\n") == 1 and "Traceback" not in text


def people(n=120, seed=0):
    """A table with numbers, categories, a date, gaps, a name, and a target that depends on some."""
    random = np.random.default_rng(seed)
    age, sex = random.normal(40, 10, n).round(1), random.choice(["male", "female"], n)
    late = random.choice(["yes", "no"], n)
    score = (age - 40) / 10 + 2.0 * (sex == "female") - 1 + 0.3 * random.standard_normal(n)
    table = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": age,
            "sex": sex,
            "seen": pd.date_range("2024-01-01", periods=n)[random.permutation(n)].strftime(
                "%Y-%m-%d"
            ),
            "late": late,
            "income": np.exp(score).round(3),
            "buys": np.where(score > 0, "yes", "no"),
        }
    )
    table.loc[::9, "age"] = np.nan
    table.loc[::11, "late"] = None
    return table
