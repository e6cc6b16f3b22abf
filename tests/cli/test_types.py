"""Columns that are neither plain numbers nor plain text: truths, dates, times, lists, large ids."""

import datetime
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfplearn import load_model
from sfplearn.cli import cells
from sfplearn.cli.survey import Census
from sfplearn.cli.writers import as_text
from tests.cli.tables import fit, one_line, people, sfp


def typed(path, **columns):
    """Write a table of two classes with some columns more, and return its path."""
    n = len(next(iter(columns.values())))
    y = ["ab"[i % 7 > 3] for i in range(n)]
    pq.write_table(pa.table({"x": [i % 7 + 0.5 for i in range(n)], **columns, "y": y}), path)
    return path


def left_out(model):
    return {each["name"]: each for each in load_model(model).about["left_out"]}


def predictions(model, table, *more):
    result = sfp("predict", model, table, *more)
    assert result.exit_code == 0, result.output
    return pd.read_csv(io.StringIO(result.stdout)), result.stderr


@pytest.fixture(scope="module")
def member(tmp_path_factory):
    """A table in which truth, with gaps, tells the class."""
    folder = tmp_path_factory.mktemp("truths")
    table = people().drop(columns=["name", "income", "seen"])
    table["member"] = (table["buys"] == "yes").astype(object)
    table.loc[::10, "member"] = None
    table["open"] = table.index % 3 == 0
    table.to_csv(folder / "t.csv", index=False)
    fit(folder / "t.csv", "buys")
    return folder


