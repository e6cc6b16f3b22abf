"""Two rounds: what the first spares, and what the second must not change."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPSearchCV
from sfplearn.tuning.halving import FINALISTS, ByFolds
from sfplearn.tuning.plan import make_plan
from sfplearn.tuning.trials import Trial
from tests.tuning.test_search import X, Y, one

MANY = [
    {"n_clusters": k, "gamma": g, "refine": 0, "max_iter": 5, "tol": 0}
    for k in (3, 4, 5, 6, 8, 10, 12)
    for g in (0.03, 0.1, 0.2, 0.5, 1.0)
]


def best_few(space=MANY, **settings):
    return SFPSearchCV(space=space, ensemble=4, cv=10, random_state=0, **settings)


def test_halving_by_passes_finds_as_good_a_candidate():
    data, y = load_wine(return_X_y=True)
    data = StandardScaler().fit_transform(data)
    settings = {"space": "reduced", "ensemble": None, "cv": 3, "random_state": 0}
    whole = SFPSearchCV(halving=False, **settings).fit(data, y)
    halved = SFPSearchCV(**settings).fit(data, y)
    assert halved.best_score_ > whole.best_score_ - 0.02
    assert halved.cv_results_["was_halved"].sum() == 200


def test_what_got_few_passes_is_not_chosen():
    def passing(model, data, y):
        short = model.max_iter == 3
        return (0.9 if model.gamma == 0.3 else 0.8) if short else 0.5

    grid = [{"n_clusters": 3, "gamma": g, "refine": 0} for g in (0.1, 0.2, 0.3, 0.4, 0.5)]
    found = one(grid, halving=True, scoring=passing).fit(X, Y)
    assert found.best_params_["gamma"] == 0.3
    assert found.cv_results_["was_halved"].tolist() == [True, True, False, True, True]
    assert found.cv_results_["mean_test_score"].tolist() == [0.8, 0.8, 0.5, 0.8, 0.8]


def test_a_committee_spares_most_candidates_most_folds():
    found = best_few().fit(X, Y).cv_results_
    short = found["was_halved"]
    assert short.sum() == len(MANY) - FINALISTS
    splits = np.array([found[f"split{fold}_test_score"] for fold in range(10)])
    assert_array_equal(np.isnan(splits).sum(axis=0), np.where(short, 7, 0))
    assert np.isfinite(found["mean_test_score"]).all()
    assert not found["ensemble_weight"][short].any()


def test_who_reaches_the_second_round_ends_as_without_rounds():
    halved, whole = best_few().fit(X, Y), best_few(halving=False).fit(X, Y)
    kept = ~halved.cv_results_["was_halved"]
    for name in ("mean_test_score", "std_test_score"):
        assert_allclose(halved.cv_results_[name][kept], whole.cv_results_[name][kept])
    assert kept[whole.cv_results_["ensemble_weight"] > 0].all()
    assert_array_equal(halved.predict_proba(X), whole.predict_proba(X))
    assert len(halved.best_estimator_.members) == len(whole.best_estimator_.members)


@pytest.mark.parametrize("cut", [1, 4, 9])
def test_folds_in_two_parts_are_all_folds(cut):
    trials = make_plan(best_few(), X, Y, None, None).trials
    whole = trials.run(Trial(MANY[0]))
    halves = trials.run(Trial(MANY[0], range(cut))).and_of(
        trials.run(Trial(MANY[0], range(cut, 10)))
    )
    assert_array_equal(halves.scores, whole.scores)
    assert_array_equal(halves.probabilities, whole.probabilities)
    assert_array_equal(halves.seen, whole.seen)
    assert len(halves.models) == len(whole.models) == 10


def test_rounds_give_the_same_side_by_side():
    alone, together = best_few().fit(X, Y), best_few(n_jobs=2).fit(X, Y)
    assert_array_equal(alone.predict_proba(X), together.predict_proba(X))


def test_the_score_that_is_asked_for_decides_who_goes_on():
    def few_clusters(model, data, y):
        return -model.n_clusters - model.gamma / 2

    found = best_few(scoring=few_clusters).fit(X, Y).cv_results_
    first = sorted(MANY, key=lambda c: c["n_clusters"] + c["gamma"] / 2)[:FINALISTS]
    kept = [c for c, short in zip(found["params"], found["was_halved"], strict=True) if not short]
    assert sorted(map(str, kept)) == sorted(map(str, first))


def test_an_interrupted_first_round_goes_by_the_rows_that_were_asked_about():
    count = 0

    def interrupting(model, data, y):
        nonlocal count
        count += 1
        if count > 30:
            raise KeyboardInterrupt
        return model.score(data, y)

    search = best_few(scoring=interrupting)
    with pytest.warns(UserWarning, match=f"Interrupted after 10 of {len(MANY) + FINALISTS} trials"):
        search.fit(X, Y)
    assert search.predict_proba(X).max(axis=1).mean() > 0.7
    assert search.best_estimator_.score(X, Y) > 0.9


def test_a_candidate_that_fails_in_the_second_round_is_left_out():
    def failing(model, data, y):
        if model.n_clusters == 3 and len(data) == 15 and failing.calls > 3 * len(MANY):
            raise ValueError("no more")
        failing.calls += 1
        return model.score(data, y)

    failing.calls = 0
    with pytest.warns(UserWarning, match="candidates failed and are left out"):
        found = best_few(scoring=failing).fit(X, Y)
    failed = np.isnan(found.cv_results_["mean_test_score"])
    assert failed.any()
    assert not found.cv_results_["ensemble_weight"][failed].any()


def test_who_was_left_behind_is_not_chosen_where_most_finalists_fail():
    def failing(model, data, y):
        failing.calls += 1
        if failing.calls > 3 * len(MANY) and model.n_clusters > 3:
            raise ValueError("no more")
        return model.score(data, y) - model.n_clusters / 100

    failing.calls = 0
    with pytest.warns(UserWarning, match="candidates failed and are left out"):
        found = best_few(scoring=failing).fit(X, Y)
    assert not found.cv_results_["ensemble_weight"][found.cv_results_["was_halved"]].any()
    assert not found.cv_results_["was_halved"][found.best_index_]


@pytest.mark.parametrize(("folds", "few"), [(10, 3), (5, 2), (2, 1), (20, 6)])
def test_the_first_round_takes_about_a_third_of_the_folds(folds, few):
    assert ByFolds(folds, members=4).few == few


def test_many_members_get_many_finalists():
    assert ByFolds(10, members=10).count(100) == 30
    assert ByFolds(10, members=4).count(100) == FINALISTS
    assert ByFolds(10, members=4).count(5) == 5


def test_one_fold_is_not_halved():
    alone = best_few(halving=True).set_params(cv=ShuffleSplit(1, random_state=0)).fit(X, Y)
    assert alone.cv_results_["ensemble_weight"].sum() == pytest.approx(1.0)
    assert len(alone.best_estimator_.members) == 4


def test_few_candidates_all_reach_the_second_round():
    found = best_few(MANY[:5], halving=True).fit(X, Y).cv_results_
    assert "was_halved" not in found
    assert np.count_nonzero(found["ensemble_weight"]) == 4


def test_places_of_a_committee_are_kept_for_those_with_probabilities():
    def by_loss(model, data, y):
        return 0.9 if model.loss == "hinge" else 0.5 + model.gamma / 100

    mute = [{"loss": "hinge", "gamma": g / 100, "refine": 0} for g in range(10, 30)]
    mixed = best_few(mute + MANY[:15], scoring=by_loss, halving=True).fit(X, Y)
    assert hasattr(mixed, "predict_proba")
    assert np.count_nonzero(mixed.cv_results_["ensemble_weight"]) == 4
    assert mixed.cv_results_["was_halved"][:20].all()


def test_an_interrupted_second_round_goes_by_what_is_known_of_all():
    count = 0

    def interrupting(model, data, y):
        nonlocal count
        count += 1
        if count > 3 * len(MANY) + 10:
            raise KeyboardInterrupt
        return model.score(data, y)

    search = best_few(scoring=interrupting)
    with pytest.warns(UserWarning, match=f"Interrupted after 36 of {len(MANY) + FINALISTS} trials"):
        search.fit(X, Y)
    assert np.count_nonzero(search.cv_results_["ensemble_weight"]) == 4
    best = search.cv_results_["mean_test_score"].max()
    assert search.cv_results_["mean_test_score"][search.best_index_] == best


def test_failures_are_told_of_once_and_not_tried_again():
    calls = 0

    def failing(model, data, y):
        nonlocal calls
        calls += 1
        if model.n_clusters > 3:
            raise ValueError("too many clusters")
        return model.score(data, y)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        best_few(scoring=failing).fit(X, Y)
    assert sum("30 of 35 candidates failed" in str(each.message) for each in told) == 1
    assert calls == 30 + 5 * 10
