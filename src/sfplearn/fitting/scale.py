"""How far apart rows are: the unit in which hyperparameters are given."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sfplearn.core import Rows

# Deviations below this many roundings of the mean are rounding themselves.
CONSTANT = 8


class Spread(NamedTuple):
    """Location and scale of weighted rows, over the cells that are known."""

    weight: float
    """Total weight of the rows."""
    variance: float
    """Mean variance of the features that are not constant; 1 where all are."""
    magnitude: float
    """Mean square of all cells relative to the origin: what rounding is relative to."""
    origin: NDArray[np.float64]
    """What to subtract before sums are taken: the mean in the precision of the rows, so that
    differences from it are exact; 0 for sparse rows."""
    variances: NDArray[np.float64]
    """Variance of each feature."""
    constant: NDArray[np.bool_]
    """Features that are constant up to rounding."""


def measure(source: Any) -> Spread:
    """Measure the spread of rows in two passes: raw second moments would lose all digits."""
    weight, seen, total, dtype = source.map_reduce(_first_moment, _add)
    seen = np.where(seen > 0, seen, 1.0)
    mean = total / seen
    origin = np.zeros_like(mean) if dtype is None else mean.astype(dtype).astype(np.float64)
    first, second = source.relative_to(origin).map_reduce(_both_moments, np.add) / seen
    eps = CONSTANT * float(np.finfo(dtype or np.float64).eps)
    noise = (eps * mean) ** 2 + eps * first * first
    variances = second - first * first
    constant = ~(variances > noise)
    variance = float(variances[~constant].mean()) if not constant.all() else 1.0
    return Spread(
        weight=weight,
        variance=variance,
        magnitude=float(np.mean(second)),
        origin=origin,
        variances=np.maximum(variances, 0.0),
        constant=constant,
    )


def _first_moment(rows: Rows) -> tuple[float, Any, NDArray[np.float64], Any]:
    """Weight, weight of the known cells, their weighted sum, and the type of dense rows."""
    dtype = None if sp.issparse(rows.X) else rows.X.dtype
    weight = float(rows.weight.sum())
    seen = _weighted_sum(rows.weight, rows.observed()) if rows.missing else weight
    X = np.where(rows.observed(), rows.X, 0) if rows.missing else rows.X
    with np.errstate(over="ignore"):
        return weight, seen, _weighted_sum(rows.weight, X), dtype


def _both_moments(rows: Rows) -> NDArray[np.float64]:
    """Weighted sums of cells and of their squares relative to the origin, (2, p)."""
    sparse = sp.issparse(rows.X)
    x: Any = rows.X if sparse else rows.dense()
    with np.errstate(over="ignore"):  # what is too large shows in the result
        squares = x.multiply(x) if sparse else x * x
        return np.stack([_weighted_sum(rows.weight, x), _weighted_sum(rows.weight, squares)])


def _weighted_sum(weight: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
    """Sum of weighted rows; not by BLAS, whose threads linger and would disturb the passes."""
    return weight @ X if sp.issparse(X) else np.einsum("i,il->l", weight, X)


def _add(left: Any, right: Any) -> Any:
    return *(a + b for a, b in zip(left[:3], right[:3], strict=True)), left[3]
