"""Pipelines are converted as a whole, and what cannot be is refused in one sentence."""

import sys

import numpy as np
import onnx
import pandas as pd
import pytest
import skl2onnx
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, RobustScaler, StandardScaler

from sfplearn import (
    SFPClassifier,
    SFPClusterer,
    SFPRegressor,
    SFPSearchCV,
    TameTails,
    WeighFeatures,
    __version__,
    to_onnx,
)
from sfplearn.estimators.gaps import FillCategories
from sfplearn.onnx import register_converters
from tests.conftest import three_blobs
from tests.core.losses import Brier, log_cosh
from tests.onnx.running import assert_same_answers, run

X, CODES = three_blobs(120)
FEW = {"n_clusters": 6, "max_iter": 10, "tol": 0, "random_state": 0}
FRAME = pd.DataFrame(X, columns=["a", "b", "c d", "e"]).assign(
    kind=np.array(["x", "y", "é"])[CODES], size=(10 * X[:, 0]).astype(int)
)
LETTERS = np.array(list("ppppqqqrrstuv"))[np.arange(len(X)) % 13]
SIZES = ["a", "b", "c d", "e"]


@pytest.fixture(scope="module")
def model():
    return SFPClassifier(**FEW).fit(X, CODES)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("scaler", [StandardScaler, RobustScaler])
def test_a_pipeline_with_a_scaler_says_the_same(scaler, precision):
    rows = (5.0 * X + 1000.0).astype(precision)
    for last, y in ((SFPClassifier(**FEW), CODES), (SFPRegressor(**FEW), X[:, 0])):
        assert_same_answers(make_pipeline(scaler(), last).fit(rows, y), rows)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_a_pipeline_that_tames_tails_says_the_same(precision):
    rows = np.column_stack([np.exp(3.0 * X[:, 0]), X[:, 1:], np.arange(len(X)) % 9 == 0])
    rows[::20, 1] = 9999.0
    rows[::50, -1] = 7.0
    rows = rows.astype(precision)
    model = make_pipeline(TameTails(), StandardScaler(), SFPClassifier(**FEW)).fit(rows, CODES)
    assert model[0].is_heavy_.sum() >= 2
    assert not model[0].is_heavy_.all()
    assert_same_answers(model, np.concatenate([rows, 3 * rows - 1, rows / 2]).astype(precision))


def test_gaps_in_heavy_tails_stay_where_they_are():
    rows = np.column_stack([np.exp(3.0 * X[:, 0]), X[:, 1:]])
    rows[::7, 0] = np.nan
    rows[::5, 1] = np.nan
    steps = TameTails(), SimpleImputer(), StandardScaler(), SFPClassifier(**FEW)
    model = make_pipeline(*steps).fit(rows, CODES)
    assert model[0].is_heavy_[0]
    assert_same_answers(model, rows)


def test_a_pipeline_without_heavy_tails_says_the_same():
    model = make_pipeline(TameTails(), SFPClassifier(**FEW)).fit(X, CODES)
    assert not model[0].is_heavy_.any()
    assert_same_answers(model, X)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_a_pipeline_that_weighs_features_says_the_same(precision):
    rows = X.astype(precision)
    weigh = WeighFeatures(SFPClassifier(**FEW))
    assert_same_answers(make_pipeline(weigh, SFPClassifier(**FEW)).fit(rows, CODES), rows)


def test_a_pipeline_with_an_imputer_takes_missing_cells():
    rows = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    model = make_pipeline(SimpleImputer(), StandardScaler(), SFPClassifier(**FEW))
    assert_same_answers(model.fit(rows, CODES), rows)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("sparse", [True, False])
def test_a_pipeline_of_mixed_columns_says_the_same(sparse, precision):
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), SIZES),
            ("words", OneHotEncoder(handle_unknown="ignore", sparse_output=sparse), ["kind"]),
        ]
    )
    frame = FRAME.drop(columns="size").astype(dict.fromkeys(SIZES, precision))
    names = FRAME["kind"].to_numpy()
    model = make_pipeline(columns, SFPClassifier(**FEW)).fit(frame, names)
    assert_same_answers(model, frame)


def with_gaps(frame, step):
    return frame.mask(np.arange(frame.size).reshape(frame.shape) % step == 0)


@pytest.mark.parametrize("fill", [SimpleImputer, FillCategories])
@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_a_pipeline_that_fills_gaps_says_the_same(precision, fill):
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    spread = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=3, sparse_output=False
    )
    words = make_pipeline(fill(strategy="most_frequent"), spread)
    columns = ColumnTransformer([("numbers", numbers, SIZES), ("words", words, ["kind", "other"])])
    columns.set_output(transform="pandas")
    frame = FRAME[[*SIZES, "kind"]].assign(other=LETTERS)
    frame = with_gaps(frame, 7).astype(dict.fromkeys(SIZES, precision))
    model = make_pipeline(columns, SFPClassifier(**FEW)).fit(frame, CODES)
    new = frame.assign(other=np.roll(LETTERS, 1))
    new.loc[3, "other"] = "never seen"
    assert_same_answers(model, frame)
    assert_same_answers(model, new)


