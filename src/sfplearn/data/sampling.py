"""Samples of rows that depend on their content alone, wherever they live.

Every distinct row has a number made from its content and a salt; the rows of least numbers are
the sample. Such samples merge: those of two blocks contain that of their union. So row order,
cuts into blocks and repetition do not matter, and nothing is as long as the data.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sfplearn.core import Rows

# Distinct rows that are counted exactly; the number of more is an estimate, good to 1 or 2 %.
COUNTED = 4096

# Cells that are hashed at a time.
IN_CACHE = 1 << 15
# No hash exceeds it.
ALL = np.uint64(2**64 - 1)

HashNumbers = NDArray[np.uint64]


class Sample(NamedTuple):
    """The distinct rows of least hash among those met so far."""

    hashes: HashNumbers
    """Their hashes, in order."""
    rows: Rows
    """The rows; their weights add up those of equal ones."""
    total: float
    """Weight of all rows met."""


def draw(source: Any, size: int, random: np.random.Generator) -> Rows:
    """Return at most `size` distinct rows of a source, in an order by content."""
    salt = random.integers(2**63, dtype=np.uint64)
    sample = source.map_reduce(partial(_sample, size, salt), partial(_merge, size))
    rows = sample.rows
    order = np.lexsort((rows.y, canonical_key(rows)))
    share = sample.total / rows.weight.sum()
    return rows.take(order)._replace(weight=rows.weight[order] * share)


def count_distinct(source: Any) -> int:
    """Return how many rows that count differ in their features; beyond COUNTED, about how many.

    With hashes spread evenly, the m-th least of n is near m / n of their range.
    """
    least = source.map_reduce(_least_hashes, _merge_hashes)
    if len(least) < COUNTED:
        return len(least)
    return round((COUNTED - 1) * 2.0**64 / float(least[-1]))


def fingerprint(source: Any) -> int:
    """Return a number that tells rows apart from others, their order and place not counting."""
    return int(source.map_reduce(_total_hash, np.add))


def content_hash(rows: Rows, salt: int | np.uint64 = 0) -> HashNumbers:
    """Return 64 bits for each row that depend on its features, targets and label alone.

    Sums modulo 2^64 of the bits of each cell times an odd number: exact in any order, and a
    zero adds nothing, so sparse rows need not be made dense.
    """
    hashes = _bits_hash(rows.X, 0)
    if rows.targets is not None:
        # Their units are computed, so that the last digits depend on how sums were added up.
        with np.errstate(over="ignore"):
            rounded = rows.targets.astype(np.float32)
        hashes = hashes + _bits_hash(rounded, 1)
    hashes = hashes + rows.y.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return _mix(hashes ^ np.uint64(salt))


def canonical_key(rows: Rows) -> NDArray[np.float64]:
    """Return a number for each row that depends on its content alone.

    Equal rows get equal numbers; others, in general, different ones. It is the projection on
    a fixed direction, so that the order of rows by it survives shifts and changes of scale.
    The direction is a random one: a regular one would let rows of whole numbers collide.
    """
    direction = 0.5 + np.random.default_rng(0).random(rows.X.shape[1])
    if isinstance(rows.X, np.ndarray):
        x = rows.dense() if rows.missing else rows.X - rows.origin
        key = np.einsum("il,l->i", x, direction)
    else:
        key = rows.X @ direction
    if rows.missing:
        direction = np.random.default_rng(1).random(rows.X.shape[1])
        key += np.einsum("il,l->i", np.isnan(rows.X), direction)
    if rows.targets is not None:
        direction = np.random.default_rng(2).random(rows.targets.shape[1])
        key += np.einsum("iq,q->i", rows.targets, direction)
    return key


def _sample(size: int, salt: np.uint64, rows: Rows) -> Sample:
    """Return the sample of a block."""
    hashes = content_hash(rows, salt)
    chosen = np.flatnonzero((rows.weight > 0) & (hashes <= _bound(hashes[rows.weight > 0], size)))
    total = float(rows.weight.sum())
    return _distinct(size, Sample(hashes[chosen], rows.take(chosen), total))


def _bound(hashes: HashNumbers, size: int) -> np.uint64:
    """Return a number that at least `size` distinct hashes, or all, do not exceed.

    Where few repeat it is hardly more than the size-th least, and found without sorting all.
    """
    enough = size
    while enough < len(hashes):
        bound = np.partition(hashes, enough)[enough]
        if len(np.unique(hashes[hashes <= bound])) >= size:
            return bound
        enough *= 4
    return ALL


def _merge(size: int, left: Sample, right: Sample) -> Sample:
    """Return the sample of two sets of rows."""
    both = Sample(
        hashes=np.concatenate([left.hashes, right.hashes]),
        rows=Rows.join([left.rows, right.rows]),
        total=left.total + right.total,
    )
    return _distinct(size, both)


def _distinct(size: int, sample: Sample) -> Sample:
    """Put equal rows together and keep those of least hash."""
    hashes, first, which = np.unique(sample.hashes, return_index=True, return_inverse=True)
    weight = np.bincount(which, sample.rows.weight).astype(np.float64)
    rows = sample.rows.take(first[:size])
    return Sample(hashes[:size], rows._replace(weight=weight[:size]), sample.total)


def _total_hash(rows: Rows) -> np.uint64:
    weight = np.add(rows.weight, 0.0).view(np.uint64)
    return _mix(content_hash(rows) + weight).sum(dtype=np.uint64)


def _least_hashes(rows: Rows) -> HashNumbers:
    hashes = content_hash(rows.without_labels())[rows.weight > 0]
    return np.unique(hashes[hashes <= _bound(hashes, COUNTED)])[:COUNTED]


def _merge_hashes(left: HashNumbers, right: HashNumbers) -> HashNumbers:
    return np.unique(np.concatenate([left, right]))[:COUNTED]


def _bits_hash(X: Any, seed: int) -> HashNumbers:
    """Sum the bits of the cells of each row, each times an odd number of its column."""
    odd = np.random.default_rng(seed).integers(2**63, size=X.shape[1], dtype=np.uint64)
    odd = 2 * odd + np.uint64(1)
    if sp.issparse(X):
        bits = sp.csr_array((_bits(X.data), X.indices, X.indptr), shape=X.shape)
        return bits @ odd
    hashes = np.empty(len(X), np.uint64)
    step = max(1, IN_CACHE // max(1, X.shape[1]))
    for first in range(0, len(X), step):
        part = slice(first, first + step)
        np.einsum("il,l->i", _bits(X[part]), odd, out=hashes[part])
    return hashes


def _bits(x: NDArray[Any]) -> HashNumbers:
    """Return the bits of numbers, equal for equal ones: -0 is 0, and NaN is NaN.

    Round numbers have zeros in their lower half, where products need some ones.
    """
    x = np.add(x, 0.0, dtype=np.float64)
    if np.isnan(x.sum()):
        x[np.isnan(x)] = np.nan
    bits = x.view(np.uint64)
    bits ^= bits >> np.uint64(32)
    return bits


def _mix(hashes: HashNumbers) -> HashNumbers:
    """Spread numbers evenly over 64 bits (the finalizer of SplitMix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))
