"""What a report takes, and what it refuses in one sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from sfplearn import SFPClassifier, SFPRegressor, open_rows
from sfplearn.report import Report
from sfplearn.report.columns import Column, column_of, take
from sfplearn.report.subject import sources_of, traced
from tests.report.models import classes, numbers


def test_longer_names_are_tried_first():
    names = ["cat__sex_code_1", "num__sex_code", "sex_male", "pca__pca0", "a__b"]
    assert sources_of(names, ["sex", "sex_code", "a__b"]) == [1, 1, 0, -1, 2]


def test_other_models_are_refused():
    X, y = classes()[1:]
    with pytest.raises(TypeError, match="takes a fitted SFPClassifier"):
        Report(RandomForestClassifier().fit(X, y), X, y)


def test_models_must_be_fitted():
    X, y = classes()[1:]
    with pytest.raises(NotFittedError):
        Report(SFPClassifier(), X, y)


def test_rows_must_be_in_memory():
    model, X, y = numbers()
    with pytest.raises(TypeError, match="rows in memory"):
        Report(model, open_rows([(X, y)]), y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: {"y": y[:-1]}, "as many rows"),
        (lambda X, y: {"y": np.stack([y, y], axis=1)}, "one output"),
        (lambda X, y: {"X": X[:0], "y": y[:0]}, "at least one"),
        (lambda X, y: {"X": y}, "rows and columns"),
        (lambda X, y: {"sample_weight": -np.ones(len(y))}, "at least 0"),
        (lambda X, y: {"sample_weight": [1.0]}, "for each row"),
    ],
)
def test_wrong_tables_are_refused(change, message):
    model, X, y = numbers()
    with pytest.raises(ValueError, match=message):
        Report(**{"estimator": model, "X": X, "y": y, **change(X, y)})


def test_labels_that_the_model_does_not_know_are_refused():
    model, X, y = classes()
    with pytest.raises(ValueError, match="'purple', which the model has not learned"):
        Report(model, X, np.where(y == "red", "purple", y))


def test_a_column_of_any_kind_is_read():
    rows = [[1, "a", None, True], [2.5, None, 3, False]]
    table = np.array(rows, dtype=object)
    columns = [column_of(table, j) for j in range(4)]
    assert [column.is_number for column in columns] == [True, False, True, False]
    assert [column.cell(0) for column in columns] == ["1", "a", "missing", "True"]
    assert [column.cell(1) for column in columns] == ["2.5", "missing", "3", "False"]
    assert not Column(np.array(["2020-01-01"], dtype="M8[D]")).is_number


def test_rows_of_polars_frames_are_taken():
    polars = pytest.importorskip("polars")
    table = take(polars.DataFrame({"a": [1, 2, 3], "b": ["x", "y", None]}), np.array([2, 0]))
    assert column_of(table, 0).values.tolist() == [3, 1]
    assert column_of(table, 1).cell(0) == "missing"


def test_lists_of_rows_are_tables():
    X, y = numbers()[1:]
    model = SFPRegressor(3, random_state=0).fit(X.tolist(), y.tolist())
    content = Report(model, X.tolist(), y.tolist(), scores={}).to_dict()
    assert content["data"]["rows"] == len(y)
    assert content["clusters"]["features"][0]["name"] in {"x0", "x1", "x2", "x3"}


@pytest.mark.parametrize("by_name", [True, False])
def test_columns_whose_names_begin_alike_are_told_apart(by_name):
    table = pd.DataFrame({"sex_m": [1.0, 2.0, 3.0], "sex": ["m", "f", "m"], "sex_f": [0, 1, 1]})
    numbers, categories = (["sex_m", "sex_f"], ["sex"]) if by_name else ([0, 2], [1])
    prepare = ColumnTransformer(
        [("num", StandardScaler(), numbers), ("cat", OneHotEncoder(), categories)]
    ).fit(table)
    names = prepare.get_feature_names_out().tolist()
    assert names == ["num__sex_m", "num__sex_f", "cat__sex_f", "cat__sex_m"]
    assert traced((prepare,), names, list(table)) == [0, 2, 1, 1]


def test_columns_that_are_dropped_passed_or_sliced_are_traced():
    table = pd.DataFrame(np.eye(4), columns=list("abcd"))
    parts = [("scale", StandardScaler(), slice(2, 4)), ("no", "drop", ["a"])]
    prepare = ColumnTransformer(parts, remainder="passthrough").fit(table)
    names = prepare.get_feature_names_out().tolist()
    assert traced((prepare,), names, list(table)) == [2, 3, 1]


CHOICES = [["sex"], "sex", ("sex",), slice(1, 2), slice("sex", "sex"), [False, True, False], [1]]


@pytest.mark.parametrize("chosen", CHOICES, ids=str)
@pytest.mark.parametrize("more", [[], [StandardScaler()]])
def test_columns_may_be_chosen_in_any_way(chosen, more):
    table = pd.DataFrame({"sex_m": [1.0, 2.0, 3.0], "sex": ["m", "f", "m"], "sex_f": [0, 1, 1]})
    encode = CountVectorizer(token_pattern=".") if isinstance(chosen, str) else OneHotEncoder()
    parts = [("a", encode, chosen), ("b", StandardScaler(), ["sex_m", "sex_f"])]
    prepare = make_pipeline(ColumnTransformer(parts, sparse_threshold=0), *more).fit(table)
    names = prepare.get_feature_names_out().tolist()
    assert traced((prepare,), names, list(table)) == [1, 1, 0, 2]


def test_a_part_that_is_named_like_a_column_does_not_stand_for_it():
    table = pd.DataFrame(np.eye(4), columns=["age", "size", "c", "d"])
    parts = [("age", PCA(2), ["age", "size"]), ("rest", "passthrough", ["c"])]
    prepare = ColumnTransformer(parts).fit(table)
    names = prepare.get_feature_names_out().tolist()
    assert traced((prepare,), names, list(table)) == [-1, -1, 2]


def test_a_report_takes_columns_in_another_order_and_without_those_that_are_dropped():
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.standard_normal((60, 4)), columns=["a", "b", "c", "d"])
    y = np.where(table["a"] > 0, "yes", "no")
    prepare = ColumnTransformer([("n", StandardScaler(), [0, 1])])
    model = make_pipeline(prepare, SFPClassifier(2, refine=0, random_state=0)).fit(table, y)
    for given in (table[["a", "b"]], table.assign(e=1.0)):
        content = Report(model, given, y).to_dict()
        assert {each["name"] for each in content["clusters"]["features"]} == {"a", "b"}


@pytest.mark.parametrize("more", [[], [StandardScaler()]])
def test_a_report_takes_a_table_without_the_names_of_the_fit(more):
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.standard_normal((60, 3)), columns=["a", "b", "c"])
    y = np.where(table["a"] > 0, "yes", "no")
    prepare = ColumnTransformer([("n", StandardScaler(), [2, 0])])
    model = make_pipeline(prepare, *more, SFPClassifier(2, refine=0, random_state=0)).fit(table, y)
    content = Report(model, table.to_numpy(), y).to_dict()
    assert len(content["clusters"]["features"]) == 2


def test_parts_that_do_not_name_what_they_make_are_taken():
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.standard_normal((60, 3)), columns=["a", "b", "c"])
    y = np.where(table["a"] > 0, "yes", "no")
    parts = [("f", FunctionTransformer(np.exp, feature_names_out=None), ["a"])]
    prepare = ColumnTransformer(parts, remainder="passthrough")
    model = make_pipeline(prepare, StandardScaler(), SFPClassifier(2, refine=0, random_state=0))
    content = Report(model.fit(table, y), table, y).to_dict()
    assert len(content["clusters"]["features"]) == 3
