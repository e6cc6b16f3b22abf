"""Callbacks see every step of a fit as if it ended there, may stop it, and change nothing else."""

import pickle
import subprocess
import sys
import warnings
from threading import Lock

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import (
    SFPClassifier,
    SFPClusterer,
    SFPRegressor,
    SFPSearchCV,
    SFPSelector,
    SFPTransformer,
    open_rows,
)
from sfplearn.estimators.callbacks import without_callbacks
from tests.conftest import three_blobs

callback = pytest.importorskip("sklearn.callback", reason="callbacks are of scikit-learn 1.9")

X, Y = three_blobs(60)
ESTIMATORS = {
    "classifier": SFPClassifier(5, refine=4, random_state=0),
    "honest": SFPClassifier(5, refine=3, honest=True, loss="hinge", random_state=0),
    "plain": SFPClassifier(5, refine=0, n_init=2, init="random", random_state=0),
    "linear": SFPClassifier(3, expert="linear", max_iter=6, tol=0, random_state=0),
    "kernel": SFPClassifier(3, divergence="kernel", refine=0, random_state=0),
    "regressor": SFPRegressor(5, refine=3, random_state=0),
    "quantile": SFPRegressor(5, loss="absolute_error", random_state=0),
    "clusterer": SFPClusterer(4, random_state=0),
    "transformer": SFPTransformer(4, random_state=0),
    "selector": SFPSelector(4, lam=0.1, random_state=0),
}
every_estimator = pytest.mark.parametrize("name", ESTIMATORS)


class Recorder:
    """Notes the tasks and models that it is told of; stops where it is told to."""

    def __init__(self, stops=None, raises=None, asks=True):
        self.stops, self.raises = stops or {}, raises
        self.calls, self.begun, self.ended, self.models = [], [], [], []
        self.on_fit_task_end = self._end_with_model if asks else self._end

    def setup(self, estimator, context):
        self._call("setup")

    def teardown(self, estimator, context):
        self._call("teardown")

    def on_fit_task_begin(self, estimator, context):
        self._call("begin")
        self.begun.append(context.task_name)

    def _end(self, estimator, context):
        self._call("end")
        self.ended.append(context.task_name)
        return context.task_id + 1 == self.stops.get(context.task_name)

    def _end_with_model(self, estimator, context, *, fitted_estimator=None):
        self.models.append((context.task_name, context.task_id, fitted_estimator))
        return self._end(estimator, context)

    def _call(self, hook):
        self.calls.append(hook)
        if hook == self.raises:
            raise RuntimeError(hook)

    def of(self, task):
        return [model for name, _, model in self.models if name == task]


class Propagated(Recorder):
    max_propagation_depth = None


def fresh(name, **settings):
    return clone(ESTIMATORS[name]).set_params(**settings)


def labels_for(name):
    return X[:, 0] + X[:, 1] ** 2 if name in ("regressor", "quantile") else Y


def watched(model, *rows, **how):
    recorder = Recorder(**how)
    model.set_callbacks(recorder).fit(*rows)
    return recorder


def state(model):
    """Return all that a model holds, but for its callbacks, as bytes."""
    held = {}
    for name, value in vars(model.set_callbacks()).items():
        inner = hasattr(value, "cluster_centers_")
        held[name] = state(value) if inner else pickle.dumps(value)
    return held


@every_estimator
def test_every_pass_and_iteration_is_a_task(name):
    model = fresh(name, n_init=1)
    recorder = watched(model, X, labels_for(name))
    inner = getattr(model, "estimator_", model)
    iterations = len(getattr(inner, "refine_path_", [0])) - 1
    refined = ["iteration"] * iterations + ["refinement"] if iterations else []
    passes = ["pass"] * model.n_iter_
    assert recorder.ended == [*passes, "descent", *refined, "fit"]
    assert sorted(recorder.begun) == sorted(recorder.ended)
    assert recorder.calls[0] == "setup"
    assert recorder.calls[-1] == "teardown"


