"""Scores of reports are those of scikit-learn, on predictions of rows that were not seen."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, confusion_matrix, mean_absolute_error, r2_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPSearchCV
from sfplearn.report.collect import collect
from sfplearn.report.evidence import MOST_ROWS
from sfplearn.report.folds import FOREST_TREES
from tests.report.models import classes, numbers, passengers


@pytest.mark.parametrize("make", [classes, passengers])
def test_scores_are_those_of_cross_val_predict(make):
    model, X, y = make()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    said = cross_val_predict(clone(model), X, y, cv=folds)
    score = collect(model, X, y, scores={})["score"]
    assert score["evidence"] == "cross-validated"
    assert_allclose(score["value"], accuracy_score(y, said), rtol=1e-5)
    assert score["confusion"]["counts"] == confusion_matrix(y, said).tolist()
    named = {m["name"]: m["score"] for m in score["models"]}
    assert_allclose(named["baseline"], max(np.unique(y, return_counts=True)[1]) / len(y), rtol=1e-5)


def test_errors_of_numbers_are_those_of_cross_val_predict():
    model, X, y = numbers()
    said = cross_val_predict(model, X, y, cv=KFold(5, shuffle=True, random_state=0))
    residuals = collect(model, X, y, scores={})["score"]["residuals"]
    assert_allclose(residuals["r2"], r2_score(y, said), rtol=1e-5)
    assert_allclose(residuals["mae"], mean_absolute_error(y, said), rtol=1e-5)
    assert sum(residuals["counts"]) == len(y)
    for row, truth, predicted in residuals["points"]:
        assert_allclose([truth, predicted], [y[row], said[row]], rtol=1e-5)


def test_a_forest_is_judged_on_the_same_folds():
    model, X, y = classes()
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(FOREST_TREES, random_state=0))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    wanted = accuracy_score(y, cross_val_predict(forest, X, y, cv=folds))
    named = {m["name"]: m["score"] for m in collect(model, X, y)["score"]["models"]}
    assert_allclose(named["random forest"], wanted, rtol=1e-5)


def test_scores_that_are_handed_in_stand_in_for_the_forest():
    model, X, y = classes()
    models = collect(model, X, y, scores={"boosting": 0.5})["score"]["models"]
    assert {m["name"] for m in models} == {"this model", "baseline", "boosting"}
    assert [m["score"] for m in models] == sorted((m["score"] for m in models), reverse=True)


def test_calibration_counts_every_row_and_its_gap_is_the_mean_one():
    model, X, y = classes()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    sure = cross_val_predict(model, X, y, cv=folds, method="predict_proba").max(axis=1)
    score = collect(model, X, y, scores={})["score"]
    points = score["calibration"]["points"]
    assert sum(point["rows"] for point in points) == len(y)
    assert_allclose(score["calibration"]["gap"], sure.mean() - score["value"], atol=1e-5)
    right = sum(point["rows"] * point["right"] for point in points) / len(y)
    assert_allclose(right, score["value"], atol=1e-4)


def test_small_classes_make_fewer_folds():
    model, X, y = classes()
    kept = np.r_[np.flatnonzero(y != "red"), np.flatnonzero(y == "red")[:3]]
    model = clone(model).fit(X.iloc[kept], y[kept])
    assert collect(model, X.iloc[kept], y[kept], scores={})["score"]["folds"] == 3


@pytest.mark.parametrize("rows", [8, 12])
def test_where_folds_are_impossible_the_score_is_called_one_of_training(rows):
    model, X, y = classes()
    few = clone(model).fit(X[:rows], y[:rows])
    content = collect(few, X[:rows], y[:rows], scores={})
    assert content["score"]["evidence"] == "training"
    assert_allclose(content["score"]["value"], few.score(X[:rows], y[:rows]), rtol=1e-5)
    assert "fitted to" in content["score"]["verdict"]
    assert all(row["unseen"] is None for row in content["lookup"]["rows"])


def test_unseen_rows_are_scored_by_the_model_as_it_is():
    model, X, y = classes()
    fitted = clone(model).fit(X[:45], y[:45])
    score = collect(fitted, X[45:], y[45:], unseen=True)["score"]
    assert score["evidence"] == "unseen"
    assert_allclose(score["value"], fitted.score(X[45:], y[45:]), rtol=1e-5)


def test_many_rows_are_sampled_in_the_proportions_of_their_classes():
    random = np.random.default_rng(0)
    X = random.normal(size=(3 * MOST_ROWS, 2))
    y = np.where(random.random(len(X)) < 0.1, "rare", "usual")
    model = SFPClassifier(2, refine=0, random_state=0).fit(X, y)
    score = collect(model, X, y, scores={})["score"]
    assert score["rows"] == MOST_ROWS
    rare = sum(score["confusion"]["counts"][0])
    assert abs(rare / MOST_ROWS - (y == "rare").mean()) < 1e-3
    assert "sample" in score["note"]


def test_many_classes_are_gathered_in_the_confusion():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 4)
    X = random.normal(size=(len(y), 3)) + y[:, None]
    model = SFPClassifier(40, refine=0, random_state=0).fit(X, y)
    confusion = collect(model, X, y, scores={})["score"]["confusion"]
    assert confusion["labels"][-1] == "25 other classes"
    assert np.sum(confusion["counts"]) == len(y)


def test_the_verdict_names_score_and_baseline():
    model, X, y = classes(names=("benign", "malignant", "malignant"))
    content = collect(model, X, y, scores={})
    assert f"{100 * content['score']['value']:.0f}\xa0%" in content["score"]["verdict"]
    assert "always saying “malignant”" in content["score"]["verdict"]


def test_committees_and_kernels_say_that_they_cannot_be_read():
    model, X, y = classes()
    kernel = clone(model).set_params(sfpclassifier__divergence="kernel").fit(X, y)
    grid = [{"n_clusters": k, "refine": 0} for k in (3, 4)]
    committee = SFPSearchCV(space=grid, ensemble=2, cv=3, random_state=0).fit(X, y)
    for unreadable, evidence in ((kernel, "cross-validated"), (committee, "training")):
        content = collect(unreadable, X, y, scores={})
        assert "no clusters and no features" in content["clusters"]["why_not"]
        assert content["score"]["evidence"] == evidence
        assert content["score"]["calibration"]["points"]
        assert content["training"]["settings"]
        assert set(content["lookup"]["features"]) == set(X.columns)
