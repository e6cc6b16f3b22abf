"""WeighFeatures as a graph: each column times its scale."""

from typing import Any

from sfplearn.onnx.graph import Graph, element_type_of, rows_of


def convert_weighing(scope: Any, operator: Any, container: Any) -> None:
    """Write a node that scales columns."""
    graph, (output,) = Graph(scope, container), operator.outputs
    scales = graph.constant(operator.raw_operator.scales_[None])
    scaled = graph.node("Mul", rows_of(graph, operator), scales)
    graph.cast(scaled, element_type_of(output), into=output.full_name)
