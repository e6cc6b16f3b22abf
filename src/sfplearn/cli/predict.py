"""`sfp predict`: a prediction for each row, block by block."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sfplearn.cli import reasons
from sfplearn.cli.cells import cells_of, has_groups, is_text
from sfplearn.cli.columns import CATEGORY, frame_of
from sfplearn.cli.models import Loaded, check_columns, load
from sfplearn.cli.names import listed, quoted
from sfplearn.cli.output import check_output
from sfplearn.cli.preparation import PREPARE, categories_of
from sfplearn.cli.progress import stage
from sfplearn.cli.readings import readings_of, shown_cells
from sfplearn.cli.show import Screen, count, place_of
from sfplearn.cli.survey import may_have_commas
from sfplearn.cli.tables import TableFile, open_table
from sfplearn.cli.writers import writing

ENDINGS = (".csv", ".tsv", ".parquet")
PREDICTION, PROBABILITY = "prediction", "probability_"

# Examples of unknown categories that a note names.
EXAMPLES = 3


@dataclass
class Unseen:
    """Categories of a column that the fit did not see; of many, a few are kept."""

    cells: int = 0
    examples: list[str] = field(default_factory=list)

    def take(self, counts: Any) -> None:
        """Count cells of a block; `counts` has the number of each value."""
        self.cells += int(counts.sum())
        fresh = [str(value) for value in counts.index if str(value) not in self.examples]
        self.examples += fresh[: EXAMPLES - len(self.examples)]


@dataclass
class Predicting:
    """What is asked for, and what was found on the way."""

    loaded: Loaded
    probabilities: bool
    explain: bool
    copied: tuple[str, ...]
    rows: int = 0
    unknown: dict[str, Unseen] = field(default_factory=dict)
    """Categories that the fit did not see, by column."""
    filled: set[str] = field(default_factory=set)
    """Columns that are not empty."""
    pointed: set[str] = field(default_factory=set)
    """Columns whose points separated thousands in the fit, and may do so here."""

    def __post_init__(self) -> None:
        if self.probabilities and not hasattr(self.loaded.pipeline, "predict_proba"):
            raise ValueError(
                "The model gives no probabilities: it predicts numbers, or its loss has none; "
                "leave --proba out."
            )
        made = self.names()
        twice = [name for name in self.copied if name in made]
        if twice:
            raise ValueError(f"{listed(twice)} is a column of predictions; rename yours first.")
        prepare = self.loaded.pipeline.named_steps[PREPARE]
        self._known = categories_of(prepare)
        self._kinds = {column["name"]: column["kind"] for column in self.loaded.features}

    def names(self) -> list[str]:
        """Return the columns that are made."""
        made = [PREDICTION]
        if self.probabilities:
            made += [f"{PROBABILITY}{label}" for label in self.loaded.pipeline.classes_]
        return made + (reasons.names() if self.explain else [])

    def blocks(self, table: TableFile) -> Iterator[dict[str, Any]]:
        """Predict block by block; each is a list or an array for each column."""
        commas = may_have_commas(table)
        readings = readings_of(self.loaded.features, commas)
        for batch in table.blocks():
            shown = shown_cells(batch, self.loaded.missing, readings)
            X = frame_of(shown, self.loaded.features, table.name, self.rows, commas)
            self.rows += len(batch)
            self._note_unknown(X)
            self._note_points(shown, commas)
            self.filled |= set(X.columns[X.notna().any()])
            if len(X):
                copied = {name: cells_of(batch, name) for name in self.copied}
                yield {**copied, **self._predict(X)}

    def _predict(self, X: Any) -> dict[str, Any]:
        pipeline = self.loaded.pipeline
        made: dict[str, Any] = {PREDICTION: pipeline.predict(X)}
        if self.probabilities:
            shares = np.asarray(pipeline.predict_proba(X), dtype=np.float64).round(6)
            for place, label in enumerate(pipeline.classes_):
                made[f"{PROBABILITY}{label}"] = shares[:, place]
        if self.explain:
            made |= reasons.explain_rows(pipeline, X, self._kinds)
        return made

    def _note_unknown(self, X: Any) -> None:
        for name, kind in self._kinds.items():
            if kind == CATEGORY:
                counts = X[name].value_counts()
                fresh = counts[~counts.index.isin(self._known[name])]
                if len(fresh):
                    self.unknown.setdefault(name, Unseen()).take(fresh)

    def _note_points(self, shown: Any, commas: bool) -> None:
        """Note points that are decimal because commas are not, and were not so in the fit."""
        for column in self.loaded.features:
            if column.get("thousands", False) and not commas:
                values = cells_of(shown, column["name"])
                if is_text(values.type) and has_groups(values):
                    self.pointed.add(column["name"])


def run_predict(
    model: Path,
    path: Path,
    output: Path | None,
    screen: Screen,
    *,
    probabilities: bool,
    explain: bool,
    copied: tuple[str, ...],
) -> None:
    """Predict the rows of a table, and write what was predicted."""
    if screen.as_json and output is None:
        raise ValueError("--json prints a summary; name a file for the predictions with -o.")
    if output is not None:
        check_output(output, ENDINGS, (path, model))
    loaded, table, copied = load(model), open_table(path), tuple(dict.fromkeys(copied))
    check_columns(loaded, table, copied)
    screen.note(table.note)
    work = Predicting(loaded, probabilities, explain, copied)
    with stage(screen.err, f"Predicting {table.name}") as step, writing(output) as writer:
        writer.begin([*copied, *work.names()])
        for block in work.blocks(table):
            writer.write(block)
            step(table.share)
    if not work.rows and output is None:
        screen.note(f"{table.name} has no rows.")
    _say_unknown(work, screen)
    _say_empty(work, screen)
    _say_points(work, screen)
    if output is not None:
        screen.say(f"{count(work.rows, 'prediction')} written to [bold]{place_of(output)}[/].")
    screen.finish(_summary(work, model, table, output))


def _say_unknown(work: Predicting, screen: Screen) -> None:
    """Tell of categories that the fit did not see."""
    for name, found in work.unknown.items():
        some = ", ".join(map(quoted, found.examples))
        hold = "holds a value" if found.cells == 1 else "hold values"
        screen.note(
            f"{count(found.cells, 'cell')} of {quoted(name)} {hold} that the fit did not "
            f"see, such as {some}."
        )


def _say_empty(work: Predicting, screen: Screen) -> None:
    """Tell of columns that the model needs and that are there, but empty."""
    empty = [name for name in work.loaded.names if name not in work.filled]
    if work.rows and empty:
        are = "is" if len(empty) == 1 else "are"
        screen.note(f"{listed(empty)} {are} empty; the usual values of the fit stand in.")


def _say_points(work: Predicting, screen: Screen) -> None:
    """Tell of points that meant something else in the fit."""
    if work.pointed:
        screen.note(
            f"points in {listed(sorted(work.pointed))} were read as decimal points, and separated "
            "thousands in the fit; write numbers without them if they do so here."
        )


def _summary(work: Predicting, model: Path, table: TableFile, output: Path | None) -> Any:
    return {
        "model": str(model),
        "source": table.name,
        "rows": work.rows,
        "columns": [*work.copied, *work.names()],
        "unknown": {name: asdict(found) for name, found in work.unknown.items()},
        "output": str(output) if output else None,
    }