def test_an_iteration_that_leads_nowhere_is_ended_too():
    """The mean is the best that one cluster can say, so there is nothing to refine."""
    recorder = watched(SFPRegressor(1, refine=5, random_state=0), X, labels_for("regressor"))
    assert recorder.ended[-3:] == ["iteration", "refinement", "fit"]
    assert recorder.ended.count("iteration") == 1
    assert all(model is not None for *_, model in recorder.models)


def test_every_start_is_a_task():
    model = fresh("plain", n_init=3)
    recorder = watched(model, X, Y)
    assert recorder.ended.count("descent") == 3
    assert recorder.ended.count("pass") > model.n_iter_


@every_estimator
def test_callbacks_change_nothing(name):
    y = labels_for(name)
    alone, looked_at = fresh(name).fit(X, y), fresh(name)
    recorder = watched(looked_at, X, y)
    assert all(model is not None for *_, model in recorder.models)
    assert state(looked_at) == state(alone)
    # Once more, with attributes of the fit before about.
    watched(looked_at, X[:40], y[:40])
    assert state(looked_at) == state(fresh(name).fit(X[:40], y[:40]))


@pytest.mark.parametrize("name", ["classifier", "honest", "regressor"])
def test_callbacks_do_not_disturb_warm_starts(name):
    y = labels_for(name)
    alone, looked_at = (fresh(name, warm_start=True).fit(X, y) for _ in range(2))
    watched(looked_at, X[:50], y[:50])
    assert state(looked_at) == state(alone.fit(X[:50], y[:50]))


@every_estimator
def test_the_model_of_a_pass_is_that_of_a_fit_that_ends_there(name):
    y, settings = labels_for(name), {"max_iter": 3, "tol": 0, "n_init": 1}
    # Settings that are "auto" would depend on whether a refinement follows.
    settings |= {"gamma": 0.1, "lam": 1.0, "init": "k-means++"}
    unrefined = {"refine": 0} if "refine" in ESTIMATORS[name].get_params() else {}
    model = fresh(name, **settings).fit(X[20:], y[20:])  # so that there is a fit before
    for passes, seen in enumerate(watched(model, X, y).of("pass"), start=1):
        ended = fresh(name, **{**settings, **unrefined, "max_iter": passes}).fit(X, y)
        answer = "predict" if hasattr(ended, "predict") else "transform"
        np.testing.assert_array_equal(getattr(seen, answer)(X), getattr(ended, answer)(X))
        assert seen.n_iter_ == ended.n_iter_ == passes


def test_the_model_of_an_iteration_is_that_of_a_refinement_that_ends_there():
    recorder = watched(fresh("classifier"), X, Y)
    for iterations, seen in enumerate(recorder.of("iteration"), start=1):
        ended = fresh("classifier", refine=iterations).fit(X, Y)
        np.testing.assert_array_equal(seen.predict_proba(X), ended.predict_proba(X))
        np.testing.assert_array_equal(seen.refine_path_, ended.refine_path_)


def test_the_log_of_scores_ends_at_the_score_of_the_model():
    monitor = callback.ScoringMonitor(scoring="r2")
    y = labels_for("regressor")
    weight = np.linspace(1, 2, len(y))
    model = fresh("regressor").set_callbacks(monitor).fit(X, y, sample_weight=weight)
    log = {row["task_id_path"]: row["r2"] for row in monitor.get_logs().data}
    assert log[0,] == model.score(X, y, weight)
    assert log[0, 1] == log[0,]  # the refinement is what comes last
    assert log[0, 0] == log[0, 0, model.n_iter_ - 1]
    assert len(set(log.values())) > 2


def test_a_callback_may_stop_a_descent():
    model = fresh("classifier", refine=0, tol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        watched(model, X, Y, stops={"pass": 2})
    assert model.n_iter_ == len(model.objective_path_) == 2
    ended = fresh("classifier", refine=0, tol=0, max_iter=2).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), ended.predict_proba(X))


def test_a_callback_may_stop_a_refinement():
    model = fresh("classifier", refine=9)
    watched(model, X, Y, stops={"iteration": 3}, asks=False)
    ended = fresh("classifier", refine=3).fit(X, Y)
    np.testing.assert_array_equal(model.refine_path_, ended.refine_path_)
    np.testing.assert_array_equal(model.predict_proba(X), ended.predict_proba(X))


