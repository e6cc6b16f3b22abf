"""What skl2onnx asks of us: the outputs and the nodes of an estimator.

All is computed in double precision, relative to the origin of the fit, whatever the type of the
input: distances are differences of squares. Answers are in the precision of the input.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.estimators import SFPClassifier, SFPRegressor
from sfplearn.onnx.checks import as_labels, check_convertible, loss_of, rule_of
from sfplearn.onnx.graph import Graph, element_type_of, library, number_type, rows_of

ALIASES = {SFPClassifier: "SfplearnSFPClassifier", SFPRegressor: "SfplearnSFPRegressor"}


def register_converters() -> None:
    """Make our estimators known to skl2onnx, for use inside larger pipelines.

    `to_onnx` does so by itself. `SFPClassifier` has skl2onnx's options `zipmap` and `nocl`.

    Examples
    --------
    >>> import numpy as np
    >>> import skl2onnx
    >>> from sfplearn import SFPRegressor
    >>> from sfplearn.onnx import register_converters
    >>> register_converters()
    >>> X = np.array([[0.0], [9.0]], dtype=np.float32)
    >>> graph = skl2onnx.to_onnx(SFPRegressor(2, random_state=0).fit(X, [1.0, 5.0]), X)
    >>> [output.name for output in graph.graph.output]
    ['variable']
    """
    register = library("skl2onnx").update_registered_converter
    register(
        SFPClassifier,
        ALIASES[SFPClassifier],
        _shape_classifier,
        _convert_classifier,
        options={"zipmap": [True, False, "columns"], "nocl": [True, False]},
    )
    register(SFPRegressor, ALIASES[SFPRegressor], _shape_regressor, _convert_regressor)


def _shape_classifier(operator: Any) -> None:
    """Say that the outputs are a label, and a number for each class."""
    types, estimator = library("skl2onnx.common.data_types"), operator.raw_operator
    check_convertible(estimator)
    labels, rows = _labels(operator), operator.inputs[0].get_first_dimension()
    kind = types.Int64TensorType if labels.dtype.kind == "i" else types.StringTensorType
    operator.outputs[0].type = kind([rows])
    operator.outputs[1].type = number_type(operator, [rows, len(labels)])
    if operator.scope_inst.get_options(estimator, {"zipmap": True})["zipmap"] is True:
        operator.outputs[1].type = types.FloatTensorType([rows, len(labels)])  # all it takes


def _shape_regressor(operator: Any) -> None:
    """Say that the output is a number for each target, or level of quantiles."""
    estimator = operator.raw_operator
    check_convertible(estimator)
    rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = number_type(operator, [rows, estimator.prototypes_.shape[1]])


def _convert_classifier(scope: Any, operator: Any, container: Any) -> None:
    """Write the nodes: memberships, mixed prototypes, what the loss makes of them, labels."""
    graph = Graph(scope, container)
    answer = _answer(graph, operator)
    label, numbers = (output.full_name for output in operator.outputs)
    codes = graph.node("ArgMax", answer, axis=1, keepdims=0)
    graph.node("Gather", graph.constant(_labels(operator)), codes, axis=0, into=label)
    graph.cast(answer, element_type_of(operator.outputs[1]), into=numbers)


def _convert_regressor(scope: Any, operator: Any, container: Any) -> None:
    """Write the nodes: memberships, mixed prototypes, and what the loss makes of them."""
    graph = Graph(scope, container)
    (output,) = operator.outputs
    graph.cast(_answer(graph, operator), element_type_of(output), into=output.full_name)


def _answer(graph: Graph, operator: Any) -> str:
    """Write what the loss makes of the mixed prototypes sum_j u_j z_j, in double precision."""
    estimator = operator.raw_operator
    u = _memberships(graph, estimator, rows_of(graph, operator))
    z = graph.node("MatMul", u, graph.constant(estimator.prototypes_))
    classes = len(getattr(estimator, "classes_", ()))
    return rule_of(estimator)(graph, z, loss_of(estimator), classes)


def _memberships(graph: Graph, estimator: Any, rows: str) -> str:
    """Write u_j, in proportion to exp(-d_j / gamma) with d_j = b_j + sum_l w_jl (x_l - v_jl)^2."""
    objective, params, origin = estimator._model(np.dtype(np.float64))
    form = objective.divergence.view(params.divergence)
    linear, square, constant = form.expand()
    slopes = -np.hstack([linear, square]).T / objective.gamma
    start = -(form.bias + constant.sum(axis=1)) / objective.gamma
    x = graph.node("Sub", rows, graph.constant(origin[None]))
    both = graph.node("Concat", x, graph.node("Mul", x, x), axis=1)
    products = graph.node("MatMul", both, graph.constant(slopes))
    return graph.node("Softmax", graph.node("Add", products, graph.constant(start)), axis=1)


def _labels(operator: Any) -> NDArray[Any]:
    """Return the labels of a classifier, or their places if skl2onnx is asked for these."""
    ask = library("skl2onnx.common.utils_classifier").get_label_classes
    return as_labels(np.asarray(ask(operator.scope_inst, operator.raw_operator)))
