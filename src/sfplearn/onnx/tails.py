"""TameTails as a graph: the lines between knots, each as far as a cell has come along it."""

from typing import Any

import numpy as np

from sfplearn.onnx.graph import Graph, element_type_of, rows_of


def convert_tails(scope: Any, operator: Any, container: Any) -> None:
    """Write nodes that keep cells within what was seen, and change heavy columns one by one."""
    graph, (output,), tame = Graph(scope, container), operator.outputs, operator.raw_operator
    least, largest = (graph.constant(end[None]) for end in tame.ends_)
    above = graph.node("Max", rows_of(graph, operator), least)
    rows, heavy = graph.node("Min", above, largest), np.flatnonzero(tame.is_heavy_)
    changed = [
        _along_curve(graph, _columns(graph, rows, [place]), knots, normal)
        for place, knots, normal in zip(heavy, tame.knots_.T, tame.normal_.T, strict=True)
    ]
    if changed:
        places = np.arange(tame.n_features_in_)
        places[heavy] = tame.n_features_in_ + np.arange(len(heavy))
        rows = _columns(graph, graph.node("Concat", rows, *changed, axis=1), places)
    graph.cast(rows, element_type_of(output), into=output.full_name)


def _columns(graph: Graph, rows: str, places: Any) -> str:
    """Write some columns of a table."""
    return graph.node("Gather", rows, graph.constant(np.asarray(places, np.int64)), axis=1)


def _along_curve(graph: Graph, x: str, knots: Any, normal: Any) -> str:
    """Write what the cells of a column (n, 1) become."""
    low, high = knots[None, :-1], knots[None, 1:]
    between = graph.node("Min", graph.node("Max", x, graph.constant(low)), graph.constant(high))
    come = graph.node("Sub", between, graph.constant(low))
    share = graph.node("Div", come, graph.constant(np.where(high > low, high - low, 1.0)))
    risen = graph.node("MatMul", share, graph.constant(np.diff(normal)[:, None]))
    return graph.node("Add", risen, graph.constant(normal[None, :1]))
