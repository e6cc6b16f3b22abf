"""OneHotEncoder as a graph: skl2onnx's own knows nothing of rare categories that share a column.

Columns of the output belong to one feature each, so the features of a row add up:
base + sum_c Delta_c[category of c]. The encoder itself tells all these, row by row.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.onnx.graph import Graph, element_type_of, library

# Text that is no category of anyone; a number that is none is found.
STRANGER = "\0"

Array = NDArray[np.float64]


def shape_encoder(operator: Any) -> None:
    """Say that there are as many columns as the encoder makes."""
    encoder, types = operator.raw_operator, library("skl2onnx.common.data_types")
    shape = [operator.inputs[0].get_first_dimension(), len(encoder.get_feature_names_out())]
    operator.outputs[0].type = types.FloatTensorType(shape)


def convert_encoder(scope: Any, operator: Any, container: Any) -> None:
    """Write nodes that find the category of each feature, and add up what each stands for."""
    graph, encoder, (output,) = Graph(scope, container), operator.raw_operator, operator.outputs
    columns = _columns(graph, operator)
    strict = encoder.handle_unknown == "error"
    parts = [
        _indicators(graph, column, known, strict)
        for column, known in zip(columns, encoder.categories_, strict=True)
    ]
    indicators = parts[0] if len(parts) == 1 else graph.node("Concat", *parts, axis=1)
    base, deltas = _contributions(encoder, strict)
    total = graph.node("MatMul", indicators, graph.constant(deltas))
    total = graph.node("Add", total, graph.constant(base))
    graph.cast(total, element_type_of(output), into=output.full_name)


def _columns(graph: Graph, operator: Any) -> list[str]:
    """Write the columns of all inputs, one by one."""
    columns = []
    for variable in operator.inputs:
        for place in range(variable.get_second_dimension()):
            only = graph.constant(np.array([place]))
            columns.append(graph.node("Gather", variable.full_name, only, axis=1))
    return columns


def _indicators(graph: Graph, column: str, known: NDArray[Any], strict: bool) -> str:
    """Write 1 where a column is a category, (n, categories); strict ones refuse others."""
    types = library("onnx").TensorProto
    settings: dict[str, Any] = {"cats_strings": _as_words(known)}
    if known.dtype.kind in "iufb":
        column, settings = graph.cast(column, types.INT64), {"cats_int64s": _as_whole(known)}
    found = graph.node(
        "OneHotEncoder", column, op_domain="ai.onnx.ml", zeros=int(not strict), **settings
    )
    flat = graph.node("Reshape", found, graph.constant(np.array([0, len(known)])))
    return graph.cast(flat, types.DOUBLE)


def _contributions(encoder: Any, strict: bool) -> tuple[Array, Array]:
    """Return the features of a row of strangers, and what each category adds to them.

    Where strangers are refused, a row of first categories takes their place.
    """
    known = encoder.categories_
    start = [each[0] if strict else _stranger(each) for each in known]
    rows = np.array([start] * (1 + sum(map(len, known))), dtype=object)
    first = 1
    for place, each in enumerate(known):
        rows[first : first + len(each), place] = each
        first += len(each)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rows without names, and of strangers
        made = encoder.transform(rows)
    features = np.asarray(made.toarray() if hasattr(made, "toarray") else made, np.float64)
    return features[:1], features[1:] - features[:1]


def _stranger(known: NDArray[Any]) -> Any:
    """Return what is none of the categories."""
    return known.max() + 1 if known.dtype.kind in "iufb" else STRANGER


def _as_words(known: NDArray[Any]) -> list[str]:
    """Return categories of text, a missing one being empty, as it is in tensors."""
    return [word if isinstance(word, str) else "" for word in known]


def _as_whole(known: NDArray[Any]) -> list[int]:
    """Return categories that are whole numbers."""
    if not np.array_equal(known, np.floor(known)):
        raise NotImplementedError(
            "A OneHotEncoder of numbers that are not whole cannot be converted to ONNX; scale them."
        )
    return [int(number) for number in known]
