"""Graphs say what models say, for every loss, divergence and precision."""

import numpy as np
import pytest

from sfplearn import CostMatrix, Quantile, SFPClassifier, SFPRegressor
from sfplearn.core import CLASSIFICATION_LOSSES, REGRESSION_LOSSES
from sfplearn.core.divergences import DIVERGENCES
from sfplearn.onnx.rules import CLASS_RULES, NUMBER_RULES
from tests.conftest import three_blobs
from tests.onnx.running import assert_same_answers

X, CODES = three_blobs(120)
RATES = np.exp(0.5 * X[:, 0] + 0.3 * X[:, 1])
COSTS = np.array([[0, 1, 4], [2, 0, 1], [1, 5, 0]])
NEW = three_blobs(50, seed=1)[0]
CONVERTED = [name for name in DIVERGENCES if name != "kernel"]
FEW = {"n_clusters": 6, "max_iter": 10, "tol": 0, "random_state": 0}

CLASSES = {**{name: name for name in CLASSIFICATION_LOSSES}, "costs": CostMatrix(COSTS)}
NUMBERS = {
    **{name: name for name in REGRESSION_LOSSES},
    "levels": Quantile([0.1, 0.9, 0.5]),
}


def test_every_loss_of_the_library_has_a_rule():
    assert set(CLASS_RULES) == {CostMatrix, *CLASSIFICATION_LOSSES.values()}
    assert set(NUMBER_RULES) == set(REGRESSION_LOSSES.values())


@pytest.mark.parametrize("refine", [0, 10])
@pytest.mark.parametrize("loss", CLASSES)
def test_classifiers_say_the_same_for_every_loss(loss, refine):
    model = SFPClassifier(loss=CLASSES[loss], refine=refine, **FEW).fit(X, CODES)
    assert_same_answers(model, NEW)
    assert_same_answers(model, NEW.astype(np.float32))


@pytest.mark.parametrize("loss", CLASSIFICATION_LOSSES)
def test_classifiers_of_two_classes_say_the_same(loss):
    assert_same_answers(SFPClassifier(loss=loss, **FEW).fit(X, CODES > 0), NEW)


@pytest.mark.parametrize("refine", [0, 10])
@pytest.mark.parametrize("loss", NUMBERS)
def test_regressors_say_the_same_for_every_loss(loss, refine):
    model = SFPRegressor(loss=NUMBERS[loss], refine=refine, **FEW).fit(X, RATES)
    assert_same_answers(model, NEW)
    assert_same_answers(model, NEW.astype(np.float32))


@pytest.mark.parametrize("refine", [0, 10])
@pytest.mark.parametrize("divergence", CONVERTED)
def test_models_say_the_same_for_every_divergence(divergence, refine):
    settings = {"divergence": divergence, "refine": refine, **FEW}
    assert_same_answers(SFPClassifier(**settings).fit(X, CODES), NEW)
    assert_same_answers(SFPRegressor(**settings).fit(X, RATES), NEW)


def test_regressors_of_several_targets_say_the_same():
    model = SFPRegressor(**FEW).fit(X, np.column_stack([RATES, 1000.0 - X[:, 2]]))
    assert_same_answers(model, NEW)


def test_quantiles_that_a_refinement_has_crossed_are_put_in_order():
    model = SFPRegressor(loss=Quantile([0.9, 0.1, 0.5]), **FEW).fit(X, RATES)
    model.prototypes_ = model.prototypes_[:, [1, 2, 0]]
    assert_same_answers(model, NEW)


@pytest.mark.parametrize("scale", ["auto", None])
@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_rows_far_from_zero_keep_their_digits(scale, precision):
    far = (X + np.array([1e4, -3e4, 0, 1e3])).astype(precision)
    model = SFPClassifier(gamma=0.1, scale=scale, **FEW).fit(far, CODES)
    assert_same_answers(model, far)


def test_rows_very_far_from_zero_keep_their_digits():
    far = X + 1e8
    assert_same_answers(SFPClassifier(**FEW).fit(far, CODES), far)
    assert_same_answers(SFPRegressor(**FEW).fit(far, RATES + 1e6), far)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["größe", "b", "a longer one"]),
        np.array(["c", "b", "a"], dtype=object),
        np.array([7, -2, 2**40]),
        np.array([1.0, 5.0, 3.0]),
        np.array([1, 0, 2], dtype=np.uint8),
    ],
    ids=["text", "objects", "integers", "floats", "bytes"],
)
def test_labels_come_back_as_they_were(labels):
    assert_same_answers(SFPClassifier(**FEW).fit(X, labels[CODES]), NEW)


def test_streams_are_converted():
    model = SFPClassifier(n_clusters=6, half_life=50, random_state=0)
    for start in range(0, len(X), 30):
        model.partial_fit(X[start : start + 30], CODES[start : start + 30], classes=[0, 1, 2])
    assert_same_answers(model, NEW)


def test_sparse_fits_are_converted():
    import scipy.sparse as sp

    model = SFPClassifier(**FEW).fit(sp.csr_array(X), CODES)
    assert_same_answers(model, NEW)
