"""Rows in Spark data frames: functions go to partitions, sums come back.

Only data frames are used, so a Spark Connect session does as well as a classic one.
"""

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

try:
    from pyspark import cloudpickle
    from pyspark.ml.functions import vector_to_array
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql.functions import col, when
    from pyspark.sql.types import (
        ArrayType,
        BooleanType,
        DataType,
        FloatType,
        NumericType,
        StringType,
        StructField,
    )
except ImportError:
    raise ImportError('sfplearn.data.spark needs pyspark: pip install "sfplearn[spark]"') from None
import pyarrow as pa
import pyarrow.compute as pc

from sfplearn.data.blocks import Block

T = TypeVar("T")

# What a partition sends back: its number, and either a pickled result or what is wrong.
ANSWER = pa.schema([("partition", pa.int32()), ("result", pa.binary()), ("error", pa.string())])
ANSWER_DDL = "partition int, result binary, error string"


class SparkStore:
    """The partitions of a Spark data frame.

    A pass is one job: each partition works through its record batches one after another and
    sends back one row, which the driver merges in the order of partitions. A task that fails is
    run again by Spark.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Rows.
    features : str
        The column of features, vectors or arrays of numbers. Arrays of floats stay floats.
    label, weight : str or None, default=None
        The columns of labels, numbers or text, and of how often each row counts.
    may_lack_labels : bool, default=True
        Whether labels may be null; they become NaN, or None among text.
    """

    def __init__(
        self,
        frame: Any,
        features: str,
        label: str | None = None,
        weight: str | None = None,
        *,
        may_lack_labels: bool = True,
    ) -> None:
        columns = [as_array(frame, features).alias("features")]
        if label is not None:
            columns.append(_labels(frame, label).alias("label"))
        if weight is not None:
            columns.append(_number(frame, weight).alias("weight"))
        self.names = _names(frame.schema[features])
        self.has_labels, self.has_weights = label is not None, weight is not None
        self._rows = frame.select(*columns)
        self._is_kept = is_stored(frame)
        self._lacking = None if may_lack_labels else label

    def map_reduce(self, function: Callable[[Block], T], merge: Callable[[T, T], T]) -> T:
        """Apply a function to every batch, merge within partitions, then between them."""
        task = _Task(function, merge, self._lacking)
        answers = self._rows.mapInArrow(task, ANSWER_DDL).collect()
        answers.sort(key=lambda answer: answer["partition"])
        for answer in answers:
            if answer["error"] is not None:
                raise ValueError(answer["error"])
        if not answers:
            raise ValueError("The Spark data frame has no rows; give at least one.")
        return reduce(merge, (pickle.loads(answer["result"]) for answer in answers))

    def map_rows(self, function: Callable[[Block], Any]) -> NoReturn:
        """Refuse: rows of a data frame have no order that an array of answers could follow."""
        raise TypeError(
            "Rows of a Spark data frame are predicted by the models of sfplearn.spark: call "
            "transform of one, for example of SparkSFPClassificationModel.fromEstimator(model)."
        )

    def start(self, n_jobs: int | None) -> None:
        """Leave workers to Spark."""

    def stop(self) -> None:
        """Leave workers to Spark."""

    @contextmanager
    def kept(self) -> Iterator["SparkStore"]:
        """Keep the rows in the cluster meanwhile, unless their owner has seen to that."""
        if self._is_kept:
            yield self
            return
        # Passes over a plan would compute it anew, and might meet other rows if it draws any.
        self._rows.persist()
        try:
            yield self
        finally:
            self._rows.unpersist()


@dataclass(frozen=True)
class _Task:
    """What a partition does in a pass."""

    function: Callable[[Block], Any]
    merge: Callable[[Any, Any], Any]
    lacking: str | None
    """The column of labels, if none may be null."""

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row, or none if the partition is empty."""
        from pyspark import TaskContext  # where there is one: in a worker

        number = TaskContext.get().partitionId()  # type: ignore[union-attr]
        state, wrong = _State(f"partition {number}", 0, None), None
        for batch in filter(len, batches):
            if wrong is not None:
                continue  # a worker that has read all it was given can be used again
            # Only what is wrong with rows is caught here; other failures are for Spark to retry.
            try:
                state = self._next(state, batch)
            except ValueError as error:
                wrong = str(error)
        if wrong is not None:
            yield _answer(number, None, wrong)
        elif state.first:
            yield _answer(number, cloudpickle.dumps(state.total), None)

    def _next(self, state: "_State", batch: Any) -> "_State":
        """Return the state after one more batch."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        where = f"{state.place}, rows from {state.first + 1} on"
        label = columns.get("label")
        if self.lacking is not None and label is not None and label.null_count:
            raise ValueError(
                f"{where}: column {self.lacking!r} holds null; remove such rows, or set "
                "unlabeled=float('nan') to learn from their features alone."
            )
        block = Block(
            X=matrix(columns["features"], where),
            y=None if label is None else label.to_numpy(zero_copy_only=False),
            weight=_weights(columns.get("weight")),
            place=state.place,
            first=state.first,
        )
        result = self.function(block)
        total = self.merge(state.total, result) if state.first else result
        return _State(state.place, state.first + len(batch), total)


