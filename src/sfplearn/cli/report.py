"""`sfp report`: a page that shows what a model learned from a table."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfplearn.cli.columns import DATE, TARGET, WEIGHT, Column
from sfplearn.cli.models import Loaded, check_columns, load
from sfplearn.cli.names import listed, quoted
from sfplearn.cli.output import check_output
from sfplearn.cli.progress import stage
from sfplearn.cli.readings import readings_of
from sfplearn.cli.show import Screen, count, place_of
from sfplearn.cli.survey import Survey, may_have_commas, survey
from sfplearn.cli.tables import open_table
from sfplearn.cli.target import Target, as_number, find_target
from sfplearn.cli.training import Rows, sampled_rows, threads_for

ENDINGS = (".html", ".htm")


def run_report(
    model: Path, path: Path, output: Path | None, screen: Screen, *, unseen: bool, seed: int
) -> None:
    """Write the page of a model on the rows of a table."""
    page = check_output(output or Path(f"{model.stem}-report.html"), ENDINGS, (model, path))
    loaded, table = load(model), open_table(path)
    screen.note(table.note)
    roles = {column["role"]: column["name"] for column in loaded.about["schema"]}
    named = tuple(roles[role] for role in (TARGET, WEIGHT) if role in roles)
    check_columns(loaded, table, named, "that the report needs")
    known = readings_of(loaded.about["schema"], may_have_commas(table))
    with stage(screen.err, f"Reading {table.name}") as step:
        found = survey(table, roles[TARGET], seed, loaded.missing, step, known)
    rows = sampled_rows(found, _columns(loaded), _target(found, loaded))
    rows = as_learned(loaded, rows, table.name)
    with stage(screen.err, "Making the report", known=False), threads_for(len(rows.y)):
        made = make_report(loaded, rows, source=table.name, unseen=unseen, random_state=seed)
        made.save(page)
    if not found.is_whole:
        screen.say(f"The report shows {count(len(rows.y), 'row')} drawn at random.")
    screen.say(f"Report written to [bold]{place_of(page)}[/]; open it in a browser.")
    screen.finish(_summary(model, table.name, page, len(rows.y), made))


def make_report(loaded: Loaded, rows: Rows, **settings: Any) -> Any:
    """Return the report of a model on rows."""
    from sfplearn.report import Report

    return Report(
        loaded.pipeline,
        rows.X,
        rows.y,
        sample_weight=rows.weight,
        searched="search" in loaded.about,
        dates=[column["name"] for column in loaded.features if column["kind"] == DATE],
        **settings,
    )


def as_learned(loaded: Loaded, rows: Rows, place: str) -> Rows:
    """Return rows whose labels are those of the model; refuse others.

    Some of the labels may be numbers where all of them are text.
    """
    if not loaded.has_classes:
        return rows
    learned = loaded.pipeline.classes_.tolist()
    # As they are written, and as the numbers they may be: 01, 1 and 1.0 are one.
    known = {as_number(label): label for label in learned} | {str(each): each for each in learned}
    found, places = np.unique(rows.y, return_inverse=True)
    meant = {each: known.get(str(each), known.get(as_number(each))) for each in found.tolist()}
    alien = [each for each, label in meant.items() if label is None]
    if alien:
        raise ValueError(
            f"{place}, column {quoted(loaded.about['target'])}: the model has not learned "
            f"{listed(alien)}; leave such rows out, or fit again."
        )
    return replace(rows, y=np.array(list(meant.values()))[places])


def _columns(loaded: Loaded) -> list[Column]:
    known = [each.name for each in fields(Column)]
    return [
        Column(**{key: column[key] for key in known if key in column})
        for column in loaded.about["schema"]
    ]


def _target(found: Survey, loaded: Loaded) -> Target:
    """Return the target of the table, which must be of the kind that was fitted."""
    return find_target(found, loaded.about["target"], loaded.about["task"])


def _summary(model: Path, source: str, page: Path, rows: int, made: Any) -> dict[str, Any]:
    score = made.to_dict()["score"]
    return {
        "model": str(model),
        "source": source,
        "rows": rows,
        "report": str(page),
        "score": {key: score[key] for key in ("measure", "value", "evidence", "verdict")},
    }
