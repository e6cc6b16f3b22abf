"""Cells that mean one thing in a column and another in the next: thousands, placeholders, dates."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sfplearn import load_model
from sfplearn.cli import cells, survey, tables, training
from sfplearn.cli.census import Census
from sfplearn.cli.readings import AS_WRITTEN
from sfplearn.cli.tables import open_table
from sfplearn.cli.writers import as_text
from tests.cli.tables import fit, one_line, sfp


def table(path, separator=";", **columns):
    """Write columns of text, and return the path."""
    names, rows = separator.join(columns), zip(*columns.values(), strict=True)
    lines = [names, *(separator.join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def surveyed(path, target="t"):
    return survey.survey(open_table(path), target, seed=0)


def told(path, target="t", *more):
    """Fit a table beside which the model is written, and return what is said, on one line."""
    options = ("-o", path.with_name("model.skops"), "--no-score", *more)
    result = sfp("fit", path, "-t", target, *options)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def answers(path, *more):
    result = sfp("predict", path.with_name("model.skops"), path, *more)
    assert result.exit_code == 0, result.output
    return pd.read_csv(io.StringIO(result.stdout), keep_default_na=False), result.stderr


def columns_of(path):
    about = load_model(path.with_name("model.skops")).about
    return {column["name"]: column for column in about["schema"]}


def german(number, digits=0):
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks and a sample so small that a small table is a large one."""
    monkeypatch.setattr(tables, "TEXT_BYTES", 1 << 10)
    monkeypatch.setattr(training, "BLOCK_CELLS", 400)
    monkeypatch.setattr(survey, "SAMPLE_ROWS", 100)


TURNOVER = [(987, 1234, 12500, 56100, 40, 1234567)[i % 6] + i for i in range(60)]
HALVES = [f"{i % 5},5" for i in range(60)]
CLASSES = ["high" if number > 9000 else "low" for number in TURNOVER]


def sales(path, **more):
    points = [german(number) for number in TURNOVER]
    return table(path, **{"x": HALVES, "turnover": points, **more, "t": CLASSES})


def test_points_separate_thousands_where_commas_are_decimal(tmp_path):
    prices = [german(number / 7, 2) for number in TURNOVER]
    found = surveyed(sales(tmp_path / "t.csv", price=prices))
    assert found.columns["turnover"].most == max(TURNOVER)
    assert found.columns["turnover"].are_whole
    assert found.columns["price"].most == pytest.approx(max(TURNOVER) / 7, abs=0.01)
    words = told(tmp_path / "t.csv")
    assert "Decimal commas were read in 'x', 'price'." in words
    assert "Points in 'turnover', 'price' were read as separating thousands." in words
    assert "decimal points" not in words
    assert columns_of(tmp_path / "t.csv")["turnover"]["thousands"]
    assert not columns_of(tmp_path / "t.csv")["x"]["thousands"]


@pytest.mark.parametrize("odd", ["0.5", "1.23", "1234.567", "0.125", "1.2345", "12.5", "1.234.5"])
def test_one_point_elsewhere_leaves_all_as_they_are(odd, tmp_path):
    points = [german(number) for number in range(990, 1049)] + [odd]
    found = surveyed(table(tmp_path / "t.csv", x=HALVES, size=points, t=CLASSES))
    census = found.columns["size"]
    assert not census.reading.thousands
    assert census.grouped is None
    if odd.count(".") == 1:
        assert census.most == max(999, float(odd))


@pytest.mark.parametrize("others", ["7", "1,234", "-12,345", "0.5"])
def test_without_commas_that_must_be_decimal_points_are_and_a_note_says_so(others, tmp_path):
    points = [german(number) for number in range(940, 1060, 2)]
    path = table(tmp_path / "t.csv", x=HALVES, size=points, other=[others] * 60, t=CLASSES)
    words = told(path, "t", "--drop", "x", "--keep", "other")
    assert "read as separating" in words  # x tells, whether it is used or not
    path = table(tmp_path / "t.csv", x=range(60), size=points, other=[others] * 60, t=CLASSES)
    words = told(path, "t", "--keep", "other")
    assert "Points in 'size' were read as decimal points; if they separate thousands" in words
    assert surveyed(path).columns["size"].most == 998


def test_files_with_commas_between_cells_have_decimal_points(tmp_path):
    points = ["1.234", "12.500", "987"] * 20
    path = table(tmp_path / "t.csv", ",", size=points, t=CLASSES)
    assert surveyed(path).columns["size"].most == 987
    assert "Points" not in told(path)


