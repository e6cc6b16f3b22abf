"""The comparison on a small scale: it resumes, compares the same folds, and says so."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("skmisc")

from experiments.accuracy import KEY, METHODS, Task, measure, tasks
from experiments.datasets import GENES, LEAKS, NAMES, UCI, load
from experiments.folds import scores_of
from experiments.lead import beside_the_first, lead_of, leads
from experiments.preprocessing import prepared
from experiments.records import Records
from experiments.report import Report
from experiments.reported import ACCURACY, paper_accuracy
from experiments.summary import ranks, table_of, wins
from tests.conftest import needs_data


@needs_data
@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("lung", "leukemia")])
def test_rows_are_complete_numbers_after_preparation(name):
    data = load(name)
    order = np.random.default_rng(0).permutation(len(data.y))
    train, test = order[: len(order) // 2], order[len(order) // 2 :]
    rows, new = prepared(data, train, test)
    assert np.isfinite(rows).all()
    assert np.isfinite(new).all()
    assert rows.shape[1] == new.shape[1]
    assert_allclose(rows.mean(axis=0), 0.0, atol=1e-8)
    assert_allclose(rows.std(axis=0), 1.0, atol=1e-8)


@needs_data
def test_the_leaking_columns_are_left_out_unless_they_are_asked_for():
    fair, leaking = load("cardiotocography"), load("cardiotocography-leaking")
    assert set(leaking.X.columns) - set(fair.X.columns) == set(LEAKS)


@needs_data
def test_tables_have_the_size_that_the_paper_says():
    sizes = {"iris": (150, 4), "zoo": (101, 16), "sonar": (208, 60), "hepatitis": (155, 19)}
    assert {name: load(name).X.shape for name in sizes} == sizes


def test_a_data_set_that_cannot_be_had_is_explained(monkeypatch):
    monkeypatch.delenv("SFPLEARN_DATA", raising=False)
    with pytest.raises(LookupError, match="SFPLEARN_DATA"):
        load("colon")


def test_the_papers_averages_are_those_of_its_table():
    means = np.array(list(ACCURACY.values())).mean(axis=0)
    assert_allclose(means, [84.3, 83.7, 85.0, 84.8, 84.8, 85.1], atol=0.06)
    assert len(UCI) == 20
    assert len(GENES) == 4
    assert paper_accuracy("iris", "SFP as in the paper") == 94.8
    assert paper_accuracy("iris", "CatBoost") is None


@needs_data
def test_records_are_written_once_and_resumed(tmp_path):
    records = Records(tmp_path, KEY)
    methods = ["KNN", "SFP default"]
    todo = list(tasks(records, {"iris": 1}, methods))
    assert [task.fold for task in todo] == [0, 1, 2, 3, 4]
    found = list(measure(todo[0]))
    records.add(found)
    assert {record["method"] for record in records.all()} == set(methods)
    left = list(tasks(records, {"iris": 1}, [*methods, "SVM-linear"]))
    assert left[0].methods == ("SVM-linear",)
    assert left[1].methods == (*methods, "SVM-linear")
    for record in found:
        assert 0.8 < record["accuracy"] <= 1.0
        assert record["fit_seconds"] > 0
    again = list(measure(todo[0]))
    assert [r["accuracy"] for r in again] == [r["accuracy"] for r in found]


@needs_data
def test_two_classes_bring_auc_and_hits():
    (record,) = measure(Task("sonar", 0, 0, ("SVM-linear",)))
    right, positive, wrong, negative = record["hits"]
    assert_allclose((right + wrong) / (positive + negative), record["accuracy"], atol=1e-4)
    assert 0.5 < record["auc"] <= 1.0


def test_a_line_that_was_cut_off_is_left_out(tmp_path):
    whole = {"data": "iris", "repeat": 0, "fold": 0, "method": "KNN", "accuracy": 0.9}
    (tmp_path / "KNN.jsonl").write_text(json.dumps(whole) + "\n" + json.dumps(whole)[:20])
    assert Records(tmp_path, KEY).all() == [whole]


def test_methods_are_compared_on_the_folds_that_all_have():
    def record(method, data, fold, accuracy):
        return {"method": method, "data": data, "repeat": 0, "fold": fold, "accuracy": accuracy,
                "fit_processor_seconds": 1.0}  # fmt: skip

    records = [
        record("KNN", "iris", 0, 0.8), record("SFP best", "iris", 0, 0.9),
        record("KNN", "iris", 1, 0.0), record("KNN", "wine", 0, 1.0),
        record("SFP best", "wine", 0, 1.0), record("KNN", "zoo", 0, 1.0),
    ]  # fmt: skip
    table = table_of(scores_of(records, "accuracy"), ["KNN", "SFP best"], list(UCI))
    assert table.sets == ["iris", "wine"]
    assert_allclose(table.mean, [[0.8, 0.9], [1.0, 1.0]])
    assert_allclose(ranks(table), [1.75, 1.25])
    assert wins(table).tolist() == [1, 2]
    text = str(Report(records, list(METHODS)))
    assert "| 2 sets, 2 folds | accuracy |" in text
    assert "| SFP best | 95.00 | 1.25 | 2 | 1.00 |" in text
    assert "| iris | 1 | 80.0 | **90.0** |" in text
    assert "| wine | +4.6 |" in text  # the paper has 95.4, and nothing of SFP best


@pytest.mark.parametrize("method", METHODS)
def test_one_method_can_be_reported_alone(method):
    record = {"method": method, "data": "iris", "repeat": 0, "fold": 0, "accuracy": 0.9}
    text = str(Report([record], [method]))
    assert method in text
    assert str(Report([], list(METHODS))) == ""


@needs_data
@pytest.mark.parametrize("method", ["SFP default", "SFP best"])
def test_shuffled_labels_give_chance_accuracy(method, monkeypatch):
    data = load("iris")
    shuffled = data._replace(y=np.random.default_rng(0).permutation(data.y))
    monkeypatch.setattr("experiments.accuracy.load", lambda name: shuffled)
    accuracy = [r["accuracy"] for fold in (0, 1) for r in measure(Task("iris", 0, fold, (method,)))]
    assert np.mean(accuracy) < 0.5


def scored(**methods):
    """Return scores of methods: for each data set, a list of folds."""
    return {
        method: {name: {(0, i): v for i, v in enumerate(folds)} for name, folds in sets.items()}
        for method, sets in methods.items()
    }


def test_a_lead_is_a_mean_over_sets_of_folds_that_both_have():
    scores = scored(a={"x": [0.9, 0.8, 0.7], "y": [0.5, 0.5]}, b={"x": [0.8, 0.8], "y": [0.5, 0.3]})
    lead = lead_of(scores, "a", "b", ["x", "y"])
    assert_allclose(lead.mean, (5.0 + 10.0) / 2)
    within = np.var([10, 0], ddof=1) / 2, np.var([0, 20], ddof=1) / 2
    assert_allclose(lead.by_folds, np.sqrt(sum(within)) / 2)
    assert_allclose(lead.by_sets, np.std([5, 10], ddof=1) / np.sqrt(2))
    assert_allclose(lead_of(scores, "b", "a", ["x", "y"]).mean, -lead.mean)


def test_leads_are_told_nearest_rival_first_on_sets_that_all_have():
    scores = scored(
        a={"x": [0.9, 0.8], "y": [0.5, 0.5]},
        b={"x": [0.8, 0.6], "y": [0.5]},
        c={"x": [0.9, 0.7], "y": [0.1, 0.1]},
    )
    _, _, *lines = leads(scores, "a", ["b", "c"], ["x", "y"]).splitlines()
    assert [line.split(" | ")[:2] for line in lines] == [["| c", "+5.00"], ["| b", "+15.00"]]
    assert leads(scores, "a", ["b"], ["y"]) == ""


def test_a_method_stands_beside_the_first_with_standard_errors():
    scores = scored(a={"x": [0.9, 0.7], "y": [1.0]}, b={"x": [0.9, 0.9], "y": [0.5, 1.0]})
    _, _, line = beside_the_first(scores, "a", ["a", "b"], ["x", "y"], 100).splitlines()
    assert line == "| x | 2 | 80.0 ± 10.0 | 90.0 ± 0.0 | b |"  # one fold of y has no error
