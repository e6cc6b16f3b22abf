"""Rates and times of the gene sets, small."""

import pytest

pytest.importorskip("skmisc")

from experiments.accuracy import Task, measure
from experiments.reported import ACCURACY_COLUMNS
from experiments.reproduced import figure_5, table_5
from experiments.running import run
from tests.conftest import needs_data


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return run("figure-5", tmp_path_factory.mktemp("results"), fast=True, jobs=1)


@needs_data
def test_tumours_are_found_more_often_than_normal_tissue(found):
    colon = found["sets"]["colon"]
    for method in table_5.FAST_METHODS:
        assert 0.8 < colon["sensitivity"][method] < 1.0
        assert 0.4 < colon["specificity"][method] < colon["sensitivity"][method]


@needs_data
def test_rates_are_the_same_again(found):
    records = [r for fold in range(5) for r in measure(Task("colon", 0, fold, ("SVM-linear",)))]
    for rate in figure_5.RATES:
        mean = sum(table_5.rates(record["hits"])[rate] for record in records) / 5
        assert found["sets"]["colon"][rate]["SVM-linear"] == pytest.approx(mean, abs=1e-5)


@needs_data
def test_times_are_relative_to_sfp_and_sizes_are_told(found):
    time = found["sets"]["colon"]["time"]
    assert set(time["ratio"]) == set(ACCURACY_COLUMNS)
    assert time["ratio"]["SFP"] == [1.0, 1.0, 1.0]
    for middle, low, high in time["ratio"].values():
        assert 0 < low <= middle <= high
    assert (time["train"], time["test"]) == (49, 13)
    assert time["multiplications"]["KNN"] == 13
    assert time["multiplications"]["SFP"] == pytest.approx(8 * time["passes"] + 1.1, abs=0.1)
    assert set(time["profile"]) == {"a pass to KNN", "all passes"}


def test_times_are_compared_round_by_round():
    seconds = {name: [2.0, 4.0, 8.0] for name in ACCURACY_COLUMNS}
    seconds |= {"SFP": [1.0, 1.0, 2.0], figure_5.ONE_PASS: [0.6, 0.6, 1.2]}
    timed = {"seconds": seconds, "train": 40, "test": 10, "passes": 5}
    found = figure_5._relative(timed)
    assert found["ratio"]["KNN"] == [4.0, 3.0, 4.0]
    assert found["ratio"]["SFP"] == [1.0, 1.0, 1.0]
    # Four more passes take 0.4 of the time of a fit; so five take half of it.
    assert found["profile"] == {"a pass to KNN": 0.03, "all passes": 0.5}


def test_the_papers_rates_are_recovered_where_classes_differ_in_size():
    sensitivity, specificity = figure_5.recovered("lung", "KNN", [31, 150])
    assert (31 * sensitivity + 150 * specificity) / 181 == pytest.approx(0.934)
    assert (sensitivity + specificity) / 2 == pytest.approx(0.809)
    assert figure_5.recovered("lymphoma", "KNN", [22, 23]) is None
    assert figure_5.recovered("lung", "SFP default", [31, 150]) is None


@needs_data
def test_the_text_has_the_papers_claims_beside_ours(found):
    text = figure_5.describe(found)
    assert text.count("|:--|") == 4
    assert "| Colon: KNN | 0.841 |" in text
    assert "| Colon | KNN | " in text
    assert "most (+0.111) in specificity of KNN on Colon." in text


def test_the_text_says_what_is_faster_than_sfp():
    ratio = {name: [2.0, 2.0, 2.0] for name in ACCURACY_COLUMNS} | {"SFP": [1.0, 1.0, 1.0]}
    rest = {"train": 57, "test": 15, "passes": 7, "multiplications": {"KNN": 15}}
    rest["profile"] = {"a pass to KNN": 0.25, "all passes": 0.9}
    sets = {"leukemia": {"time": {"ratio": ratio, **rest}}}
    assert "Faster than SFP: none." in figure_5._why(sets)
    assert "| Leukemia | SFP | SFP | none | random forest |" in figure_5._claims_table(sets)
    ratio["KNN"] = [0.5, 0.5, 0.5]
    assert "Faster than SFP: KNN on leukemia." in figure_5._why(sets)
    assert "| Leukemia | SFP | KNN | another |" in figure_5._claims_table(sets)
    assert "One pass of SFP takes 0.25 to 0.25 of the time that KNN takes" in figure_5._why(sets)
    assert "| Leukemia | 57 | 15 | 7 | 0.25 | 90 % | 15 |" in figure_5._why(sets)


@needs_data
def test_the_picture_shows_rates_over_times(found):
    rates, times = figure_5.draw(found).axes
    assert (rates.get_xlabel(), rates.get_ylabel()) == ("specificity", "sensitivity")
    filled = [line for line in rates.lines if line.get_marker() != "None"]
    # Three methods of ours, two of which the paper has too.
    assert len(filled) == 5
    assert len({line.get_marker() for line in filled}) == 3
    assert times.get_xscale() == "log"
    assert [label.get_text() for label in times.get_yticklabels()] == list(ACCURACY_COLUMNS)
