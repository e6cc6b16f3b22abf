"""The paper's model to the letter: its units, random starts, ten passes.

Only clusters that lose all their rows are put elsewhere, of which the paper does not speak.
"""

from collections.abc import Mapping
from typing import Any

from sfplearn.tuning import unbounded

DESCENT = {"scale": None, "init": "random", "n_init": 1, "max_iter": 10, "tol": 1e-3}
LITERAL = {**DESCENT, "refine": 0, "honest": False}


def strengths(bounded: Mapping[str, Any]) -> dict[str, float]:
    """Return alpha, gamma and lam of the paper's bounded alpha', gamma' and lam'.

    >>> strengths({"alpha": 0.5, "gamma": 0.8, "lam": 1.0})
    {'alpha': 1.0, 'gamma': 0.24999999999999994, 'lam': 0.0}
    """
    return {name: unbounded(bounded[name]) for name in ("alpha", "gamma", "lam")}
