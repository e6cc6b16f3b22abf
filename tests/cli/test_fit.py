"""sfp fit: what is read, what is left out, and the model that comes out."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from sfplearn import load_model
from sfplearn.cli import survey
from tests.cli.tables import fit, people, sfp
from tests.onnx.running import assert_same_answers


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    return path


def frame(pipeline, table):
    """The table as the pipeline takes it: dates are days."""
    table = table.copy()
    table["seen"] = (pd.to_datetime(table["seen"]) - pd.Timestamp(0)) / pd.Timedelta(days=1)
    return table


def test_it_tells_what_was_read_how_good_it_is_and_what_was_learned(table):
    result = sfp("fit", table, "-t", "buys", "-o", table.with_suffix(".skops"))
    assert result.exit_code == 0
    for words in (
        "people.csv: 120 rows, 7 columns.",
        "which has 2 classes.",
        "2 numbers, 1 date and 2 categories",
        "are missing, in 'age', 'late'",
        "Dates in 'seen' count as days since 1970",
        "name: text that differs in nearly every row",
        "5 folds of 120 rows",
        "random forest",
        "most frequent class",
        "clusters learned",
        "it need not be the mix of its own rows",
    ):
        assert words in " ".join(result.stdout.split()), words
    # Long paths are broken where the line ends.
    assert "people.skops" in "".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_model_is_a_pipeline_that_takes_a_plain_data_frame(table):
    pipeline, about = load_model(fit(table, "buys"))
    rows = frame(pipeline, pd.read_csv(table))
    assert np.mean(pipeline.predict(rows) == rows["buys"]) > 0.8
    assert set(pipeline.classes_) == {"yes", "no"}
    assert pipeline[-1].feature_names_in_.tolist() == list(pipeline[0].get_feature_names_out())
    assert about["target"] == "buys"
    assert about["source"] == "people.csv"
    assert about["rows"] == 120


def test_numbers_are_recognised_and_predicted(table):
    path = table.with_suffix(".skops")
    result = sfp("fit", table, "-t", "income", "-o", path, "--drop", "buys", "--json")
    told = json.loads(result.stdout)
    assert told["task"] == "regression"
    scores = {row["name"]: row["R2"]["mean"] for row in told["scores"]["models"]}
    assert scores["SFP"] > scores["mean"] + 0.3
    assert "buys" not in load_model(path)[0].feature_names_in_


@pytest.mark.parametrize(
    ("cells", "task", "classes"),
    [
        ([0, 1] * 30, "classification", [0, 1]),
        (["0", "1"] * 30, "classification", [0, 1]),
        (["1.0", "2.0"] * 30, "classification", [1.0, 2.0]),
        ([True, False] * 30, "classification", ["False", "True"]),
        (list(range(60)), "regression", None),
        ([0.5, 1.5] * 30, "regression", None),
        (["a", "b", "1"] * 20, "classification", ["1", "a", "b"]),
    ],
)
def test_the_task_is_recognised_and_labels_keep_their_type(cells, task, classes, tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.random(60), "z": rng.random(60), "y": cells})
    table.to_csv(tmp_path / "t.csv", index=False)
    pipeline, about = load_model(fit(tmp_path / "t.csv", "y"))
    assert about["task"] == task
    if classes is not None:
        assert pipeline.classes_.tolist() == classes
        assert [type(label) for label in pipeline.classes_.tolist()] == [type(c) for c in classes]


def test_truths_of_a_typed_table_stay_truths(tmp_path):
    table = people().assign(buys=people()["buys"] == "yes")
    table.to_parquet(tmp_path / "t.parquet")
    assert load_model(fit(tmp_path / "t.parquet", "buys"))[0].classes_.tolist() == [False, True]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "parquet", "arrow"])
def test_all_kinds_of_files_give_the_same_model(ending, tmp_path):
    table = people()
    path = tmp_path / f"t.{ending}"
    if ending == "parquet":
        table.to_parquet(path)
    elif ending == "arrow":
        table.to_feather(path)
    else:
        table.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    table.to_csv(tmp_path / "plain.csv", index=False)
    here = load_model(fit(tmp_path / "plain.csv", "buys"))[0]
    there = load_model(fit(path, "buys", model="other.skops"))[0]
    np.testing.assert_allclose(here[-1].cluster_centers_, there[-1].cluster_centers_)


def test_columns_are_left_out_for_a_reason_and_kept_if_asked(tmp_path):
    table = people().assign(row=range(1, 121), customer_id=lambda t: t.index * 7 % 127, same="x")
    table["nothing"] = None
    table.to_csv(tmp_path / "t.csv", index=False)
    model = fit(tmp_path / "t.csv", "buys", "--keep", "row")
    pipeline, about = load_model(model)
    reasons = {each["name"]: each["why"] for each in about["left_out"]}
    assert reasons["customer_id"] == "it numbers the rows"
    assert reasons["same"] == "it is x in every row"
    assert reasons["nothing"] == "it is empty"
    assert "differs in nearly every row" in reasons["name"]
    assert "row" in pipeline.feature_names_in_
    assert not set(reasons) & set(pipeline.feature_names_in_)


@pytest.mark.parametrize(
    ("name", "is_id"),
    [
        *(
            (name, True)
            for name in ("CustomerID", "orderId", "rowIndex", "userUUID", "nr_id", "ID")
        ),
        *(
            (name, False)
            for name in ("paid", "valid", "Android", "GRID", "PAID", "Idaho", "Hybrid")
        ),
    ],
)
def test_names_tell_what_numbers_rows(name, is_id, tmp_path):
    table = people(40)[["age", "buys"]].assign(**{name: np.arange(40) * 37 % 1009})
    table.to_csv(tmp_path / "t.csv", index=False)
    out = [each["name"] for each in load_model(fit(tmp_path / "t.csv", "buys")).about["left_out"]]
    assert out == ([name] if is_id else [])


def test_rows_without_a_target_are_counted_and_not_learned_from(tmp_path):
    table = people().drop(columns="name")
    table.to_csv(tmp_path / "whole.csv", index=False)
    gaps = pd.concat([table, table.assign(buys="")], ignore_index=True)
    gaps.to_csv(tmp_path / "gaps.csv", index=False)
    result = sfp(
        "fit", tmp_path / "gaps.csv", "-t", "buys", "-o", tmp_path / "g.skops", "--no-score"
    )
    assert "120 rows without a target are not learned from" in " ".join(result.stdout.split())
    whole = load_model(fit(tmp_path / "whole.csv", "buys"))[0]
    some = load_model(tmp_path / "g.skops")[0]
    np.testing.assert_allclose(whole[-1].cluster_centers_, some[-1].cluster_centers_)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-t", "buy"], "has no column 'buy'; did you mean 'buys'?"),
        (["-t", "zzz"], "it has 'name', 'age'"),
        (["-t", "buys", "--drop", "Agee"], "did you mean 'age'?"),
        (["-t", "buys", "--drop", "age", "--keep", "age"], "cannot be dropped and kept"),
        (["-t", "buys", "--weight", "buys"], "cannot be target and weight"),
        (["-t", "buys", "--weight", "sex"], "must be numbers"),
        (["-t", "buys", "--task", "regression"], "regression needs numbers"),
        (["-t", "income", "--task", "classification"], "too many for classes"),
        (["-t", "buys", "--clusters", "500"], "too many for 120 rows"),
        (["-t", "buys", "--loss", "huber"], "'ordinal'; got 'huber'."),
        (["-t", "buys", "--loss", "ordinal"], "needs labels whose order is known"),
        (["-t", "buys", "--task", "guessing"], "'--task': 'guessing' is not one of"),
        (["-t", "buys", "--task", "guessing"], "Try: sfp fit --help"),
        (["-t", "buys", "-o", "."], "is a folder"),
        (["-t", "buys", "-o", "nowhere/m.skops"], "no folder nowhere"),
        (["-t", "buys", "-o", "model.csv"], "should end in .skops"),
        ([], "Missing option '--target'"),
    ],
)
def test_wrong_options_are_one_line(options, words, table):
    result = sfp("fit", table, *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("sfp: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert result.stdout == ""


def test_scores_need_rows_and_say_so(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,a\n8,b\n9,b\n")
    result = sfp("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.skops")
    assert result.exit_code == 0
    assert "No score: 4 rows are too few" in result.stdout


def test_a_fit_replaces_a_model_and_is_the_same_every_time(table):
    first = fit(table, "buys").read_bytes()
    again = load_model(fit(table, "buys"))[0]
    table.with_name("first.skops").write_bytes(first)
    before = load_model(table.with_name("first.skops"))[0]
    np.testing.assert_array_equal(before[-1].cluster_centers_, again[-1].cluster_centers_)


@pytest.mark.parametrize("rows", [1000, 100], ids=["in memory", "from the disk"])
def test_categories_are_not_mistaken_for_columns(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(survey, "SAMPLE_ROWS", rows)
    # Both m_x of sex and x of sex_m might be called sex_m_x, and y of sex_m as a number is.
    table = people().drop(columns=["late", "seen", "income"])
    table["sex"] = table["sex"].replace("male", "m_x")
    table["sex_m"] = ["x", "y", "z"] * 40
    table["sex_m_y"] = np.arange(120) * 37 % 101 / 7
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ("-t", "buys", "-o", tmp_path / "m.skops", "--json", "--no-score")
    told = json.loads(sfp("fit", tmp_path / "t.csv", *options).stdout)
    columns = {"age", "sex", "sex_m", "sex_m_y"}
    for card in told["clusters"]["cards"]:
        shown = {column["name"]: column["value"] for column in card["columns"]}
        assert set(shown) == columns
        assert shown["sex"].split()[0] in ("m_x", "female")
        assert shown["sex_m"].split()[0] in ("x", "y", "z")
        assert 0 <= float(shown["sex_m_y"]) <= 101 / 7
    found = sfp("predict", tmp_path / "m.skops", tmp_path / "t.csv", "--explain")
    assert found.exit_code == 0, found.output
    reasons = pd.read_csv(io.StringIO(found.stdout))["reason_1"].dropna()
    assert set(reasons.str.split(" = ").str[0]) <= columns
    # What was made up at random draws nobody to a cluster as the sex does.
    assert reasons.str.startswith("sex = ").mean() > 0.3


def test_models_are_named_after_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(40).to_csv("sales.2024.csv.gz", index=False)
    people(40).to_csv("data[v2].csv", index=False)
    for table, model in (
        ("sales.2024.csv.gz", "sales.2024.skops"),
        ("data[v2].csv", "data[v2].skops"),
    ):
        result = sfp("fit", table, "-t", "buys", "--no-score")
        assert f"Model written to {model}. Next: sfp predict {model}" in result.stdout
        assert f"{table}: 40 rows" in result.stdout
        assert (tmp_path / model).exists()


def test_far_cells_do_not_drown_the_others(tmp_path):
    random = np.random.default_rng(0)
    income, age = np.exp(2 * random.standard_normal(300)), 40 + 10 * random.standard_normal(300)
    table = pd.DataFrame({"income": income, "age": age, "y": (income > 1) == (age > 40)})
    table.loc[random.random(300) < 0.03, "age"] = 9999
    table.to_csv(tmp_path / "t.csv", index=False)
    result = sfp("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.skops", "--json")
    scores = json.loads(result.stdout)["scores"]["models"][0]
    assert scores["accuracy"]["mean"] > 0.9
    assert_same_answers(load_model(tmp_path / "m.skops").model, table[["income", "age"]])
