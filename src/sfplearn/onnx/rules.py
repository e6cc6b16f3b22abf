"""From mixed prototypes to answers: what the losses do in `decide`, `scores` and `probabilities`.

A rule takes a graph, the name of the mixed prototypes z (n, d), the loss and the number of
classes, and returns the name of the answer. To convert a new loss, add a line to a registry.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from sfplearn.core.losses import (
    AbsoluteError,
    CostMatrix,
    Hinge,
    Huber,
    Logistic,
    LogLoss,
    Loss,
    Ordinal,
    Poisson,
    Quantile,
    SquaredError,
    SquaredHinge,
    ZeroOne,
)
from sfplearn.onnx.graph import Graph

Rule = Callable[[Graph, str, Any, int], str]


def itself(graph: Graph, z: str, loss: Loss, classes: int) -> str:
    """Take z as it is: probabilities of log-loss, votes, numbers of most losses."""
    return z


def logistic(graph: Graph, z: str, loss: Loss, classes: int) -> str:
    """Probabilities exp z_m / sum_m exp z_m."""
    return graph.node("Softmax", z, axis=1)


def zero_one(graph: Graph, z: str, loss: Loss, classes: int) -> str:
    """Scores z_m - 1."""
    return graph.node("Sub", z, graph.constant(np.ones(1)))


def hinge(graph: Graph, z: str, loss: Loss, classes: int) -> str:
    """Scores -sum_{m' != m} max(0, z_m' + 1/(M-1))."""
    margins = _margins(graph, z, classes)
    return _minus_those_of_others(graph, margins, classes)


def squared_hinge(graph: Graph, z: str, loss: Loss, classes: int) -> str:
    """Scores -sum_{m' != m} max(0, z_m' + 1/(M-1))^2."""
    margins = _margins(graph, z, classes)
    return _minus_those_of_others(graph, graph.node("Mul", margins, margins), classes)


def ordinal(graph: Graph, z: str, loss: Loss, classes: int) -> str:
    """Scores -|m - z| of ranks m."""
    ranks = graph.constant(np.arange(classes, dtype=np.float64)[None])
    return graph.node("Neg", graph.node("Abs", graph.node("Sub", ranks, z)))


def quantiles(graph: Graph, z: str, loss: Quantile, classes: int) -> str:
    """Numbers z in the order of the levels, which a refinement may have left."""
    levels = np.atleast_1d(loss.levels)
    if len(levels) == 1:
        return z
    count = graph.constant(np.array([len(levels)]))
    ordered = graph.node("TopK", z, count, axis=1, largest=0, sorted=1)
    rank = graph.constant(np.argsort(np.argsort(levels)))
    return graph.node("Gather", ordered, rank, axis=1)


def _margins(graph: Graph, z: str, classes: int) -> str:
    shift = graph.constant(np.array([1.0 / (classes - 1)]))
    return graph.node("Relu", graph.node("Add", z, shift))


def _minus_those_of_others(graph: Graph, margins: str, classes: int) -> str:
    return graph.node("MatMul", margins, graph.constant(np.eye(classes) - 1.0))


CLASS_RULES: dict[type[Loss], Rule] = {
    LogLoss: itself,
    Logistic: logistic,
    Hinge: hinge,
    SquaredHinge: squared_hinge,
    ZeroOne: zero_one,
    CostMatrix: itself,
    Ordinal: ordinal,
}

NUMBER_RULES: dict[type[Loss], Rule] = {
    SquaredError: itself,
    AbsoluteError: itself,
    Huber: itself,
    Quantile: quantiles,
    Poisson: itself,
}
