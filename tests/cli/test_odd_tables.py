"""Odd files: each gives a model, or one sentence that says what is wrong."""

import gzip

import pandas as pd
import pytest

from sfplearn import load_model
from tests.cli.tables import one_line, sfp

# Enough rows to learn from: two numbers that tell the class.
ROWS = "".join(f"{i % 7},{(i * 37) % 11},{'ab'[i % 7 > 3]}\n" for i in range(40))
PLAIN = "x,z,y\n" + ROWS
WIDE = ",".join(["y", *(f"column {i}" for i in range(300))]) + "\n"
WIDE += "".join(
    ",".join([str("ab"[i % 2]), *(str((i * 31 + j * j) % 17) for j in range(300))]) + "\n"
    for i in range(30)
)

FINE = {
    "plain": PLAIN,
    "semicolons": PLAIN.replace(",", ";"),
    "tabs in a .csv": PLAIN.replace(",", "\t"),
    "bars": PLAIN.replace(",", "|"),
    "byte order mark": "\ufeff" + PLAIN,
    "windows line ends": PLAIN.replace("\n", "\r\n"),
    "blank lines": "\n\n" + PLAIN.replace("\n", "\n\n"),
    "no line end": PLAIN.rstrip("\n"),
    "quotes": PLAIN.replace("x,", '"x",').replace("a\n", '"a"\n'),
    "decimal commas": "x;z;y\n" + "".join(f"{i},5;{i % 5},25;{'ab'[i > 20]}\n" for i in range(40)),
    "missing words": PLAIN + "n/a,?,a\n-,NA,b\n,,a\n#N/A,NaN,b\n",
    "infinite numbers": PLAIN + "inf,1,a\n1,-inf,b\n",
    "target missing in some rows": PLAIN + "1,2,\n5,6,?\n",
    "one class with one row": PLAIN + "3,3,c\n",
    "300 columns": WIDE,
    "an index without a name": "".join(
        f"{'' if i == 0 else i},{line}\n" for i, line in enumerate(PLAIN.splitlines())
    ),
    "names with spaces, breaks and accents": PLAIN.replace("x,z,y", '"x, [red]\n1","größe ☂","y"'),
    "classes of whole numbers": PLAIN.replace(",a\n", ",1\n").replace(",b\n", ",0\n"),
    "a column that is empty": PLAIN.replace("\n", ",\n").replace("y,\n", "y,e\n", 1),
    "four rows": "x,y\n1,a\n2,a\n8,b\n9,b\n",
    "a row of one class each": "x,y\n1,a\n9,b\n",
    "blanks around cells": PLAIN.replace(",", " , ").replace("x , z , y", "x,z,y"),
    "blanks around names": PLAIN.replace("x,z,y", " x, z ,\ty"),
    "a line that tells the separator": "sep=;\r\n" + PLAIN.replace(",", ";"),
    "a separator told in quotes": '\ufeff"SEP=|"\n' + PLAIN.replace(",", "|"),
    "a told separator that names have less often": "sep=;\n"
    + PLAIN.replace(",", ";").replace("x;z;y", '"x",,,;z;y'),
    "numbers of all sizes": "x,z,y\n"
    + "".join(f"{1e-200 * i},{1e200 * (i % 9)},{'ab'[i % 2]}\n" for i in range(40)),
}

WRONG = {
    "an empty file": ("", "is empty"),
    "only line ends": ("\n\n\n", "is empty"),
    "names but no rows": ("x,y\n", "has names but no rows"),
    "names without a line end": ("x,y", "has names but no rows"),
    "no other columns": ("y\na\nb\n", "no columns besides the target"),
    "one row": ("x,y\n1,a\n", "there must be two classes"),
    "one class": ("x,y\n1,a\n2,a\n3,a\n", "is 'a' in every row"),
    "target missing everywhere": ("x,y\n1,\n2,?\n", "missing in every row"),
    "columns of the same name": ("x,x,y\n1,2,a\n", "2 columns named 'x'"),
    "names that differ by blanks": ("x, x ,y\n1,2,a\n", "2 columns named 'x'"),
    "nothing but a separator": ("sep=;\n", "is empty"),
    "a line too short after a told separator": ("sep=;\nx;y\n1;a\n1\n", "1 cells in line 4"),
    "too few cells in a row": ("x,z,y\n1,2,a\n1,2\n", "2 cells in line 3"),
    "too many cells in a row": ("x,z,y\n1,2,a\n1,2,3,4\n", "4 cells in line 3"),
    "no column of that name": (PLAIN.replace("y", "Yes", 1), "has no column 'y'"),
    "all columns constant": ("x,y\n1,a\n1,b\n", "no columns left to learn from"),
    "a target that names rows": (
        "x,y\n" + "".join(f"{i % 3},name {i}\n" for i in range(50)),
        "too many for classes",
    ),
    "a target of dates": ("x,y\n1,2024-01-01\n2,2024-01-02\n", "holds dates"),
    "a word among numbers": (
        "x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(60)) + "many,a\n",
        "row 61, column 'x': 'many' is no number",
    ),
    "nul bytes": ("x,y\n\0\0\0,a\n", "binary data"),
}


