"""`sfp fit`: from a table to a model file, and what there is to know about it."""

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sfplearn.cli.cells import NUMBERS
from sfplearn.cli.clusters import ASKED_ROWS, describe_clusters
from sfplearn.cli.columns import (
    CATEGORY,
    DATE,
    FEATURE,
    LEFT_OUT,
    NUMBER,
    TARGET,
    Column,
    can_keep,
    check_options,
    check_weight,
    find_roles,
    look_like_dates,
)
from sfplearn.cli.errors import survived
from sfplearn.cli.names import listed, quoted
from sfplearn.cli.output import check_output
from sfplearn.cli.preparation import make_model, make_pipeline_of
from sfplearn.cli.progress import stage
from sfplearn.cli.scoring import SCORED_ROWS, compare, peers
from sfplearn.cli.show import (
    Screen,
    as_plain,
    count,
    place_of,
    show_clusters,
    show_read,
    show_scores,
)
from sfplearn.cli.survey import Survey, survey
from sfplearn.cli.tables import find_columns, open_table, stem_of
from sfplearn.cli.target import Target, check_loss, find_target
from sfplearn.cli.training import Rows, fit_pipeline, sampled_rows, threads_for

MODEL_ENDING = ".skops"

# Libraries whose versions are written down.
LIBRARIES = ("sfplearn", "scikit-learn", "numpy", "pandas")

# Kinds of columns, one and many.
KINDS = ((NUMBER, "numbers"), (DATE, "dates"), (CATEGORY, "categories"))

# Columns with gaps that a note names.
NAMED = 3

# What the model is called in tables.
SFP = "SFP"


@dataclass(frozen=True)
class Learning:
    """What is to be learned, as options say it."""

    table: Path
    target: str
    task: str | None = None
    weight: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    loss: str | None = None
    clusters: int | None = None
    seed: int = 0
    score: bool = True


@dataclass(frozen=True)
class Read:
    """A table that was read, and what its columns are for."""

    wanted: Learning
    found: Survey
    columns: list[Column]
    target: Target
    rows: Rows
    """The rows of the sample."""

    @property
    def labelled(self) -> int:
        """Rows of the table that have a target."""
        return self.found.rows - self.target.missing


def read_table(wanted: Learning, screen: Screen) -> Read:
    """Read a table once, and decide what its columns are for."""
    table = open_table(wanted.table)
    screen.note(table.note)
    named = [wanted.target, *wanted.drop, *wanted.keep]
    find_columns(table, named + ([wanted.weight] if wanted.weight else []))
    check_options(table.names, wanted.target, wanted.weight, wanted.drop, wanted.keep)
    with stage(screen.err, f"Reading {table.name}") as step:
        found = survey(table, wanted.target, wanted.seed, wanted.missing, step)
    target = find_target(found, wanted.target, wanted.task)
    check_weight(found, wanted.weight)
    columns = find_roles(found, wanted.target, wanted.weight, wanted.drop, wanted.keep)
    rows = sampled_rows(found, columns, target)
    check_loss(wanted.loss, target, rows.y)
    return Read(wanted, found, columns, target, rows)


def run_fit(wanted: Learning, output: Path | None, screen: Screen) -> dict[str, Any]:
    """Fit a table, write the model, and print what it is."""
    path = model_path(wanted.table, output)
    read = read_table(wanted, screen)
    result = facts(read)
    settings: dict[str, Any] = {
        "loss": wanted.loss,
        "clusters": wanted.clusters,
        "seed": wanted.seed,
    }
    model = make_model(read.target, read.labelled, **settings)
    show_read(screen, result)
    pipeline = make_pipeline_of(read.columns, model)
    fit_pipeline(pipeline, read.rows, read.found, read.columns, read.target, screen.err)
    if wanted.score:
        models = {SFP: pipeline, **peers(pipeline, read.target.has_classes, wanted.seed)}
        result["scores"] = score(models, read, screen)
    return finish(pipeline, read, result, path, screen)


def model_path(table: Path, output: Path | None) -> Path:
    """Return where the model is written: beside nothing else, named after the table."""
    stem = stem_of(table.name) or "model"
    return check_output(output or Path(stem + MODEL_ENDING), (MODEL_ENDING,), (table,))


def score(models: dict[str, Any], read: Read, screen: Screen, **limits: int) -> dict[str, Any]:
    """Compare models on the rows of the sample; what goes wrong there must not cost the model."""
    rows = read.rows
    settings: dict[str, Any] = {"seed": read.wanted.seed, **limits}
    try:
        with stage(screen.err, "Comparing") as step, threads_for(SCORED_ROWS):
            return compare(
                models,
                rows.X,
                rows.y,
                rows.weight,
                has_classes=read.target.has_classes,
                step=step,
                **settings,
            )
    except Exception as error:
        return {"why_none": survived(error), "models": []}


def described(pipeline: Any, read: Read) -> dict[str, Any]:
    """Describe the clusters; what goes wrong there must not cost the model."""
    kinds = {column.name: column.kind for column in read.columns}
    rows, seed = read.rows, read.wanted.seed
    try:
        with threads_for(ASKED_ROWS):
            return describe_clusters(pipeline, rows.X, rows.weight, kinds, seed)
    except Exception as error:
        return {"why_none": f"No clusters are shown: {survived(error)}", "cards": []}


