"""Where rows live.

A source holds rows somewhere and offers three verbs, `sample`, `map_reduce` and `map_rows`;
a fit is written in these alone. `as_source` picks the source for a container.
"""

from sfplearn.data.arrays import ArraySource, as_source, canonical_key
from sfplearn.data.mapped import MappedSource
from sfplearn.data.source import RowSource

__all__ = ["ArraySource", "MappedSource", "RowSource", "as_source", "canonical_key"]
