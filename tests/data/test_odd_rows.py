"""Rows elsewhere that are odd but fair, and what is said of those that are not."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset
import pytest
from sklearn.preprocessing import StandardScaler

from sfplearn import (
    SFPClassifier,
    SFPClusterer,
    SFPRegressor,
    SFPSelector,
    SFPTransformer,
    open_rows,
)

N = 300
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((N, 3))
Y = (X[:, 0] > 0).astype(int)
F = pd.DataFrame(X, columns=list("abc"))
LAZY, LAZY_Y = da.from_array(X, chunks=(100, 3)), da.from_array(Y, chunks=100)


def fit(*rows, **settings):
    return SFPClassifier(4, random_state=0, **settings).fit(*rows)


def halves(X, y, *weight):
    return [tuple(part[a:b] for part in (X, y, *weight)) for a, b in ((0, 150), (150, N))]


def test_columns_in_another_order_are_refused_in_predictions_too():
    rows = open_rows([(F[:150], Y[:150]), (F[150:][list("cba")], Y[150:])])
    with pytest.raises(ValueError, match=r"^block 1: it has other columns; the first block has"):
        fit(F, Y).predict_proba(rows)


def test_hidden_folders_are_left_alone(tmp_path):
    for folder in (".ipynb_checkpoints", "_temporary"):
        (tmp_path / folder).mkdir()
        F.assign(y=Y).to_csv(tmp_path / folder / "copy.csv", index=False)
    F.assign(y=Y).to_csv(tmp_path / "rows.csv", index=False)
    assert len(fit(F, Y).predict(open_rows(tmp_path, columns=list("abc")))) == N


def test_precision_is_that_of_the_most_precise_file(tmp_path):
    F[:150].astype(np.float32).assign(y=Y[:150]).to_parquet(tmp_path / "0.parquet")
    (F[150:] + 1e6).assign(y=Y[150:]).to_parquet(tmp_path / "1.parquet")
    both = np.concatenate([X[:150].astype(np.float32), X[150:] + 1e6])
    there = fit(open_rows(tmp_path, target="y"))
    np.testing.assert_allclose(there.cluster_centers_, fit(both, Y).cluster_centers_, atol=1e-8)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_large_whole_numbers_stay_apart(tmp_path, ending):
    frame = F.assign(y=Y + 2**60)
    path = tmp_path / f"rows.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    assert fit(open_rows(path, target="y")).classes_.tolist() == [2**60, 2**60 + 1]


def test_blank_text_is_no_label(tmp_path):
    text = np.where(np.arange(N) % 5, np.where(Y, "p", "q"), "")
    F.assign(y=text).to_csv(tmp_path / "rows.csv", index=False)
    rows = open_rows(tmp_path / "rows.csv", target="y")
    assert fit(rows, unlabeled=np.nan).classes_.tolist() == ["p", "q"]
    with pytest.raises(ValueError, match=r"rows\.csv: row 1 has no label; remove such rows"):
        fit(rows)


@pytest.mark.parametrize("model", [SFPRegressor, SFPClassifier])
def test_rows_of_only_nan_say_nothing_anywhere(model):
    holes = X.copy()
    holes[5] = np.nan
    y = Y.astype(float if model is SFPRegressor else int)
    y[5] = 1e6 if model is SFPRegressor else 1
    settings = {"n_clusters": 4, "allow_nan": True, "refine": 0, "random_state": 0}
    if model is SFPClassifier:
        settings["class_weight"] = "balanced"
    here = model(**settings).fit(holes, y)
    there = model(**settings).fit(open_rows(halves(holes, y)))
    np.testing.assert_allclose(there.cluster_centers_, here.cluster_centers_, atol=1e-9)


def test_datasets_keep_partitions_and_filters(tmp_path):
    table = pa.Table.from_pandas(F.assign(g=np.arange(N) % 3, y=Y))
    pa.dataset.write_dataset(
        table, tmp_path, format="parquet", partitioning=["g"], partitioning_flavor="hive"
    )
    dataset = pa.dataset.dataset(tmp_path, partitioning="hive")
    assert open_rows(dataset, target="y").names == ["a", "b", "c", "g"]
    some = dataset.filter(pa.dataset.field("a") > 0)
    rows = open_rows(some, target="y", columns=["b", "c"])
    assert len(SFPClusterer(2, random_state=0).fit(rows).labels_) == (X[:, 0] > 0).sum()
    assert fit(open_rows(table, target="y", columns=["a", "b"])).n_features_in_ == 2


def test_the_index_of_pandas_is_no_feature(tmp_path):
    F.assign(y=Y).sample(frac=1, random_state=0).to_parquet(tmp_path / "rows.parquet")
    assert open_rows(tmp_path, target="y").names == ["a", "b", "c"]


def test_tasks_are_found_as_in_memory():
    labels = RANDOM.integers(0, 200, 5000)
    many = RANDOM.standard_normal((5000, 2))
    for y in (labels, labels / 3, np.array(["x", "y"])[labels % 2], np.c_[labels, labels]):
        here = SFPTransformer(4, max_iter=2, tol=0).fit(many, y).estimator_
        rows = open_rows([(many[:2000], y[:2000]), (many[2000:], y[2000:])])
        there = SFPTransformer(4, max_iter=2, tol=0).fit(rows).estimator_
        assert type(here) is type(there)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_rows_without_any_label_are_refused(loss):
    rows = open_rows([(X, np.full(N, np.nan))])
    with pytest.raises(ValueError, match=r"^No row with a weight has a label"):
        SFPRegressor(4, loss=loss).fit(rows)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([(X, np.where(Y, np.inf, 0.0))], "infinity"),
        ([(X, np.array(["a", 0] * 150, dtype=object))], "block 0: y mixes kinds"),
        ([*halves(X, Y)[:1], (X, np.array(["a"] * N))], "block 0 and block 1: y mixes kinds"),
        ([(X, Y), (X, None)], "block 1 lacks labels, unlike the first block"),
        ([(X, Y), (X, Y, np.ones(N))], "block 1 brings weights, unlike the first block"),
        ([(X, Y[:-1])], "block 0: y has 299 labels for 300 rows"),
        ([(X, np.c_[Y, Y])], r"block 0: y must hold one label .* got the shape \(300, 2\)"),
        ([(X[:, 0], Y)], "block 0: X must have rows and columns"),
        ([([[1, 2], [3]], [0, 1])], "block 0: X must have rows that are equally long"),
        ([(X, Y, -np.ones(N))], "block 0: sample_weight must not hold negative"),
        ([(F, Y), (F.rename(columns={"b": "z"}), Y)], "block 1: it lacks the column 'b'"),
    ],
)
def test_blocks_that_cannot_be_used_are_named(blocks, message):
    with pytest.raises(ValueError, match=message):
        fit(open_rows(blocks))


def test_labels_in_a_column_are_labels():
    here = fit(X, Y, refine=0).cluster_centers_
    for rows in ((open_rows(halves(X, Y[:, None])),), (LAZY, LAZY_Y[:, None])):
        np.testing.assert_allclose(fit(*rows, refine=0).cluster_centers_, here, atol=1e-9)


def test_blocks_that_change_between_passes_are_noticed():
    reads = []

    def blocks():
        reads.append(1)
        yield (X if len(reads) < 5 else X[:, :2]), Y

    with pytest.raises(ValueError, match="block 0 has 2 features, and had 3 before; blocks must"):
        fit(open_rows(blocks))


def test_one_source_serves_several_threads():
    rows = open_rows(halves(X, Y))
    expected = fit(rows).cluster_centers_
    with ThreadPoolExecutor(4) as pool:
        for model in pool.map(lambda _: fit(rows), range(12)):
            np.testing.assert_array_equal(model.cluster_centers_, expected)


def test_rows_can_be_scaled_on_the_way():
    scaler = StandardScaler()
    rows = open_rows(halves(X * [1, 10, 100], Y))
    for block in rows.blocks():
        scaler.partial_fit(block.X)
    there = fit(rows.map(scaler.transform), refine=0)
    here = fit(StandardScaler().fit_transform(X * [1, 10, 100]), Y, refine=0)
    np.testing.assert_allclose(there.cluster_centers_, here.cluster_centers_, atol=1e-9)


def test_rows_and_models_can_be_pickled(tmp_path):
    F.assign(y=Y).to_parquet(tmp_path / "rows.parquet")
    for rows in (open_rows(tmp_path, target="y"), open_rows(halves(X, Y))):
        copy = pickle.loads(pickle.dumps(rows))
        np.testing.assert_array_equal(fit(copy).cluster_centers_, fit(rows).cluster_centers_)
    model = SFPClusterer(4, random_state=0).fit(LAZY)
    assert isinstance(model.labels_, da.Array)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).cluster_centers_, model.cluster_centers_
    )


def test_selected_features_of_lazy_rows_are_lazy():
    model = SFPSelector(3, lam=0.05, random_state=0).fit(LAZY, LAZY_Y)
    chosen = model.transform(LAZY)
    assert isinstance(chosen, da.Array)
    np.testing.assert_array_equal(chosen.compute(), model.transform(X))
    rows = open_rows(halves(X, Y))
    np.testing.assert_array_equal(model.transform(rows), model.transform(X))
    with pytest.raises(ValueError, match=r"^block 0: X has 2 features, but"):
        model.transform(open_rows([(X[:, :2], Y)]))


def test_lazy_rows_of_any_kind():
    outputs = np.c_[X[:, 0], X[:, 1]]
    model = SFPRegressor(4, random_state=0).fit(X, outputs)
    there = model.score(LAZY, da.from_array(outputs, chunks=(100, 2)))
    assert there == pytest.approx(model.score(X, outputs))
    single = dd.from_pandas(F.astype(np.float32), npartitions=2)
    assert fit(X, Y).transform(single).dtype == np.float32
    nullable = F.mask(F > 2).astype("Float64")
    settings = {"allow_nan": True, "refine": 0}
    here = fit(nullable.to_numpy(float, na_value=np.nan), Y, **settings)
    for rows in (
        (dd.from_pandas(nullable, npartitions=2), dd.from_pandas(pd.Series(Y), npartitions=2)),
        (open_rows([(nullable, Y)]),),
    ):
        there = fit(*rows, **settings)
        np.testing.assert_allclose(there.cluster_centers_, here.cluster_centers_, atol=1e-9)
        np.testing.assert_array_equal(
            np.asarray(there.predict(rows[0])),
            here.predict(nullable.to_numpy(float, na_value=np.nan)),
        )


def test_truth_values_in_text_are_numbers(tmp_path):
    F.assign(flag=X[:, 1] > 0, y=Y > 0).to_csv(tmp_path / "rows.csv", index=False)
    model = fit(open_rows(tmp_path / "rows.csv", target="y"))
    assert model.n_features_in_ == 4
    assert model.classes_.tolist() == [False, True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 3}, "target must be the name of a column; got 3"),
        ({"target": "y", "weight": ["a", "b"]}, "weight must be the name of a column"),
        ({"target": "y", "columns": "abc"}, "columns must be a list of names; got 'abc'"),
    ],
)
def test_arguments_of_open_rows_are_checked(tmp_path, arguments, message):
    F.assign(y=Y).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(TypeError, match=message):
        open_rows(tmp_path, **arguments)


def test_names_that_occur_twice_are_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("a,a,y\n1,2,0\n3,4,1\n")
    with pytest.raises(ValueError, match=r"rows\.csv has 2 columns named 'a'"):
        open_rows(tmp_path / "rows.csv", target="y")


def test_scores_without_labels_and_bad_cells_are_explained():
    model = fit(X, Y)
    with pytest.raises(ValueError, match="bring no labels"):
        model.score(open_rows([(X,)]))
    holes = X.copy()
    holes[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"^block 1: Input X contains NaN"):
        model.predict(open_rows([(X, Y), (holes, Y)]))
    with pytest.raises(ValueError, match="n_jobs must be None or a whole number"):
        fit(open_rows([(X, Y)]), n_jobs=0)


def test_a_function_that_gives_the_same_iterator_again_is_refused():
    iterator = iter([(X, Y)] * 6)
    with pytest.raises(ValueError, match="read again for every pass"):
        open_rows(lambda: iterator)


def test_names_are_those_of_the_last_fit():
    model = SFPTransformer(2, random_state=0).fit(F, Y)
    model.fit(open_rows([(X[:, :2], Y)]))
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