def test_a_model_reads_thousands_as_it_was_fitted(tmp_path):
    told(sales(tmp_path / "t.csv"))
    # One row alone, of which nothing says that its point is not decimal.
    new = table(tmp_path / "new.csv", x=["1", "1"], turnover=["56.100", "987"])
    plain = table(tmp_path / "plain.csv", x=["1", "1"], turnover=["56100", "987"])
    found, notes = answers(new, "--explain")
    assert found["prediction"].tolist() == ["high", "low"]
    assert notes == ""
    pd.testing.assert_frame_equal(found, answers(plain, "--explain")[0])


def test_a_model_of_thousands_refuses_other_points(tmp_path):
    told(sales(tmp_path / "t.csv"))
    new = table(tmp_path / "new.csv", x=["1", "1"], turnover=["56.100", "12.50"])
    result = sfp("predict", tmp_path / "model.skops", new)
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert "new.csv, column 'turnover': the model was fitted to points between" in result.stderr
    assert "'12.50'" in result.stderr


def test_a_model_of_thousands_reads_files_with_commas_between_cells(tmp_path):
    told(sales(tmp_path / "t.csv"))
    new = table(tmp_path / "new.csv", ",", x=["1", "1"], turnover=["56100.0", "987.5"])
    found, notes = answers(new)
    assert found["prediction"].tolist() == ["high", "low"]
    assert notes == ""
    _, notes = answers(table(tmp_path / "new.csv", ",", x=["1"], turnover=["56.100"]))
    assert "points in 'turnover' were read as decimal points" in notes


@pytest.mark.parametrize("late", [None, "0.5"])
def test_thousands_are_decided_by_all_blocks(late, tmp_path, small_blocks):
    sizes = [*map(str, range(300)), *(german(1000 + i * 7) for i in range(300))]
    sizes[-1] = late or sizes[-1]
    y = ["a" if i < 300 else "b" for i in range(600)]
    path = table(tmp_path / "t.csv", x=[f"{i % 5},5" for i in range(600)], size=sizes, t=y)
    found = surveyed(path)
    assert not found.is_whole
    assert found.columns["size"].most == (1000 + 299 * 7 if late is None else 299)
    assert found.columns["size"].numbers == 600
    assert ("separating thousands" in told(path)) == (late is None)
    if late is None:
        assert (answers(path)[0]["prediction"] == y).mean() > 0.98


def test_targets_and_weights_have_thousands_too(tmp_path):
    weights = [german(500 + i * 20) for i in range(60)]
    numbers = [german(i * 40) for i in range(60)]
    path = table(tmp_path / "t.csv", x=HALVES, z=range(60), weight=weights, t=numbers)
    words = told(path, "t", "--weight", "weight", "--keep", "z")
    assert "Points in 'weight', 't' were read as separating thousands." in words
    assert answers(path)[0]["prediction"].max() > 1000
    few = ["1.000" if i % 5 > 1 else "500" for i in range(60)]
    told(table(tmp_path / "t.csv", x=HALVES, t=few))
    assert set(answers(path)[0]["prediction"]) == {1000, 500}


def test_gaps_and_signs_among_thousands():
    census = Census("size")
    census.take(pa.array(["-1.234", "-", None, "+2.000,5"]), True, 0)
    census.take(pa.array(["None", "--"]), True, 4)
    found = census.settled(True, None)
    assert (found.least, found.most, found.missing) == (-1234.0, 2000.5, 4)
    assert found.kinds == {cells.NUMBERS}


def test_copied_thousands_and_signs_stay_what_they_are():
    for text in ("-1.234,50", "+", "-", "--", "-12.500"):
        assert as_text(text) == text
    assert as_text("-1.23.4") == "'-1.23.4"


@pytest.mark.parametrize("signs", ["+-", "+0-"])
def test_signs_are_classes(signs, tmp_path):
    y = [signs[i % len(signs)] for i in range(60)]
    path = table(tmp_path / "t.csv", ",", x=[i % len(signs) for i in range(60)], t=y)
    words = told(path)
    assert f"which has {len(signs)} classes" in words
    assert "without a target" not in words
    assert "'-' in 't' counts as a value, like other words; add --missing '-'" in words
    assert answers(path)[0]["prediction"].tolist() == y


