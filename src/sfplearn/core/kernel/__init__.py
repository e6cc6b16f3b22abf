"""The pass over a block of rows, compiled where it was built and in NumPy elsewhere.

    objective ──> kernel ──┬── dense rows  ──> fused      one tile at a time, compiled
                           ├── sparse rows ──> reference  NumPy and SciPy; also dense rows
                           │                              where no compiled pass was built
                           └── dense rows with missing cells ──> masked  NumPy

The kernel knows neither losses nor divergences: costs reach it as `Coefficients` of x and x^2
and a table over labels, and it returns the sums that go with them.
"""

from types import ModuleType

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sfplearn.core.kernel import masked, reference
from sfplearn.core.kernel.coefficients import Coefficients, Sums
from sfplearn.core.state import Rows

try:
    from sfplearn.core.kernel import fused
except ImportError:
    ENGINE = "NumPy reference"
    _dense: ModuleType = reference
else:
    ENGINE = f"compiled ({fused.INSTRUCTIONS})"
    _dense = fused

__all__ = [
    "ENGINE",
    "Coefficients",
    "Sums",
    "costs",
    "gather",
    "memberships",
    "summarize",
    "uses_blas",
]


def costs(rows: Rows, coefficients: Coefficients) -> NDArray[np.floating]:
    """Return the costs of a block; see `reference.costs`."""
    return _engine(rows).costs(rows, coefficients)


def summarize(rows: Rows, coefficients: Coefficients) -> Sums:
    """Return the sums of a block; see `reference.summarize`."""
    return Sums(*_engine(rows).summarize(rows, coefficients))


def memberships(rows: Rows, coefficients: Coefficients) -> NDArray[np.floating]:
    """Return the memberships of a block; see `reference.memberships`."""
    return _engine(rows).memberships(rows, coefficients)


def gather(rows: Rows, coefficients: Coefficients, u: NDArray[np.floating]) -> Sums:
    """Return the sums of a block under given u (n, k), of any sign; see `reference.gather`."""
    return Sums(*_engine(rows).gather(rows, coefficients, u))


def uses_blas(rows: Rows) -> bool:
    """Tell whether a pass over these rows is left to BLAS, and so to its threads."""
    return _engine(rows) in (masked, reference) and not sp.issparse(rows.X)


def _engine(rows: Rows) -> ModuleType:
    if rows.missing:
        return masked
    return reference if sp.issparse(rows.X) or rows.X.size == 0 else _dense
