"""The pass over a block of rows, compiled where it was built and in NumPy elsewhere.

    objective ──> kernel ──┬── dense rows  ──> fused      one tile at a time, compiled
                           └── sparse rows ──> reference  NumPy and SciPy; also dense rows
                                               where no compiled pass was built

The kernel knows neither losses nor divergences: costs reach it as coefficients of x and x^2
and a table over labels, and it returns the sums that go with them.
"""

from types import ModuleType
from typing import Any

import scipy.sparse as sp

from sfplearn.core.kernel import reference

try:
    from sfplearn.core.kernel import fused
except ImportError:
    ENGINE = "NumPy reference"
    _dense: ModuleType = reference
else:
    ENGINE = f"compiled ({fused.INSTRUCTIONS})"
    _dense = fused

costs = reference.costs


def summarize(X: Any, *block_and_coefficients: Any) -> Any:
    """Sums of a block; see `reference.summarize`."""
    return _engine(X).summarize(X, *block_and_coefficients)


def memberships(X: Any, *block_and_coefficients: Any) -> Any:
    """Memberships of a block; see `reference.memberships`."""
    return _engine(X).memberships(X, *block_and_coefficients)


def uses_blas(X: Any) -> bool:
    """Tell whether a pass over these rows is left to BLAS, and so to its threads."""
    return _engine(X) is reference and not sp.issparse(X)


def _engine(X: Any) -> ModuleType:
    return reference if sp.issparse(X) or X.size == 0 else _dense
