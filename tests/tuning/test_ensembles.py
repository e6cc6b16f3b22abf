"""Several candidates of a search that answer together."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder

from sfplearn import SFPClassifier, SFPSearchCV
from sfplearn.tuning import Committee
from sfplearn.tuning.halving import FINALISTS
from sfplearn.tuning.opinion import fit_opinion
from sfplearn.tuning.plan import make_plan
from sfplearn.tuning.space import SPACES
from sfplearn.tuning.trials import Trial
from sfplearn.tuning.worth import sayings
from tests.tuning.test_search import X, Y, one, search


def test_the_same_seed_gives_the_same_committee():
    first, second = search().fit(X, Y), search().fit(X, Y)
    assert_array_equal(first.cv_results_["ensemble_weight"], second.cv_results_["ensemble_weight"])
    assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_a_committee_holds_the_models_of_all_folds():
    found = search().fit(X, Y)
    weights = found.cv_results_["ensemble_weight"]
    assert isinstance(found.best_estimator_, Committee)
    assert_allclose(weights.sum(), 1.0)
    members = found.best_estimator_.members
    assert len(members) == np.count_nonzero(weights)
    assert all(len(member.members) == found.n_splits_ for member in members)
    assert found.score(X, Y) > 0.93
    assert found.best_estimator_.feature_importances_.shape == (4,)
    again = pickle.loads(pickle.dumps(found))
    assert_array_equal(again.predict(X), found.predict(X))


def test_the_best_of_the_broad_pool_may_all_get_a_share_by_default(monkeypatch):
    pool = [{"n_clusters": k, "refine": 0, "max_iter": 5, "tol": 0} for k in range(2, 20)]
    monkeypatch.setitem(SPACES, "broad", lambda shape: pool)
    found = SFPSearchCV(random_state=0).fit(X, Y)
    weights = found.cv_results_["ensemble_weight"]
    assert_allclose(weights.sum(), 1.0)
    assert 4 < np.count_nonzero(weights) <= FINALISTS
    assert_allclose(found.best_estimator_.weights, weights[weights > 0])


def test_shares_are_what_rows_not_trained_on_make_likely():
    grid = [{"n_clusters": k, "refine": 0} for k in (2, 3, 6, 9)]
    weight = 1.0 + np.arange(len(Y)) % 3
    searching = one(grid, ensemble=3)
    found = searching.fit(X, Y, sample_weight=weight)
    plan = make_plan(searching, X, Y, weight, None)
    outcomes = [plan.trials.run(Trial(candidate)) for candidate in grid]
    said = sayings(plan.trials, outcomes, np.ones(4, bool))
    some = np.argsort(-said.worth())[:3]
    some.sort()
    expected = fit_opinion(said.sure[some], Y, weight, np.full(3, 1 / 3))
    committee = found.best_estimator_
    assert_allclose(found.cv_results_["ensemble_weight"][some], expected.shares)
    assert_allclose(committee.weights, expected.shares)
    assert_allclose(committee.biases, expected.biases)
    assert_allclose(committee.temperature, expected.temperature)
    assert_allclose(found.predict_proba(X), committee.predict_proba(X))
    assert len(np.unique(expected.shares.round(3))) == 3  # so that none can stand for another


def test_the_worst_of_a_broad_pool_are_not_heard(monkeypatch):
    good = [{"n_clusters": k, "refine": 0} for k in range(6, 20)]
    bad = [{"n_clusters": 1, "refine": 0, "gamma": g} for g in (0.1, 0.2, 0.3)]
    monkeypatch.setitem(SPACES, "broad", lambda shape: bad + good)
    found = SFPSearchCV(random_state=0, cv=3, halving=False).fit(X, Y)
    assert not found.cv_results_["ensemble_weight"][: len(bad)].any()


def test_a_class_that_folds_keep_apart_can_still_be_predicted():
    """Models that are tested on it do not know it, which says nothing of others."""
    groups = np.where(Y == 2, 0, np.arange(len(Y)) % 4)
    grid = [{"n_clusters": k, "refine": 0} for k in (3, 6)]
    found = one(grid, ensemble=2, cv=LeaveOneGroupOut()).fit(X, Y, groups=groups)
    assert found.best_estimator_.biases[2] == 0.0
    assert np.mean(found.predict(X[Y == 2]) == 2) > 0.8


def test_a_candidate_whose_probabilities_are_not_numbers_is_left_out(monkeypatch):
    def sometimes(model, X):
        return ask(model, X) * (np.nan if model.n_clusters == 3 else 1.0)

    ask = SFPClassifier.predict_proba
    monkeypatch.setattr(SFPClassifier, "predict_proba", sometimes)
    grid = [{"sfpclassifier__n_clusters": k} for k in (2, 3, 6)]
    model = make_pipeline(SFPClassifier(refine=0))
    with pytest.warns(UserWarning, match="1 of 3 candidates failed.*not numbers"):
        found = one(grid, estimator=model, ensemble=3, cv=3).fit(X, Y)
    assert found.cv_results_["ensemble_weight"][1] == 0.0


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_the_only_row_of_a_class_says_nothing_of_candidates():
    """Nobody can know it when asked about it, so that all would seem too sure."""
    places = np.arange(len(Y))
    lone = np.where(places % 30 == 0, places, Y)
    grid = [{"n_clusters": k, "refine": 0} for k in (3, 6)]
    usual, found = (one(grid, ensemble=2, cv=5).fit(X, labels) for labels in (Y, lone))
    for member, other in zip(
        found.best_estimator_.members, usual.best_estimator_.members, strict=True
    ):
        assert member.temperature < 1.2 * other.temperature


def test_the_best_few_are_the_best_by_the_score_that_is_asked_for():
    grid = [{"n_clusters": k, "refine": 0} for k in (2, 3, 6, 9)]
    found = one(grid, ensemble=1, scoring=fewest_clusters).fit(X, Y)
    assert found.cv_results_["ensemble_weight"].tolist() == [1, 0, 0, 0]
    assert one(grid, ensemble=1).fit(X, Y).cv_results_["ensemble_weight"][0] == 0


def fewest_clusters(model, X, y):
    return -model.n_clusters


def test_folds_that_nobody_asked_for_are_not_complained_about():
    rare = np.where(np.arange(len(Y)) < 3, 9, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = one([{"n_clusters": 4, "refine": 0}], ensemble=1).fit(X, rare)
    assert found.n_splits_ == 10  # more than the three rows of a class


def test_the_best_few_each_are_calibrated():
    found = one([{"n_clusters": k, "refine": 0} for k in (2, 3, 6, 9)], ensemble=2).fit(X, Y)
    weights = found.cv_results_["ensemble_weight"]
    assert np.count_nonzero(weights) == 2
    assert len({member.temperature for member in found.best_estimator_.members}) == 2


@pytest.mark.parametrize(
    ("ensemble", "rows", "folds"), [(2, 150, 10), (None, 150, 5), (2, 1200, 5)]
)
def test_few_rows_of_an_ensemble_get_more_folds(ensemble, rows, folds):
    again = np.resize(np.arange(len(Y)), rows)
    found = one([{"n_clusters": 3, "refine": 0, "max_iter": 2}], ensemble=ensemble)
    assert found.fit(np.asarray(X)[again], np.asarray(Y)[again]).n_splits_ == folds


@pytest.mark.parametrize(("scoring", "folds"), [("roc_auc", 4), (None, 10), ("neg_log_loss", 10)])
def test_scores_that_need_every_class_get_them_in_every_fold(scoring, folds):
    rare = np.where(np.arange(len(Y)) < 4, 1, 0)
    grid = [{"n_clusters": k, "refine": 0} for k in (3, 4)]
    found = one(grid, ensemble=1, scoring=scoring).fit(X, rare)
    assert found.n_splits_ == folds
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()


def test_importances_behind_what_makes_a_feature_a_class_are_not_told():
    model = make_pipeline(TargetEncoder(), SFPClassifier())
    found = one([{"n_clusters": 3}], estimator=model, ensemble=1, cv=3).fit(np.round(X), Y)
    assert not hasattr(found.best_estimator_, "feature_importances_")
