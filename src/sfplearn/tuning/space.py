"""Where to search: the paper's grids over its bounded hyperparameters, by name, and our pool.

The paper searches alpha', gamma' and lam' in (0, 1), where alpha = (1 - alpha') / alpha' and so
on, and k between the number of classes M and the number of training rows n':

    full      k in {M + i (n' - M) / 4}, alpha', gamma', lam' in {0.05, 0.15, ..., 0.95}: 5000
    reduced   the same k and lam', gamma' in {0.55, ..., 0.95}, alpha' = gamma' / 2:       250
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from sfplearn.tuning.candidates import Candidate, Shape
from sfplearn.tuning.pool import broad_pool

# Steps of the paper's grid over k, and its values of bounded hyperparameters.
K_STEPS = 4
TENTHS = tuple(round(0.05 + 0.1 * i, 2) for i in range(10))
FUZZY_TENTHS = TENTHS[5:]

# Passes that the paper found enough in practice.
PAPER_PASSES = 10


def unbounded(bounded: Any) -> Any:
    """Return the paper's x = (1 - x') / x' for x' in (0, 1].

    >>> unbounded(0.5), unbounded(1.0)
    (1.0, 0.0)
    """
    return (1.0 - bounded) / bounded


def bounded(value: Any) -> Any:
    """Return the x' = 1 / (1 + x) of which x = (1 - x') / x'.

    >>> bounded(1.0)
    0.5
    """
    return 1.0 / (1.0 + value)


def cluster_counts(shape: Shape) -> list[int]:
    """Return the paper's k in {M + i (n' - M) / 4}, each once.

    >>> cluster_counts(Shape(n_rows=100, n_features=4, n_classes=4))
    [4, 28, 52, 76, 100]
    """
    least = min(shape.n_classes, shape.n_rows)
    steps = np.linspace(least, shape.n_rows, K_STEPS + 1)
    return sorted({int(k) for k in steps})


def full_grid(shape: Shape) -> Iterator[Candidate]:
    """Yield the paper's grid of 5000 candidates."""
    for k, a, g, w in product(cluster_counts(shape), TENTHS, TENTHS, TENTHS):
        yield paper_candidate(k, a, g, w)


def reduced_grid(shape: Shape) -> Iterator[Candidate]:
    """Yield the paper's grid of 250 candidates."""
    for k, g, w in product(cluster_counts(shape), FUZZY_TENTHS, TENTHS):
        yield paper_candidate(k, g / 2, g, w)


def paper_candidate(k: int, alpha: float, gamma: float, lam: float) -> Candidate:
    """Return the settings of bounded hyperparameters, in the units of the paper."""
    return {
        "n_clusters": k,
        "alpha": unbounded(alpha),
        "gamma": unbounded(gamma),
        "lam": unbounded(lam),
        "scale": None,
        "init": "random",
        "n_init": 1,
        "refine": 0,
        "honest": False,
        "max_iter": PAPER_PASSES,
        "tol": 1e-3,
    }


SPACES: dict[str, Callable[[Shape], Iterator[Candidate]]] = {
    "paper": full_grid,
    "reduced": reduced_grid,
    "broad": broad_pool,
}