@pytest.mark.parametrize("start", [2**53, 2**60, 2**63])
def test_whole_numbers_may_have_more_digits_than_double_precision(start, tmp_path):
    kind = pa.uint64()
    near, far = [start + i // 2 for i in range(300)], [start + i % 5 * 2**50 for i in range(300)]
    columns = {"near": pa.array(near, kind), "far": pa.array(far, kind)}
    model = fit(typed(tmp_path / "t.parquet", **columns), "y")
    assert load_model(model).model.feature_names_in_.tolist() == ["x", "far"]
    assert "differ too little" in left_out(model)["near"]["why"]
    found, _ = predictions(model, tmp_path / "t.parquet", "--copy", "y")
    assert np.mean(found["prediction"] == found["y"]) > 0.9
    less = load_model(fit(tmp_path / "t.parquet", "y", "--drop", "near", "--drop", "far"))
    assert less.model.feature_names_in_.tolist() == ["x"]


def test_truths_are_the_same_in_python(member):
    pipeline = load_model(member / "model.skops").model
    rows = pd.read_csv(member / "t.csv")
    assert rows["open"].dtype == bool
    found, notes = predictions(member / "model.skops", member / "t.csv")
    assert notes == ""
    assert np.mean(found["prediction"] == rows["buys"]) > 0.8
    assert pipeline.predict(rows).tolist() == found["prediction"].tolist()
    shares, _ = predictions(member / "model.skops", member / "t.csv", "--proba")
    here = pipeline.predict_proba(rows)
    np.testing.assert_allclose(here, shares[["probability_no", "probability_yes"]], atol=1e-5)


def test_truths_alone_are_the_same_in_python(tmp_path):
    table = people()[["buys"]].assign(open=lambda t: t["buys"] == "yes")
    table.to_csv(tmp_path / "t.csv", index=False)
    pipeline = load_model(fit(tmp_path / "t.csv", "buys")).model
    assert pipeline.predict(pd.read_csv(tmp_path / "t.csv")).tolist() == table["buys"].tolist()


@pytest.mark.parametrize("ending", ["lower", "upper", "typed"])
def test_truths_match_however_they_are_written(member, ending):
    rows = pd.read_csv(member / "t.csv")
    plain, _ = predictions(member / "model.skops", member / "t.csv", "--explain")
    path = member / f"{ending}.csv"
    if ending == "typed":
        path = path.with_suffix(".parquet")
        rows.to_parquet(path)
    else:
        text = rows[["member", "open"]].map(lambda cell: getattr(str(cell), ending)())
        rows.assign(**text.replace({"NAN": "", "nan": ""})).to_csv(path, index=False)
    found, notes = predictions(member / "model.skops", path, "--explain")
    assert notes == ""
    pd.testing.assert_frame_equal(found, plain)
    assert found["reason_1"].str.contains("member = True").any()


def test_words_where_truths_were_are_told(member):
    rows = pd.read_csv(member / "t.csv").assign(open="perhaps")
    rows.to_csv(member / "words.csv", index=False)
    _, notes = predictions(member / "model.skops", member / "words.csv")
    assert "120 cells of 'open' hold values that the fit did not see, such as 'perhaps'" in notes


def test_a_report_shows_truths(member):
    page = member / "page.html"
    result = sfp("report", member / "model.skops", member / "t.csv", "-o", page)
    assert result.exit_code == 0, result.output
    assert "True" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("hours", ["", " 18:30"])
def test_dates_are_the_same_in_python(hours, tmp_path):
    table = people().drop(columns=["name", "income"])
    table["buys"] = np.where(table["seen"] < "2024-03-01", "yes", "no")
    table["seen"] += hours
    table.loc[::13, "seen"] = None
    table.to_csv(tmp_path / "t.csv", index=False)
    model = fit(tmp_path / "t.csv", "buys")
    found, _ = predictions(model, tmp_path / "t.csv", "--proba")
    assert np.mean(found["prediction"] == table["buys"]) > 0.8
    text = pd.read_csv(tmp_path / "t.csv")
    for rows in (text, text.assign(seen=pd.to_datetime(text["seen"]))):
        pipeline = load_model(model).model
        assert pipeline.predict(rows).tolist() == found["prediction"].tolist()
        shares = found[["probability_no", "probability_yes"]]
        np.testing.assert_allclose(pipeline.predict_proba(rows), shares, atol=1e-5)


@pytest.mark.parametrize(
    "cells",
    [
        [[1, 2]] * 40,
        [{"a": 1}] * 40,
        [datetime.time(i % 24) for i in range(40)],
        [datetime.timedelta(hours=i % 5) for i in range(40)],
    ],
    ids=["lists", "structs", "times", "durations"],
)
def test_what_is_neither_number_nor_date_nor_text_is_left_out(cells, tmp_path):
    path = typed(tmp_path / "t.parquet", odd=pa.array(cells))
    model = tmp_path / "m.skops"
    result = sfp("fit", path, "-t", "y", "-o", model, "--no-score", "--keep", "odd")
    assert result.exit_code == 0, result.output
    assert "Left out 1 column that cannot be used:" in result.stdout
    assert "--keep" not in result.stdout
    assert "odd: it holds" in result.stdout
    target = sfp("fit", path, "-t", "odd", "-o", tmp_path / "never.skops")
    assert target.exit_code == 2
    assert one_line(target.stderr)
    assert "'odd' holds dates, times or lists" in target.stderr


def test_columns_that_can_be_kept_are_told_apart(tmp_path):
    columns = {"same": ["s"] * 40, "tags": pa.array([[1]] * 40)}
    path = typed(tmp_path / "t.parquet", **columns)
    told = sfp("fit", path, "-t", "y", "-o", tmp_path / "m.skops", "--no-score").stdout
    first, second = told.index("(--keep NAME takes one in)"), told.index("that cannot be used")
    assert first < told.index("same: it is s in every row") < second < told.index("tags: ")


@pytest.mark.parametrize("form", ["{},50 €", "$ {}.00.00", "$0,{}"])
def test_amounts_that_may_mean_either_are_told(form, tmp_path):
    amounts = [form.format(1000 + i * 37) for i in range(60)]
    why = left_out(fit(typed(tmp_path / "t.parquet", amount=amounts), "y"))["amount"]["why"]
    assert "looks like amounts" in why
    assert repr(amounts[0]) in why


@pytest.mark.parametrize("form", ["${:,}.00", "{}.5%", "€ {}", "-£{}", "{:,} ¥", "{}\u00a0%"])
def test_amounts_are_read_as_numbers(form, tmp_path):
    amounts = [form.format(1000 + i * 37) for i in range(60)]
    path = typed(tmp_path / "t.parquet", amount=amounts)
    told = sfp("fit", path, "-t", "y", "-o", tmp_path / "m.skops", "--no-score")
    assert "Amounts in 'amount' count as numbers" in told.stdout
    done = sfp("predict", tmp_path / "m.skops", path, "-o", tmp_path / "p.csv")
    assert done.exit_code == 0, done.stderr


def test_amounts_mean_what_they_say():
    signed = ["$1,234.50", "45$", "-$3", "1,234,567", "7", None, "$ 0.5"]
    found = cells.as_numbers(pa.array(signed), commas=False)
    np.testing.assert_array_equal(found, [1234.5, 45, -3, 1234567, 7, np.nan, 0.5])
    for text in ("$1,234.50", "€-3", "1,234,567", ".5 %"):
        assert cells.as_numbers(pa.array([text]), commas=False) is not None
    commas = ["1234,50 €", "€ 45.5", "€3", "0,125€", "7,25", None]
    found = cells.as_numbers(pa.array(commas), commas=True)
    np.testing.assert_array_equal(found, [1234.5, 45.5, 3, 0.125, 7.25, np.nan])


@pytest.mark.parametrize(
    "text", ["3,14", "1,23,456", "$", "5 %%", "$5 €x", "1,2345", "--5%", "12 kg"]
)
def test_what_is_no_amount_stays_text(text):
    assert cells.as_numbers(pa.array([text]), commas=False) is None


def test_names_with_digits_are_no_amounts(tmp_path):
    names = [f"{i}.{i + 1}.{i + 2}" for i in range(60)]
    why = left_out(fit(typed(tmp_path / "t.parquet", version=names), "y"))["version"]["why"]
    assert why.startswith("text that differs")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_infinite_cells_are_counted_and_told(ending, tmp_path):
    cells = [np.inf if i in (3, 9) else None if i == 20 else i % 11 / 2 for i in range(40)]
    path = typed(tmp_path / "t.parquet", size=cells)
    if ending == "csv":
        pd.read_parquet(path).to_csv(tmp_path / "t.csv", index=False)
        path = tmp_path / "t.csv"
    result = sfp("fit", path, "-t", "y", "-o", tmp_path / "m.skops", "--no-score")
    assert "2 infinite numbers in 'size' count as missing." in result.stdout
    assert "3 cells (3.8%) are missing, in 'size'" in result.stdout


def test_one_missing_cell_is_told_of_as_one(tmp_path):
    cells = [None if i == 20 else i % 11 / 2 for i in range(40)]
    path = typed(tmp_path / "t.parquet", size=cells)
    result = sfp("fit", path, "-t", "y", "-o", tmp_path / "m.skops", "--no-score")
    words = " ".join(result.stdout.split())
    assert "1 cell (1.2%) is missing, in 'size'." in words
    assert "The median or the most frequent value stands in." in words


@pytest.mark.parametrize("text", ["$1,250", "1.234 %", "2.559,50 €", "1.234.567 €", "1,234.5 $"])
def test_thousands_that_may_be_thousandths_are_no_amounts(text):
    assert cells.as_numbers(pa.array([text, "$3"]), commas=True) is None


@pytest.mark.parametrize("mixed", [["41%", "0.41"], ["$5", "€5"], ["5%", "$5", "5"]])
def test_amounts_of_several_units_are_no_numbers(mixed):
    assert cells.as_numbers(pa.array(mixed), commas=False) is None


def test_percents_and_fractions_in_different_blocks_do_not_agree():
    census = Census("share")
    census.take(pa.array(["0.5", "0.25"]), False, 0)
    assert cells.agree(census.marks)
    census.take(pa.array(["50%", "20%"]), False, 2)
    assert census.kinds == {cells.NUMBERS}
    assert not cells.agree(census.marks)


@pytest.mark.parametrize(("fitted", "asked"), [("{}", "{}%"), ("{}%", "${}")])
def test_a_model_is_not_asked_in_another_unit(fitted, asked, tmp_path):
    numbers = [1000 + i * 37 for i in range(60)]
    path = typed(tmp_path / "t.parquet", size=[fitted.format(i) for i in numbers])
    sfp("fit", path, "-t", "y", "-o", tmp_path / "m.skops", "--no-score")
    other = typed(tmp_path / "o.parquet", size=[asked.format(i) for i in numbers])
    result = sfp("predict", tmp_path / "m.skops", other, "-o", tmp_path / "p.csv")
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert "column 'size': the model was fitted to" in result.stderr


def test_few_percents_are_classes_and_many_are_numbers(tmp_path):
    few = pd.DataFrame({"x": np.arange(60.0) % 13, "t": ["50%", "100%"] * 30})
    few.to_csv(tmp_path / "few.csv", index=False)
    told = sfp("fit", tmp_path / "few.csv", "-t", "t", "-o", tmp_path / "f.skops", "--no-score")
    assert "100%" in told.stdout
    assert "Amounts" not in told.stdout
    many = pd.DataFrame({"x": np.arange(60.0) % 13, "t": [f"${i * 100:,}" for i in range(60)]})
    many.to_csv(tmp_path / "many.csv", index=False)
    told = sfp("fit", tmp_path / "many.csv", "-t", "t", "-o", tmp_path / "m.skops", "--no-score")
    assert "Amounts in 't' count as numbers" in told.stdout


def test_copied_amounts_stay_what_they_are():
    assert as_text("-$184") == "-$184"
    assert as_text("-5 %") == "-5 %"
    assert as_text("-$184+cmd") == "'-$184+cmd"


def coded(path, **columns):
    """Write text of two classes with some columns more, and return its path."""
    n = len(next(iter(columns.values())))
    pd.DataFrame({**columns, "y": ["ab"[i % 5 > 1] for i in range(n)]}).to_csv(path, index=False)
    return path


ZIPS = ("02139", "10001", "94110", "60601", "00501")


def test_codes_with_zeros_in_front_are_categories(tmp_path):
    zips = [ZIPS[i % 5] for i in range(80)]
    wide = [f"{i * 37 % 1000:04d}" for i in range(80)]
    model = fit(coded(tmp_path / "t.csv", zip=zips, wide=wide), "y")
    kinds = {each["name"]: each["kind"] for each in load_model(model).about["schema"]}
    assert kinds["zip"] == "category"
    assert left_out(model)["wide"]["why"].startswith("codes that differ in nearly every row")
    found, _ = predictions(model, tmp_path / "t.csv", "--copy", "y")
    assert (found["prediction"] == found["y"]).all()


@pytest.mark.parametrize("numbers", [["1", "20", "007"], ["10", "20", "30"], ["0.1", "0.2", "0.5"]])
def test_other_numbers_are_no_codes(numbers, tmp_path):
    model = fit(coded(tmp_path / "t.csv", x=numbers * 20), "y")
    assert load_model(model).about["schema"][0]["kind"] == "number"


def test_codes_are_classes_that_keep_their_zeros_unless_numbers_are_asked_for(tmp_path):
    codes = ["01" if i % 5 > 1 else "02" for i in range(80)]
    path = coded(tmp_path / "t.csv", x=np.arange(80) % 5, code=codes)
    model = fit(path, "code", "--drop", "y")
    result = sfp("predict", model, path)
    assert result.stdout.split()[:3] == ["prediction", "02", "02"]
    told = sfp("info", fit(path, "code", "--drop", "y", "--task", "regression"))
    assert "code (regression)" in told.stdout


def test_a_typographic_minus_is_a_minus():
    written = ["\N{MINUS SIGN}1.5", "2", "\N{MINUS SIGN}$3", "$ \N{MINUS SIGN}4"]
    text = cells.present(pa.array(written), ())
    assert cells.present(pa.array(["a\N{MINUS SIGN}1"]), ()).to_pylist() == ["a\N{MINUS SIGN}1"]
    assert cells.as_numbers(text, commas=False).tolist() == [-1.5, 2.0, -3.0, -4.0]
    assert cells.count_numbers(text, commas=False) == 4


def test_one_amount_that_is_written_in_several_ways_is_constant(tmp_path):
    written = [("$5", "5", "5.00 $")[i % 3] for i in range(60)]
    model = fit(coded(tmp_path / "t.csv", x=np.arange(60) % 5, price=written), "y")
    assert left_out(model)["price"]["why"] == "it is $5 in every row"


@pytest.mark.parametrize("text", ["-nan", "1" * 400, "-" + "9" * 310 + ".5"])
def test_what_is_no_finite_number_is_missing(text):
    assert cells.present(pa.array([text, "1"]), ()).null_count == 1


@pytest.mark.parametrize("digits", [13, 24])
def test_long_codes_that_begin_alike_are_categories(digits, tmp_path):
    codes = [f"0{'1' * (digits - 3)}{(i % 5) * 7:02d}" for i in range(80)]
    model = fit(coded(tmp_path / "t.csv", code=codes), "y")
    assert load_model(model).about["schema"][0]["kind"] == "category"
    found, _ = predictions(model, tmp_path / "t.csv", "--copy", "y")
    assert (found["prediction"] == found["y"]).all()


def test_padded_quantities_are_predicted_as_numbers(tmp_path):
    path = coded(tmp_path / "t.csv", x=np.arange(80), size=[f"{i * 37:05d}" for i in range(80)])
    told = sfp("info", fit(path, "size"))
    assert "size (regression)" in told.stdout


@pytest.mark.parametrize("text", ["Nan", "+nan", "-NaN", "0" + "9" * 400, "9" * 309])
def test_what_computers_write_for_no_number_is_missing(text):
    assert cells.present(pa.array([text, "1", "banana"]), ()).null_count == 1


def test_classes_may_have_a_typographic_minus(tmp_path):
    signs = ["\N{MINUS SIGN}1" if i % 5 > 1 else "1" for i in range(80)]
    path = coded(tmp_path / "t.csv", x=np.arange(80) % 5, sign=signs)
    result = sfp("predict", fit(path, "sign", "--drop", "y"), path)
    assert result.stdout.split()[:4] == ["prediction", "1", "1", "-1"]


def test_rows_beyond_all_that_were_seen_are_answered_as_the_farthest(tmp_path):
    x = np.linspace(-2, 2, 200)
    table = pd.DataFrame({"x": x, "z": np.cos(9 * x), "y": np.where(x > 0, "p", "n")})
    table.to_csv(tmp_path / "t.csv", index=False)
    model = fit(tmp_path / "t.csv", "y")
    far = pd.DataFrame({"x": [-1e300, -1e3, 1e3, 1e300], "z": 0.0})
    far.to_csv(tmp_path / "far.csv", index=False)
    found, _ = predictions(model, tmp_path / "far.csv")
    assert found["prediction"].tolist() == ["n", "n", "p", "p"]


def test_mac_line_ends_hide_no_separator(tmp_path):
    text = "a;b;y\r" + "".join(f"{i},5;{i % 7},25;{'uv'[i % 2]}\r" for i in range(40))
    (tmp_path / "t.csv").write_text(text, newline="")
    names = [each["name"] for each in load_model(fit(tmp_path / "t.csv", "y")).about["schema"]]
    assert names == ["a", "b", "y"]


@pytest.mark.parametrize("kind", [int, float, str])
def test_codes_that_lost_their_zeros_are_known(kind, tmp_path):
    months = [i % 12 + 1 for i in range(120)]
    y = ["cold" if m in (1, 2, 3, 11, 12) else "warm" for m in months]
    table = pd.DataFrame({"m": [f"{m:02d}" for m in months], "z": np.arange(120) % 7, "y": y})
    table.to_csv(tmp_path / "t.csv", index=False)
    model = fit(tmp_path / "t.csv", "y")
    table["m"] = [kind(m) for m in months]
    path = tmp_path / "o.parquet"
    table.to_parquet(path)
    found, noted = predictions(model, path, "--copy", "y")
    assert "did not see" not in noted
    assert (found["prediction"] == found["y"]).mean() > 0.95
