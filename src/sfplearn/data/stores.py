"""From containers to where their rows live; backends are imported when they are needed."""

from importlib import import_module
from typing import Any

from sfplearn.data.blocks import Store
from sfplearn.data.chunks import StoredRows

# The library that a container comes from, and the module that makes a store of it.
BACKENDS = {"dask": "sfplearn.data.dask", "dask_expr": "sfplearn.data.dask"}


def find_store(X: Any, y: Any = None, weight: Any = None) -> Store | None:
    """Return the store of rows that are not in memory; None for containers that are.

    >>> find_store([[1.0], [2.0]]) is None
    True
    """
    library = type(X).__module__.split(".")[0]
    if isinstance(X, StoredRows) or (hasattr(X, "map_reduce") and hasattr(X, "has_labels")):
        if y is not None or weight is not None:
            raise ValueError(
                "Rows from open_rows bring labels and weights: leave y and sample_weight out, and "
                "name columns by target and weight in open_rows."
            )
        return X  # a store already
    if library == "pyspark":
        raise TypeError(
            "Spark data frames are for sfplearn.spark.SparkSFPClassifier and SparkSFPRegressor."
        )
    if library not in BACKENDS:
        return None
    return import_module(BACKENDS[library]).store_of(X, y, weight)
