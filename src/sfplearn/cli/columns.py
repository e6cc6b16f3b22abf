"""What each column is for: a feature, the target, a weight, or left out, and why."""

import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow.compute as pc

from sfplearn.cli import cells
from sfplearn.cli.census import Census
from sfplearn.cli.names import listed, plain, quoted
from sfplearn.cli.survey import Survey

NUMBER, DATE, CATEGORY = "number", "date", "category"
FEATURE, TARGET, WEIGHT, LEFT_OUT = "feature", "target", "weight", "left out"

# Text is a name if more than this share of the rows differ, and so many rows at least.
NAMES_SHARE, FEWEST_NAMES = 0.5, 10

# Numbers that count the rows are found in tables of at least so many.
FEWEST_COUNTED = 10
NAMED_AS_ID = re.compile(
    r"(?i:(^|[^a-z])(id|idx|index|uuid|guid)$|^unnamed: \d+$)"
    r"|[a-z](I[Dd]|Idx|Index|U[Uu][Ii][Dd]|G[Uu][Ii][Dd])$"  # as in CustomerID and orderId
)

# A column of numbers with a few words in it: the share of numbers, and how many differ at least.
NEARLY_ALL, MANY_NUMBERS = 0.9, 20

# Numbers whose range is a smaller share of their size have few digits, or none, that differ: what
# scales columns would take them for a constant, and leave them as they are.
LEAST_SPREAD = 1e-8

# Whole numbers from here on are rounded in double precision.
EXACT = 2.0**53

# Squares of larger numbers, and sums of these, would be too large for double precision.
LARGEST = 1e100


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    kind: str
    """A number, a date or a category."""
    role: str
    """Feature, target, weight or left out."""
    missing: int = 0
    why: str = ""
    """Why it is left out."""
    has_commas: bool = False
    """Whether numbers were written with decimal commas."""
    are_truths: bool = False
    """Whether its categories are true and false."""
    mark: str = ""
    """The sign of its numbers, if they are amounts of money or percents."""
    code_width: int = 0
    """Digits of its categories, if they are codes."""
    placeholders: bool = False
    """Whether "-", "None" and their like are categories, as they are among words."""
    thousands: bool = False
    """Whether points of its numbers separate thousands."""

    def as_dict(self) -> dict[str, Any]:
        """Return the column as JSON has it."""
        return asdict(self)


def find_roles(
    found: Survey, target: str, weight: str | None, drop: Collection[str], keep: Collection[str]
) -> list[Column]:
    """Return all columns of a table with what they are for."""
    columns = []
    for name, census in found.columns.items():
        role, why, kind = FEATURE, "", _rough_kind(census)
        if name == target:
            role = TARGET
        elif name == weight:
            role = WEIGHT
        elif name in drop:
            role, why = LEFT_OUT, "you asked so"
        else:
            kind = kind_of(found, census)
            why = why_left_out(found, census, name in keep)
            role = LEFT_OUT if why else FEATURE
        truths = kind == CATEGORY and census.are_truths
        mark = max(census.marks, default="") if kind == NUMBER else ""
        width = census.lengths[1] if kind == CATEGORY and census.are_codes else 0
        known = census.missing, why, census.has_commas, truths, mark, width
        columns.append(Column(name, kind, role, *known, **asdict(census.reading)))
    check_any_features(columns, found.table.name)
    return columns


def check_any_features(columns: list[Column], place: str) -> None:
    """Refuse a table of which nothing is left to learn from."""
    if any(column.role == FEATURE for column in columns):
        return
    out = [column for column in columns if column.role == LEFT_OUT]
    if not out:
        raise ValueError(f"{place} has no columns besides the target; give it some to learn from.")
    reasons = "; ".join(f"{quoted(column.name)}: {column.why}" for column in out[:3])
    raise ValueError(
        f"{place} has no columns left to learn from ({reasons}); name some with --keep."
    )


def _rough_kind(census: Census) -> str:
    if census.kinds <= {cells.NUMBERS}:
        return CATEGORY if census.are_codes else NUMBER
    return DATE if census.kinds == {cells.DATES} else CATEGORY