ENCODERS = {
    "ignore": {"handle_unknown": "ignore"},
    "rare": {"handle_unknown": "infrequent_if_exist", "min_frequency": 15},
    "none rare": {"handle_unknown": "infrequent_if_exist", "max_categories": 20},
    "first dropped": {"drop": "first", "handle_unknown": "ignore"},
    "rare and dropped": {
        "drop": "first",
        "handle_unknown": "infrequent_if_exist",
        "min_frequency": 15,
    },
}


@pytest.mark.filterwarnings("ignore:Found unknown categories")
@pytest.mark.parametrize("kind", ENCODERS)
def test_categories_are_spread_out_as_scikit_learn_does(kind):
    frame = pd.DataFrame(
        {"word": LETTERS, "number": np.arange(len(X)) % 5, "gap": LETTERS, "size": X[:, 0]}
    )
    frame.loc[::9, "gap"] = np.nan
    columns = ColumnTransformer(
        [("words", OneHotEncoder(**ENCODERS[kind]), ["word", "number", "gap"])],
        remainder="passthrough",
    )
    model = make_pipeline(columns, SFPClassifier(**FEW)).fit(frame, CODES)
    new = frame.assign(word=np.roll(LETTERS, 1), number=np.roll(frame["number"], 2) - 1)
    new.loc[5:8, "word"] = "never seen"
    assert_same_answers(model, frame)
    assert_same_answers(model, new)


def test_an_unknown_category_fails_where_the_encoder_would():
    frame = FRAME[["kind", "a"]]
    columns = ColumnTransformer([("words", OneHotEncoder(), ["kind"])], remainder="passthrough")
    model = make_pipeline(columns, SFPClassifier(**FEW)).fit(frame, CODES)
    assert_same_answers(model, frame)
    with pytest.raises(Exception, match="Unknown Category"):
        run(to_onnx(model, frame), frame.assign(kind="never seen"))


@pytest.mark.parametrize("gap", [np.nan, -1.0])
def test_gaps_of_any_kind_are_filled(gap):
    rows = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, gap, X)
    imputer = SimpleImputer(missing_values=gap, strategy="constant", fill_value=1e7)
    model = make_pipeline(imputer, SFPClassifier(**FEW))
    assert_same_answers(model.fit(rows, CODES), rows)


def test_a_frame_of_numbers_has_an_input_for_each_column():
    frame = FRAME[SIZES]
    for model in (SFPClassifier(**FEW), make_pipeline(StandardScaler(), SFPClassifier(**FEW))):
        assert_same_answers(model.fit(frame, CODES), frame)
        assert [i.name for i in to_onnx(model, frame).graph.input] == ["a", "b", "c_d", "e"]


def test_a_pipeline_in_a_pipeline_says_the_same():
    inner = make_pipeline(StandardScaler(), SFPClassifier(**FEW))
    assert_same_answers(make_pipeline(RobustScaler(), inner).fit(X, CODES), X)


def test_whole_numbers_are_an_input_too():
    rows = np.round(10 * X).astype(np.int64)
    assert_same_answers(SFPClassifier(**FEW).fit(rows, CODES), rows)


def test_without_rows_the_input_is_a_table_in_single_precision(model):
    graph = to_onnx(model)
    assert graph.SerializeToString() == to_onnx(model, X.astype(np.float32)).SerializeToString()
    (table,) = graph.graph.input
    assert table.type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    found = run(graph, X.astype(np.float32))
    assert found["probabilities"].dtype == np.float32
    assert_array_equal(found["label"], model.predict(X))


def test_answers_have_the_precision_of_the_input(model):
    assert run(to_onnx(model, X), X)["probabilities"].dtype == np.float64


def test_a_graph_is_valid_and_says_who_made_it(model):
    graph = to_onnx(model, X)
    onnx.checker.check_model(graph, full_check=True)
    assert (graph.producer_name, graph.producer_version) == ("sfplearn", __version__)
    assert graph.graph.name == "SFPClassifier"


@pytest.mark.parametrize("opset", [13, 18])
def test_older_operators_may_be_asked_for(model, opset):
    graph = to_onnx(model, X, target_opset=opset)
    (main,) = [entry.version for entry in graph.opset_import if entry.domain == ""]
    assert main <= opset
    assert_allclose(run(graph, X)["probabilities"], model.predict_proba(X), atol=1e-5)


def test_probabilities_come_in_dictionaries_if_that_is_asked_for(model):
    label, rows = run(to_onnx(model, X, zipmap=True), X).values()
    assert_array_equal(label, model.predict(X))
    got = [[row[name] for name in model.classes_] for row in rows]
    assert_allclose(got, model.predict_proba(X), atol=1e-5)


def test_probabilities_come_in_columns_if_that_is_asked_for():
    model = SFPClassifier(**FEW).fit(X, FRAME["kind"])
    label, *columns = run(to_onnx(model, X, zipmap="columns"), X).values()
    assert_array_equal(label, model.predict(X))
    assert_allclose(np.column_stack(columns), model.predict_proba(X), atol=1e-5)