def test_a_report_reads_placeholders_as_the_model_does(tmp_path):
    path = table(tmp_path / "t.csv", ",", x=[i % 2 for i in range(60)], t=["+", "-"] * 30)
    told(path)
    # Beside numbers alone they would be missing.
    some = table(tmp_path / "some.csv", ",", x=[1] * 30, t=["-"] * 30)
    found = survey.survey(open_table(some), "t", 0, known={"t": AS_WRITTEN})
    assert (found.columns["t"].missing, dict(found.labels)) == (0, {"-": 30})
    options = ("-o", tmp_path / "r.html", "--unseen", "--json")
    result = sfp("report", tmp_path / "model.skops", path, *options)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == 60


def test_a_report_reads_thousands_as_the_model_does(tmp_path):
    told(sales(tmp_path / "t.csv"))
    # Nothing in this table says that commas are decimal.
    points = [german(number) for number in TURNOVER]
    plain = table(tmp_path / "plain.csv", x=range(60), turnover=points, t=CLASSES)
    options = ("-o", tmp_path / "r.html", "--unseen", "--json")
    result = sfp("report", tmp_path / "model.skops", plain, *options)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["score"]["value"] > 0.9


def test_none_is_a_category_beside_other_words(tmp_path):
    defects = ["None" if i % 3 else "crack" for i in range(60)]
    y = ["good" if i % 3 else "bad" for i in range(60)]
    path = table(tmp_path / "t.csv", ",", defect=defects, t=y)
    words = told(path)
    assert "'None' in 'defect' counts as a value" in words
    assert "missing, in" not in words
    assert columns_of(path)["defect"]["missing"] == 0
    found, notes = answers(path)
    assert found["prediction"].tolist() == y
    assert notes == ""
    assert "40 cells (66.7%) are missing, in 'defect'." in told(path, "t", "--missing", "None")


@pytest.mark.parametrize("word", cells.PLACEHOLDERS)
def test_placeholders_among_numbers_and_dates_are_missing(word, tmp_path):
    sizes = [word if i % 3 == 0 else i * 3 for i in range(60)]
    days = [word if i % 4 == 0 else f"2024-01-{i % 28 + 1:02d}" for i in range(60)]
    truths = [word if i % 5 == 0 else ("True", "False")[i % 2] for i in range(60)]
    path = table(tmp_path / "t.csv", ",", size=sizes, day=days, truth=truths, t=CLASSES)
    words = told(path)
    assert "47 cells (26.1%) are missing, in 'size', 'day', 'truth'." in words
    assert "value, like" not in words
    kinds = {name: column["kind"] for name, column in columns_of(path).items()}
    assert kinds == {"size": "number", "day": "date", "truth": "category", "t": "category"}
    # New rows are read so even if they are placeholders alone.
    new = table(tmp_path / "new.csv", ",", size=[word], day=[word], truth=[word])
    assert "'size', 'day', 'truth' are empty" in answers(new)[1]


def test_placeholders_among_words_stay_words_in_new_rows(tmp_path):
    words = [("up", "down", "-")[i % 3] for i in range(60)]
    path = table(tmp_path / "t.csv", ",", way=words, t=[f"c{i % 3}" for i in range(60)])
    told(path)
    new = table(tmp_path / "new.csv", ",", way=["-", "-", ".", ""])
    found, notes = answers(new)
    assert found["prediction"].tolist()[:2] == ["c2", "c2"]
    assert notes.count("\n") == 1
    assert "1 cell of 'way' holds a value that the fit did not see, such as '.'" in notes


def test_placeholders_alone_are_missing(tmp_path):
    path = table(tmp_path / "t.csv", ",", x=[i % 6 for i in range(60)], gap=["-"] * 60, t=CLASSES)
    assert "gap: it is empty" in told(path)
    path = table(tmp_path / "t.csv", ",", x=range(60), t=["-", ".."] * 30)
    result = sfp("fit", path, "-t", "t", "-o", tmp_path / "m.skops")
    assert "the target 't' is missing in every row" in result.stderr


def test_a_target_of_numbers_has_rows_without_one(tmp_path):
    y = ["-" if i % 4 == 0 else i * 1.5 for i in range(60)]
    path = table(tmp_path / "t.csv", ",", x=[i % 13 for i in range(60)], t=y)
    assert "15 rows without a target are not learned from." in told(path)


def test_a_few_words_among_numbers_and_placeholders_are_refused(tmp_path):
    sizes = ["-" if i % 3 == 0 else i * 3 for i in range(120)]
    sizes[100] = "many"
    path = table(tmp_path / "t.csv", ",", size=sizes, t=CLASSES * 2)
    result = sfp("fit", path, "-t", "t", "-o", tmp_path / "m.skops")
    assert result.exit_code == 2
    assert "row 101, column 'size': 'many' is no number, as 99% of the column are" in result.stderr


