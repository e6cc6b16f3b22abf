"""Rows that are shown as something else: mapped once where there is room to hold them."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from sfplearn.core import Rows
from sfplearn.data import ArraySource, HeldFeatures, MappedSource

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((3000, 4))


class Doubled:
    """A mapping that counts how often it is asked."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return np.hstack([x, x * x])


def source_of(clusters, held, mapping=None):
    mapping = mapping or Doubled()
    rows = ArraySource(Rows.of(X), n_clusters=clusters)
    return MappedSource(rows, mapping, np.zeros(8), held), mapping


def total(rows):
    return (rows.X - rows.origin).sum(axis=0)


@pytest.mark.parametrize("clusters", [1, 2000])
@pytest.mark.parametrize(("room", "passes"), [(None, 3), (8 * len(X), 1), (7, 3)])
def test_blocks_are_mapped_once_if_there_is_room(clusters, room, passes):
    held = None if room is None else HeldFeatures(room)
    source, mapping = source_of(clusters, held)
    blocks = len(source.source._blocks())
    assert (blocks > 1) == (clusters > 1)
    with source:
        first = source.map_reduce(total, np.add)
        assert_array_equal(source.map_reduce(total, np.add), first)
        moved = source.relative_to(np.ones(8)).map_reduce(total, np.add)
    assert mapping.calls == passes * blocks
    np.testing.assert_allclose(moved, first - len(X))


def test_fits_of_the_same_rows_share_what_is_held():
    held, mapping = HeldFeatures(), Doubled()
    for _ in range(3):
        source, _ = source_of(2000, held, mapping)
        source.map_reduce(total, np.add)
    assert mapping.calls == len(source.source._blocks())


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_other_rows_never_get_features_that_are_held(kind):
    held = HeldFeatures(room=20 * 4)
    for number in range(50):  # blocks die, and their memory is used again
        block = kind(np.full((10, 4), float(number)))
        found = held.of(block, lambda x: x.toarray() if sp.issparse(x) else x.copy())
        assert_array_equal(found, number)


def test_other_parts_of_an_array_are_other_blocks():
    held = HeldFeatures()
    for block in (X, X[:10], X[:10, :2], X[:20:2], X.T[:, :10], X[:10].view(np.int64)):
        assert_array_equal(held.of(block, np.array), block)


def test_what_is_held_is_not_sent_away():
    source, _ = source_of(1, HeldFeatures())
    with source:
        source.map_reduce(total, np.add)
    assert source.held is not None
    assert pickle.loads(pickle.dumps(source)).held is None
