"""sfp predict: answers for each row, and sentences for what does not fit the model."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from sfplearn import load_model
from sfplearn.cli import tables
from tests.cli.tables import fit, one_line, people, sfp


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    people().to_csv(folder / "people.csv", index=False)
    fit(folder / "people.csv", "buys", model="buys.skops")
    fit(folder / "people.csv", "income", "--drop", "buys", model="income.skops")
    return folder


def answers(folder, table, *more, model="buys.skops"):
    """Predict a data frame through files, and return answers and notes."""
    table.to_csv(folder / "new.csv", index=False)
    result = sfp("predict", folder / model, folder / "new.csv", *more)
    assert result.exit_code == 0, result.output
    return pd.read_csv(io.StringIO(result.stdout)), result.stderr


def test_there_is_an_answer_for_each_row_on_standard_output(folder):
    found, notes = answers(folder, people())
    assert list(found) == ["prediction"]
    assert np.mean(found["prediction"] == people()["buys"]) > 0.8
    assert notes == ""


def test_order_and_number_of_columns_do_not_matter(folder):
    new = people(50, seed=1)
    plain, _ = answers(folder, new)
    turned, _ = answers(folder, new[new.columns[::-1]].assign(more=1, buys=None))
    few, _ = answers(folder, new[["late", "seen", "income", "sex", "age"]])
    pd.testing.assert_frame_equal(plain, turned)
    pd.testing.assert_frame_equal(plain, few)


def test_probabilities_are_those_of_the_model(folder):
    new = people(30, seed=1)
    found, _ = answers(folder, new, "--proba")
    assert list(found) == ["prediction", "probability_no", "probability_yes"]
    shares = found.iloc[:, 1:].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-5)
    likely = np.array(["no", "yes"])[shares.argmax(axis=1)]
    assert (likely == found["prediction"]).all()


@pytest.mark.parametrize("gap", [None, pd.NA])
def test_gaps_among_words_are_the_same_whatever_they_are_called(folder, gap):
    pipeline, _ = load_model(folder / "buys.skops")
    new = people(25, seed=2)
    words, known = new["late"].astype(object), new["late"].notna()
    nan, other = (
        pipeline.predict_proba(new.assign(late=words.where(known, missing)))
        for missing in (np.nan, gap)
    )
    assert not known.all()
    np.testing.assert_array_equal(nan, other)


@pytest.mark.parametrize("model", ["buys.skops", "income.skops"])
def test_explanations_agree_with_the_model(folder, model):
    new = people(25, seed=2)
    found, _ = answers(folder, new, "--explain", model=model)
    pipeline, _ = load_model(folder / model)
    new["seen"] = (pd.to_datetime(new["seen"]) - pd.Timestamp(0)) / pd.Timedelta(days=1)
    why = pipeline[-1].explain(pipeline[:-1].transform(new), n_clusters=1)
    assert found["cluster"].tolist() == why.clusters[:, 0].tolist()
    np.testing.assert_allclose(found["membership"], why.memberships[:, 0], atol=1e-4)
    first = found["reason_1"].dropna().str.split(" = ", expand=True)
    assert set(first[0]) <= set(pipeline.feature_names_in_)
    numbers = [feature for feature in ("age", "income") if feature in pipeline.feature_names_in_]
    for feature in numbers:
        told = first[(first[0] == feature) & (first[1] != "missing")]
        np.testing.assert_allclose(told[1].astype(float), new.loc[told.index, feature], rtol=1e-4)
    if why.classes is not None:
        said = why.classes[why.says[:, 0].argmax(axis=1)]
        assert (found["cluster_says"].str.split(" ").str[0] == said).all()


def test_the_column_that_drew_a_row_most_is_named_first(folder):
    new = people(25, seed=2)
    found, _ = answers(folder, new, "--explain", model="income.skops")
    pipeline, _ = load_model(folder / "income.skops")
    new["seen"] = (pd.to_datetime(new["seen"]) - pd.Timestamp(0)) / pd.Timedelta(days=1)
    prepared = pipeline[:-1].transform(new)
    why = pipeline[-1].explain(prepared, n_clusters=1)
    owners = [name.split("_")[0] for name in prepared.columns]
    assert set(owners) <= set(pipeline.feature_names_in_)
    pulls = pd.DataFrame(why.pulls[:, 0], columns=owners).T.groupby(level=0).sum().T
    drawn = pulls.max(axis=1) > 0
    strongest = pulls.idxmax(axis=1)[drawn]
    assert (found["reason_1"][drawn].str.split(" = ").str[0] == strongest).all()


def test_unseen_categories_are_counted_in_a_note(folder):
    new = people(20, seed=1)
    new.loc[:2, "sex"] = "other"
    _, notes = answers(folder, new)
    assert (
        notes
        == "sfp: note: 3 cells of 'sex' hold values that the fit did not see, such as 'other'.\n"
    )


def test_missing_columns_are_all_named(folder):
    people().drop(columns=["age", "sex"]).rename(columns={"late": "Late"}).to_csv(
        folder / "less.csv", index=False
    )
    result = sfp("predict", folder / "buys.skops", folder / "less.csv")
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert "less.csv lacks the columns 'age', 'sex', 'late'" in result.stderr
    assert "did you mean 'Late'?" in result.stderr


def test_text_where_numbers_were_names_file_row_and_column(folder):
    new = people(20).astype({"age": object})
    new.loc[6, "age"] = "old"
    new.to_csv(folder / "text.csv", index=False)
    out = folder / "never.csv"
    result = sfp("predict", folder / "buys.skops", folder / "text.csv", "-o", out)
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert "text.csv, row 7, column 'age': " in result.stderr
    assert "'old'" in result.stderr
    assert not out.exists()
    assert not list(folder.glob(".never*"))
    assert sfp("predict", folder / "buys.skops", folder / "text.csv").stdout == ""


def test_parquet_holds_what_text_holds(folder):
    options = ("--proba", "--explain", "--copy", "name")
    for ending in ("csv", "parquet", "tsv"):
        out = folder / f"out.{ending}"
        result = sfp("predict", folder / "buys.skops", folder / "people.csv", "-o", out, *options)
        assert "120 predictions written" in result.stdout
    text = pd.read_csv(folder / "out.csv", keep_default_na=False)
    columns = pd.read_parquet(folder / "out.parquet")
    assert list(text)[:2] == ["name", "prediction"]
    pd.testing.assert_frame_equal(text, columns, check_dtype=False)
    tabs = pd.read_csv(folder / "out.tsv", sep="\t", keep_default_na=False)
    pd.testing.assert_frame_equal(text, tabs)


def test_json_is_one_object_and_needs_a_file(folder):
    out = folder / "answers.csv"
    result = sfp("predict", folder / "buys.skops", folder / "people.csv", "-o", out, "--json")
    assert json.loads(result.stdout)["rows"] == 120
    alone = sfp("predict", folder / "buys.skops", folder / "people.csv", "--json")
    assert alone.exit_code == 2
    assert "-o" in alone.stderr


def test_gaps_everywhere_are_predicted(folder):
    new = pd.DataFrame("", index=range(3), columns=list(people(3)))
    found, _ = answers(folder, new)
    assert found["prediction"].isin(["yes", "no"]).all()


def test_columns_that_are_empty_are_told(folder):
    _, notes = answers(folder, people(20).assign(age=None))
    assert notes == "sfp: note: 'age' is empty; the usual values of the fit stand in.\n"
    _, both = answers(folder, people(20).assign(age=None, sex=""))
    assert "'age', 'sex' are empty" in both


def test_one_unseen_category_is_told_of_as_one(folder):
    new = people(20, seed=1)
    new.loc[2, "sex"] = "other"
    _, notes = answers(folder, new)
    assert "1 cell of 'sex' holds a value that the fit did not see" in notes


def test_a_table_without_rows_gives_a_table_without_rows(folder):
    people(5)[:0].to_csv(folder / "none.csv", index=False)
    result = sfp("predict", folder / "buys.skops", folder / "none.csv", "-o", folder / "n.csv")
    assert result.exit_code == 0
    assert (folder / "n.csv").read_text() == "prediction\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["income.skops", "people.csv", "--proba"], "gives no probabilities"),
        (["buys.skops", "people.csv", "-o", "people.csv"], "is read from"),
        (["buys.skops", "people.csv", "-o", "out.xlsx"], "should end in"),
        (["buys.skops", "people.csv", "--copy", "nme"], "did you mean 'name'?"),
        (["buys.skops", "people.csv", "--copy", "nme"], "lacks the column 'nme' to copy;"),
        (["nothing.skops", "people.csv"], "is no file"),
        (["buys.skops", "nothing.csv"], "is no file"),
    ],
)
def test_wrong_use_is_one_line(folder, arguments, words):
    paths = [folder / each if "." in each else each for each in arguments]
    result = sfp("predict", *paths)
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert words in result.stderr
    assert len(pd.read_csv(folder / "people.csv")) == 120


def test_columns_that_begin_with_gaps_are_copied_to_parquet(folder, monkeypatch):
    monkeypatch.setattr(tables, "BLOCK_CELLS", 200)
    new = people().assign(code=[None] * 60 + list(range(60)))
    new.astype({"code": "Int64"}).to_parquet(folder / "gaps.parquet")
    out = folder / "copied.parquet"
    options = ("-o", out, "--copy", "code", "--copy", "late")
    result = sfp("predict", folder / "buys.skops", folder / "gaps.parquet", *options)
    assert result.exit_code == 0, result.output
    found = pd.read_parquet(out)
    assert found["code"].isna().tolist() == [True] * 60 + [False] * 60
    assert found["code"][60:].tolist() == list(range(60))
    assert found["late"].isna().tolist() == new["late"].isna().tolist()


def test_a_column_that_is_named_twice_is_copied_once(folder):
    found, _ = answers(folder, people(20), "--copy", "name", "--copy", "late", "--copy", "name")
    assert list(found) == ["name", "late", "prediction"]


def test_text_like_a_formula_is_quoted_and_numbers_are_not(folder):
    told = ["=1+1", "+x", "-x", "@x", "\tx", "a=b", "-", "-3", "+3", "-1.5e3", "-inf", ""]
    new = people(len(told)).assign(note=told, age=-5.0)
    new.to_csv(folder / "formula.csv", index=False)
    out = folder / "safe.csv"
    options = ("--copy", "note", "--copy", "age", "-o", out)
    assert sfp("predict", folder / "buys.skops", folder / "formula.csv", *options).exit_code == 0
    found = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert found["note"].tolist() == [f"'{text}" for text in told[:5]] + told[5:]
    assert found["age"].tolist() == ["-5.0"] * len(told)
    typed = folder / "safe.parquet"
    sfp("predict", folder / "buys.skops", folder / "formula.csv", "--copy", "note", "-o", typed)
    assert pd.read_parquet(typed)["note"].tolist() == told


def test_labels_and_reasons_like_formulas_are_quoted(tmp_path):
    table = people().drop(columns=["name", "late", "seen", "income", "age"])
    table["buys"] = np.where(table["buys"] == "yes", "=yes()", "no")
    table = table.rename(columns={"sex": "=sex"})
    table.to_csv(tmp_path / "t.csv", index=False)
    model = fit(tmp_path / "t.csv", "buys")
    result = sfp("predict", model, tmp_path / "t.csv", "--explain", "--copy", "=sex")
    found = pd.read_csv(io.StringIO(result.stdout))
    assert "'=sex" in found
    assert set(found["prediction"]) == {"'=yes()", "no"}
    assert found["cluster_says"].str.startswith(("'=yes()", "no")).all()
    assert found["reason_1"].dropna().str.startswith("'=sex = ").all()
    out = tmp_path / "few.csv"
    assert sfp("select", tmp_path / "t.csv", "-t", "buys", "-o", out).exit_code == 0
    assert set(pd.read_csv(out)["buys"]) == {"'=yes()", "no"}


def test_of_many_unseen_categories_a_few_are_kept(folder):
    people(50).assign(sex=[f"kind {i}" for i in range(50)]).to_csv(folder / "u.csv", index=False)
    options = ("-o", folder / "u_out.csv", "--json")
    told = json.loads(sfp("predict", folder / "buys.skops", folder / "u.csv", *options).stdout)
    assert told["unknown"]["sex"]["cells"] == 50
    assert len(told["unknown"]["sex"]["examples"]) == 3


def test_a_time_of_day_does_not_change_the_day(tmp_path):
    table = people()[["seen", "buys"]]
    table["buys"] = np.where(table["seen"] < "2024-03-01", "yes", "no")
    table["seen"] += " 18:00"
    table.to_csv(tmp_path / "t.csv", index=False)
    result = sfp("predict", fit(tmp_path / "t.csv", "buys"), tmp_path / "t.csv", "--explain")
    reasons = pd.read_csv(io.StringIO(result.stdout))["reason_1"]
    told = reasons.dropna().str.removeprefix("seen = ")
    assert len(told) > 0
    assert (told == table["seen"].str[:10][told.index]).all()


def test_a_path_with_brackets_is_printed_as_it_is(folder, monkeypatch):
    monkeypatch.chdir(folder)
    result = sfp("predict", "buys.skops", "people.csv", "-o", "out[v2].csv")
    assert result.stdout == "120 predictions written to out[v2].csv.\n"
    assert (folder / "out[v2].csv").exists()
