"""Features as people know them: the columns of the table, whatever a pipeline made of them."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.losses.base import weighted_quantile
from sfplearn.report.columns import Column, column_of, names_of, shape_of
from sfplearn.report.subject import Subject, traced
from sfplearn.report.words import percent, plain, shortened

Array = NDArray[np.float64]

# Distances from all rows, in standard deviations, that are called about the same.
ABOUT_THE_SAME = 0.2


@dataclass(frozen=True)
class Features:
    """Columns that the model looks at, and where its own features belong among them."""

    names: list[str]
    """Their names."""
    groups: NDArray[np.intp]
    """For each feature of the model, the column it was made of."""
    columns: dict[int, Column]
    """Columns that were read already."""
    table: Any
    """The rows as they came."""
    prepared: Any
    """The rows as the model takes them."""
    places: list[int]
    """For each column its place in the table, or -1 less its place in the prepared rows."""
    dates: frozenset[str] = frozenset()
    """Columns whose numbers are days since 1970."""

    def column(self, j: int) -> Column:
        """Return a column, of the prepared rows if the table does not have it."""
        if j not in self.columns:
            place = self.places[j]
            if place >= 0:
                self.columns[j] = column_of(self.table, place, self.names[j] in self.dates)
            else:
                self.columns[j] = column_of(self.prepared, -1 - place)
        return self.columns[j]

    def is_prepared(self, j: int) -> bool:
        """Tell whether a column is one that a pipeline made, in units of its own."""
        return self.places[j] < 0

    def gather(self, values: Array) -> Array:
        """Add what belongs to features of the model up by column, along the last axis."""
        count = len(self.names)
        return np.apply_along_axis(lambda v: np.bincount(self.groups, v, count), -1, values)


def features_of(
    subject: Subject, table: Any, prepared: Any, dates: Collection[str] = ()
) -> Features:
    """Trace the features of a model back to the columns of a table, where names tell."""
    width = shape_of(prepared)[1]
    columns = names_of(table, shape_of(table)[1])
    if not subject.steps:
        columns = _own_names(subject.model, table, columns)
        names, sources = columns, list(range(width))
    else:
        names = subject.names_out(table, width)
        sources = traced(subject.steps, names, columns)
    # A feature that no column is known for stands for itself.
    keys = [source if source >= 0 else -1 - i for i, source in enumerate(sources)]
    places = list(dict.fromkeys(keys))
    known = {key: i for i, key in enumerate(places)}
    shown = [columns[key] if key >= 0 else names[-1 - key] for key in places]
    groups = np.array([known[key] for key in keys], dtype=np.intp)
    days = frozenset(shortened(name) for name in dates)
    return Features([shortened(name) for name in shown], groups, {}, table, prepared, places, days)


def _own_names(model: Any, table: Any, columns: list[str]) -> list[str]:
    """Return names as the model was told them, for arrays without any."""
    told = getattr(model, "feature_names_in_", None)
    return columns if told is None or hasattr(table, "columns") else [str(name) for name in told]


def typical(column: Column, weight: Array, total: Array) -> dict[str, Any]:
    """Return the typical value under some weights of rows, and how it differs from all rows."""
    here, there = weight * ~column.missing, total * ~column.missing
    if not here.sum() > 0:
        return {"value": "missing", "all": "", "shift": 0.0, "words": "always missing"}
    return (_typical_number if column.is_number else _typical_category)(column, here, there)


def _typical_number(column: Column, here: Array, there: Array) -> dict[str, Any]:
    """Return the weighted mean, and its distance from that of all rows in deviations.

    Where tails are heavy, it is the median, and the distance that after they are tamed.
    """
    values, even = np.nan_to_num(column.values), np.nan_to_num(column.even)
    mean, own = np.average(even, weights=there), np.average(even, weights=here)
    deviation = np.sqrt(np.average((even - mean) ** 2, weights=there))
    shift = float((own - mean) / deviation) if deviation > 0 else 0.0
    middle = _median if column.has_tails else _mean
    return {
        "value": column.text(middle(values, here)),
        "all": column.text(middle(values, there)),
        "shift": plain(shift),
        "words": comparison(shift),
    }


def _mean(values: Array, weight: Array) -> float:
    return float(np.average(values, weights=weight))


def _median(values: Array, weight: Array) -> float:
    places, which = np.unique(values, return_inverse=True)
    sums = np.bincount(which, weight).astype(np.float64)
    return float(weighted_quantile(places, sums[None], 0.5)[0, 0])


def _typical_category(column: Column, here: Array, there: Array) -> dict[str, Any]:
    """Return the most frequent category, and how much more often it is met than in all rows."""
    _, codes = np.unique(column.values[~column.missing].astype(str), return_inverse=True)
    full = np.zeros(len(column.missing), dtype=np.intp)
    full[~column.missing] = codes
    shares = np.bincount(full, here) / here.sum()
    most = int(shares.argmax())
    usual = float(np.bincount(full, there)[most] / there.sum())
    row = int(np.flatnonzero((full == most) & ~column.missing)[0])
    deviation = np.sqrt(usual * (1 - usual))
    shift = float((shares[most] - usual) / deviation) if deviation > 0 else 0.0
    return {
        "value": f"{column.cell(row)} ({percent(min(shares[most], 1.0))})",
        "all": percent(usual),
        "shift": plain(shift),
        "words": f"all rows {percent(usual)}",
    }


def comparison(shift: float) -> str:
    """Return how far a typical value lies from that of all rows, in words.

    >>> comparison(0.1), comparison(-1.234)
    ('about the same', '1.2 sd lower')
    """
    if abs(shift) < ABOUT_THE_SAME:
        return "about the same"
    return f"{abs(shift):.1f} sd {'higher' if shift > 0 else 'lower'}"
