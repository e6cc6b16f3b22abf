"""TameTails as a graph: the lines between knots, each as far as a cell has come along it."""

from typing import Any

import numpy as np

from sfplearn.onnx.graph import Graph, element_type_of, number_type, rows_of


def shape_tails(operator: Any) -> None:
    """Say that there are as many columns as before."""
    shape = [operator.inputs[0].get_first_dimension(), operator.raw_operator.n_features_in_]
    operator.outputs[0].type = number_type(operator, shape)


def convert_tails(scope: Any, operator: Any, container: Any) -> None:
    """Write nodes that change columns with heavy tails."""
    graph, (output,), tame = Graph(scope, container), operator.outputs, operator.raw_operator
    rows, heavy = rows_of(graph, operator), np.flatnonzero(tame.is_heavy_)
    if len(heavy):
        chosen = graph.node("Gather", rows, graph.constant(heavy.astype(np.int64)), axis=1)
        changed = _along_curves(graph, chosen, tame.knots_, tame.normal_)
        # A product with ones and zeros puts them back among the others, which a mask keeps.
        places = np.eye(tame.n_features_in_)[heavy]
        kept = graph.node("Mul", rows, graph.constant(1.0 - places.sum(axis=0)[None]))
        back = graph.node("MatMul", changed, graph.constant(places))
        rows = graph.node("Add", kept, back)
    graph.cast(rows, element_type_of(output), into=output.full_name)


def _along_curves(graph: Graph, x: str, knots: Any, normal: Any) -> str:
    """Write what cells (n, h) become, given curves of shape (m, h)."""
    low, high = knots[:-1].T[None], knots[1:].T[None]
    column = graph.node("Reshape", x, graph.constant(np.array([-1, knots.shape[1], 1])))
    above = graph.node("Max", column, graph.constant(low))
    between = graph.node("Min", above, graph.constant(high))
    come = graph.node("Sub", between, graph.constant(low))
    share = graph.node("Div", come, graph.constant(np.where(high > low, high - low, 1.0)))
    rises = graph.constant(np.diff(normal, axis=0).T)
    risen = graph.node("Einsum", share, rises, equation="nhm,hm->nh")
    return graph.node("Add", risen, graph.constant(normal[:1]))
