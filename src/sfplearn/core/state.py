"""The nouns of the algorithm: blocks of rows, parameters, statistics, and how they add.

Every array of `Params` and of a term's sums leads with the cluster axis. Nothing here is
ever as long as the data, except a block of `Rows` itself.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

UNLABELLED = -1


class Rows(NamedTuple):
    """A block of rows, as a pass over the data meets it.

    Build one with `Rows.of`, which fills in what is left out.

    Examples
    --------
    >>> import numpy as np
    >>> rows = Rows.of(np.eye(2), y=[0, 1])
    >>> rows.weight.tolist(), rows.origin.tolist()
    ([1.0, 1.0], [0.0, 0.0])
    """

    X: Any
    """Features: a dense array in any memory order, float32 or float64, or a CSR matrix."""
    y: NDArray[np.int32]
    """Label codes 0, 1, ...; -1 where a row has no label."""
    weight: NDArray[np.float64]
    """How often each row counts."""
    origin: NDArray[np.float64]
    """What is subtracted from every row of X before anything is computed."""
    targets: NDArray[np.float64] | None = None
    """Labels that are numbers, of shape (n, number of targets); 0 where a row has no label."""
    missing: bool = False
    """Whether cells of X may be NaN, which stands for unknown. Rows must be dense then."""

    @classmethod
    def of(
        cls,
        X: Any,
        y: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        origin: ArrayLike | None = None,
        targets: ArrayLike | None = None,
        missing: bool = False,
    ) -> "Rows":
        """Rows without labels are unlabelled, without weights count once, without origin stay."""
        n, p = X.shape
        if targets is not None:
            targets = np.asarray(targets, np.float64)
            if not sp.issparse(X):  # stored side by side, a pass can read both without a copy
                both = np.hstack([X, targets.astype(X.dtype, copy=False)])
                X, targets = both[:, :p], both[:, p:]
        return cls(
            X=X,
            y=np.full(n, UNLABELLED, np.int32) if y is None else np.asarray(y, np.int32),
            weight=np.ones(n) if weight is None else np.asarray(weight, np.float64),
            origin=np.zeros(p) if origin is None else np.asarray(origin, np.float64),
            targets=targets,
            missing=missing,
        )

    def take(self, index: Any) -> "Rows":
        """Return the rows at an index, a mask or a slice."""
        return self._replace(
            X=self.X[index],
            y=self.y[index],
            weight=self.weight[index],
            targets=None if self.targets is None else self.targets[index],
        )

    @staticmethod
    def join(parts: "Sequence[Rows]") -> "Rows":
        """Return the rows of several blocks, one after another."""
        first = parts[0]
        X = [part.X for part in parts]
        with_targets = first.targets is not None
        return first._replace(
            X=sp.vstack(X, format="csr") if sp.issparse(first.X) else np.concatenate(X),
            y=np.concatenate([part.y for part in parts]),
            weight=np.concatenate([part.weight for part in parts]),
            targets=np.concatenate([part.targets for part in parts]) if with_targets else None,
            missing=any(part.missing for part in parts),
        )

    def dense(self) -> NDArray[np.float64]:
        """Return features relative to the origin, as a new array: for a few rows only.

        Missing cells are 0: where nothing is known of a row, it is at the origin.
        """
        X = self.X.toarray() if sp.issparse(self.X) else self.X
        x = X - self.origin
        return np.where(np.isnan(x), 0.0, x) if self.missing else x

    def observed(self) -> NDArray[np.bool_]:
        """Return which cells are known, (n, p)."""
        return ~np.isnan(self.X)

    def without_labels(self) -> "Rows":
        """Return the same rows as if nothing were known of their labels."""
        unlabelled = np.full(len(self.y), UNLABELLED, np.int32)
        return self._replace(y=unlabelled, targets=None)

    def with_targets(self) -> "Rows":
        """Return rows whose targets, if any, are features too."""
        if self.targets is None:
            return self
        origin = np.append(self.origin, np.zeros(self.targets.shape[1]))
        return self._replace(X=_side_by_side(self.X, self.targets), origin=origin, targets=None)


def _side_by_side(X: Any, targets: NDArray[Any]) -> Any:
    """Return both as one matrix: a view where they are stored so, else a copy."""
    both = [X, targets.astype(X.dtype, copy=False)]
    if sp.issparse(X):
        return sp.hstack(both, format="csr")
    (n, p), q = X.shape, targets.shape[1]
    beside = X.ctypes.data + p * X.strides[1] == targets.ctypes.data
    if beside and X.strides == targets.strides and X.dtype == targets.dtype:
        return np.lib.stride_tricks.as_strided(X, (n, p + q), X.strides, writeable=False)
    return np.hstack(both)


class Params(NamedTuple):
    """What a fit estimates: one entry for each term of the objective.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core import LogLoss, Objective, Prototype, Rows, WeightedEuclidean, params_at
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> params = params_at(objective, Rows.of(np.eye(2), y=[0, 1]))
    >>> params.divergence.w.tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    divergence: Any
    expert: Any


