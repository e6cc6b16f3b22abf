"""The gene sets in a table: rates that add up, and what the paper calls AUC."""

import pytest

pytest.importorskip("skmisc")

from experiments.accuracy import Task, measure
from experiments.reported import GENE_ACCURACY, GENE_AUC
from experiments.reproduced.table_5 import (
    FAST_METHODS,
    METHODS,
    describe,
    implied_rates,
    rates,
    reported,
    tells_rates,
)
from experiments.running import run
from tests.conftest import needs_data

# Positive and negative rows.
SIZES = {"colon": (40, 22), "leukemia": (25, 47), "lung": (31, 150), "lymphoma": (22, 23)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def found(folder):
    return run("table-5", folder, fast=True, jobs=1)


@needs_data
def test_methods_beat_the_larger_class(found):
    colon = found["sets"]["colon"]
    assert colon["rows"] == [40, 22]
    assert colon["repeats"] == 1
    for method in FAST_METHODS:
        assert colon["accuracy"][method] > 40 / 62
        assert 0.5 < colon["balanced"][method] < colon["accuracy"][method]
        assert colon["auc"][method] > colon["balanced"][method]


@needs_data
def test_means_are_those_of_the_folds(found):
    records = [r for fold in range(5) for r in measure(Task("colon", 0, fold, ("SVM-linear",)))]
    colon = found["sets"]["colon"]
    accuracy = _mean(r["accuracy"] for r in records)
    balanced = _mean(rates(r["hits"])["balanced"] for r in records)
    assert colon["accuracy"]["SVM-linear"] == pytest.approx(accuracy, abs=1e-5)
    assert colon["balanced"]["SVM-linear"] == pytest.approx(balanced, abs=1e-5)


@needs_data
def test_records_of_a_small_run_do_not_stay(found, folder):
    assert sorted(path.name for path in folder.iterdir()) == ["table-5.json"]


@needs_data
def test_the_text_has_the_papers_figures_beside_ours(found):
    text = describe(found)
    ours = found["sets"]["colon"]["accuracy"]["KNN"]
    assert f"| Colon: KNN | 70.2 | {100 * ours:.1f} | {100 * ours - 70.2:+.1f} | 0.645 |" in text
    assert "Repeats: colon 1;" in text
    assert text.count("|:--|") == 2


def test_rates_follow_from_accuracy_and_their_mean():
    told = rates([30, 40, 11, 22])
    assert told == {"sensitivity": 0.75, "specificity": 0.5, "balanced": 0.625}
    again = implied_rates((30 + 11) / 62, told["balanced"], [40, 22])
    assert again == pytest.approx((0.75, 0.5))


def test_the_papers_auc_can_be_balanced_accuracy_everywhere():
    for name, rows in SIZES.items():
        for method in METHODS:
            assert all(0 <= rate <= 1 for rate in implied_rates(*reported(name, method), rows))


def test_the_papers_auc_is_its_accuracy_where_classes_are_equal():
    for accuracy, auc in zip(GENE_ACCURACY["lymphoma"], GENE_AUC["lymphoma"], strict=True):
        assert abs(accuracy / 100 - auc) < 0.0035
    assert [name for name, rows in SIZES.items() if not tells_rates(rows)] == ["lymphoma"]


def test_an_auc_of_probabilities_is_not_taken_for_balanced_accuracy():
    means = {"accuracy": 0.8, "balanced": 0.76, "auc": 0.89}
    text = describe(_all_alike("colon", means))
    assert "in 6 of 6 cells of sets whose classes differ in size" in text
    assert "AUC of probabilities do in 0." in text


def test_differences_beyond_noise_are_named():
    text = describe(_all_alike("lymphoma", {"accuracy": 0.927, "balanced": 0.926, "auc": 0.99}))
    assert "ours exceeds it by 0.063" in text
    assert "KNN on lymphoma (+24.7)" in text
    assert "SVM-linear on lymphoma" not in text


def _all_alike(name, means):
    of = {field: dict.fromkeys(METHODS, mean) for field, mean in means.items()}
    of |= {"rows": SIZES[name], "repeats": 5.0, "spread": dict.fromkeys(METHODS, 0.01)}
    return {"settings": {"methods": METHODS, "repeats": {name: 1}}, "sets": {name: of}}


def _mean(values):
    values = list(values)
    return sum(values) / len(values)
