"""How cells are read where one alone does not tell what it means: all of its column decides."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sfplearn.cli import cells


@dataclass(frozen=True)
class Reading:
    """What cells of a column mean that mean something else in other columns."""

    placeholders: bool = False
    """Whether "-", "None" and their like are values, as they are among words."""
    thousands: bool = False
    """Whether points separate thousands."""

    def of(self, column: Any) -> Any:
        """Return a column whose cells are what they mean.

        >>> import pyarrow as pa
        >>> Reading(thousands=True).of(pa.array(["1.234,50", "987", "-"])).to_pylist()
        ['1234,50', '987', None]
        """
        if not cells.is_text(column.type):
            return column
        if not self.placeholders:
            column = cells.without_placeholders(column)
        return cells.without_groups(column) if self.thousands else column


# While nothing is decided, all words stay.
AS_WRITTEN = Reading(placeholders=True)


def readings_of(schema: Iterable[Mapping[str, Any]], commas: bool) -> dict[str, Reading]:
    """Return how columns of a model were read; without decimal commas, points are decimal."""
    return {
        column["name"]: Reading(
            column.get("placeholders", False), commas and column.get("thousands", False)
        )
        for column in schema
    }


def shown_cells(batch: Any, missing: Collection[str], readings: Mapping[str, Reading]) -> Any:
    """Return a block whose cells are what they mean, and null where missing."""
    present = [cells.present(column, missing) for column in batch.columns]
    return read_as(type(batch).from_arrays(present, names=batch.schema.names), readings)


def read_as(batch: Any, readings: Mapping[str, Reading]) -> Any:
    """Return a block or a table of present cells, each column read in its way."""
    names = batch.schema.names
    columns = [
        readings.get(name, Reading()).of(column)
        for name, column in zip(names, batch.columns, strict=True)
    ]
    return type(batch).from_arrays(columns, names=names)
