"""Where rows live.

A source holds rows somewhere and offers three verbs, `sample`, `map_reduce` and `map_rows`;
a fit is written in these alone. `as_source` makes one of arrays in memory; for rows elsewhere,
`find_store` finds the store of a container and `BlockSource` is the source over any store.
"""

from sfplearn.data.arrays import ArraySource, as_source
from sfplearn.data.blocks import Block, BlockSource, Store
from sfplearn.data.chunks import StoredRows, open_rows
from sfplearn.data.mapped import HeldFeatures, MappedSource
from sfplearn.data.sampling import count_distinct, fingerprint
from sfplearn.data.source import RowSource
from sfplearn.data.stores import find_store

__all__ = [
    "ArraySource",
    "Block",
    "BlockSource",
    "HeldFeatures",
    "MappedSource",
    "RowSource",
    "Store",
    "StoredRows",
    "as_source",
    "count_distinct",
    "find_store",
    "fingerprint",
    "open_rows",
]
