"""SFPSearchCV as scikit-learn's searches are: what it holds, what it refuses, what it keeps."""

import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    ParameterGrid,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPRegressor, SFPSearchCV

X, Y = load_iris(return_X_y=True)
GRID = [{"n_clusters": k, "gamma": g, "refine": 0} for k in (3, 6) for g in (0.05, 0.2)]


def one(space=GRID, **settings):
    return SFPSearchCV(space=space, random_state=0, **settings)


def search(space=GRID, **settings):
    return one(space, ensemble="greedy", **settings)


def test_it_holds_what_searches_hold():
    found = one().fit(X, Y)
    results = found.cv_results_
    assert found.best_params_ == GRID[found.best_index_]
    assert found.best_score_ == results["mean_test_score"].max()
    assert found.n_splits_ == 5
    splits = np.array([results[f"split{i}_test_score"] for i in range(5)])
    assert_allclose(splits.mean(axis=0), results["mean_test_score"])
    assert_allclose(splits.std(axis=0), results["std_test_score"])
    assert results["rank_test_score"][found.best_index_] == 1
    assert results["params"] == GRID
    assert list(results["param_n_clusters"]) == [3, 3, 6, 6]
    assert (results["mean_fit_time"] > 0).all()
    assert found.best_estimator_.get_params()["gamma"] == found.best_params_["gamma"]
    assert_array_equal(found.predict(X), found.best_estimator_.predict(X))
    assert len(pd.DataFrame(results)) == len(GRID)


def test_scores_are_those_of_cross_validation():
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    found = one(cv=folds).fit(X, Y)
    for i, candidate in enumerate(GRID):
        model = SFPClassifier(random_state=found.best_estimator_.random_state, **candidate)
        scores = cross_val_score(model, X, Y, cv=folds)
        assert_allclose([found.cv_results_[f"split{f}_test_score"][i] for f in range(4)], scores)


def test_a_pipeline_is_tuned_as_its_last_step_would_be():
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    bare = one(cv=folds).fit(StandardScaler().fit_transform(X), Y)
    piped = SFPSearchCV(
        make_pipeline(StandardScaler(), SFPClassifier()),
        GRID,
        ensemble=None,
        cv=folds,
        random_state=0,
    ).fit(X, Y)
    assert_allclose(
        piped.cv_results_["mean_test_score"], bare.cv_results_["mean_test_score"], atol=0.03
    )
    assert piped.score(X, Y) > 0.9


def test_processes_do_not_matter():
    alone, together = one().fit(X, Y), one(n_jobs=2).fit(X, Y)
    for name in ("mean_test_score", "split0_test_score"):
        assert_array_equal(alone.cv_results_[name], together.cv_results_[name])
    assert_allclose(alone.predict_proba(X), together.predict_proba(X))


@pytest.mark.parametrize("strategy", ["best", "mean", "loess"])
def test_strategies(strategy):
    found = SFPSearchCV(space="reduced", strategy=strategy, ensemble=None, cv=3, random_state=0)
    found.fit(X[::3], Y[::3])
    assert found.score(X, Y) > 0.85
    assert ("smooth_test_score" in found.cv_results_) == (strategy == "loess")
    assert (found.best_index_ == -1) == (strategy == "mean")


@pytest.mark.parametrize(
    "cv",
    [
        3,
        KFold(3, shuffle=True, random_state=0),
        ShuffleSplit(4, test_size=0.3, random_state=0),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        [(np.arange(0, 150, 2), np.arange(1, 150, 2))],
    ],
)
def test_any_splitter(cv):
    found = search(GRID[:2], cv=cv).fit(X, Y)
    assert found.score(X, Y) > 0.9
    assert_allclose(found.predict_proba(X).sum(axis=1), 1.0)


def test_leave_one_out():
    few = np.arange(0, 150, 10)
    assert search(GRID[:2], cv=LeaveOneOut()).fit(X[few], Y[few]).n_splits_ == len(few)


def test_groups_stay_together():
    groups = np.arange(150) // 10
    found = one(cv=GroupKFold(5)).fit(X, Y, groups=groups)
    assert found.n_splits_ == 5
    with pytest.raises(ValueError, match="groups"):
        one(cv=GroupKFold(5)).fit(X, Y)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy", "balanced_accuracy", "f1_macro"])
