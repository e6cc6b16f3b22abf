"""Files that are damaged, changed or odd: an error names file and row or column, or they work."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfplearn import SFPClassifier, SFPRegressor, open_rows
from sfplearn.data.files import CSV_BYTES

N = 60


def frame(n=N, seed=0):
    random = np.random.default_rng(seed)
    made = pd.DataFrame(random.standard_normal((n, 3)).round(4), columns=["a", "b", "c"])
    made["y"] = (made.a > 0).astype(int)
    return made


@pytest.fixture
def folder(tmp_path):
    """Three Parquet files."""
    for number in range(3):
        frame(seed=number).to_parquet(tmp_path / f"{number}.parquet")
    return tmp_path


def assert_refused(rows, message, model=None):
    """Expect one sentence, and an estimator that stays as it was."""
    model = SFPClassifier(2) if model is None else model
    before = dict(vars(model))
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        model.fit(rows() if callable(rows) else rows)
    assert re.search(message, str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)
    assert vars(model) == before


def test_a_truncated_file_is_named(folder):
    whole = (folder / "1.parquet").read_bytes()
    (folder / "1.parquet").write_bytes(whole[: len(whole) // 2])
    assert_refused(lambda: open_rows(folder, target="y"), r"1\.parquet cannot be read")


def test_a_file_damaged_inside_is_named(folder):
    whole = bytearray((folder / "2.parquet").read_bytes())
    whole[10:400] = bytes(390)
    (folder / "2.parquet").write_bytes(whole)
    assert_refused(lambda: open_rows(folder, target="y"), r"2\.parquet.*")


def test_a_column_missing_in_one_file_is_named(folder):
    frame().drop(columns="b").to_parquet(folder / "1.parquet")
    assert_refused(
        open_rows(folder, target="y"), r"1\.parquet has no column 'b'; it has 'a', 'c', 'y'\."
    )


def test_columns_may_be_in_another_order_and_more_in_some_files(folder):
    here = SFPClassifier(3, random_state=0).fit(open_rows(folder, target="y"))
    changed = pd.read_parquet(folder / "1.parquet")[["y", "c", "a", "b"]].assign(extra=1.0)
    changed.to_parquet(folder / "1.parquet")
    there = SFPClassifier(3, random_state=0).fit(open_rows(folder, target="y"))
    np.testing.assert_array_equal(there.cluster_centers_, here.cluster_centers_)


def test_a_type_that_changes_late_in_a_csv_is_named_with_its_line(tmp_path):
    lines = ["a,b,y", *(f"{i},{i % 7},{i % 2}" for i in range(900_000))]
    lines.append("1.5,oops,1")
    (tmp_path / "long.csv").write_text("\n".join(lines))
    rows = open_rows(tmp_path / "long.csv", target="y")
    assert_refused(rows, r"long\.csv, line 900002, column 'b' cannot be read: .*'oops'")


def test_whole_numbers_that_become_fractions_late_are_no_change(tmp_path):
    lines = ["a,b,y", *(f"1000000{i % 5},7777777,{i % 2}" for i in range(500_000)), "2.5,1.5,1"]
    (tmp_path / "long.csv").write_text("\n".join(lines))
    assert (tmp_path / "long.csv").stat().st_size > CSV_BYTES
    rows = open_rows(tmp_path / "long.csv", target="y")
    assert SFPClassifier(2, max_iter=1, tol=0).fit(rows).classes_.tolist() == [0, 1]
    numbers = open_rows(tmp_path / "long.csv", target="b", columns=["a"])
    assert SFPRegressor(1, max_iter=1, tol=0).fit(numbers).prototypes_.shape == (1, 1)


@pytest.mark.parametrize(
    ("value", "what"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_a_cell_that_is_no_number_is_named(folder, value, what):
    bad = frame()
    bad.loc[17, "c"] = value
    bad.to_parquet(folder / "1.parquet")
    assert_refused(open_rows(folder, target="y"), rf"1\.parquet: row 18, column 'c' holds {what};")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["red"] * N, "text"),
        (pd.Categorical(["red"] * N), "text"),
        (pd.date_range("2020-01-01", periods=N), "dates or times"),
        ([[1, 2]] * N, "values of type list"),
    ],
)
def test_columns_of_anything_but_numbers_are_named(tmp_path, values, kind):
    frame().assign(color=values).to_parquet(tmp_path / "one.parquet")
    assert_refused(
        lambda: open_rows(tmp_path, target="y"),
        rf"one\.parquet: column 'color' holds {kind}.*, not numbers; leave it out",
    )
    rows = open_rows(tmp_path, target="y", columns=["a", "b"])
    assert SFPClassifier(2, random_state=0).fit(rows).n_features_in_ == 2


def test_truth_values_and_decimals_are_numbers(tmp_path):
    price = pa.array([None if i == 3 else i for i in range(N)]).cast(pa.decimal128(22, 2))
    made = pa.Table.from_pandas(frame().assign(flag=frame().a > 0)).append_column("price", price)
    pq.write_table(made, tmp_path / "one.parquet")
    model = SFPClassifier(2, allow_nan=True, random_state=0)
    assert model.fit(open_rows(tmp_path, target="y")).n_features_in_ == 5


def test_names_of_files_and_columns_that_are_not_there(folder):
    with pytest.raises(FileNotFoundError, match=r"none\.parquet is no file; check the path"):
        open_rows(folder / "none.parquet")
    with pytest.raises(FileNotFoundError, match=r"\*\.csv is no file"):
        open_rows(folder / "*.csv")
    with pytest.raises(ValueError, match=r"0\.parquet has no column 'z'; it has 'a', 'b', 'c'"):
        open_rows(folder, target="z")
    (folder / "notes.doc").write_text("hello")
    with pytest.raises(ValueError, match=r"notes\.doc ends in none of \.npy, \.parquet"):
        open_rows(folder, target="y")


def test_rows_without_labels_are_refused_by_a_classifier(folder):
    assert_refused(open_rows(folder, columns=["a", "b"]), r"requires y to be passed.*target")
    with pytest.raises(ValueError, match="bring labels and weights: leave y"):
        SFPClassifier(2).fit(open_rows(folder, target="y"), np.zeros(180))


def test_files_without_rows_are_left_out_unless_all_are(folder):
    here = SFPClassifier(2, random_state=0).fit(open_rows(folder, target="y"))
    frame()[:0].to_parquet(folder / "empty.parquet")
    there = SFPClassifier(2, random_state=0).fit(open_rows(folder, target="y"))
    np.testing.assert_array_equal(there.cluster_centers_, here.cluster_centers_)
    assert_refused(
        open_rows(folder / "empty.parquet", target="y"), "has no rows; give at least one"
    )


def test_csv_of_other_worlds(tmp_path):
    """A byte order mark, semicolons, Windows line ends, quotes."""
    text = '﻿"a";"b";"y"\r\n' + "".join(
        f'{i};"{i * i}";"{"é" if i % 2 else "no; really"}"\r\n' for i in range(40)
    )
    (tmp_path / "odd.csv").write_text(text, encoding="utf-8", newline="")
    model = SFPClassifier(2, random_state=0).fit(open_rows(tmp_path / "odd.csv", target="y"))
    assert model.classes_.tolist() == ["no; really", "é"]
    assert model.feature_names_in_.tolist() == ["a", "b"]


def test_blocks_of_another_width_are_named():
    rows = [(np.eye(4), [0, 1, 0, 1]), (np.eye(4)[:, :3], [0, 1, 0, 1])]
    assert_refused(open_rows(rows), r"^block 1 has 3 features and block 0 4; all must have as many")


def test_blocks_that_can_be_read_once_only_are_refused():
    with pytest.raises(ValueError, match="read again for every pass; give a list or a function"):
        open_rows((np.eye(2), [0, 1]) for _ in range(3))
    with pytest.raises(ValueError, match=r"^block 0 must be \(X, y\) or \(X, y, weight\)"):
        open_rows([5])
    with pytest.raises(ValueError, match="no blocks"):
        open_rows([])


def test_arrays_on_disk_must_match(tmp_path):
    np.save(tmp_path / "X.npy", np.eye(4))
    np.save(tmp_path / "y.npy", np.arange(3))
    assert_refused(
        open_rows(tmp_path / "X.npy", target=tmp_path / "y.npy"), r"X\.npy has 4 rows .* 3"
    )
    (tmp_path / "X.npy").write_bytes(b"no array")
    assert_refused(
        open_rows(tmp_path / "X.npy", target=tmp_path / "y.npy"), r"X\.npy cannot be read"
    )


def test_no_rows_can_be_named_by_index_or_shown_to_a_function(folder):
    rows = open_rows(folder, target="y")
    assert_refused(rows, "init by row indices needs rows in memory", SFPClassifier(2, init=[0, 1]))
    assert_refused(
        rows, "init by a function needs rows in memory", SFPClassifier(2, init=lambda *_: 0)
    )


def test_several_outputs_are_columns(tmp_path):
    frame().to_parquet(tmp_path / "one.parquet")
    rows = open_rows(tmp_path, target=["b", "c"], columns=["a"])
    model = SFPRegressor(3, random_state=0).fit(rows)
    here = SFPRegressor(3, random_state=0).fit(frame()[["a"]], frame()[["b", "c"]])
    np.testing.assert_allclose(model.prototypes_, here.prototypes_, atol=1e-9)
    assert model.predict(rows).shape == (N, 2)