def test_stopping_after_a_descent_leaves_out_what_would_follow():
    settings = {"init": "random", "gamma": 0.1, "lam": 1.0, "honest": False}
    model = fresh("classifier", n_init=4, **settings)
    recorder = watched(model, X, Y, stops={"descent": 2})
    assert recorder.ended.count("descent") == 2
    assert "refinement" not in recorder.ended
    assert not hasattr(model, "refine_path_")
    ended = fresh("classifier", n_init=2, refine=0, **settings).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), ended.predict_proba(X))


@every_estimator
@pytest.mark.parametrize("hook", ["setup", "begin", "end", "teardown"])
def test_a_callback_that_raises_leaves_the_estimator_unchanged(name, hook):
    y = labels_for(name)
    model = fresh(name).fit(X[:30], y[:30])
    recorder = Recorder(raises=hook)
    before = dict(vars(model.set_callbacks(recorder)))
    with pytest.raises(RuntimeError, match=hook):
        model.fit(X, y)
    assert vars(model) == before
    assert recorder.calls[-1] == "teardown"
    new = fresh(name).set_callbacks(Recorder(raises=hook))
    attributes = set(vars(new))
    with pytest.raises(RuntimeError, match=hook):
        new.fit(X, y)
    assert set(vars(new)) == attributes


def test_bad_rows_are_refused_before_callbacks_hear_of_them():
    recorder = Recorder()
    with pytest.raises(ValueError, match="NaN"):
        fresh("classifier").set_callbacks(recorder).fit(np.full((9, 2), np.nan), Y[:9])
    assert recorder.calls == []


def test_fits_leave_no_trace_of_callbacks():
    model = fresh("classifier")
    recorder = watched(model, X, Y)
    assert model.get_params() == fresh("classifier").get_params()
    calls = len(recorder.calls)
    clone(model).fit(X, Y)  # keeps its callbacks, as clones of scikit-learn do
    assert len(recorder.calls) == 2 * calls
    bare = set(vars(fresh("classifier").fit(X, Y)))
    assert len(set(vars(model)) - bare) == 1
    assert set(vars(model.set_callbacks())) == bare
    assert set(vars(pickle.loads(pickle.dumps(model)))) == bare


def test_progress_bars_end_where_fits_do(capfd):
    model = fresh("plain", n_init=2).set_callbacks(callback.ProgressBar())
    model.fit(X, Y)
    lines = capfd.readouterr().out.splitlines()
    assert [line.split("━")[0].strip() for line in lines] == [
        "SFPClassifier - fit",
        "SFPClassifier - descent #0",
        "SFPClassifier - descent #1",
    ]
    assert all("100%" in line for line in lines)


