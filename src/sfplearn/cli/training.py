"""Fitting a pipeline to a table: in memory, or from the disk if the sample is not all of it."""

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from sfplearn import open_rows
from sfplearn.cli import cells
from sfplearn.cli.columns import FEATURE, WEIGHT, Column, frame_of
from sfplearn.cli.preparation import MODEL, PREPARE
from sfplearn.cli.progress import stage
from sfplearn.cli.readings import shown_cells
from sfplearn.cli.survey import Survey
from sfplearn.cli.target import Target
from sfplearn.cli.watching import followed

# Prepared rows are kept on disk in single precision, and read in blocks of so many cells.
CELL = np.dtype(np.float32)
BLOCK_CELLS = 1 << 20

# Tables of so many rows are fitted fastest by one thread.
ONE_THREAD_ROWS = 20_000

# Room on the disk that is left free, in bytes.
SPARE = 1 << 26

Array = NDArray[Any]


@dataclass(frozen=True)
class Rows:
    """Rows as a pipeline takes them, those without a target left out."""

    X: Any
    y: Array
    weight: NDArray[np.float64] | None

    def take(self, places: Array) -> "Rows":
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[places]
        return Rows(self.X.iloc[places], self.y[places], weight)


def threads_for(rows: int) -> AbstractContextManager[Any]:
    """Return what holds linear algebra to one thread where more would only wait for another."""
    return threadpool_limits(1) if rows <= ONE_THREAD_ROWS else nullcontext()


def rows_of(
    batch: Any, columns: list[Column], target: Target, place: str, before: int, commas: bool
) -> Rows:
    """Return the rows of a block that have a target."""
    y, known = target.values(cells.cells_of(batch, target.name), commas)
    features = [column.as_dict() for column in columns if column.role == FEATURE]
    X = frame_of(batch, features, place, before, commas)
    named = next((column.name for column in columns if column.role == WEIGHT), None)
    weight = None if named is None else cells.as_numbers(cells.cells_of(batch, named), commas)
    if known.all():
        return Rows(X, y, weight)
    weight = None if weight is None else weight[known]
    return Rows(X[known], y, weight)


def sampled_rows(found: Survey, columns: list[Column], target: Target) -> Rows:
    """Return the rows of the sample, numbered by their places in the table."""
    rows = rows_of(found.sample, columns, target, found.table.name, 0, found.commas)
    return Rows(rows.X.set_axis(found.places[rows.X.index]), rows.y, rows.weight)


def fit_pipeline(
    pipeline: Pipeline,
    rows: Rows,
    found: Survey,
    columns: list[Column],
    target: Target,
    console: Console,
) -> Pipeline:
    """Fit to all rows of a table, wherever they are."""
    model = pipeline.named_steps[MODEL]
    if found.is_whole:
        params = {} if rows.weight is None else {f"{MODEL}__sample_weight": rows.weight}
        with followed(console, "Fitting", model), threads_for(len(rows.y)):
            return pipeline.fit(rows.X, rows.y, **params)
    pipeline.named_steps[PREPARE].fit(rows.X)
    with TemporaryDirectory(prefix="sfp-") as folder:
        stored = Stored(
            Path(folder), pipeline, target.classes(found) if target.has_classes else None
        )
        stored.check_room(found.rows)
        with stage(console, "Preparing all rows") as step:
            before = 0
            for batch in found.table.blocks():
                shown = shown_cells(batch, found.missing, found.readings)
                place = found.table.name
                stored.add(rows_of(shown, columns, target, place, before, found.commas))
                before += len(batch)
                step(found.table.share)
        with followed(console, "Fitting", model) as step:
            stored.step = step
            model.fit(open_rows(stored.blocks))
    return pipeline


class Stored:
    """Prepared rows on disk, which a fit reads again and again."""

    def __init__(self, folder: Path, pipeline: Pipeline, classes: Array | None) -> None:
        self._prepare, self._classes = pipeline.named_steps[PREPARE], classes
        self._names = list(self._prepare.get_feature_names_out())
        self._files = {part: folder / part for part in ("X", "y", "weight")}
        self._labels = np.dtype(np.float64 if classes is None else np.int32)
        self._weighs = False
        self._passes = 0
        self.step: Any = lambda share=None, text=None: None

    def check_room(self, rows: int) -> None:
        """Refuse to begin where the disk is too small."""
        needed = rows * (len(self._names) * CELL.itemsize + 2 * np.dtype(np.float64).itemsize)
        folder = self._files["X"].parent
        if shutil.disk_usage(folder).free < needed + SPARE:
            raise ValueError(
                f"Prepared rows take {needed / 1e9:.1f} GB, more than is free in {folder.parent}; "
                "set TMPDIR to a folder on a larger disk."
            )

    def add(self, rows: Rows) -> None:
        """Prepare rows and keep them."""
        if not len(rows.y):
            return
        self._append("X", np.asarray(self._prepare.transform(rows.X), dtype=CELL))
        y = rows.y if self._classes is None else np.searchsorted(self._classes, rows.y)
        self._append("y", y.astype(self._labels))
        if rows.weight is not None:
            self._weighs = True
            self._append("weight", rows.weight)

    def _append(self, part: str, values: Array) -> None:
        with self._files[part].open("ab") as file:
            np.ascontiguousarray(values).tofile(file)

    def blocks(self) -> Iterator[tuple[Any, ...]]:
        """Read all rows once more, as `open_rows` takes them."""
        import pandas as pd

        self._passes += 1
        self.step(text=f"Fitting, reading all rows for the {_nth(self._passes)} time")
        width = len(self._names)
        size = max(1, BLOCK_CELLS // width)
        with self._files["X"].open("rb") as X, self._files["y"].open("rb") as y:
            first = 0
            while len(cells := np.fromfile(X, CELL, size * width)):
                labels = np.fromfile(y, self._labels, size)
                known = labels if self._classes is None else self._classes[labels]
                frame = pd.DataFrame(cells.reshape(-1, width), columns=self._names, copy=False)
                yield frame, known, self._weights(first, len(labels))
                first += len(labels)

    def _weights(self, first: int, count: int) -> Array | None:
        if not self._weighs:
            return None
        kind = np.dtype(np.float64)
        return np.fromfile(self._files["weight"], kind, count, offset=first * kind.itemsize)


def _nth(number: int) -> str:
    """Return a number as one counts.

    >>> [_nth(n) for n in (1, 2, 3, 4, 11, 12, 21)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st']
    """
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