def test_any_scorer(scoring):
    found = one(scoring=scoring).fit(X, Y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert np.isfinite(found.score(X, Y))


def test_log_loss_is_that_of_scikit_learn():
    folds = [(np.arange(0, 150, 2), np.arange(1, 150, 2))]
    found = one(GRID[:1], scoring="neg_log_loss", cv=folds).fit(X, Y)
    model = SFPClassifier(random_state=found.best_estimator_.random_state, **GRID[0])
    expected = -log_loss(Y[1::2], model.fit(X[::2], Y[::2]).predict_proba(X[1::2]))
    assert_allclose(found.best_score_, expected, rtol=1e-6)


def test_probabilities_are_calibrated_on_rows_not_trained_on():
    data, y = make_classification(400, 8, n_informative=3, flip_y=0.3, random_state=0)
    settings = [{"n_clusters": 60, "gamma": 0.02, "refine": 0, "honest": False}]
    found = one(settings).fit(data[:200], y[:200])
    assert found.temperature_ > 1.2
    raw = found.best_estimator_.predict_proba(data[200:])
    assert log_loss(y[200:], found.predict_proba(data[200:])) < log_loss(y[200:], raw)
    assert_array_equal(found.predict_proba(data).argmax(axis=1), found.predict(data))


def test_weights_reach_fits_and_scores():
    weight = np.where(Y == 2, 0.0, 1.0)
    found = one(GRID[:1]).fit(X, Y, sample_weight=weight)
    known = one(GRID[:1]).fit(X, Y)
    assert (found.predict(X) == 2).mean() < (known.predict(X) == 2).mean()


def test_gaps_are_named_before_any_candidate_is_tried():
    gappy = np.where(np.arange(600).reshape(150, 4) % 7, X, np.nan)
    with pytest.raises(ValueError, match=r"search over SFPClassifier\(allow_nan=True\)"):
        SFPSearchCV(random_state=0).fit(gappy, Y)
    few = [{"n_clusters": 3, "allow_nan": True, "refine": 0}]
    assert SFPSearchCV(space=few, ensemble=None, random_state=0).fit(gappy, Y).best_score_ > 0.8


def test_constant_columns_of_a_literal_search_are_told_of_once():
    constant = np.column_stack([X, np.ones(len(X))])
    grid = [{"n_clusters": k, "scale": None, "refine": 0, "max_iter": 2} for k in (3, 6)]
    with pytest.warns(UserWarning, match="Constant features") as told:
        SFPSearchCV(space=grid, ensemble=None, cv=3, random_state=0).fit(constant, Y)
    assert len(told) == 1


def test_nobody_is_told_to_raise_passes_that_a_grid_has_settled():
    grid = [{"n_clusters": 20, "refine": 0, "max_iter": 2, "tol": 1e-9}]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        SFPSearchCV(space=grid, ensemble=None, random_state=0).fit(X, Y)
    own = SFPClassifier(max_iter=2, tol=1e-9, refine=0)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        SFPSearchCV(own, [{"n_clusters": 20}], ensemble=None, random_state=0).fit(X, Y)


def test_regressors_are_tuned_too():
    data, y = make_regression(120, 4, noise=5.0, random_state=0)
    found = SFPSearchCV(SFPRegressor(), GRID, random_state=0).fit(data, y)
    assert is_regressor(found)
    assert isinstance(found.best_estimator_, SFPRegressor)
    assert found.score(data, y) > 0.3
    assert not hasattr(found, "predict_proba")


def test_it_is_a_classifier_that_can_be_cloned_and_nested():
    assert is_classifier(SFPSearchCV())
    nested = make_pipeline(StandardScaler(), clone(one(GRID[:2])))
    assert cross_val_score(nested, X, Y, cv=3).mean() > 0.85


def test_data_frames_text_labels_and_lists():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    names = np.array(["setosa", "versicolor", "virginica"])[Y]
    found = one(GRID[:2]).fit(frame, names)
    assert set(found.predict(frame)) <= set(names)
    assert one(GRID[:2]).fit(X.tolist(), Y.tolist()).score(X, Y) > 0.9


def test_without_refit_there_is_no_model():
    found = one(refit=False).fit(X, Y)
    assert not hasattr(found, "best_estimator_")
    assert found.best_params_ in GRID


def test_shuffled_labels_give_chance_accuracy_through_the_whole_search():
    """No choice sees test rows: neither LOESS, nor committees, nor temperatures."""
    random = np.random.default_rng(0)
    data = random.standard_normal((120, 10))
    y = random.permutation(np.arange(120) % 2)
    small = [{"n_clusters": k, "gamma": g} for k in (2, 4, 8) for g in (0.1, 0.3, 1.0)]
    for searching in (
        search(small, cv=3),
        SFPSearchCV(space=small, strategy="loess", ensemble=None, cv=3, random_state=0),
    ):
        accuracy = cross_val_score(searching, data, y, cv=5)
        assert abs(accuracy.mean() - 0.5) < 0.12


def test_a_class_smaller_than_the_number_of_folds():
    few = np.concatenate([np.arange(100), [149, 148]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = search(GRID[:2]).fit(X[few], Y[few])
    assert_array_equal(found.classes_, [0, 1, 2])
    assert found.predict_proba(X).shape == (150, 3)
    assert np.isfinite(found.predict_proba(X)).all()


def test_fewer_rows_than_folds():
    some = [0, 1, 2, 100, 101, 102]
    found = one([{"n_clusters": 2}]).fit(X[some], Y[some])
    assert found.n_splits_ == 3


def test_constant_columns_do_no_harm():
    data = np.column_stack([X, np.ones(150)])
    assert search(GRID[:2]).fit(data, Y).score(data, Y) > 0.9


def failing_scorer(model, data, y):
    if model.n_clusters == 3:
        raise RuntimeError("no score for three clusters")
    return model.score(data, y)


def test_a_scorer_that_fails_for_some_is_named_and_left_out():
    with pytest.warns(UserWarning, match="2 of 4 candidates failed.*no score for three"):
        found = one(scoring=failing_scorer).fit(X, Y)
    assert np.isnan(found.cv_results_["mean_test_score"][:2]).all()
    assert found.best_params_["n_clusters"] == 6


@pytest.mark.parametrize(
    ("settings", "data", "labels", "message"),
    [
        ({"scoring": failing_scorer, "space": GRID[:2]}, X, Y, "All 2 candidates failed.*three"),
        ({"space": [{"n_clusters": 1000}]}, X, Y, "1000"),
        ({"space": "wide"}, X, Y, "space must be one of"),
        ({"space": []}, X, Y, "list of dictionaries"),
        ({"space": 3}, X, Y, "list of dictionaries"),
        ({"strategy": "worst"}, X, Y, "strategy must be one of"),
        ({"ensemble": 0}, X, Y, "ensemble must be a whole number"),
        ({"top": -1}, X, Y, "top must be a number"),
        ({"cv": 1}, X, Y, "at least 2 folds"),
        ({"halving": "sometimes"}, X, Y, "halving must be"),
        ({"top": 2}, X, Y, "share of at most 1"),
        ({"cv": []}, X, Y, "no folds"),
        ({"scoring": ["accuracy"]}, X, Y, "one scorer"),
        ({"refit": "accuracy"}, X, Y, "refit must be"),
        ({"n_jobs": 0}, X, Y, "n_jobs"),
        ({"ensemble": "many"}, X, Y, "ensemble must be"),
        ({"space": [{"n_clusters": 3}, {"n_cluster": 3}]}, X, Y, "Invalid parameter 'n_cluster'"),
        ({"strategy": "mean", "space": [{"n_clusters": 3}, {"gamma": 1}]}, X, Y, "same parameters"),
        ({"strategy": "loess", "space": "broad"}, X, Y, "same parameters"),
        ({"scoring": "neg_log_loss", "space": [{"loss": "hinge"}]}, X, Y, "gives probabilities"),
        ({}, X, np.array([0, "a", "b"] * 50, dtype=object), "mixes kinds of labels"),
        ({}, X, np.array(["a", "b", None] * 50, dtype=object), "missing labels.*unlabeled="),
        ({}, [[0], [9]], [0, 1], "No class has two rows"),
        ({}, X, None, "requires y"),
        ({}, X, np.zeros(150), "one class only"),
        ({}, X, Y[:100], "inconsistent|100"),
        ({"cv": KFold(3)}, X, Y, None),
        ({"cv": [(np.arange(50), np.arange(50, 150))]}, X, Y, "fold 0 hold one class only"),
    ],
)
def test_bad_input_gets_one_sentence_and_changes_nothing(settings, data, labels, message):
    model = SFPSearchCV(**{"space": GRID, "ensemble": None, "random_state": 0, **settings})
    if message is None:
        assert model.fit(data, labels).n_splits_ == 3
        return
    with pytest.raises(ValueError, match=message) as refusal:
        model.fit(data, labels)
    assert "\n" not in str(refusal.value).strip()
    assert not [name for name in vars(model) if name.endswith("_")]


def test_an_interrupt_keeps_what_is_done():
    """A real process, interrupted by a real signal while it searches."""
    program = textwrap.dedent("""
        import signal, warnings
        from sklearn.datasets import load_iris
        from sfplearn import SFPSearchCV
        # Shells ignore interrupts for what they start in the background, and children inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        X, y = load_iris(return_X_y=True)
        def slow(model, X, y):
            print("tried", flush=True)
            return model.score(X, y)
        grid = [{"n_clusters": 3 + i % 5, "gamma": 0.1, "refine": 0} for i in range(100_000)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search = SFPSearchCV(space=grid, scoring=slow, ensemble=None, random_state=0)
            search.halving = False
            search.fit(X, y)
        print("kept", len(search.cv_results_["params"]), search.best_estimator_.score(X, y) > 0.8)
        print([str(w.message) for w in caught if "Interrupted" in str(w.message)])
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for _ in range(60):
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    last = [line for line in out.splitlines() if line != "tried"]
    assert process.returncode == 0, error
    assert last[0].split()[2] == "True"
    assert 0 < int(last[0].split()[1]) < 100_000
    assert "Interrupted after" in last[1]


def test_verbose_shows_how_long_it_will_take(capsys):
    one(GRID, verbose=1).fit(X, Y)
    shown = capsys.readouterr().err
    assert "4/4" in shown
    assert "left" in shown


def test_a_candidate_may_prepare_rows():
    space = [{"n_clusters": 3, "prepare": StandardScaler()}, {"n_clusters": 3}]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    found = one(space, cv=folds).fit(X * [1, 1, 1, 1000], Y)
    seed = {"random_state": found.best_estimator_[-1].random_state}
    expected = cross_val_score(
        make_pipeline(StandardScaler(), SFPClassifier(3, **seed)), X * [1, 1, 1, 1000], Y, cv=folds
    )
    assert_allclose(found.cv_results_["mean_test_score"][0], expected.mean())
    assert found.best_index_ == 0


def test_the_default_pool_is_quiet_and_good():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = SFPSearchCV(cv=3, random_state=0).fit(X[::2], Y[::2])
    assert found.score(X[1::2], Y[1::2]) > 0.93


def test_settings_that_change_rows_reach_the_folds():
    heavy = {"n_clusters": 3, "refine": 0, "class_weight": {0: 1e-6, 1: 1, 2: 1}}
    for picks in (None, 2):
        found = one([heavy], ensemble=picks).fit(X, Y)
        assert found.predict(X[:1]) != 0
        assert found.best_score_ < 0.8


def test_holes_are_left_to_candidates_that_allow_them():
    holes = X.copy()
    holes[::7, 0] = np.nan
    grid = [{"n_clusters": 3, "allow_nan": True}, {"n_clusters": 3}]
    with pytest.warns(UserWarning, match="1 of 2 candidates failed"):
        found = one(grid).fit(holes, Y)
    assert found.best_params_["allow_nan"]
    quiet = SFPSearchCV(SFPClassifier(allow_nan=True), cv=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert quiet.fit(holes[::3], Y[::3]).score(holes, Y) > 0.85


def test_sparse_rows_meet_no_candidate_that_cannot_take_them():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = SFPSearchCV(cv=2, random_state=0).fit(sp.csr_array(X[::3]), Y[::3])
    assert found.score(X, Y) > 0.85


def test_losses_without_probabilities_are_scored_by_the_same_measure():
    grid = [{"n_clusters": 3, "loss": loss, "refine": 0} for loss in ("log_loss", "zero_one")]
    weight = np.where(Y == 0, 1.0, 1e-6)
    found = one(grid).fit(X, Y, sample_weight=weight)
    assert (found.cv_results_["mean_test_score"] > 0.99).all()


def test_rows_without_labels_are_trained_on_and_never_tested():
    some = np.where(np.arange(150) % 3 == 0, -1, Y)
    found = SFPSearchCV(
        SFPClassifier(unlabeled=-1), [{"n_clusters": 6}], ensemble=3, random_state=0
    ).fit(X, some)
    assert_array_equal(found.classes_, [0, 1, 2])
    assert found.predict_proba(X).shape == (150, 3)
    assert found.best_score_ > 0.85


def test_rows_without_numbers_are_trained_on_and_never_tested():
    some = np.where(np.arange(150) % 3 == 0, np.nan, X[:, 0])
    model = SFPRegressor(unlabeled=np.nan)
    found = SFPSearchCV(model, [{"n_clusters": 6}], cv=3, random_state=0).fit(X[:, 1:], some)
    assert found.best_score_ > 0.5


def test_numbers_of_numpy_are_numbers():
    grid = list(ParameterGrid({"n_clusters": np.arange(2, 12), "refine": [0]}))
    scorer = lambda model, data, y: -((model.n_clusters - 7) ** 2)  # noqa: E731
    for strategy in ("loess", "mean"):
        found = one(grid, strategy=strategy, scoring=scorer, cv=2).fit(X, Y)
        assert abs(found.best_params_["n_clusters"] - 7) <= 1


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
def test_loess_leaves_few_scores_as_they_are(count):
    grid = [{"n_clusters": 2 + i, "refine": 0} for i in range(count)]
    found = one(grid, strategy="loess", cv=2).fit(X, Y)
    assert np.isfinite(found.cv_results_["smooth_test_score"]).all()


def test_names_of_columns_are_kept_and_held_to():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    for found in (one(GRID[:2]).fit(frame, Y), search(GRID[:2]).fit(frame, Y)):
        assert found.feature_names_in_.tolist() == ["a", "b", "c", "d"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found.predict(frame)
        with pytest.raises(ValueError, match="feature names"):
            found.predict(frame[["d", "c", "b", "a"]])


def test_a_second_fit_leaves_nothing_of_the_first():
    found = one(GRID[:1]).fit(X, Y)
    found.set_params(refit=False).fit(X[:100], Y[:100])
    assert not hasattr(found, "best_estimator_")
    assert_array_equal(found.classes_, [0, 1])


def test_bad_values_fail_in_folds_as_they_do_alone():
    with pytest.raises(ValueError, match="refine_pull must be a number"):
        one([{"refine_pull": -1.0}], ensemble=3).fit(X, Y)


def test_several_outputs():
    grid = [{"n_clusters": 6}, {"n_clusters": 12}]
    found = SFPSearchCV(SFPRegressor(), grid, random_state=0).fit(X, X[:, :2])
    assert found.predict(X).shape == (150, 2)


def test_arrays_as_settings():
    grid = [{"init": X[[0, 60]], "n_clusters": 2}, {"init": X[[1, 70, 140]], "n_clusters": 3}]
    assert one(grid).fit(X, Y).best_index_ == 1


def test_a_pipeline_takes_names_of_its_own_and_what_prepares():
    piped = make_pipeline(StandardScaler(), SFPClassifier(refine=0))
    grid = [{"sfpclassifier__n_clusters": 3}, {"sfpclassifier__n_clusters": 6}]
    found = SFPSearchCV(piped, grid, random_state=0).fit(X, Y, sample_weight=np.ones(150))
    assert clone(piped).set_params(**found.best_params_).fit(X, Y).score(X, Y) > 0.85
    first = [{"n_clusters": 3, "prepare": StandardScaler()}]
    both = SFPSearchCV(piped, first, random_state=0).fit(X, Y, sample_weight=np.ones(150))
    assert [name for name, _ in both.best_estimator_.steps][1:] == ["prepare", "sfpclassifier"]
    own = Pipeline([("prepare", StandardScaler()), ("sfp", SFPClassifier(refine=0))])
    found = SFPSearchCV(own, first, random_state=0).fit(X, Y)
    assert [name for name, _ in found.best_estimator_.steps] == ["prepare", "prepare_", "sfp"]


def test_clones_of_a_committee_still_answer():
    found = search(GRID[:2]).fit(X, Y)
    assert_array_equal(clone(found.best_estimator_).predict(X), found.predict(X))
