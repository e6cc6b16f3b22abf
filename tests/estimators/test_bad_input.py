"""Bad input gets one sentence that says what to do, and leaves the estimator as it was."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sfplearn import (
    CostMatrix,
    Huber,
    Quantile,
    SFPClassifier,
    SFPRegressor,
    SFPSelector,
    SFPTransformer,
)
from sfplearn.core import LogLoss
from tests.conftest import three_blobs

X, Y = three_blobs(30)


def with_cell(value):
    broken = X.copy()
    broken[3, 1] = value
    return broken


TEXT = pd.DataFrame({"colour": ["red", "blue"] * 15, "size": np.arange(30.0)})

DATES = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=30), "size": np.arange(30.0)})


class Narrow(LogLoss):
    def cost(self, y, z):
        return super().cost(y, z)[:, :1]


def returns_nan(y, z):
    return np.full((len(z), len(y)), np.nan)


def returns_a_row(y, z):
    return np.ones(len(y))


CASES = {
    "NaN": ({}, (with_cell(np.nan), Y), "contains NaN; fill or remove .*allow_nan=True"),
    "infinity": ({}, (with_cell(np.inf), Y), "contains infinity .*; fill or remove"),
    "one class": ({}, (X, np.zeros(30)), "one class only, .*needs at least two classes"),
    "k above rows": ({"n_clusters": 31}, (X, Y), "=31 is more than the 30 rows .* at most 30"),
    "k zero": ({"n_clusters": 0}, (X, Y), "n_clusters must be a whole number .* or 'auto'; got 0"),
    "k text": ({"n_clusters": "few"}, (X, Y), "n_clusters must be 'auto' or a whole number; got"),
    "gamma zero": ({"gamma": 0}, (X, Y), "gamma must be a number above 0 or 'auto'; got 0"),
    "gamma NaN": ({"gamma": np.nan}, (X, Y), "gamma must be a number above 0 or 'auto'; got nan"),
    "lam negative": ({"lam": -1.0}, (X, Y), "lam must be a number above 0 or 'auto'; got -1.0"),
    "alpha negative": (
        {"alpha": -0.1}, (X, Y), "alpha must be a number of at least 0 or 'auto'; got -0.1"
    ),
    "gamma text": ({"gamma": "wide"}, (X, Y), "gamma must be a number .* or 'auto'; got 'wide'"),
    "refine text": ({"refine": "much"}, (X, Y), "refine must be a whole .* or 'auto'; got 'much'"),
    "tol negative": ({"tol": -1}, (X, Y), "tol must be a number of at least 0"),
    "max_iter": ({"max_iter": 0}, (X, Y), "max_iter must be a whole number of at least 1; got 0"),
    "n_init": ({"n_init": "many"}, (X, Y), "n_init must be 'auto' or a whole number"),
    "scale": ({"scale": "big"}, (X, Y), "scale must be one of 'auto', None; got 'big'"),
    "loss": ({"loss": "huber"}, (X, Y), "loss must be one of 'log_loss', .*; got 'huber'"),
    "n_init with an array": ({"n_init": "many", "init": [0, 1, 2]}, (X, Y), "n_init must be"),
    "n_jobs": ({"n_jobs": 0}, (X, Y), "n_jobs must be None or a whole number other than 0"),
    "loss list": ({"loss": ["log_loss"]}, (X, Y), "loss must be one of .* or a Loss object"),
    "loss class": ({"loss": LogLoss}, (X, Y), "loss must be one of .* or a Loss object"),
    "loss of numbers": ({"loss": Huber()}, (X, Y), "is a loss of numbers; this .* classes"),
    "small cost matrix": (
        {"loss": CostMatrix(1 - np.eye(2))}, (X, Y), r"each of the 3 classes; got shape \(2, 2\)"
    ),
    "text for ranks": (
        {"loss": "ordinal"}, (X, np.array(["low", "mid", "top"])[Y]), "give ranks 0, 1, ... instead"
    ),
    "loss returns NaN": ({"loss": returns_nan}, (X, Y), "returned NaN; check its domain"),
    "loss returns a row": ({"loss": returns_a_row}, (X, Y), "must return a table of numbers"),
    "all unlabelled": ({"unlabeled": -1}, (X, -np.ones(30)), "Every row is unlabelled .*Clusterer"),
    "labelled rows weigh nothing": (
        {"unlabeled": -1}, (X, np.where(Y == 0, -1, Y), 1.0 * (Y == 0)), "No row with a weight"
    ),
    "several marks": ({"unlabeled": [0, 1]}, (X, Y), "unlabeled must be one label"),
    "one class labelled": ({"unlabeled": 0}, (X, np.minimum(Y, 1)), "one class only, 1"),
    "divergence": ({"divergence": "far"}, (X, Y), "divergence must be one of 'weighted"),
    "honest": ({"honest": "very"}, (X, Y), "honest must be True, False or 'auto'; got 'very'"),
    "sparse NaN": (
        {"allow_nan": True}, (sp.csr_array(with_cell(np.nan)), Y), "Sparse rows must not hold NaN"
    ),
    "ragged init": ({"n_clusters": 2, "init": [[1.0], [1.0, 2.0]]}, (X, Y), "equally long"),
    "negative class weight": ({"class_weight": {0: -1}}, (X, Y), "must not hold negative"),
    "no class weight": ({"class_weight": {0: 0, 1: 0, 2: 0}}, (X, Y), "zero for every row"),
    "too large": ({}, (X * 1e160, Y), "beyond the precision .* StandardScaler"),
    "too large in float32": ({}, ((X * 1e25).astype("f4"), Y), "beyond the precision"),
    "gamma underflows": ({"gamma": 1e-310}, (X, Y), "beyond the precision"),
    "alpha overflows": ({"alpha": 1e308}, (100 * X, Y), "beyond the precision"),
    "init": ({"init": "best"}, (X, Y), "init must be one of 'k-means[+][+]', .*; got 'best'"),
    "init rows": (
        {"n_clusters": 2, "init": [0, 30]}, (X, Y), "init must be .* 2 row indices between 0 and 29"
    ),
    "init shape": ({"n_clusters": 2, "init": X[:2, :3]}, (X, Y), r"centres of shape \(2, 4\)"),
    "negative weight": ({}, (X, Y, -np.ones(30)), "must not hold negative"),
    "zero weights": ({}, (X, Y, np.zeros(30)), "zero for every row"),
    "short weights": ({}, (X, Y, np.ones(3)), "one number for each of the 30 rows"),
    "missing weight": ({}, (X, Y, np.full(30, np.nan)), "must not hold negative or missing"),
    "no rows": ({}, (np.empty((0, 4)), np.empty(0)), "0 sample"),
    "no columns": ({}, (np.empty((30, 0)), Y), "0 feature"),
    "lengths": ({}, (X, Y[:-1]), "inconsistent numbers of samples"),
    "text": ({}, (TEXT, Y), "holds text .*OneHotEncoder"),
    "continuous labels": ({}, (X, X[:, 0]), "continuous"),
    "mixed labels": ({}, (X, np.array(["a", 1, 2] * 10, dtype=object)), "y mixes kinds of labels"),
    "dates": ({}, (DATES, Y), "X holds dates; turn them into numbers"),
    "alpha beyond floats": ({"alpha": 10**400}, (X, Y), "alpha must be a number"),
    "narrow cost table": ({"loss": Narrow()}, (X, Y), "must return a table of .* by 3 labels"),
    "class weight": ({"class_weight": "even"}, (X, Y), "class_weight"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])
def test_bad_input_gets_one_sentence_and_changes_nothing(case, fitted):
    settings, data, message = CASES[case]
    model = SFPClassifier(n_clusters=3, random_state=0)
    if fitted:
        model.fit(X[:, :2], Y)
    model.set_params(**settings)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message) as caught:
        model.fit(*data)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    own_words = ("lengths", "continuous labels", "class weight", "mixed labels")
    if case not in own_words:  # scikit-learn's own words
        assert "\n" not in str(caught.value)


NUMBERS = X[:, 0] - X[:, 0].min()

REGRESSION_CASES = {
    "negative counts": ({"loss": "poisson"}, (X, NUMBERS - 1), "needs counts: .*at least 0"),
    "no counts": ({"loss": "poisson"}, (X, 0 * NUMBERS), "needs counts: .*not all 0"),
    "outputs": ({"loss": "huber"}, (X, X[:, :2]), "2 outputs, which only loss='squared_error'"),
    "all unlabelled": ({}, (X, np.full(30, np.nan)), "Every row is unlabelled"),
    "labelled rows weigh nothing": (
        {}, (X, np.append(1.0, np.full(29, np.nan)), np.append(0.0, np.ones(29))), "No row with a"
    ),
    "infinite label": ({}, (X, np.append(np.inf, NUMBERS[1:])), "y contains infinity"),
    "no labels": ({}, (X, []), "sample"),
    "None": ({"unlabeled": None}, (X, [None, *NUMBERS[1:]]), "y holds None or NaN; set unlabeled"),
    "dates": ({}, (X, np.array(["2026-01-01"] * 30, "M8[D]")), "y holds dates"),
    "one text": ({}, (X, ["a", *NUMBERS[1:]]), "y must hold numbers; got 'a'"),
    "text": ({}, (X, np.array(["a"] * 30)), "y must hold numbers; got .*a.*Use SFPClassifier"),
    "NaN": ({"unlabeled": None}, (X, np.append(np.nan, NUMBERS[1:])), "y contains NaN"),
    "loss": ({"loss": "hinge"}, (X, NUMBERS), "loss must be one of 'squared_error', .*'hinge'"),
    "loss of classes": ({"loss": LogLoss()}, (X, NUMBERS), "is a loss of classes"),
    "cost matrix": ({"loss": CostMatrix([[0, 1], [1, 0]])}, (X, NUMBERS), "is a loss of classes"),
    "loss returns NaN": ({"loss": returns_nan}, (X, NUMBERS), "returned NaN"),
    "loss returns a row": ({"loss": returns_a_row}, (X, NUMBERS), "must return a table of numbers"),
}  # fmt: skip


@pytest.mark.parametrize("case", REGRESSION_CASES)
def test_bad_input_of_a_regressor_gets_one_sentence_and_changes_nothing(case):
    settings, data, message = REGRESSION_CASES[case]
    model = SFPRegressor(n_clusters=3, random_state=0).fit(X[:, :2], NUMBERS)
    model.set_params(**settings)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=message) as caught:
        model.fit(*data)
    assert all(vars(model)[name] is value for name, value in before.items())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Quantile(1.5), "levels must be numbers between 0 and 1; got 1.5"),
        (lambda: Quantile([]), "levels must be numbers"),
        (lambda: Quantile("a"), "levels must be numbers"),
        (lambda: Huber(delta=0), "delta must be a finite number above 0"),
        (lambda: LogLoss(smoothing=0), "smoothing must be a number above 0"),
        (lambda: CostMatrix([[0, 1]]), r"must be square, a row a class; got shape \(1, 2\)"),
        (lambda: CostMatrix([["a", "b"]]), "must be a square table of numbers"),
        (lambda: CostMatrix([[1, 0], [1, 0]]), "no wrong label may cost less than the right"),
        (lambda: SFPSelector(threshold=1.1).fit(X, Y), "threshold must be at most 1"),
        (lambda: SFPTransformer(output="all").fit(X), "output must be one of"),
        (lambda: SFPTransformer(task="guess").fit(X), "task must be one of 'auto', "),
        (
            lambda: SFPTransformer(output="memberships", with_labels=True).fit_transform(X, Y),
            "adds to distances",
        ),
    ],
)
def test_bad_settings_get_one_sentence(make, message):
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_wrong_number_of_features_in_predict():
    model = SFPClassifier(3, random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="X has 3 features, but SFPClassifier is expecting 4"):
        model.predict(X[:, :3])


def test_wrong_feature_names_in_predict():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = SFPClassifier(3, random_state=0).fit(frame, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_text_in_predict():
    model = SFPClassifier(3, random_state=0).fit(X[:, :2], Y)
    with pytest.raises(ValueError, match="holds text"):
        model.predict(TEXT.to_numpy())


def test_warm_start_needs_the_same_shape_and_classes():
    model = SFPClassifier(3, random_state=0, warm_start=True).fit(X, Y)
    with pytest.raises(ValueError, match="same number of clusters and features"):
        model.set_params(n_clusters=4).fit(X, Y)
    with pytest.raises(ValueError, match="needs the classes and the loss of the last fit"):
        model.set_params(n_clusters=3).fit(X, Y + 1)
    with pytest.raises(ValueError, match="needs the classes and the loss of the last fit"):
        model.set_params(loss="hinge").fit(X, Y)


def test_an_interrupted_fit_changes_nothing():
    model = SFPClassifier(3, random_state=0).fit(X, Y)
    centers = model.cluster_centers_

    def interrupt(X, y, n_clusters, random_state):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.set_params(init=interrupt).fit(X[:, :2], Y)
    assert model.cluster_centers_ is centers
    assert model.n_features_in_ == 4
