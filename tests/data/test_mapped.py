"""Rows that are shown as something else: mapped once where one block holds them all."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sfplearn.core import Rows
from sfplearn.data import ArraySource, MappedSource

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((3000, 4))


class Doubled:
    """A mapping that counts how often it is asked."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return np.hstack([x, x * x])


def source_of(clusters, held):
    mapping = Doubled()
    rows = ArraySource(Rows.of(X), n_clusters=clusters)
    return MappedSource(rows, mapping, np.zeros(8), held), mapping


def total(rows):
    return (rows.X - rows.origin).sum(axis=0)


@pytest.mark.parametrize(("held", "calls"), [({}, 1), (None, 3)])
def test_one_block_is_mapped_once_if_it_is_held(held, calls):
    source, mapping = source_of(1, held)
    with source:
        first = source.map_reduce(total, np.add)
        assert_array_equal(source.map_reduce(total, np.add), first)
        moved = source.relative_to(np.ones(8)).map_reduce(total, np.add)
    assert mapping.calls == calls
    np.testing.assert_allclose(moved, first - len(X))


def test_several_blocks_are_mapped_as_they_come():
    whole, _ = source_of(1, {})
    parts, mapping = source_of(2000, {})
    blocks = len(parts.source._blocks())
    assert blocks > 1
    with parts, whole:
        for _ in range(2):
            np.testing.assert_allclose(
                parts.map_reduce(total, np.add), whole.map_reduce(total, np.add)
            )
    assert mapping.calls == 2 * blocks


def test_what_is_held_is_not_sent_away():
    source, _ = source_of(1, {})
    with source:
        source.map_reduce(total, np.add)
    assert source.held
    assert pickle.loads(pickle.dumps(source)).held is None
