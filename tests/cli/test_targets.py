"""Targets that are easily got wrong: rare, long, infinite or weighted; and scores of these."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline

from sfplearn import load_model
from sfplearn.cli import scoring
from tests.cli.tables import fit, one_line, people, sfp


def test_a_rare_class_is_learned_whatever_the_rows_that_are_scored(tmp_path):
    random = np.random.default_rng(0)
    rare = [10, 5000, 19_000]
    table = pd.DataFrame({"x": random.normal(size=20_000).round(3), "y": "no"})
    table.loc[rare, ["x", "y"]] = [9.0, "yes"]
    table.to_csv(tmp_path / "t.csv", index=False)
    result = sfp("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.skops")
    assert result.exit_code == 0, result.output
    assert "No score: among 5,000 rows" in result.stdout
    pipeline, about = load_model(tmp_path / "m.skops")
    assert pipeline.predict(table[["x"]].loc[rare]).tolist() == ["yes"] * 3
    assert about["scores"]["models"] == []


def test_rows_that_are_scored_have_classes_in_their_shares():
    y = np.array(["a", "b", "b", "b"] * 500)
    chosen = scoring.spread_rows(y, 400, 0)
    assert len(np.unique(chosen)) == 400
    assert np.count_nonzero(y[chosen] == "a") == pytest.approx(100, abs=1)


def test_what_goes_wrong_in_a_comparison_does_not_cost_the_model(tmp_path):
    # Only two rows count, so that some fold has none that does.
    rows = "".join(f"{i * 7 % 11},{int(i in (3, 4))},{'ab'[i % 2]}\n" for i in range(12))
    (tmp_path / "t.csv").write_text("x,times,y\n" + rows)
    options = ("-t", "y", "--weight", "times", "-o", tmp_path / "m.skops")
    result = sfp("fit", tmp_path / "t.csv", *options)
    assert result.exit_code == 0, result.output
    why = load_model(tmp_path / "m.skops")[1]["scores"]["why_none"]
    assert "weights" in why
    assert f"No score: {why}" in result.stdout


def test_a_comparison_is_on_the_rows_that_were_drawn():
    y = np.array(["a"] * 99 + ["b"])
    X = pd.DataFrame({"x": np.arange(100.0)})
    models = {"any": Pipeline([("model", DummyClassifier())])}
    found = scoring.compare(models, X, y, None, has_classes=True, seed=0, most_rows=20)
    assert "among 20 rows" in found["why_none"]


def test_whole_numbers_keep_all_their_digits(tmp_path):
    table = people().assign(buys=lambda t: np.where(t["buys"] == "yes", 1234567, 1234568))
    table.to_csv(tmp_path / "t.csv", index=False)
    pipeline, about = load_model(fit(tmp_path / "t.csv", "buys"))
    assert sorted(about["classes"]) == ["1234567", "1234568"]
    assert sum(about["classes"].values()) == 120
    assert pipeline.classes_.tolist() == [1234567, 1234568]
    # More digits than double precision has.
    table["buys"] += 2**53
    table.to_csv(tmp_path / "t.csv", index=False)
    classes = load_model(fit(tmp_path / "t.csv", "buys"))[0].classes_
    assert classes.tolist() == [2**53 + 1234567, 2**53 + 1234568]


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "+INF", "1e400"])
def test_infinite_targets_are_missing(cell, tmp_path):
    table = people(60).astype({"income": object})
    table.loc[[3, 30], "income"] = cell
    table.to_csv(tmp_path / "t.csv", index=False)
    options = ("-t", "income", "--drop", "buys", "-o", tmp_path / "m.skops", "--no-score")
    result = sfp("fit", tmp_path / "t.csv", *options)
    assert result.exit_code == 0, result.output
    assert "2 rows without a target" in result.stdout
    weighted = sfp("fit", tmp_path / "t.csv", "-t", "buys", "--weight", "income", *options[4:])
    assert weighted.exit_code == 2
    assert one_line(weighted.stderr)
    assert "weights in 'income' must be numbers" in weighted.stderr


def test_weights_equal_repetition(tmp_path):
    random = np.random.default_rng(0)
    # Two groups far apart, each row there with either label: scales are those of the repeated
    # rows, only shares of labels are not.
    x, z = np.repeat([-5.0, 5.0], 30) + random.normal(0, 0.3, 60), random.normal(0, 0.3, 60)
    parts = [pd.DataFrame({"x": x, "z": z, "y": label}) for label in "ab"]
    times = np.where(x < 0, 1, 3), np.where(x < 0, 3, 1)
    parts = [part.assign(times=count) for part, count in zip(parts, times, strict=True)]
    table = pd.concat(parts, ignore_index=True).round(3)
    table.to_csv(tmp_path / "t.csv", index=False)
    table.loc[table.index.repeat(table["times"])].to_csv(tmp_path / "r.csv", index=False)
    few = ("--clusters", "2")
    weighted = load_model(fit(tmp_path / "t.csv", "y", "--weight", "times", *few))[0]
    plain = load_model(fit(tmp_path / "r.csv", "y", "--drop", "times", *few, model="r.skops"))[0]
    alone = load_model(fit(tmp_path / "t.csv", "y", "--drop", "times", *few, model="a.skops"))[0]
    assert "times" not in weighted.feature_names_in_
    rows = table[["x", "z"]]
    np.testing.assert_allclose(weighted.predict_proba(rows), plain.predict_proba(rows), atol=1e-3)
    assert np.abs(alone.predict_proba(rows) - plain.predict_proba(rows)).max() > 0.1


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_balanced_accuracy_is_that_of_all_folds_together():
    # A class with one row is in one fold of five: the others know nothing of it.
    y = np.array(["a"] * 50 + ["b"] * 49 + ["c"])
    X = pd.DataFrame({"x": np.arange(100.0)})
    models = {"any": Pipeline([("model", DummyClassifier(strategy="most_frequent"))])}
    found = scoring.compare(models, X, y, None, has_classes=True, seed=0)
    assert found["models"][0]["balanced accuracy"]["mean"] == pytest.approx(1 / 3)
    assert found["notes"] == ["any never answers 'b', 'c' (50 of 100 rows)."]


def test_classes_that_are_never_answered_are_told(tmp_path):
    random = np.random.default_rng(0)
    table = pd.DataFrame({"x": random.normal(size=200).round(3), "y": "no"})
    table.loc[[5, 90, 160], "y"] = "rare"
    table.to_csv(tmp_path / "t.csv", index=False)
    result = sfp("fit", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.skops")
    assert "SFP never answers 'rare' (3 of 200 rows)." in result.stdout
    assert "SFP never answers 'rare'" in sfp("info", tmp_path / "m.skops").stdout


def test_numbers_of_several_units_are_no_target(tmp_path, monkeypatch):
    monkeypatch.setattr("sfplearn.cli.tables.BLOCK_CELLS", 800)  # units differ between blocks
    shares = [f"{i % 97}%" for i in range(400)] + [f"{i % 97 / 100}" for i in range(400)]
    table = pd.DataFrame({"x": np.arange(800.0) % 13, "t": shares})
    table.to_parquet(tmp_path / "t.parquet")
    told = sfp("fit", tmp_path / "t.parquet", "-t", "t", "-o", tmp_path / "m.skops")
    assert told.exit_code == 2
    assert one_line(told.stderr)
    assert "'t' mixes percents" in told.stderr


@pytest.mark.parametrize("written", ["{}", "{}.0", "0{}"])
def test_a_report_knows_numbers_however_they_are_written(written, tmp_path):
    table = pd.DataFrame({"x": [i % 2 + i / 1000 for i in range(90)]})
    table["y"] = [i % 2 for i in range(90)]
    table.to_csv(tmp_path / "all.csv", index=False)
    model = fit(tmp_path / "all.csv", "y")
    table["y"] = [written.format(i % 2) for i in range(90)]
    table.to_csv(tmp_path / "same.csv", index=False)
    options = ("--unseen", "--json", "-o", tmp_path / "r.html")
    told = sfp("report", model, tmp_path / "same.csv", *options)
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["score"]["value"] == 1.0


@pytest.mark.parametrize("first", ["a", "01"])
def test_a_report_takes_some_labels_as_the_model_learned_all(first, tmp_path):
    labels = [(first, "10", "11")[i % 3] for i in range(90)]
    table = pd.DataFrame({"x": [i % 3 + i / 1000 for i in range(90)], "y": labels})
    table.to_csv(tmp_path / "all.csv", index=False)
    model = fit(tmp_path / "all.csv", "y")
    table[table["y"] != first].to_csv(tmp_path / "some.csv", index=False)
    told = sfp(
        "report", model, tmp_path / "some.csv", "--unseen", "--json", "-o", tmp_path / "r.html"
    )
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["score"]["value"] == 1.0
