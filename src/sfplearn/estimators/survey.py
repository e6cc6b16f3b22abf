"""A first look at rows that are not in memory: what they hold, and whether it can be used."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array

from sfplearn.core import Rows
from sfplearn.data import Block, BlockSource
from sfplearn.estimators.checks import FLOATS, check_threads, check_weight, explained
from sfplearn.estimators.coding import Labels, Mask, split_labels
from sfplearn.estimators.labels import is_missing
from sfplearn.estimators.table import has_missing

Count = Callable[[NDArray[Any], NDArray[np.float64], Mask], Any]


class Facts(NamedTuple):
    """What a look at some blocks told."""

    place: str
    """Where the first of them is."""
    n_counting: int
    """Rows with a weight."""
    n_features: int
    dtype: np.dtype[Any]
    is_sparse: bool
    missing: bool
    """Whether cells are missing."""
    is_partly_labelled: bool
    """Whether some row that counts has no label."""
    total_weight: float
    """Sum of the weights."""
    labels: Any
    """What was counted of labels."""

    def table(self, store: Any, estimator: Any, coding: Any) -> Any:
        """Return the rows of a store, with labels as the core takes them."""
        encode = Encoder(coding, self.dtype, bool(estimator.allow_nan))
        return StoredTable(store, encode, *self[1:-1])


@dataclass(frozen=True)
class Encoder:
    """Turns blocks into rows of the core."""

    coding: Callable[[Any], Labels] | None
    dtype: np.dtype[Any]
    allow_nan: bool
    unit: float = 1.0
    """What weights are divided by."""

    def __call__(self, block: Block) -> Rows:
        """Return a block as rows."""
        X, weight = features_of(block, self.dtype), weight_of(block) / self.unit
        missing = self.allow_nan and has_missing(X)
        if missing:  # rows of only NaN say nothing and do not count
            weight = np.where(np.isnan(X).all(axis=1), 0.0, weight)
        if self.coding is None:
            return Rows.of(X, None, weight, missing=missing)
        codes, targets, factor = self.coding(block.y)
        weight = weight if isinstance(factor, float) and factor == 1.0 else weight * factor
        return Rows.of(X, codes, weight, targets=targets, missing=missing)


class StoredTable(NamedTuple):
    """Validated rows in a store; see `Table`, which holds those in memory."""

    store: Any
    encode: Encoder
    n_counting: int
    n_features: int
    dtype: np.dtype[Any]
    is_sparse: bool
    missing: bool
    is_partly_labelled: bool
    total_weight: float

    def with_weights_over(self, unit: float) -> "StoredTable":
        """Return these rows, their weights divided by a unit."""
        return self._replace(encode=replace(self.encode, unit=unit))

    def source(self, n_clusters: int = 1, n_jobs: int | None = None, width: int = 0) -> BlockSource:
        """Return a source of these rows."""
        origin = np.zeros(self.n_features)
        return BlockSource(self.store, self.encode, origin, n_clusters, n_jobs, width)


def survey(
    estimator: Any,
    store: Any,
    count: Count | None = None,
    merge_labels: Callable[[Any, Any], Any] | None = None,
) -> Facts:
    """Look at every block once: refuse what cannot be used, count labels, note names and width."""
    check_threads(estimator.n_jobs)
    if count is not None and not store.has_labels:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the rows bring no labels; "
            "name the column by target, or give y."
        )
    look = Look(count, estimator.allow_nan, getattr(estimator, "unlabeled", None), store.names)
    store.start(estimator.n_jobs)
    try:
        facts = store.map_reduce(look, Merge(merge_labels))
    finally:
        store.stop()
    if not facts.n_counting:
        raise ValueError("No row has a weight; give at least one a positive weight.")
    estimator.n_features_in_ = facts.n_features
    vars(estimator).pop("feature_names_in_", None)
    if store.names is not None and all(isinstance(name, str) for name in store.names):
        estimator.feature_names_in_ = np.array(store.names, dtype=object)
    return facts


@dataclass(frozen=True)
class Look:
    """Looks at one block."""

    count: Count | None
    allow_nan: bool
    unlabeled: Any
    names: list[str] | None

    def __call__(self, block: Block) -> Facts:
        """Return what a block holds; say where it is if it cannot be used."""
        try:
            return self._facts(block)
        except (TypeError, ValueError) as error:
            where = f"{block.place}: " if block.place else ""
            raise ValueError(f"{where}{error}") from None

    def _facts(self, block: Block) -> Facts:
        X = self._checked_features(block)
        weight = check_weight(weight_of(block), block.n_rows, may_be_zero=True)
        missing = self.allow_nan and has_missing(X)
        if missing:
            weight = np.where(np.isnan(X).all(axis=1), 0.0, weight)
        labels, partly = None, False
        if self.count is not None:
            y, unlabelled = self._checked_labels(block)
            labels, partly = self.count(y, weight, unlabelled), bool(unlabelled[weight > 0].any())
        return Facts(
            place=block.place,
            n_counting=int(np.count_nonzero(weight)),
            n_features=X.shape[1],
            dtype=X.dtype,
            is_sparse=sp.issparse(X),
            missing=missing,
            is_partly_labelled=partly,
            total_weight=float(weight.sum()),
            labels=labels,
        )

    def _checked_labels(self, block: Block) -> tuple[NDArray[Any], Mask]:
        """Return labels, one for each row, and which rows have none; say which lacks one."""
        if np.ndim(block.y) == 0:
            raise ValueError("y must hold one label for each row; give a list or an array.")
        if np.ndim(self.unlabeled):
            raise ValueError(f"unlabeled must be one label; got {self.unlabeled!r}.")
        if len(block.y) != block.n_rows:
            raise ValueError(
                f"y has {len(block.y)} labels for {block.n_rows} rows; give one for each."
            )
        if self.unlabeled is None:
            without = is_missing(block.y).reshape(block.n_rows, -1).any(axis=1)
            if without.any():
                raise ValueError(
                    f"row {block.first + int(np.argmax(without)) + 1} has no label; remove such "
                    "rows, or set unlabeled=np.nan to learn from their features alone."
                )
        return split_labels(block.y, self.unlabeled)

    def _checked_features(self, block: Block) -> Any:
        """Return features as numbers, all of them finite, or say which is not."""
        check_block_names(self.names, block)
        try:
            X = as_features(block.X)
        except (TypeError, ValueError) as error:
            raise explained(error) from None
        cells = X.data if sp.issparse(X) else X
        if np.isfinite(cells.sum()) or np.isfinite(cells).all():
            return X
        wrong = np.isinf(cells) if self.allow_nan and not sp.issparse(X) else ~np.isfinite(cells)
        if wrong.any() and sp.issparse(X):
            raise ValueError("sparse rows must not hold NaN or infinity.")
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            name = repr(self.names[column]) if self.names else column
            what = "NaN" if np.isnan(cells[row, column]) else "infinity"
            advice = ", or set allow_nan=True" if what == "NaN" else ""
            raise ValueError(
                f"row {block.first + row + 1}, column {name} holds {what}; fill or remove such "
                f"cells first{advice}."
            )
        return X


@dataclass(frozen=True)
class Merge:
    """Puts together what was learned of two sets of blocks."""

    labels: Callable[[Any, Any], Any] | None

    def __call__(self, left: Facts, right: Facts) -> Facts:
        """Return the facts of both."""
        if left.n_features != right.n_features:
            raise ValueError(
                f"{right.place} has {right.n_features} features and {left.place} "
                f"{left.n_features}; all must have as many."
            )
        if left.is_sparse != right.is_sparse:
            raise ValueError(
                f"Of {left.place} and {right.place} one is sparse and one dense; give one kind."
            )
        return Facts(
            place=left.place,
            n_counting=left.n_counting + right.n_counting,
            n_features=left.n_features,
            dtype=np.promote_types(left.dtype, right.dtype),
            is_sparse=left.is_sparse,
            missing=left.missing or right.missing,
            is_partly_labelled=left.is_partly_labelled or right.is_partly_labelled,
            total_weight=left.total_weight + right.total_weight,
            labels=self._both_labels(left, right),
        )

    def _both_labels(self, left: Facts, right: Facts) -> Any:
        if self.labels is None:
            return None
        try:
            return self.labels(left.labels, right.labels)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{left.place} and {right.place}: {error}") from None


def check_block_names(names: list[str] | None, block: Block) -> None:
    """Refuse a block whose columns are not those of the first, in the same order."""
    if names is None or not hasattr(block.X, "columns"):
        return
    here = list(block.X.columns)
    if here != names:
        missing = [name for name in names if name not in here]
        what = f"lacks the column {missing[0]!r}" if missing else "has other columns"
        raise ValueError(f"it {what}; the first block has {names}.")


def as_features(X: Any) -> Any:
    """Return features as numbers, whatever they are."""
    return check_array(X, accept_sparse="csr", dtype=FLOATS, ensure_all_finite=False, order=None)


def features_of(block: Block, dtype: Any) -> Any:
    """Return the features of a block in a precision."""
    plain = isinstance(block.X, np.ndarray) and block.X.dtype.kind == "f"
    return (block.X if plain else as_features(block.X)).astype(dtype, copy=False)


def weight_of(block: Block) -> NDArray[np.float64]:
    """Return how often each row of a block counts."""
    if block.weight is None:
        return np.ones(block.n_rows)
    weight = np.asarray(block.weight, np.float64)
    return weight[:, 0] if weight.ndim == 2 and weight.shape[1] == 1 else weight
