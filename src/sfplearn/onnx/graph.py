"""A graph in the making: nodes and constants, written one after the other."""

from importlib import import_module
from typing import Any

import numpy as np


class Graph:
    """Writes the nodes of one estimator into the graph that skl2onnx makes.

    Parameters
    ----------
    scope : Scope
        What gives names, as skl2onnx hands it to converters.
    container : ModelComponentContainer
        What takes nodes.
    """

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def node(self, kind: str, *inputs: str, into: str | None = None, **settings: Any) -> str:
        """Write a node and return the name of its first output."""
        outputs = [into or self._scope.get_unique_variable_name(kind.lower())]
        if kind == "TopK":  # which says where numbers were as well
            outputs.append(self._scope.get_unique_variable_name("places"))
        name = self._scope.get_unique_operator_name(kind)
        self._container.add_node(kind, list(inputs), outputs, name=name, **settings)
        return outputs[0]

    def constant(self, values: Any) -> str:
        """Write an array down and return its name."""
        array = np.asarray(values)
        name = self._scope.get_unique_variable_name("constant")
        text = array.dtype.kind in "OU"
        types = library("onnx").TensorProto
        kind = {"f": types.DOUBLE, "i": types.INT64}.get(array.dtype.kind, types.STRING)
        content = [str(word) for word in array.ravel()] if text else array.ravel()
        self._container.add_initializer(name, kind, list(array.shape), content)
        return name

    def cast(self, name: str, kind: int, into: str | None = None) -> str:
        """Write a node that turns numbers into others of some type."""
        return self.node("Cast", name, into=into, to=kind)


def rows_of(graph: Graph, operator: Any) -> str:
    """Write rows of all inputs side by side: text, or numbers in double precision."""
    parts = [variable.full_name for variable in operator.inputs]
    if not is_text(operator):
        parts = [graph.cast(part, library("onnx").TensorProto.DOUBLE) for part in parts]
    return parts[0] if len(parts) == 1 else graph.node("Concat", *parts, axis=1)


def is_text(operator: Any) -> bool:
    """Tell whether inputs are text."""
    kind = library("skl2onnx.common.data_types").StringTensorType
    return isinstance(operator.inputs[0].type, kind)


def number_type(operator: Any, shape: list[Any]) -> Any:
    """Return the type of numbers to give back: double precision for such an input, else single."""
    types = library("skl2onnx.common.data_types")
    double = any(isinstance(i.type, types.DoubleTensorType) for i in operator.inputs)
    return (types.DoubleTensorType if double else types.FloatTensorType)(shape)


def shape_as_before(operator: Any) -> None:
    """Say that a step gives back as many columns as it takes."""
    shape = [operator.inputs[0].get_first_dimension(), operator.raw_operator.n_features_in_]
    operator.outputs[0].type = number_type(operator, shape)


def element_type_of(variable: Any) -> int:
    """Return the type of the elements of a tensor, as ONNX numbers them."""
    return int(library("skl2onnx.common.data_types").guess_proto_type(variable.type))


def library(name: str) -> Any:
    """Return a library of the extra `onnx`, or a module of it, if it is installed."""
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(
            'ONNX graphs are made by skl2onnx: pip install "sfplearn[onnx]"'
        ) from None
