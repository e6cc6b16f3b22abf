"""Models of numbers for a search to choose from: few clusters, refined, and others beside them."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from sfplearn.tuning.candidates import Candidate, Shape

# Rows that each cluster should have.
ROWS_A_CLUSTER = 3

# Clusters, gamma and pull of those that are refined; clusters and gamma of those that are not.
REFINE = 50
REFINED = tuple(product((4, 8, 16), (0.3, 1.0), (0.03, 0.1, 0.5)))
PLAIN = ((16, 0.1), (16, 0.3), (32, 0.3))

# Kernels around rows: kind, gamma times features, penalty.
LANDMARKS = 300
KERNELS = (
    ("rbf", 0.25, 0.1),
    ("rbf", 0.25, 1.0),
    ("rbf", 1.0, 0.1),
    ("rbf", 1.0, 1.0),
    ("laplacian", 0.3, 0.1),
    ("laplacian", 0.3, 1.0),
)
ONE_LINEAR = {"n_clusters": 1, "expert": "linear", "refine": 0}


def number_pool(shape: Shape, loss: Any) -> Iterator[Candidate]:
    """Yield models of numbers of all kinds that go with a loss, each once."""
    yield from readable_numbers(shape.n_rows)
    if loss != "squared_error":  # which linear experts need
        return
    yield ONE_LINEAR
    for kind, gamma, penalty in KERNELS if shape.is_complete else ():
        yield {
            **ONE_LINEAR, "divergence": "kernel", "n_landmarks": min(LANDMARKS, shape.n_rows),
            "kernel": kind, "kernel_params": {"gamma": gamma / shape.n_features},
            "expert_penalty": penalty,
        }  # fmt: skip


def readable_numbers(rows: int) -> list[Candidate]:
    """Return models of numbers with few clusters of plain features.

    >>> max(candidate["n_clusters"] for candidate in readable_numbers(60))
    20
    """
    most = max(1, rows // ROWS_A_CLUSTER)
    refined = [
        {"n_clusters": min(k, most), "gamma": gamma, "refine": REFINE, "refine_pull": pull}
        for k, gamma, pull in REFINED
    ]
    plain = [{"n_clusters": min(k, most), "gamma": gamma, "refine": 0} for k, gamma in PLAIN]
    return list({repr(candidate): candidate for candidate in refined + plain}.values())
