"""Fits that are killed go on from their last pass and end where they would have ended."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor
from sfplearn.fitting.checkpoint import ENDING
from tests.conftest import three_blobs

FIT = """
import sys
import numpy as np
from sfplearn import SFPClassifier
from tests.conftest import three_blobs

X, y = three_blobs(3000)
settings = {"n_clusters": 9, "init": "random", "n_init": 3, "max_iter": 40, "tol": 0}
model = SFPClassifier(**settings, random_state=0, checkpoint=sys.argv[1] or None, verbose=1)
model.fit(X, y)
np.savez(sys.argv[2], centers=model.cluster_centers_, path=model.objective_path_)
"""


def run(folder, result, kill_after=None):
    """Fit in a process of its own; kill it when it has printed so many passes."""
    command = [sys.executable, "-u", "-c", FIT, str(folder), str(result)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    printed = []
    for line in process.stdout:
        printed.append(line)
        if len(printed) == kill_after:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.stdout.close()
    process.wait()
    return printed, process.returncode


@pytest.mark.parametrize("passes", [5, 57])
def test_a_process_killed_between_passes_is_continued(tmp_path, passes):
    """After 5 passes it is at its first start; after 57 at its second."""
    undisturbed, _ = run("", tmp_path / "undisturbed.npz")
    _, code = run(tmp_path / "folder", tmp_path / "killed.npz", kill_after=passes)
    assert code == -signal.SIGKILL
    assert not (tmp_path / "killed.npz").exists()
    again, code = run(tmp_path / "folder", tmp_path / "continued.npz")
    assert code == 0
    assert len(undisturbed) == 120
    assert 120 - passes - 3 <= len(again) <= 120 - passes + 1
    before, after = (np.load(tmp_path / f"{name}.npz") for name in ("undisturbed", "continued"))
    np.testing.assert_array_equal(after["centers"], before["centers"])
    np.testing.assert_array_equal(after["path"], before["path"])
    assert not list((tmp_path / "folder").iterdir())


def interrupted(model, *rows, after=3):
    """Fit until so many passes are done, then stop as Ctrl-C would."""
    passes = []

    def stop(*_):
        passes.append(1)
        if len(passes) == after:
            raise KeyboardInterrupt

    model.verbose, model._say = 1, stop
    with pytest.raises(KeyboardInterrupt):
        model.fit(*rows)
    del model._say
    return model.set_params(verbose=0)


@pytest.mark.parametrize(
    "model",
    [
        SFPClassifier(5, random_state=0),
        SFPClassifier(5, refine=3, honest=True, random_state=0),
        SFPRegressor(5, loss="absolute_error", random_state=0),
        SFPClusterer(5, random_state=0),
    ],
    ids=["classifier", "refined", "regressor", "clusterer"],
)
def test_every_estimator_goes_on(tmp_path, model):
    X, y = three_blobs(300)
    expected = model.fit(X, y).cluster_centers_
    model.set_params(checkpoint=tmp_path)
    interrupted(model, X, y)
    assert [file.suffix for file in tmp_path.iterdir()] == [ENDING]
    np.testing.assert_array_equal(model.fit(X, y).cluster_centers_, expected)
    assert not list(tmp_path.iterdir())


def test_without_a_seed_the_seed_is_that_of_the_first_attempt(tmp_path):
    X, y = three_blobs(300)
    model = interrupted(SFPClassifier(5, checkpoint=tmp_path), X, y)
    (file,) = tmp_path.iterdir()
    state = file.read_bytes()
    ends = []
    for _ in range(2):
        file.write_bytes(state)
        ends.append(model.fit(X, y).cluster_centers_)
    np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize("change", ["data", "labels", "weights", "settings", "seed"])
def test_another_fit_leaves_it_alone(tmp_path, change):
    X, y = three_blobs(300)
    weight = np.ones(300)
    model = interrupted(SFPClassifier(5, random_state=0, checkpoint=tmp_path), X, y)
    (file,) = tmp_path.iterdir()
    held = file.read_bytes()
    if change == "data":
        X = 1.1 * X
    if change == "labels":
        y = np.roll(y, 1)
    if change == "weights":
        weight[0] = 2.0
    if change == "settings":
        model.set_params(lam=2.0)
    if change == "seed":
        model.set_params(random_state=1)
    expected = clone(model).set_params(checkpoint=None).fit(X, y, weight)
    np.testing.assert_array_equal(
        model.fit(X, y, weight).cluster_centers_, expected.cluster_centers_
    )
    assert file.read_bytes() == held


def squared(y, z):
    return (np.eye(z.shape[1])[y][None] - z[:, None]).__pow__(2).sum(axis=2)


def test_settings_that_are_functions_or_arrays_are_recognised(tmp_path):
    X, y = three_blobs(300)
    settings = {"loss": squared, "init": X[:5].copy(), "random_state": np.random.RandomState(0)}
    model = interrupted(SFPClassifier(5, checkpoint=tmp_path, **settings), X, y)
    expected = SFPClassifier(5, **settings).fit(X, y)
    again = SFPClassifier(5, checkpoint=tmp_path, **{**settings, "init": X[:5].copy()})
    np.testing.assert_array_equal(again.fit(X, y).cluster_centers_, expected.cluster_centers_)
    assert not list(tmp_path.iterdir())
    assert model.checkpoint == tmp_path


def test_searches_share_a_folder(tmp_path):
    X, y = three_blobs(300)
    grid = {"lam": [0.1, 1.0, 10.0]}
    alone, shared = (
        GridSearchCV(SFPClassifier(5, random_state=0, checkpoint=folder), grid, n_jobs=2).fit(X, y)
        for folder in (None, tmp_path)
    )
    np.testing.assert_array_equal(
        shared.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_named(tmp_path):
    X, y = three_blobs()
    model = interrupted(SFPClassifier(3, random_state=0, checkpoint=tmp_path), X, y)
    (file,) = tmp_path.iterdir()
    file.write_bytes(b"no checkpoint")
    with pytest.raises(ValueError, match=r"sfp-checkpoint cannot be read .*; remove it"):
        model.fit(X, y)


@pytest.mark.parametrize("folder", [5, True, "", ["a"]], ids=repr)
def test_what_is_no_folder_is_refused(folder):
    X, y = three_blobs()
    with pytest.raises(ValueError, match="checkpoint must be None or the path of a folder"):
        SFPClassifier(3, checkpoint=folder).fit(X, y)


def test_equal_fits_at_the_same_time_do_not_disturb_each_other(tmp_path):
    X, y = three_blobs(300)
    expected = SFPClassifier(5, random_state=0).fit(X, y).cluster_centers_
    model = SFPClassifier(5, random_state=0, checkpoint=tmp_path)
    with ThreadPoolExecutor(3) as pool:
        for done in pool.map(lambda _: clone(model).fit(X, y), range(30)):
            np.testing.assert_allclose(done.cluster_centers_, expected)


def test_functions_are_told_apart_by_what_they_do(tmp_path):
    X, y = three_blobs(300)
    losses = [lambda y, z, power=power: squared(y, z) ** power for power in (1, 2)]
    model = SFPClassifier(4, random_state=0, checkpoint=tmp_path)
    interrupted(model.set_params(loss=losses[0]), X, y)
    expected = SFPClassifier(4, random_state=0, loss=losses[1]).fit(X, y)
    there = model.set_params(loss=losses[1]).fit(X, y)
    np.testing.assert_array_equal(there.objective_path_, expected.objective_path_)
    assert len(list(tmp_path.iterdir())) == 1