class Stats(NamedTuple):
    """What one pass leaves behind: sums over rows, of a size that does not depend on rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.eye(2), y=[0, 1])
    >>> stats = summarize(objective, params_at(objective, rows), rows)
    >>> stats.mass.sum().round(6), stats.expert.sums.sum(axis=0).round(6)
    (np.float64(2.0), array([1., 1.]))
    """

    divergence: Any
    """Membership-weighted sums that the divergence asked for."""
    expert: Any
    """Membership-weighted sums that the expert asked for."""
    energy: float
    """Sum of the free energies of the rows: the objective without its penalties."""

    @property
    def mass(self) -> NDArray[np.float64]:
        """Sum of memberships of each cluster."""
        return self.divergence.mass


class Trace(NamedTuple):
    """How a descent went."""

    values: list[float]
    """The objective at the start of each pass."""
    converged: bool
    """Whether the last passes changed the objective by less than the tolerance."""
    stats: Stats
    """What the last pass left behind."""
    stopped: bool = False
    """Whether whoever looked on ended it."""


def merge(left: Stats, right: Stats) -> Stats:
    """Add the statistics of two sets of rows: those of the union.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.eye(2), y=[0, 1])
    >>> params = params_at(objective, rows)
    >>> parts = [summarize(objective, params, rows.take([i])) for i in (0, 1)]
    >>> np.allclose(merge(*parts).mass, summarize(objective, params, rows).mass)
    True
    """
    return _zip_arrays(np.add, left, right)


def decay(stats: Stats, factor: float) -> Stats:
    """Let past rows count less: every sum times a factor.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.eye(2), y=[0, 1])
    >>> stats = summarize(objective, params_at(objective, rows), rows)
    >>> float(decay(stats, 0.5).mass.sum().round(6))
    1.0
    """
    return _zip_arrays(lambda value, _: value * factor, stats, stats)


def keep(chosen: NDArray[np.bool_], new: Any, old: Any, *, shared_is_new: bool = True) -> Any:
    """Take new parameters, or sums, for the chosen clusters and old ones for the rest.

    What all clusters share, of length 1, is new or old as asked.
    """

    def choose(fresh: NDArray[np.float64], past: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(fresh) == 1:
            return fresh if shared_is_new else past
        return np.where(chosen.reshape(-1, *[1] * (fresh.ndim - 1)), fresh, past)

    return _zip_arrays(choose, new, old)


def fuse(stats: Stats, into: NDArray[np.intp], count: int) -> Stats:
    """Put clusters together: cluster j becomes, or joins, cluster into[j] of `count`.

    Negative ones are left out. Sums of clusters add, as those of rows do.

    >>> import numpy as np
    >>> from sfplearn.core import *
    >>> objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), 2), 1.0, 0.1)
    >>> rows = Rows.of(np.array([[0.0], [0.1], [9.0]]), y=[0, 0, 1])
    >>> stats = summarize(objective, params_at(objective, rows), rows)
    >>> fuse(stats, np.array([0, 0, 1]), 2).mass.round(2).tolist()
    [2.0, 1.0]
    """

    def put_together(sums: Any, _: Any) -> Any:
        if not np.ndim(sums):
            return sums
        fused = np.zeros((count, *sums.shape[1:]))
        np.add.at(fused, into[into >= 0], sums[into >= 0])
        return fused

    return _zip_arrays(put_together, stats, stats)


def join_clusters(left: Stats, right: Stats) -> Stats:
    """Return the clusters of both, one after another."""

    def join(a: Any, b: Any) -> Any:
        if not np.ndim(a):
            return a + b
        # What is the same for all features may be told once.
        shape = np.broadcast_shapes(a.shape[1:], b.shape[1:])
        return np.concatenate([np.broadcast_to(each, (len(each), *shape)) for each in (a, b)])

    return _zip_arrays(join, left, right)


def flatten(stats: Any) -> list[Any]:
    """Return the arrays of nested tuples as a plain list."""
    return (
        [leaf for each in stats for leaf in flatten(each)] if isinstance(stats, tuple) else [stats]
    )


def unflatten(leaves: Sequence[Any], like: Any) -> Any:
    """Return arrays in nested tuples again, like others."""
    rest = iter(leaves)
    return _zip_arrays(lambda _, __: next(rest), like, like)


def _zip_arrays(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Apply a function of two arrays to each pair of leaves of two equal nested tuples."""
    if isinstance(left, tuple):
        pairs = [_zip_arrays(function, a, b) for a, b in zip(left, right, strict=True)]
        return type(left)(*pairs)
    return function(left, right)