def kind_of(found: Survey, census: Census) -> str:
    """Return the kind of a column; refuse numbers with a few words among them."""
    rough = _rough_kind(census)
    if rough == CATEGORY and census.odd is not None and census.numbers:
        share = census.numbers / (census.numbers + census.words)
        if share >= NEARLY_ALL and distinct(found, census.name) > MANY_NUMBERS:
            row, text = census.odd
            raise ValueError(
                f"{found.table.name}, row {row}, column {quoted(census.name)}: "
                f"{quoted(text)} is no number, as {share:.0%} of the column are; empty the cell, "
                f"add --missing {quoted(text)}, or leave the column out with --drop."
            )
    return rough


def why_left_out(found: Survey, census: Census, is_kept: bool) -> str:
    """Return the reason to leave a column out, if there is one."""
    if census.missing == found.rows:
        return "it is empty"
    if cells.OTHER in census.kinds:
        return "it holds neither numbers nor text"
    if cells.TIMES in census.kinds:
        return "it holds times of day or durations; write them as numbers, such as hours"
    if not census.are_codes and max(census.most, -census.least) > LARGEST:
        return f"its numbers are larger than {LARGEST:g}; write them in another unit"
    if not cells.agree(census.marks):
        return "it mixes percents or money with other numbers; write all in one unit"
    if not census.are_codes and _differ_too_little(found, census):
        return "its numbers differ too little for their size; subtract the least of them first"
    if is_kept:
        return ""
    if _is_constant(found, census):
        return f"it is {plain(_example(found, census.name))} in every row"
    if _counts_rows(found, census):
        return "it numbers the rows"
    if _rough_kind(census) == CATEGORY and _is_name(found, census):
        example = quoted(_example(found, census.name))
        if _are_amounts(found, census):
            return (
                f"it looks like amounts, such as {example}, of which commas may mean either; write "
                "them as plain numbers to use them"
            )
        if census.are_codes:
            return (
                f"codes that differ in nearly every row, such as {example}; write them without "
                "zeros in front if they are quantities"
            )
        if look_like_dates(found, census.name):
            return f"it looks like dates, such as {example}; write them as 2024-12-31 to use them"
        return f"text that differs in nearly every row, such as {example}"
    return ""


def can_keep(found: Survey, column: Column) -> bool:
    """Tell whether a column that is left out would be taken in if asked for."""
    return not why_left_out(found, found.columns[column.name], True)


def distinct(found: Survey, name: str) -> int:
    """Return how many different values a column has in the sample."""
    return int(pc.count_distinct(found.sample.column(name), mode="only_valid").as_py())


def _example(found: Survey, name: str) -> Any:
    column = found.sample.column(name).drop_null()
    return column[0].as_py() if len(column) else ""


def _is_constant(found: Survey, census: Census) -> bool:
    """Tell whether all cells are equal; one row tells nothing."""
    if census.missing or found.rows == 1:
        return False
    if census.kinds == {cells.NUMBERS} and abs(census.most) < EXACT:
        return census.least == census.most
    return distinct(found, census.name) <= 1


def _differ_too_little(found: Survey, census: Census) -> bool:
    """Tell whether a scaler would take numbers that differ for a constant."""
    size = max(census.most, -census.least)
    near = census.kinds == {cells.NUMBERS} and census.most - census.least <= LEAST_SPREAD * size
    # Small numbers that are equal may be written in several ways; large ones are rounded.
    return (
        near and (size >= EXACT or census.least < census.most) and distinct(found, census.name) > 1
    )


def _counts_rows(found: Survey, census: Census) -> bool:
    """Tell whether whole numbers, each there once, count the rows, or are named so."""
    if census.kinds != {cells.NUMBERS} or not census.are_whole or census.missing:
        return False
    if found.rows < FEWEST_COUNTED or distinct(found, census.name) < len(found.sample):
        return False
    consecutive = census.most - census.least + 1 == found.rows
    return bool(consecutive or NAMED_AS_ID.search(census.name))


def _is_name(found: Survey, census: Census) -> bool:
    present = len(found.sample) - found.sample.column(census.name).null_count
    different = distinct(found, census.name)
    return different > max(FEWEST_NAMES, NAMES_SHARE * present)


