"""How far apart rows are: the unit in which hyperparameters are given."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sfplearn.core import Rows


class Spread(NamedTuple):
    """Location and scale of weighted rows."""

    weight: float
    """Total weight of the rows."""
    mean: NDArray[np.float64]
    """Mean of each feature."""
    variance: float
    """Mean variance of the features; 1 where all are constant."""
    origin: NDArray[np.float64]
    """What to subtract before sums are taken: the mean in the precision of the rows, so that
    differences from it are exact; 0 for sparse rows."""


def measure(source: Any) -> Spread:
    """Measure the spread of rows in two passes: raw second moments would lose all digits."""
    weight, total, dtype = source.map_reduce(_first_moment, _add)
    mean = total / weight
    origin = np.zeros_like(mean) if dtype is None else mean.astype(dtype).astype(np.float64)
    second = source.relative_to(origin).map_reduce(_second_moment, np.add)
    shift = mean - origin
    variance = float(np.mean(np.maximum(second / weight - shift * shift, 0.0)))
    return Spread(weight=weight, mean=mean, variance=variance or 1.0, origin=origin)


def _first_moment(rows: Rows) -> tuple[float, NDArray[np.float64], Any]:
    """Weight, weighted sum, and the type of dense rows."""
    dtype = None if sp.issparse(rows.X) else rows.X.dtype
    return float(rows.weight.sum()), _weighted_sum(rows.weight, rows.X), dtype


def _second_moment(rows: Rows) -> NDArray[np.float64]:
    if sp.issparse(rows.X):
        return _weighted_sum(rows.weight, rows.X.multiply(rows.X))
    x = rows.dense()
    return _weighted_sum(rows.weight, np.square(x, out=x))


def _weighted_sum(weight: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
    """Sum of weighted rows; not by BLAS, whose threads linger and would disturb the passes."""
    return weight @ X if sp.issparse(X) else np.einsum("i,il->l", weight, X)


def _add(left: Any, right: Any) -> Any:
    return left[0] + right[0], left[1] + right[1], left[2]