class _State(NamedTuple):
    """How far a partition has come."""

    place: str
    first: int
    """Rows so far."""
    total: Any
    """What they add up to."""


def matrix(column: Any, where: str = "") -> NDArray[Any]:
    """Return an Arrow column of lists as an array with a row for each.

    >>> import pyarrow as pa
    >>> matrix(pa.array([[1.0, 2.0], [3.0, None]]))
    array([[ 1.,  2.],
           [ 3., nan]])
    """
    prefix = f"{where}: " if where else ""
    if column.null_count:
        raise ValueError(
            f"{prefix}the column of features holds null; remove such rows, for example by dropna."
        )
    widths = pc.list_value_length(column).to_numpy()
    other = widths != widths[:1]
    if other.any():
        raise ValueError(
            f"{prefix}rows have {widths[0]} features and {widths[other][0]}; all must have as many."
        )
    values = column.flatten().to_numpy(zero_copy_only=False)
    return values.reshape(len(column), widths[0] if len(widths) else 0)


def check_column(frame: Any, name: str) -> DataType:
    """Return the type of a column, or say which columns there are."""
    if name not in frame.columns:
        raise ValueError(
            f"The data frame has no column {name!r}; it has {', '.join(map(repr, frame.columns))}."
        )
    return frame.schema[name].dataType


def as_array(frame: Any, name: str) -> Any:
    """Return the features of a data frame as a column of arrays."""
    kind, column = check_column(frame, name), _column(name)
    if isinstance(kind, VectorUDT):
        # Of null it would fail in words of its own.
        return when(column.isNotNull(), vector_to_array(column))
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, NumericType):
        return column if isinstance(kind.elementType, FloatType) else column.cast("array<double>")
    raise TypeError(
        f"Column {name!r} must hold vectors or arrays of numbers, not {kind.simpleString()}; put "
        "columns together by VectorAssembler first."
    )


def is_stored(frame: Any) -> bool:
    """Tell whether the owner of a data frame has asked Spark to keep it."""
    return bool(frame.storageLevel.useMemory or frame.storageLevel.useDisk)


def _column(name: str) -> Any:
    """Return a column by its very name, whatever dots it has."""
    return col("`" + name.replace("`", "``") + "`")


def _labels(frame: Any, name: str) -> Any:
    """Return labels as doubles, as is usual in Spark, or as text."""
    kind = check_column(frame, name)
    return _column(name) if isinstance(kind, StringType) else _number(frame, name, " or text")


def _number(frame: Any, name: str, or_else: str = "") -> Any:
    kind = check_column(frame, name)
    if not isinstance(kind, NumericType | BooleanType):
        raise TypeError(
            f"Column {name!r} must hold numbers{or_else}, not {kind.simpleString()}; cast it first."
        )
    return _column(name).cast("double")


def _names(field: StructField) -> list[str] | None:
    """Return the names of features that stages such as VectorAssembler leave in a data frame."""
    about = (field.metadata or {}).get("ml_attr", {})
    some = [each for kind in about.get("attrs", {}).values() for each in kind]
    named = {each["idx"]: each["name"] for each in some if "name" in each}
    complete = bool(named) and sorted(named) == list(range(about.get("num_attrs", len(named))))
    return [named[index] for index in range(len(named))] if complete else None


def _weights(column: Any) -> NDArray[np.float64] | None:
    return None if column is None else column.to_numpy(zero_copy_only=False)


def _answer(partition: int, result: bytes | None, error: str | None) -> Any:
    """Return one row for the driver."""
    columns = [[partition], [result], [error]]
    return pa.RecordBatch.from_arrays(
        [pa.array(values, kind) for values, kind in zip(columns, ANSWER.types, strict=True)],
        schema=ANSWER,
    )