def _are_amounts(found: Survey, census: Census) -> bool:
    column = found.sample.column(census.name)
    if not cells.is_text(column.type):
        return False
    return cells.count_amounts(column) >= NEARLY_ALL * (len(column) - column.null_count)


def look_like_dates(found: Survey, name: str) -> bool:
    """Tell whether text of a column looks like dates that cannot be read for sure."""
    column = found.sample.column(name)
    return cells.is_text(column.type) and cells.may_be_dates(column)


def check_weight(found: Survey, name: str | None) -> None:
    """Refuse weights that are missing, negative or no numbers."""
    if name is None:
        return
    census = found.columns[name]
    if census.kinds != {cells.NUMBERS} or census.missing or census.least < 0 or census.most <= 0:
        raise ValueError(
            f"{found.table.name}: weights in {quoted(name)} must be numbers, at least 0, in every "
            "row, and not all 0."
        )


def check_options(
    names: list[str], target: str, weight: str | None, drop: Collection[str], keep: Collection[str]
) -> None:
    """Refuse options that contradict one another."""
    both = [name for name in drop if name in keep]
    if both:
        raise ValueError(f"{listed(both)} cannot be dropped and kept; choose one.")
    for name, option in ((target, "--target"), (weight, "--weight")):
        if name is not None and (name in drop or name in keep):
            raise ValueError(f"{quoted(name)} is the {option} already; name it once.")
    if target == weight:
        raise ValueError(f"{quoted(target)} cannot be target and weight; choose one.")


def frame_of(
    batch: Any, columns: list[dict[str, Any]], place: str, before: int, commas: bool
) -> Any:
    """Return rows as the data frame that a pipeline takes: numbers; text and truths as objects.

    Cells that are missing must be null. `before` rows were there before, for messages.
    """
    import pandas as pd

    made: dict[str, Any] = {}
    for column in columns:
        name = column["name"]
        values = cells.cells_of(batch, name)
        if column["kind"] == CATEGORY:
            words = cells.as_truths if column["are_truths"] else cells.as_words
            made[name] = words(cells.as_codes(values, column.get("code_width", 0)))
        else:
            made[name] = _measured(values, column, place, before, commas)
    return pd.DataFrame(
        {name: pd.Series(values, dtype=values.dtype) for name, values in made.items()}
    )


def check_marks(values: Any, column: dict[str, Any], place: str, commas: bool) -> None:
    """Refuse amounts in another unit than the model was fitted to."""
    fitted, here = column.get("mark", ""), cells.marks_of(values, commas) - {""}
    if here <= {fitted}:
        return
    was = f"numbers with {fitted}" if fitted else "plain numbers"
    raise ValueError(
        f"{place}, column {quoted(column['name'])}: the model was fitted to {was} there, and this "
        f"has {', '.join(sorted(here))}; write it alike."
    )


def check_points(values: Any, column: dict[str, Any], place: str, commas: bool) -> None:
    """Refuse other points than those between thousands, which are gone, if a model knows these."""
    if not commas or not column.get("thousands", False):
        return
    odd = cells.first_with_point(values)
    if odd is not None:
        raise ValueError(
            f"{place}, column {quoted(column['name'])}: the model was fitted to points between "
            f"thousands there, as in 1.234, and this has {quoted(odd)}; write it alike."
        )


def _measured(values: Any, column: dict[str, Any], place: str, before: int, commas: bool) -> Any:
    """Return numbers, or dates as days since 1970."""
    dates = column["kind"] == DATE
    if not dates and cells.is_text(values.type):
        check_points(values, column, place, commas)
        check_marks(values, column, place, commas)
    numbers = cells.as_days(values) if dates else cells.as_numbers(values, commas)
    if numbers is None and values.null_count == len(values):
        return np.full(len(values), np.nan)
    if numbers is not None:
        return numbers
    what = "dates such as 2024-12-31" if dates else "numbers"
    where, shown = f"column {quoted(column['name'])}", "other values"
    if cells.is_text(values.type) and not dates:
        row, text = cells.first_word(values, commas)
        where, shown = f"row {before + row + 1}, {where}", quoted(text)
    raise ValueError(
        f"{place}, {where}: the model was fitted to {what} there, and this is {shown}; "
        "empty the cell, or fit again."
    )