# What columns are taken for, where a file could be misread.
KINDS = {
    "plain": {"x": "number", "z": "number", "y": "category"},
    "semicolons": {"x": "number", "z": "number", "y": "category"},
    "byte order mark": {"x": "number", "z": "number", "y": "category"},
    "quotes": {"x": "number", "z": "number", "y": "category"},
    "decimal commas": {"x": "number", "z": "number", "y": "category"},
    "missing words": {"x": "number", "z": "number", "y": "category"},
    "infinite numbers": {"x": "number", "z": "number", "y": "category"},
    "an index without a name": {
        "Unnamed: 0": "number", "x": "number", "z": "number", "y": "category"
    },
    "classes of whole numbers": {"x": "number", "z": "number", "y": "number"},
    "blanks around cells": {"x": "number", "z": "number", "y": "category"},
    "blanks around names": {"x": "number", "z": "number", "y": "category"},
    "a line that tells the separator": {"x": "number", "z": "number", "y": "category"},
    "a separator told in quotes": {"x": "number", "z": "number", "y": "category"},
    "a told separator that names have less often": {
        "x,,,": "number", "z": "number", "y": "category"
    },
}  # fmt: skip

# Rows of PLAIN and of its like are told apart by x.
LEARNED = {*KINDS} - {"decimal commas", "missing words", "infinite numbers"}


@pytest.mark.parametrize("name", FINE)
def test_gives_a_model(name, tmp_path):
    (tmp_path / "table.csv").write_text(FINE[name], encoding="utf-8", newline="")
    model = tmp_path / "model.skops"
    result = sfp("fit", tmp_path / "table.csv", "-t", "y", "-o", model, "--no-score")
    assert result.exit_code == 0, result.output
    options = ("-o", tmp_path / "answers.csv", "--copy", "y")
    again = sfp("predict", model, tmp_path / "table.csv", *options)
    assert again.exit_code == 0, again.output
    schema = load_model(model).about["schema"]
    if name in KINDS:
        assert {column["name"]: column["kind"] for column in schema} == KINDS[name]
    if name in LEARNED:
        answers = pd.read_csv(tmp_path / "answers.csv", skipinitialspace=True)
        right = answers["prediction"].astype(str) == answers["y"].astype(str).str.strip()
        assert right.mean() > 0.9


@pytest.mark.parametrize("name", WRONG)
def test_gives_one_sentence(name, tmp_path):
    content, words = WRONG[name]
    (tmp_path / "table.csv").write_text(content, newline="")
    result = sfp("fit", tmp_path / "table.csv", "-t", "y", "-o", tmp_path / "model.skops")
    assert result.exit_code == 2, result.output
    assert one_line(result.stderr), result.stderr
    assert "table.csv" in result.stderr
    assert words in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv.gz", PLAIN.encode(), "cannot be read"),
        ("t.csv.gz", gzip.compress(PLAIN.encode())[:-9], "cannot be read"),
        ("t.parquet", PLAIN.encode(), "cannot be read"),
        ("t.arrow", PLAIN.encode(), "cannot be read"),
        ("t.xlsx", PLAIN.encode(), "ends in none of"),
    ],
)
def test_files_must_be_what_they_are_named(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    result = sfp("fit", tmp_path / name, "-t", "y", "-o", tmp_path / "model.skops")
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert name in result.stderr
    assert words in result.stderr


def test_a_word_may_be_declared_missing(tmp_path):
    content, _ = WRONG["a word among numbers"]
    (tmp_path / "table.csv").write_text(content)
    model = tmp_path / "model.skops"
    arguments = ("-t", "y", "-o", model, "--no-score", "--keep", "x", "--missing", "many")
    assert sfp("fit", tmp_path / "table.csv", *arguments).exit_code == 0
    assert sfp("predict", model, tmp_path / "table.csv").exit_code == 0