@pytest.mark.parametrize("late", ["7", "up"])
def test_placeholders_are_decided_by_all_blocks(late, tmp_path, small_blocks):
    # Blocks of placeholders, of numbers, and at the end what decides.
    mixed = ["-"] * 250 + ["3"] * 250 + [late] * 250
    y = ["a"] * 250 + ["b"] * 250 + ["c"] * 250
    path = table(tmp_path / "t.csv", ",", mixed=mixed, x=[i % 7 for i in range(750)], t=y)
    census = surveyed(path).columns["mixed"]
    assert census.missing == (250 if late == "7" else 0)
    told(path)
    found, _ = answers(path)
    assert columns_of(path)["mixed"]["placeholders"] == (late == "up")
    if late == "up":
        assert found["prediction"].tolist() == y
    target = surveyed(path, "mixed")
    assert dict(target.labels) == (
        {"3": 250, "7": 250} if late == "7" else {"-": 250, "3": 250, "up": 250}
    )


def test_models_from_before_take_placeholders_as_missing(tmp_path):
    from sfplearn import save_model

    path = table(tmp_path / "t.csv", ",", way=["up", "down"] * 30, t=["a", "b"] * 30)
    saved = load_model(fit(path, "t"))
    for column in saved.about["schema"]:
        del column["placeholders"], column["thousands"]
    save_model(saved.model, tmp_path / "model.skops", about=saved.about)
    assert answers(table(tmp_path / "new.csv", ",", way=["-", "up"], z=[1, 2]))[1] == ""


def test_days_with_points_are_dates(tmp_path):
    days = [f"{i % 28 + 1}.{i % 12 + 1:02d}.2024" for i in range(60)]
    times = [f"{day} 18:30" for day in days]
    y = ["late" if i % 12 > 5 else "early" for i in range(60)]
    path = table(tmp_path / "t.csv", day=[*days[:-1], "-"], time=times, t=y)
    assert "Dates in 'day', 'time' count as days since 1970." in told(path)
    found, notes = answers(path, "--explain")
    assert (found["prediction"] == y).mean() > 0.9
    assert notes == ""
    same = [f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(60)]
    iso = table(tmp_path / "iso.csv", day=[*same[:-1], ""], time=[f"{day} 18:30" for day in same])
    pd.testing.assert_frame_equal(found, answers(iso, "--explain")[0])


def test_dates_with_points_are_days():
    written = ["31.12.2024", "1.2.2024", "2024-01-10", "01.10.1969", None]
    here = pd.to_datetime(["2024-12-31", "2024-02-01", "2024-01-10", "1969-10-01", None])
    expected = (here - pd.Timestamp(0)) / pd.Timedelta(days=1)
    np.testing.assert_array_equal(cells.as_days(pa.array(written)), expected)


@pytest.mark.parametrize("odd", ["31.02.2024", "12.31.2024", "31.12.24", "1.2.20245", "soon"])
def test_no_dates_if_one_is_none(odd):
    assert cells.as_days(pa.array(["31.12.2024", odd])) is None


def test_dates_that_may_mean_either_are_told(tmp_path):
    many = [f"{i % 12 + 1}/{i % 28 + 1}/2024" for i in range(84)]
    few = [f"{i % 3 + 1}/1/2024" for i in range(84)]
    y = ["late" if i % 3 else "early" for i in range(84)]
    words = told(table(tmp_path / "t.csv", ",", many=many, few=few, t=y))
    assert "many: it looks like dates, such as '1/1/2024'; write them as 2024-12-31" in words
    assert "'few' may hold dates; write these as 2024-12-31 to use them so." in words


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_selected_columns_are_read_again_as_they_were(tmp_path, ending):
    x = np.random.default_rng(0).uniform(1000, 9000, 60)
    shown = table(
        tmp_path / "t.csv",
        share=[german(each / 900, 2) for each in x],
        sales=[german(each) for each in x],
        t=np.where(x > 5000, "high", "low"),
    )
    out = tmp_path / f"some.{ending}"
    assert sfp("select", shown, "-t", "t", "-o", out).exit_code == 0
    before, after = surveyed(shown).columns, surveyed(out).columns
    for name in after:
        assert (after[name].most, after[name].reading) == (before[name].most, before[name].reading)
    assert len(after) > 1
