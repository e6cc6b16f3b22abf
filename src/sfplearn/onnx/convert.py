"""A model, or a Pipeline that ends in one, as a whole ONNX graph."""

from importlib.metadata import version
from textwrap import shorten
from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, RobustScaler, StandardScaler

from sfplearn.estimators import SFPClassifier
from sfplearn.estimators.gaps import FillCategories
from sfplearn.estimators.tails import TameTails
from sfplearn.estimators.weighing import WeighFeatures
from sfplearn.onnx.checks import estimator_of, loss_of
from sfplearn.onnx.converters import register_converters
from sfplearn.onnx.encoding import convert_encoder, shape_encoder
from sfplearn.onnx.graph import library, shape_as_before
from sfplearn.onnx.imputing import convert_imputer, shape_imputer
from sfplearn.onnx.inputs import inputs_of
from sfplearn.onnx.tails import convert_tails
from sfplearn.onnx.weighing import convert_weighing

# Outputs of classifiers without probabilities; their types are those that are found.
SCORES = [("label", None), ("scores", None)]

# Steps that skl2onnx does not know, or does not convert as tables of people need them.
OUR_WAY = {
    "custom_shape_calculators": {
        SimpleImputer: shape_imputer,
        FillCategories: shape_imputer,
        OneHotEncoder: shape_encoder,
        TameTails: shape_as_before,
        WeighFeatures: shape_as_before,
    },
    "custom_conversion_functions": {
        SimpleImputer: convert_imputer,
        FillCategories: convert_imputer,
        OneHotEncoder: convert_encoder,
        TameTails: convert_tails,
        WeighFeatures: convert_weighing,
    },
}

# Characters that are shown of an error of another library.
LONGEST_REASON = 200


def to_onnx(
    model: Any, X: Any = None, *, zipmap: bool | str = False, target_opset: Any = None
) -> Any:
    """Return a fitted model as an ONNX graph, which runs without Python.

    Classifiers have the outputs `label` and `probabilities`, of a column for each of `classes_`.
    Losses that give no probabilities have `scores` instead: minus the loss of each class, so
    that the largest wins (with two classes, `decision_function` is the second less the first).
    Regressors have the output `variable`, with a column for each target or level of quantiles.
    It needs the extra `onnx`.

    Parameters
    ----------
    model : SFPClassifier, SFPRegressor or Pipeline that ends in one
        A fitted model with constant experts, any divergence but "kernel", and a loss of the
        library. skl2onnx must be able to convert the other steps of a Pipeline.
    X : array, data frame or None, default=None
        Some rows, which tell the inputs: one tensor `X` in the precision of an array, or a
        column for each of a data frame, where text that is missing is empty. None is a tensor
        in single precision.
    zipmap : bool or "columns", default=False
        Whether probabilities are a dictionary for each row, or an output for each class, as
        skl2onnx has them, in place of a tensor.
    target_opset : int, dict or None, default=None
        Version of the operators; None is the latest that skl2onnx was tested with.

    Returns
    -------
    graph : onnx.ModelProto
        The graph; `graph.SerializeToString()` is what a file holds.

    Examples
    --------
    >>> import numpy as np
    >>> from onnxruntime import InferenceSession
    >>> from sfplearn import SFPClassifier, to_onnx
    >>> model = SFPClassifier(2, random_state=0).fit([[0], [9]], ["a", "b"])
    >>> session = InferenceSession(to_onnx(model).SerializeToString())
    >>> labels, probabilities = session.run(None, {"X": np.array([[1], [8]], np.float32)})
    >>> labels.tolist(), probabilities.shape
    (['a', 'b'], (2, 2))
    """
    estimator = estimator_of(model)
    settings: dict[str, Any] = {
        "name": type(estimator).__name__,
        "initial_types": inputs_of(model, X),
        "options": _options(estimator, zipmap),
        "target_opset": target_opset,
    }
    if zipmap is False and _only_scores(estimator):
        settings["final_types"] = SCORES
    graph = _converted(model, settings)
    graph.producer_name, graph.producer_version = "sfplearn", version("sfplearn")
    return graph


def _converted(model: Any, settings: dict[str, Any]) -> Any:
    """Return what skl2onnx makes of a model, or say in one sentence why it does not."""
    register_converters()
    try:
        return library("skl2onnx").convert_sklearn(model, **settings, **OUR_WAY)
    except Exception as error:  # of other steps: the estimator has been looked at
        reason = shorten(f"{type(error).__name__}: {error}", LONGEST_REASON)
        raise NotImplementedError(
            f"skl2onnx cannot convert this model for such inputs ({reason}); give a data frame as "
            "X if steps choose columns by name, or replace the step."
        ) from error


def _only_scores(estimator: Any) -> bool:
    """Tell whether a classifier gives no probabilities."""
    return isinstance(estimator, SFPClassifier) and not loss_of(estimator).gives_probabilities


def _options(estimator: Any, zipmap: bool | str) -> dict[Any, Any]:
    """Return settings of converters: scalers then subtract in double precision, as they do."""
    options: dict[Any, Any] = {kind: {"div": "div_cast"} for kind in (StandardScaler, RobustScaler)}
    if isinstance(estimator, SFPClassifier):
        options[id(estimator)] = {"zipmap": zipmap}
    return options
