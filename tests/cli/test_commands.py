"""The other commands: info, demo, select, tune, report; and help."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from sfplearn import SFPClassifier, load_model, save_model
from sfplearn.cli import survey, tune
from sfplearn.core import kernel
from sfplearn.tuning.candidates import Shape, kind_of
from sfplearn.tuning.pool import broad_pool
from sfplearn.tuning.space import SPACES
from tests.cli.tables import fit, one_line, people, sfp

COMMANDS = ("fit", "predict", "report", "tune", "select", "info", "demo")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("commands")
    people().to_csv(folder / "people.csv", index=False)
    fit(folder / "people.csv", "buys")
    return folder


def embedded(page):
    """The rows that a report lets one look up."""
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', text)[1])


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)])
def test_help_fits_80_columns_and_gives_an_example(arguments):
    result = sfp(*arguments, "--help")
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
    assert f"sfp {arguments[0] if arguments else 'fit'} " in result.output.split("Example:")[-1]


def test_info_tells_versions_engine_and_threads():
    result = sfp("info")
    assert result.exit_code == 0
    for word in ("python", "sfplearn", "scikit-learn", kernel.ENGINE, "threads"):
        assert word in result.output
    assert json.loads(sfp("info", "--json").stdout)["engine"] == kernel.ENGINE


def test_info_tells_what_a_model_needs_and_says(folder):
    result = sfp("info", folder / "model.skops")
    words = " ".join(result.output.split())
    for told in ("buys (classification)", "120 rows of people.csv", "age number", "seen date"):
        assert told in words
    assert "clusters learned" in words
    told = json.loads(sfp("info", folder / "model.skops", "--json").stdout)
    assert told["target"] == "buys"
    assert {"name": "age", "kind": "number", "role": "feature"}.items() <= told["schema"][1].items()


def test_models_from_elsewhere_are_described_but_not_used(folder):
    model = SFPClassifier(2, refine=0, random_state=0).fit([[0.0], [1.0]], ["a", "b"])
    save_model(model, folder / "bare.skops")
    assert "from Python" in sfp("info", folder / "bare.skops").output
    result = sfp("predict", folder / "bare.skops", folder / "people.csv")
    assert result.exit_code == 2
    assert one_line(result.stderr)


def test_demo_compares_classifiers_describes_clusters_and_writes_a_page(tmp_path):
    result = sfp("demo", "--output", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    for word in ("SFP", "random forest", "SVM (RBF)", "class_0", "proline", "What 6 clusters"):
        assert word in text
    # Long paths are broken where the line ends.
    assert "page.html" in "".join(text.split())
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_report_is_a_page_about_the_rows(folder):
    page = folder / "page.html"
    result = sfp("report", folder / "model.skops", folder / "people.csv", "-o", page, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == 120
    text = page.read_text(encoding="utf-8")
    assert "people.csv" in text
    assert "Settings were found by a search" not in text
    told = embedded(page)
    assert set(told["features"]) == {"age", "sex", "seen", "late", "income"}
    assert told["labels"] == ["no", "yes"]
    table = people()
    for row in told["rows"]:
        shown = {each["feature"]: each["value"] for each in row["clusters"][0]["features"]}
        assert shown.get("seen", table["seen"][row["row"]]) == table["seen"][row["row"]]
        assert told["labels"][row["truth"]] == table["buys"][row["row"]]


def test_rows_of_a_report_are_numbered_as_in_the_file(folder, monkeypatch):
    monkeypatch.setattr(survey, "SAMPLE_ROWS", 80)
    table = people()
    table.loc[:20, "buys"] = None
    table.to_csv(folder / "gaps.csv", index=False)
    page = folder / "some.html"
    result = sfp("report", folder / "model.skops", folder / "gaps.csv", "-o", page)
    assert "drawn at random" in result.stdout
    told = embedded(page)
    assert max(row["row"] for row in told["rows"]) > 80
    for row in told["rows"]:
        assert told["labels"][row["truth"]] == table["buys"][row["row"]]


def test_report_needs_the_target_and_a_page(folder):
    people().drop(columns="buys").to_csv(folder / "new.csv", index=False)
    result = sfp("report", folder / "model.skops", folder / "new.csv", "-o", folder / "p.html")
    assert result.exit_code == 2
    assert "lacks the column 'buys' that the report needs" in result.stderr
    wrong = sfp("report", folder / "model.skops", folder / "people.csv", "-o", folder / "p.txt")
    assert wrong.exit_code == 2
    assert "should end in .html" in wrong.stderr


def test_report_names_labels_that_the_model_does_not_know(folder):
    people().replace({"buys": {"no": "never"}}).to_csv(folder / "other.csv", index=False)
    result = sfp("report", folder / "model.skops", folder / "other.csv", "-o", folder / "p.html")
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert "other.csv, column 'buys': the model has not learned 'never';" in result.stderr


def test_select_finds_the_columns_that_matter(folder):
    out = folder / "few.csv"
    arguments = ("-t", "buys", "--drop", "income", "-o", out, "--json")
    told = json.loads(sfp("select", folder / "people.csv", *arguments).stdout)
    chosen = [column["name"] for column in told["columns"] if column["selected"]]
    assert "sex" in chosen
    assert len(chosen) < len(told["columns"])
    assert sum(column["weight"] for column in told["columns"]) == pytest.approx(1)
    written = pd.read_csv(out)
    assert list(written) == [*chosen, "buys"]
    pd.testing.assert_frame_equal(written, pd.read_csv(folder / "people.csv")[[*chosen, "buys"]])


def test_select_shows_weights_in_80_columns(folder):
    result = sfp("select", folder / "people.csv", "-t", "income", "--drop", "buys")
    assert "columns matter" in result.output
    assert "Of little weight: " in result.output
    assert max(map(len, result.output.splitlines())) <= 80


def test_tune_chooses_one_model_that_can_be_read(folder, monkeypatch):
    monkeypatch.setattr(tune, "broad_pool", lambda shape: list(broad_pool(shape))[3::9])
    path = folder / "tuned.skops"
    few = ("--drop", "seen", "--drop", "late", "--drop", "income")
    result = sfp("tune", folder / "people.csv", "-t", "buys", "-o", path, "--no-score", *few)
    assert result.exit_code == 0, result.output
    assert "The best of" in result.output
    pipeline, about = load_model(path)
    assert type(pipeline[-1]) is SFPClassifier
    assert pipeline[-1].divergence != "kernel"
    assert pipeline[-1].n_clusters == about["search"]["best"][0]["settings"]["n_clusters"]
    answers = sfp("predict", path, folder / "people.csv", "--explain")
    assert answers.exit_code == 0
    page = folder / "tuned.html"
    assert sfp("report", path, folder / "people.csv", "-o", page).exit_code == 0
    assert "Settings were found by a search" in page.read_text(encoding="utf-8")
    best = about["search"]["best"]
    assert [each["score"] for each in best] == sorted((b["score"] for b in best), reverse=True)


@pytest.mark.parametrize("features", [4, 400])
def test_what_tune_tries_can_be_read(features):
    pool = tune.readable(Shape(n_rows=100, n_features=features, n_classes=2))
    assert len(pool) > 5
    for candidate in pool:
        assert kind_of(candidate) in ("refined", "clusters")
        assert "prepare" not in candidate


def test_a_committee_predicts_but_cannot_be_read(tmp_path, monkeypatch):
    few = [{"n_clusters": k, "refine": 0} for k in (2, 3, 4, 5, 6)]
    monkeypatch.setitem(SPACES, "broad", lambda shape: iter(few))
    monkeypatch.setattr(tune, "SEARCHED_ROWS", 30)
    random = np.random.default_rng(0)
    table = pd.DataFrame({"x": random.normal(size=40), "y": ["a", "b"] * 20})
    table["x"] += 2 * (table["y"] == "a")
    table.to_csv(tmp_path / "t.csv", index=False)
    path = tmp_path / "m.skops"
    result = sfp("tune", tmp_path / "t.csv", "-t", "y", "-o", path, "--ensemble", "--no-score")
    assert result.exit_code == 0, result.output
    assert "answer together" in result.output
    assert "Only 30 rows, drawn at random, are learned from" in result.output
    assert "fitted to 30 rows of t.csv" in " ".join(sfp("info", path).output.split())
    plain = sfp("predict", path, tmp_path / "t.csv", "--proba")
    found = pd.read_csv(io.StringIO(plain.stdout))
    assert np.mean(found["prediction"] == table["y"]) > 0.7
    why = sfp("predict", path, tmp_path / "t.csv", "--explain")
    assert why.exit_code == 2
    assert one_line(why.stderr)


def test_tune_refuses_what_cannot_be_searched(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,a\n8,b\n9,b\n")
    result = sfp("tune", tmp_path / "t.csv", "-t", "y", "-o", tmp_path / "m.skops")
    assert result.exit_code == 2
    assert "4 rows are too few" in result.stderr


def test_a_committee_has_losses_of_its_own(folder):
    options = ("-t", "buys", "--ensemble", "--loss", "hinge", "-o", folder / "never.skops")
    result = sfp("tune", folder / "people.csv", *options)
    assert result.exit_code == 2
    assert one_line(result.stderr)
    assert "leave --loss out" in result.stderr


def test_select_says_that_it_learns_from_some_rows(folder, monkeypatch):
    monkeypatch.setattr(survey, "SAMPLE_ROWS", 80)
    told = json.loads(sfp("select", folder / "people.csv", "-t", "buys", "--json").stdout)
    assert "Only 80 rows, drawn at random, are learned from." in told["read"]["notes"]
    assert not any("fitted to all" in note for note in told["read"]["notes"])