def test_verbose_and_callbacks_go_together(capsys):
    model = fresh("classifier", verbose=1)
    watched(model, X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[0].startswith("[SFPClassifier] pass 1: objective ")


def test_partial_fit_tells_nobody():
    model, recorder = fresh("plain"), Recorder()
    model.set_callbacks(recorder).partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    assert recorder.calls == []
    again = fresh("plain").partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    assert state(model) == state(again)


def test_fits_of_rows_elsewhere_are_told_of(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "labels.npy", Y)
    rows = open_rows(tmp_path / "rows.npy", target=tmp_path / "labels.npy")
    model = fresh("classifier")
    recorder = watched(model, rows)
    assert recorder.ended.count("pass") == model.n_iter_
    assert state(model) == state(fresh("classifier").fit(rows))
    seen = recorder.of("iteration")[-1]
    np.testing.assert_array_equal(seen.predict(rows), model.predict(X))


def test_models_are_sent_away_without_callbacks():
    """Which cannot be pickled if they hold a lock, say."""
    recorder = Recorder()
    recorder.lock = Lock()
    model = fresh("classifier").set_callbacks(recorder).fit(X, Y)
    for each in (model, *recorder.of("pass"), *recorder.of("iteration")):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(each)
        sent = pickle.loads(pickle.dumps(without_callbacks(each)))
        np.testing.assert_array_equal(sent.predict_proba(X), each.predict_proba(X))


@pytest.mark.parametrize("jobs", [1, 2])
def test_callbacks_look_on_inside_pipelines_and_searches(jobs):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    inner = fresh("classifier").set_callbacks(monitor)
    grid = {"sfpclassifier__n_clusters": [3, 5]}
    search = GridSearchCV(make_pipeline(StandardScaler(), inner), grid, cv=2, n_jobs=jobs)
    search.set_callbacks(callback.ProgressBar(max_propagation_depth=None)).fit(X, Y)
    data = monitor.get_logs().data
    assert sum(row["task_name"] == "fit" for row in data) == 5  # two folds of two, and the last
    refit = [row for row in data if row["task_id_path"][:2] == (0, 1)]
    best = search.best_estimator_
    assert refit[0]["accuracy"] == best.score(X, Y)
    assert sum(row["task_name"] == "pass" for row in refit) == best[-1].n_iter_


def test_outer_callbacks_see_passes_inside_a_pipeline():
    recorder = Propagated()
    model = make_pipeline(StandardScaler(), fresh("transformer"), fresh("plain", n_init=1))
    model.set_callbacks(recorder).fit(X, Y)
    assert recorder.ended.count("pass") == model[1].n_iter_ + model[2].n_iter_


GRID = [{"n_clusters": k} for k in range(2, 7)]


def search(**settings):
    kept = {"space": GRID, "cv": 2, "ensemble": None, "random_state": 0}
    return SFPSearchCV(fresh("plain"), **(kept | settings))


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_candidate_of_a_search_is_a_task(jobs):
    model, recorder = search(n_jobs=jobs), Propagated()
    model.set_callbacks(recorder).fit(X, Y)
    assert recorder.ended[:6] == ["candidate"] * 5 + ["search"]
    assert recorder.ended[-1] == "fit"
    assert recorder.ended.count("pass") > model.best_estimator_.n_iter_
    assert sorted(recorder.begun) == sorted(recorder.ended)
    alone = search().fit(X, Y)
    assert model.best_params_ == alone.best_params_
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stopped_search_chooses_among_those_tried(jobs):
    model = search(n_jobs=jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recorder = watched(model, X, Y, stops={"candidate": 2})
    assert recorder.ended.count("candidate") == 2
    assert model.cv_results_["params"] == GRID[:2]
    np.testing.assert_array_equal(model.predict(X), search(space=GRID[:2]).fit(X, Y).predict(X))


def test_a_search_that_is_halved_tells_of_both_rounds():
    recorder = watched(search(halving=True), X, Y)
    assert recorder.ended.count("candidate") == 6
    stopped = search(halving=True)
    watched(stopped, X, Y, stops={"candidate": 4})
    assert stopped.cv_results_["was_halved"].sum() == 4


def test_committees_and_searches_without_a_last_fit_tell_of_candidates_alone():
    for settings in ({"ensemble": 2}, {"refit": False}):
        recorder = watched(search(**settings), X, Y)
        assert recorder.ended == ["candidate"] * 5 + ["search", "fit"]
        (last,) = recorder.of("fit")
        assert (last is None) == ("refit" in settings)


def test_progress_of_candidates_must_be_asked_of_the_search():
    model = search().set_params(estimator=fresh("plain").set_callbacks(callback.ProgressBar()))
    with pytest.raises(TypeError, match="auto-propagated"):
        model.fit(X, Y)


BEFORE = """
import sys
import sklearn.linear_model, sklearn.model_selection, sklearn.pipeline, sklearn.preprocessing
sys.modules["sklearn.callback"] = None
from sfplearn import SFPClassifier, SFPSearchCV, SFPTransformer
X, y = [[0], [1], [8], [9]] * 3, [0, 0, 1, 1] * 3
model = SFPClassifier(2, random_state=0, verbose=1).fit(X, y)
assert not hasattr(model, "set_callbacks")
SFPTransformer(2, random_state=0).fit(X, y).transform(X)
SFPSearchCV(space=[{"n_clusters": 2}], cv=2, random_state=0).fit(X, y).predict(X)
"""


def test_scikit_learn_before_callbacks_is_served_without_them():
    done = subprocess.run(
        [sys.executable, "-c", BEFORE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "pass 1: objective" in done.stdout