def finish(
    pipeline: Any, read: Read, result: dict[str, Any], path: Path, screen: Screen
) -> dict[str, Any]:
    """Write the model, then print what it is and where."""
    from sfplearn.persist import save_model

    result["clusters"] = described(pipeline, read)
    save_model(pipeline, path, about=about(result))
    result["model"] = str(path)
    if "scores" in result:
        show_scores(screen, result["scores"])
    show_clusters(screen, result["clusters"], read.target.name)
    where = place_of(path)
    screen.say(f"\nModel written to [bold]{where}[/]. Next: sfp predict {where} TABLE")
    screen.finish(result)
    return result


def about(result: dict[str, Any]) -> dict[str, Any]:
    """Return what is written down in the model file."""
    versions = {name: version(name) for name in LIBRARIES}
    return as_plain({**result, "versions": versions})


def facts(read: Read, fitted: int | None = None) -> dict[str, Any]:
    """Return what was read, as JSON has it; `fitted` rows are learned from, if not all."""
    features = [column for column in read.columns if column.role == FEATURE]
    kinds, target = [column.kind for column in features], read.target
    return {
        "source": read.found.table.name,
        "rows": read.found.rows if fitted is None else fitted,
        "target": target.name,
        "task": target.task,
        "task_was_guessed": target.was_guessed and target.kind == NUMBERS,
        "classes": target.counts,
        "seed": read.wanted.seed,
        "missing_words": list(read.wanted.missing),
        "schema": [column.as_dict() for column in read.columns],
        "left_out": [
            {"name": column.name, "why": column.why, "can_keep": can_keep(read.found, column)}
            for column in read.columns
            if column.role == LEFT_OUT
        ],
        "read": {
            "rows": read.found.rows,
            "columns": len(read.columns),
            "kinds": [(one, many, kinds.count(one)) for one, many in KINDS],
            "notes": notes(read, features) + drawn(read, fitted),
        },
    }


def notes(read: Read, features: list[Column]) -> list[str]:
    """Return sentences about rows and cells that a user should know of."""
    found, lines = read.found, []
    if read.target.missing:
        are = "is" if read.target.missing == 1 else "are"
        lines.append(
            f"{count(read.target.missing, 'row')} without a target {are} not learned from."
        )
    gaps = sum(column.missing for column in features)
    if gaps:
        share, are = gaps / (found.rows * len(features)), "is" if gaps == 1 else "are"
        some = [column.name for column in features if column.missing]
        lines.append(
            f"{count(gaps, 'cell')} ({share:.1%}) {are} missing, in {listed(some, NAMED)}. "
            "The median or the most frequent value stands in."
        )
    lines += infinite(read, features)
    dates = [column.name for column in features if column.kind == DATE]
    if dates:
        lines.append(f"Dates in {listed(dates)} count as days since 1970.")
    return lines + spelled(read) + doubtful(read)


def spelled(read: Read) -> list[str]:
    """Return sentences about numbers that are not written as computers do."""
    used = [column for column in read.columns if column.role != LEFT_OUT]
    numbers = [column for column in used if not (column.role == TARGET and read.target.has_classes)]
    commas = [column.name for column in numbers if column.has_commas]
    thousands = [column.name for column in used if column.thousands]
    amounts = [column.name for column in numbers if column.kind == NUMBER and column.mark]
    lines = [f"Decimal commas were read in {listed(commas)}."] if commas else []
    if thousands:
        lines.append(f"Points in {listed(thousands)} were read as separating thousands.")
    if amounts:
        lines.append(f"Amounts in {listed(amounts)} count as numbers, without their signs.")
    return lines


def doubtful(read: Read) -> list[str]:
    """Return sentences about cells that may mean something else, and what to do then."""
    used = [column for column in read.columns if column.role != LEFT_OUT]
    census, lines = read.found.columns, []
    points = [each.name for each in used if each.kind == NUMBER and census[each.name].grouped]
    if points:
        lines.append(
            f"Points in {listed(points)} were read as decimal points; if they separate thousands, "
            "write numbers without them."
        )
    dates = [each.name for each in used if each.kind == CATEGORY and each.role == FEATURE]
    dates = [name for name in dates if look_like_dates(read.found, name)]
    if dates:
        lines.append(f"{listed(dates)} may hold dates; write these as 2024-12-31 to use them so.")
    return lines + placeholders(read, used)


def placeholders(read: Read, used: list[Column]) -> list[str]:
    """Return a sentence about words that are values here, and gaps elsewhere."""
    found = {
        column.name: read.found.columns[column.name].placeholders
        for column in used
        if column.placeholders
    }
    some = [name for name, counts in found.items() if counts]
    if not some:
        return []
    words = sorted({word for name in some for word in found[name]})
    count_as = "counts as a value" if len(words) == 1 else "count as values"
    what = f"{listed(words)} in {listed(some)} {count_as}, like other words"
    return [f"{what}; add --missing {quoted(words[0])} if it stands for a missing cell."]


def infinite(read: Read, features: list[Column]) -> list[str]:
    """Return a sentence about infinite numbers, if there are some."""
    found = {
        name: read.found.columns[name].infinite
        for name in (*(column.name for column in features), read.target.name)
    }
    some = [name for name, number in found.items() if number]
    if not some:
        return []
    total = sum(found.values())
    counts = "counts" if total == 1 else "count"
    return [f"{count(total, 'infinite number')} in {listed(some, NAMED)} {counts} as missing."]


def drawn(read: Read, fitted: int | None) -> list[str]:
    """Return a sentence about rows that were drawn, if some were."""
    if fitted is not None and fitted < read.labelled:
        return [f"Only {count(fitted, 'row')}, drawn at random, are learned from."]
    if read.found.is_whole:
        return []
    some = f"{len(read.found.sample):,} rows drawn at random"
    return [f"Scales, categories and scores are from {some}; the model is fitted to all."]
