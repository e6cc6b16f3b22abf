"""Training data, validated, and what is counted of them."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sfplearn.data import ArraySource, as_source


class Table(NamedTuple):
    """Validated training data."""

    X: Any
    """Features."""
    y: Any
    """Labels as the user gave them."""
    codes: Any
    """Labels as the core takes them; -1 where a row has none."""
    weight: NDArray[np.float64]
    """How often each row counts."""
    targets: NDArray[np.float64] | None = None
    """Labels that the core takes as numbers."""
    missing: bool = False
    """Whether cells of X are missing."""
    shared: dict[Any, Any] | None = None
    """What fits of these rows share, where there will be many."""

    @property
    def n_counting(self) -> int:
        """Number of rows with a weight."""
        return int(np.count_nonzero(self.weight))

    @property
    def total_weight(self) -> float:
        """Sum of the weights."""
        return float(self.weight.sum())

    def with_weights_over(self, unit: float) -> "Table":
        """Return these rows, their weights divided by a unit."""
        return self._replace(weight=self.weight / unit)

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def dtype(self) -> Any:
        """Precision of the features."""
        return self.X.dtype

    @property
    def is_sparse(self) -> bool:
        """Whether rows are sparse."""
        return bool(sp.issparse(self.X))

    @property
    def is_partly_labelled(self) -> bool:
        """Whether some row that counts has no label."""
        return bool((self.codes[self.weight > 0] < 0).any())

    def without_empty_rows(self, allow_nan: bool) -> "Table":
        """Note whether cells are missing; rows of only NaN say nothing and do not count."""
        if not (allow_nan and has_missing(self.X)):
            return self
        weight = np.where(np.isnan(self.X).all(axis=1), 0.0, self.weight)
        if not weight.any():
            raise ValueError("X holds nothing but NaN; at least one cell must be known.")
        return self._replace(weight=weight, missing=True)

    def source(self, n_clusters: int = 1, n_jobs: int | None = None, width: int = 0) -> ArraySource:
        """Return a source of these rows."""
        return as_source(
            self.X,
            self.codes,
            self.weight,
            targets=self.targets,
            missing=self.missing,
            n_clusters=n_clusters,
            n_jobs=n_jobs,
            width=width,
        )


def has_missing(X: Any) -> bool:
    """Tell whether any cell of dense rows is NaN, without a mask as large as they are."""
    if sp.issparse(X) or not X.size:
        return False
    with np.errstate(all="ignore"):
        return bool(np.isnan(X.min()))
