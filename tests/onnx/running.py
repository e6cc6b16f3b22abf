"""Graphs, run by onnxruntime and compared with the models they were made of."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from onnxruntime import InferenceSession

from sfplearn import to_onnx

# What answers may differ by, in units of the largest.
CLOSE = 1e-5


def columns_of(X):
    """Return rows as a graph takes them: a table, or the columns of a frame."""
    if not hasattr(X, "columns"):
        return [X]
    return [_column(np.asarray(X[name])) for name in X.columns]


def _column(values):
    """Return a column as a tensor, in which text that is missing is empty."""
    if values.dtype.kind == "O":
        values = np.array([each if isinstance(each, str) else "" for each in values])
    return values[:, None]


def run(graph, X):
    """Return the outputs of a graph by name."""
    session = InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    inputs = [each.name for each in session.get_inputs()]
    fed = dict(zip(inputs, columns_of(X), strict=True))
    return dict(zip(names, session.run(names, fed), strict=True))


def assert_same_answers(model, X):
    """Compare all that a graph says of rows with what the model says."""
    found = run(to_onnx(model, X), X)
    if not hasattr(model, "classes_"):
        expected = model.predict(X)
        got = found["variable"]
        assert_allclose(got.reshape(expected.shape), expected, atol=CLOSE * np.abs(expected).max())
        return
    assert_array_equal(found["label"], model.predict(X))
    if hasattr(model, "predict_proba"):
        assert list(found) == ["label", "probabilities"]
        assert_allclose(found["probabilities"], model.predict_proba(X), atol=CLOSE)
        return
    assert list(found) == ["label", "scores"]
    scores, expected = found["scores"], model.decision_function(X)
    assert scores.shape == (len(X), len(model.classes_))
    got = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
    assert_allclose(got, expected, atol=CLOSE)
