"""Rows in Dask, on real workers: the same answer, lazily, and also when a worker dies."""

import os
import signal
import threading
import time
from functools import partial

import cloudpickle
import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster

from sfplearn import SFPClassifier, SFPRegressor
from sfplearn.core import (
    LogLoss,
    Objective,
    Prototype,
    Rows,
    WeightedEuclidean,
    merge,
    params_at,
)
from sfplearn.core.objective import summarizer
from sfplearn.data.dask import DaskStore, store_of
from sfplearn.estimators.classes import labelled_table
from tests.conftest import three_blobs
from tests.data.places import in_dask_array, in_dask_frame, in_memory, table

FRAME = table()


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(processes=True, **options) as cluster, Client(cluster) as client:
        yield client


@pytest.mark.parametrize("place", [in_dask_array, in_dask_frame])
@pytest.mark.parametrize(
    ("target", "model"),
    [("label", SFPClassifier), ("number", SFPRegressor)],
    ids=["classifier", "regressor"],
)
def test_a_cluster_gives_the_same_answer(client, tmp_path, place, target, model):
    # A refinement would make more of rounding.
    here = model(5, refine=0, random_state=0).fit(*in_memory(FRAME, target, tmp_path))
    rows = place(FRAME, target, tmp_path)
    there = model(5, refine=0, random_state=0).fit(*rows)
    for name in ("cluster_centers_", "feature_weights_", "prototypes_"):
        np.testing.assert_allclose(getattr(there, name), getattr(here, name), atol=1e-9)
    X = in_memory(FRAME, target, tmp_path)[0]
    found, wanted = there.predict(rows[0]).compute(), there.predict(X)
    if target == "label":
        np.testing.assert_array_equal(found, wanted)
    else:  # sums over other blocks are rounded otherwise
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_worker_killed_in_the_middle_changes_nothing(client, tmp_path):
    X, y = three_blobs(60_000, p=8)
    lazy = da.from_array(X, chunks=10_000).persist(), da.from_array(y, chunks=10_000).persist()
    settings = {"n_clusters": 8, "max_iter": 12, "tol": 0, "random_state": 0}
    undisturbed = SFPClassifier(**settings).fit(*lazy)
    victim = next(iter(client.run(os.getpid).values()))

    def kill_after_some_passes():
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.001)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_after_some_passes, daemon=True)
    killer.start()
    disturbed = SFPClassifier(**settings, checkpoint=tmp_path).fit(*lazy)
    killer.join()
    assert victim not in client.run(os.getpid).values()
    for name in ("cluster_centers_", "feature_weights_", "prototypes_", "objective_path_"):
        np.testing.assert_allclose(getattr(disturbed, name), getattr(undisturbed, name), rtol=1e-9)


def test_predictions_are_lazy_and_keep_their_chunks():
    X, y = three_blobs(100)
    model = SFPClassifier(4, random_state=0).fit(X, y)
    touched = []

    def note(block):
        touched.append(len(block))
        return block

    lazy = da.from_array(X, chunks=(30, 4)).map_blocks(note, meta=np.zeros((0, 0)))
    predicted = model.predict_proba(lazy)
    assert isinstance(predicted, da.Array)
    assert predicted.shape == (100, 3)
    assert predicted.chunks[0] == (30, 30, 30, 10)
    assert not touched
    there = predicted.compute(scheduler="synchronous")
    np.testing.assert_allclose(there, model.predict_proba(X))
    assert sorted(touched) == [10, 30, 30, 30]


def test_a_pass_is_one_graph_of_additions():
    X, y = three_blobs(96)
    lazy = da.from_array(X, chunks=(1, 4)), da.from_array(y, chunks=1)
    store = store_of(*lazy, None)
    graphs = []

    def count(dsk, keys, **options):
        graphs.append(keys)
        return dask.get(dsk, keys, **options)

    with dask.config.set(scheduler=count):
        total = store.map_reduce(lambda block: float(block.X.sum()), lambda a, b: a + b)
    assert len(graphs) == 1
    assert total == pytest.approx(X.sum())


def test_what_travels_in_a_pass_does_not_depend_on_the_rows():
    sizes = []
    for n in (100, 10_000):
        X, y = three_blobs(n)
        rows = da.from_array(X, chunks=(n // 4, 4)), da.from_array(y, chunks=n // 4)
        source = labelled_table(SFPClassifier(4), *rows, None)[0].source(4)
        objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 3), 1.0, 0.1)
        function = summarizer(objective, params_at(objective, Rows.of(X[:4], y[:4])))
        out = cloudpickle.dumps(partial(source._reduce, function, merge))
        back = cloudpickle.dumps(source.map_reduce(function, merge))
        sizes.append((len(out), len(back)))
    np.testing.assert_allclose(*sizes, atol=20)
    assert max(sizes[0]) < 10_000


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ((10, 3), 9, "^X has 10 rows and y 9; give as many"),
        ((0, 3), 0, "has no rows"),
    ],
)
def test_bad_shapes_are_one_sentence(X, y, message):
    with pytest.raises(ValueError, match=message):
        SFPClassifier(2).fit(da.zeros(X, chunks=5), da.zeros(y, chunks=5, dtype=int))


def test_labels_in_memory_beside_lazy_rows_are_refused():
    with pytest.raises(TypeError, match=r"^y must be a Dask collection where X is one"):
        SFPClassifier(2).fit(da.zeros((10, 3)), np.zeros(10))


def test_a_partition_of_another_width_is_named():
    good = pd.DataFrame(np.random.default_rng(0).random((9, 3)), columns=list("abc"))
    bad = good.drop(columns="b")
    lazy = dd.from_delayed([dask.delayed(good), dask.delayed(bad)], meta=good, verify_meta=False)
    y = dd.from_pandas(pd.Series([0, 1, 1] * 6), npartitions=2)
    model = SFPClassifier(2)
    with pytest.raises(ValueError, match=r"^partition 1: it lacks the column 'b'"):
        model.fit(lazy, y)
    assert vars(model) == vars(SFPClassifier(2))


def test_labels_cut_otherwise_than_rows_are_refused_where_sizes_are_unknown():
    frame = dd.from_pandas(pd.DataFrame(np.eye(6)), npartitions=3)
    y = dd.from_pandas(pd.Series([0, 1] * 3), npartitions=2)
    with pytest.raises(ValueError, match=r"^X has 3 partitions and y 2; cut them alike"):
        SFPClassifier(2).fit(frame, y)
    assert isinstance(store_of(frame, None, None), DaskStore)