def test_skl2onnx_converts_our_estimators_once_they_are_registered(model):
    register_converters()
    register_converters()
    whole = make_pipeline(StandardScaler(), model)
    whole[0].fit(X)
    graph = skl2onnx.to_onnx(whole, X, options={id(model): {"zipmap": False, "nocl": True}})
    assert_allclose(run(graph, X)["probabilities"], whole.predict_proba(X), atol=1e-5)


REFUSED = {
    "linear experts": (
        lambda: SFPClassifier(expert="linear", refine=0, **FEW).fit(X, CODES),
        r"^Linear experts cannot be converted",
    ),
    "a linear regression": (
        lambda: SFPRegressor(expert="linear", **FEW).fit(X, X[:, 0]),
        r"^Linear experts cannot be converted",
    ),
    "a kernel": (
        lambda: SFPClassifier(divergence="kernel", refine=0, **FEW).fit(X, CODES),
        r"^Kernels cannot be converted",
    ),
    "missing cells": (
        lambda: SFPClassifier(allow_nan=True, **FEW).fit(X, CODES),
        r"^Rows with missing cells cannot be converted",
    ),
    "a loss of one's own": (
        lambda: SFPClassifier(loss=Brier(), **FEW).fit(X, CODES),
        r"^Brier\(\) cannot be converted",
    ),
    "a function": (
        lambda: SFPRegressor(loss=log_cosh, **FEW).fit(X, X[:, 0]),
        r"^FunctionLoss\(.*\) cannot be converted",
    ),
    "clusters": (lambda: SFPClusterer(**FEW).fit(X), r"got SFPClusterer\.$"),
    "a search": (
        lambda: SFPSearchCV(space=[{"n_clusters": 2}], cv=2, random_state=0).fit(X, CODES),
        r"got SFPSearchCV\.$",
    ),
    "gaps as columns": (
        lambda: make_pipeline(SimpleImputer(add_indicator=True), SFPClassifier(**FEW)).fit(
            X, CODES
        ),
        r"A SimpleImputer that adds columns or leaves some out cannot be converted",
    ),
    "another model": (
        lambda: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, CODES),
        r"got LogisticRegression\.$",
    ),
    "a step that skl2onnx does not know": (
        lambda: make_pipeline(FunctionTransformer(np.arctan), SFPClassifier(**FEW)).fit(X, CODES),
        r"^skl2onnx cannot convert this model",
    ),
    "a choice of columns by name": (
        lambda: make_pipeline(
            ColumnTransformer([("n", StandardScaler(), SIZES)]), SFPClassifier(**FEW)
        ).fit(FRAME, CODES),
        r"^skl2onnx cannot convert this model .* give a data frame as X",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_converted_is_refused_in_one_sentence(kind):
    make, message = REFUSED[kind]
    with pytest.raises(NotImplementedError, match=message) as caught:
        to_onnx(make())
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_skl2onnx_refuses_it_in_the_same_words():
    register_converters()
    linear = SFPClassifier(expert="linear", refine=0, **FEW).fit(X, CODES)
    with pytest.raises(NotImplementedError, match="Linear experts cannot be converted"):
        skl2onnx.to_onnx(linear, X)


def test_complete_rows_of_a_model_that_knew_gaps_are_converted():
    gaps = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
    model = SFPClassifier(allow_nan=True, **FEW).fit(gaps, CODES)
    assert_same_answers(model.set_params(allow_nan=False), X)


def test_rows_of_another_shape_are_refused(model):
    for rows in (X[:, :2], X[0]):
        with pytest.raises(ValueError, match=r"^X must have a row for each case and 4 columns"):
            to_onnx(model, rows)
    with pytest.raises(ValueError, match=r"^X must have 4 columns; got 2\.$"):
        to_onnx(model, FRAME[["a", "b"]])
    named = SFPClassifier(**FEW).fit(FRAME[SIZES], CODES)
    with pytest.raises(ValueError, match=r"^X must have the columns of the fit, \['a', 'b', 'c d'"):
        to_onnx(named, FRAME[SIZES[::-1]])


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        to_onnx(SFPClassifier(), X)


def test_the_extra_is_named_where_it_is_missing(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    with pytest.raises(ImportError, match=r"pip install \"sfplearn\[onnx\]\"$"):
        to_onnx(model)


@pytest.mark.parametrize("chosen", [True, False], ids=["by a part", "all"])
def test_whole_numbers_beside_fractions_become_inputs_of_their_precision(chosen):
    rows, labels = three_blobs(60)
    frame = pd.DataFrame(rows[:, :2], columns=["a", "b"]).assign(days=np.arange(60) % 7)
    scale = make_pipeline(SimpleImputer(), StandardScaler())
    step = ColumnTransformer([("n", scale, ["days", "a", "b"])]) if chosen else scale
    piped = make_pipeline(step, SFPClassifier(3, random_state=0)).fit(frame, labels)
    found = run(to_onnx(piped, frame), frame.astype(np.float64))
    assert_allclose(found["probabilities"], piped.predict_proba(frame), atol=1e-5)
