"""SimpleImputer as a graph: skl2onnx's own takes neither double precision nor gaps in text."""

from typing import Any

import numpy as np

from sfplearn.onnx.graph import Graph, element_type_of, is_text, library, number_type, rows_of

# A cell of text that is missing: tensors of text have nothing else for it.
NO_TEXT = ""


def shape_imputer(operator: Any) -> None:
    """Say that there are as many columns as before, text or numbers."""
    imputer, types = operator.raw_operator, library("skl2onnx.common.data_types")
    values, text = imputer.statistics_, is_text(operator)
    if imputer.add_indicator or (not text and np.isnan(values.astype(np.float64)).any()):
        raise NotImplementedError(
            "A SimpleImputer that adds columns or leaves some out cannot be converted to ONNX; set "
            "add_indicator=False and keep_empty_features=True."
        )
    shape = [operator.inputs[0].get_first_dimension(), len(values)]
    kind = types.StringTensorType(shape) if text else number_type(operator, shape)
    operator.outputs[0].type = kind


def convert_imputer(scope: Any, operator: Any, container: Any) -> None:
    """Write nodes that put statistics in the place of gaps."""
    graph, (output,) = Graph(scope, container), operator.outputs
    values, gap = operator.raw_operator.statistics_[None], operator.raw_operator.missing_values
    rows = rows_of(graph, operator)
    if is_text(operator):
        gaps = _is_word(graph, rows, gap if isinstance(gap, str) else NO_TEXT)
        graph.node("Where", gaps, graph.constant(values), rows, into=output.full_name)
        return
    is_nan = isinstance(gap, float) and np.isnan(gap)
    gaps = graph.node(*("IsNaN", rows) if is_nan else ("Equal", rows, graph.constant([float(gap)])))
    filled = graph.node("Where", gaps, graph.constant(values.astype(np.float64)), rows)
    graph.cast(filled, element_type_of(output), into=output.full_name)


def _is_word(graph: Graph, rows: str, word: str) -> str:
    """Write whether text is a word, also for older versions that cannot compare text."""
    found = graph.node(
        "LabelEncoder",
        rows,
        op_domain="ai.onnx.ml",
        op_version=2,
        keys_strings=[word],
        values_int64s=[1],
        default_int64=0,
    )
    return graph.cast(found, library("onnx").TensorProto.BOOL)
