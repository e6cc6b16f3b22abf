"""What the kernel is told of the objective: how much a row costs in each cluster."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Sums(NamedTuple):
    """What a pass over a block returns. Targets are features here."""

    first: Any
    """Weighted sums of u x, of shape (k, p)."""
    second: Any
    """Weighted sums of u x^2, of shape (k, p)."""
    class_sums: Any
    """Weighted sums of u by label, of shape (k, labels)."""
    energy: float
    """Weighted sum of free energies."""
    seen: Any = None
    """Where cells are missing: see `masked`."""
    expected: Any = None
    """Where cells are missing: see `masked`."""


@dataclass(frozen=True)
class Coefficients:
    """Costs of a row x with label m, relative to the origin of the rows.

    cost_j = sum_l linear_jl x_l + sum_l square_jl x_l^2 + table_jm. Targets of a row, where it
    has any, are its last features.
    """

    linear: NDArray[np.float64]
    """Of shape (k, p)."""
    square: NDArray[np.float64]
    """Of shape (k, p)."""
    table: NDArray[np.float64]
    """Of shape (k, number of labels + 1); the last column is for rows without a label."""
    gamma: float
    """Temperature of memberships."""
    label_table: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    """The part of the table that does not depend on features; for rows with missing cells only."""
    constant: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))
    """The other part, of shape (k, p); likewise."""
    is_mean: bool = True
    """Whether observed cells are averaged by weight, or added; likewise."""
    _packed: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def packed(self, dtype: Any, pack: Callable[..., Any]) -> Any:
        """Return what an engine makes of the coefficients, made once for each precision."""
        if dtype not in self._packed:
            self._packed[dtype] = pack(self, dtype)
        return self._packed[dtype]
