"""The tensors that rows come in: one for a table of numbers, one a column for a data frame."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from sfplearn.onnx.graph import library

# The input of a model that takes a table of numbers.
TABLE = "X"

Inputs = list[tuple[str, Any]]


def inputs_of(model: Any, X: Any) -> Inputs:
    """Return names and types of the inputs of a model, as rows tell them."""
    width = int(model.n_features_in_)
    if X is None:
        return [(TABLE, _tensor(np.empty((0, width), np.float32), width))]
    if hasattr(X, "columns"):
        _check_names(model, X)
        return [(str(name), _tensor(values, 1)) for name, values in _columns(model, X).items()]
    rows = X if hasattr(X, "dtype") else np.asarray(X)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"X must have a row for each case and {width} columns; got {rows.shape}.")
    return [(TABLE, _tensor(rows, width))]


def _columns(model: Any, X: Any) -> dict[Any, NDArray[Any]]:
    """Return the columns of a data frame, whole numbers in the precision of those beside them.

    Columns that one step takes become one tensor, and tensors have one type.
    """
    columns = {name: np.asarray(X[name]) for name in X.columns}
    for beside in _taken_together(model, list(columns)):
        numbers = [name for name in beside if columns[name].dtype.kind in "iuf"]
        common = np.result_type(*(columns[name].dtype for name in numbers)) if numbers else None
        if common is not None and common.kind == "f":
            columns.update({name: columns[name].astype(common) for name in numbers})
    return columns


def _taken_together(model: Any, names: list[Any]) -> list[list[Any]]:
    """Return the columns that each part of the first step takes: all, unless it chooses some."""
    first = model[0] if isinstance(model, Pipeline) else model
    if not isinstance(first, ColumnTransformer):
        return [names]
    parts = [list(columns) for *_, columns in first.transformers_ if not isinstance(columns, slice)]
    return [[names[one] if isinstance(one, int) else one for one in part] for part in parts]


def _check_names(model: Any, X: Any) -> None:
    """Refuse other columns than those of the fit."""
    known, given = getattr(model, "feature_names_in_", None), list(map(str, X.columns))
    if known is not None and list(known) != given:
        raise ValueError(f"X must have the columns of the fit, {list(known)}; got {given}.")
    if len(given) != model.n_features_in_:
        raise ValueError(f"X must have {model.n_features_in_} columns; got {len(given)}.")


def _tensor(values: NDArray[Any], width: int) -> Any:
    """Return the type of a tensor that can hold values, of any number of rows."""
    types, kind = library("skl2onnx.common.data_types"), values.dtype.kind
    if kind == "f":
        single = values.dtype == np.float32
        return (types.FloatTensorType if single else types.DoubleTensorType)([None, width])
    if kind in "iu":
        return types.Int64TensorType([None, width])
    return (types.BooleanTensorType if kind == "b" else types.StringTensorType)([None, width])
