"""Cells of a column: which are missing, and what the others are: numbers, dates or words."""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

# Words that stand for a missing value. Not "none" and "unknown", which may be categories.
MISSING_WORDS = (
    "", "NA", "N/A", "n/a", "na", "NaN", "nan", "NAN", "null", "NULL", "Null", "<NA>",
    "#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "?",
)  # fmt: skip

# Words that stand for a missing value among numbers and dates. Among words they may be values:
# "-" beside "+", or "None" beside kinds of defects.
PLACEHOLDERS = ("None", "-", "--", ".", "..")

# A day in microseconds, the unit that dates are read in.
DAY = 86_400_000_000

# Numbers as people write them, with a point or with a comma.
NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
COMMA = r"^[+-]?\d*,\d+$"

# Commas that can only be decimal: elsewhere three digits may follow one that separates thousands.
SURE_COMMA = r"^[+-]?(\d*,(\d{1,2}|\d{4,})|(0\d*|\d{4,})?,\d+)$"

# Numbers with points between thousands, and those without, if commas are decimal.
POINTED = r"[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?"
UNPOINTED = r"[+-]?(\d+|\d*,\d+)"

# Infinite numbers, by name, or by an exponent or digits that double precision does not hold.
INFINITE = (
    r"(?i)^[+-]?(inf|infinity|0*[1-9]\d{308,}(\.\d*)?"
    r"|(\d+\.?\d*|\.\d+)e\+?0*(30[89]|3[1-9]\d|[4-9]\d\d|[1-9]\d{3,}))$"
)

# What computers write for no number, in any case.
NO_NUMBER = r"(?i)^[+-]?nan$"

# Whole numbers that begin with a zero, as codes do.
CODE = r"^0\d+$"

# How typographers write what computers write as a hyphen.
MINUS = "\N{MINUS SIGN}"

# Texts that look like dates: others need not be tried. With points, the day is first.
DATE = r"^\d{4}-\d{2}-\d{2}"
POINTED_DATE = r"^(\d{1,2})\.(\d{1,2})\.(\d{4})\b"

# Texts of which day and month may be either, or that are no day of any year.
DOUBTFUL_DATE = r"^\d{1,2}[./-]\d{1,2}[./-]\d{4}"

# Truth as people write it; pandas reads these as booleans, in no other case.
TRUTHS = ("True", "TRUE", "true", "False", "FALSE", "false")

# What looks like an amount, with a sign before or after, or with commas between thousands.
AMOUNT = r"^[+-]?([$€£¥]\s*[+-]?\d[\d., ]*|\d[\d., ]*\s*[$€£¥%]|\d{1,3}(,\d{3})+(\.\d+)?)$"

# Amounts that can mean one number only, by whether commas may be decimal. If they may, thousands
# cannot be told from thousandths: three digits after one point or comma are neither.
MARKS = r"$€£¥%"
BLANKS = r"[\s\x{00A0}\x{202F}]*"
GROUPED = r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?"
AMOUNTS = {
    False: rf"({GROUPED}|\d+(\.\d*)?|\.\d+)",
    True: r"(\d+([.,](\d{1,2}|\d{4,}))?|0[.,]\d+)",
}

# Times are those of a day, and spans of time: no dates.
NUMBERS, DATES, TIMES = "numbers", "dates", "times"
WORDS, OTHER = "words", "other"


def cells_of(batch: Any, name: str) -> Any:
    """Return a column of a block or of a table as one array."""
    column = batch.column(batch.schema.get_field_index(name))
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def present(column: Any, missing: Collection[str]) -> Any:
    """Return a column whose missing cells are null, text without blanks around it.

    Infinite numbers count as missing, written as text or not. Placeholders stay, as what they mean
    depends on the column.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if is_text(column.type):
        column = _with_hyphens(pc.utf8_trim_whitespace(column.cast(pa.string())))
        absent = pc.or_(
            pc.is_in(column, value_set=pa.array(sorted({*MISSING_WORDS, *missing}))),
            pc.fill_null(pc.match_substring_regex(column, f"{INFINITE}|{NO_NUMBER}"), False),
        )
        return pc.if_else(absent, pa.scalar(None, pa.string()), column)
    if pa.types.is_boolean(column.type):
        return column
    if pa.types.is_floating(column.type):
        column = column.cast(pa.float64())
        return pc.if_else(pc.is_finite(column), column, pa.scalar(None, pa.float64()))
    return column


def without_placeholders(column: Any) -> Any:
    """Return a column in which words that stand for no number or date are null."""
    if not is_text(column.type):
        return column
    found = pc.is_in(column, value_set=pa.array(PLACEHOLDERS))
    return pc.if_else(found, pa.scalar(None, pa.string()), column)


def count_placeholders(column: Any) -> Counter[str]:
    """Return how often words that may stand for a missing value occur in a column of text."""
    found = column.filter(pc.is_in(column, value_set=pa.array(PLACEHOLDERS)))
    return Counter(found.to_pylist())


def _with_hyphens(column: Any) -> Any:
    """Return text in which numbers have the minus of computers."""
    if not pc.any(pc.match_substring(column, MINUS)).as_py():
        return column
    before = pc.replace_substring_regex(column, rf"^{MINUS}([{MARKS}.,\d])", r"-\1")
    return pc.replace_substring_regex(before, rf"^([{MARKS}]\s*){MINUS}([.,\d])", r"\1-\2")


def count_infinite(column: Any) -> int:
    """Return how many cells of a column, as it was read, are infinite numbers."""
    if is_text(column.type):
        trimmed = pc.utf8_trim_whitespace(column.cast(pa.string()))
        found = pc.match_substring_regex(trimmed, INFINITE)
    elif pa.types.is_floating(column.type):
        found = pc.is_inf(column.cast(pa.float64()))
    else:
        return 0
    return int(pc.sum(found).as_py() or 0)


def is_text(kind: Any) -> bool:
    """Tell whether cells of a type are text."""
    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def kind_of(column: Any, commas: bool) -> str:
    """Return what all cells of a column are, those missing apart.

    `commas` tells whether numbers may have a decimal comma. Of a column without any cells,
    nothing speaks against numbers.
    """
    if is_text(column.type):
        if as_numbers(column, commas) is not None:
            return NUMBERS
        return DATES if as_days(column) is not None else WORDS
    types = pa.types
    if types.is_boolean(column.type):
        return WORDS
    if types.is_temporal(column.type):
        return DATES if _are_dates(column.type) else TIMES
    number = types.is_integer(column.type) or types.is_floating(column.type)
    known = number or types.is_decimal(column.type) or types.is_null(column.type)
    return NUMBERS if known else OTHER


def _are_dates(kind: Any) -> bool:
    return pa.types.is_date(kind) or pa.types.is_timestamp(kind)


def as_numbers(column: Any, commas: bool) -> NDArray[np.float64] | None:
    """Return a column as numbers, NaN where missing; None if some cell is none."""
    text = is_text(column.type)
    numbers = _cast(_with_points(column) if text and commas else column)
    if numbers is None and text:  # amounts are rare, and looking for them takes time
        numbers = _cast(_plainly(column, commas))
    if numbers is None:
        return None
    found = numbers.to_numpy(zero_copy_only=False).astype(np.float64)
    return np.where(np.isfinite(found), found, np.nan)


def _cast(column: Any) -> Any:
    """Return numbers; None if some cell is none."""
    try:
        # Whole numbers may have more digits than double precision: the last ones are lost.
        return pc.cast(column, pa.float64(), safe=is_text(column.type))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _plainly(column: Any, commas: bool) -> Any:
    """Return text with numbers as computers write them."""
    return _without_signs(_with_points(column) if commas else column, commas)


def are_amounts(column: Any, commas: bool) -> Any:
    """Tell which cells of a column of text are amounts that can mean one number only.

    >>> cells = pa.array(["$1,234.50", "45 %", "-€3", "1,234", "0,125", "12"])
    >>> are_amounts(cells, commas=False).to_pylist()
    [True, True, True, True, False, False]
    """
    number, money = AMOUNTS[commas], MARKS.removesuffix("%")
    marked = rf"[{money}]{BLANKS}[+-]?{number}|{number}{BLANKS}[{MARKS}]"
    pattern = rf"^[+-]?({marked})$" if commas else rf"^[+-]?({marked}|{GROUPED})$"
    return pc.fill_null(pc.match_substring_regex(column, pattern), False)


def marks_of(column: Any, commas: bool) -> set[str]:
    """Return the signs of the amounts in a column of text, and "" if some number has none."""
    there = column.drop_null()
    if _cast(_with_points(there) if commas else there) is not None:
        return {""}
    marked = pc.replace_substring_regex(there.filter(are_amounts(there, commas)), f"[^{MARKS}]", "")
    plain = pc.any(pc.match_substring_regex(there, NUMBER)).as_py()
    return {*pc.unique(marked).to_pylist(), *([""] if plain else [])}


def agree(marks: set[str]) -> bool:
    """Tell whether signs are of one unit: money may lack its sign, percents may not.

    >>> agree({"$", ""}), agree({"%", ""}), agree({"$", "€"})
    (True, False, False)
    """
    return len(marks - {""}) <= 1 and not ("%" in marks and len(marks) > 1)


def _without_signs(column: Any, commas: bool) -> Any:
    """Return text with amounts as plain numbers, if they are of one unit."""
    found = are_amounts(column, commas)
    if not pc.any(found).as_py() or not agree(marks_of(column, commas)):
        return column
    digits = pc.replace_substring_regex(column, r"[^\d.,+-]", "")
    digits = pc.replace_substring(digits, ",", "." if commas else "")
    return pc.if_else(found, digits, column)


def _with_points(column: Any) -> Any:
    """Return text with a point in place of the comma of a number."""
    written = pc.fill_null(pc.match_substring_regex(column, COMMA), False)
    return pc.if_else(written, pc.replace_substring(column, ",", "."), column)


def has_commas(column: Any) -> bool:
    """Tell whether a column of text has numbers with a decimal comma."""
    return bool(pc.any(pc.match_substring_regex(column, COMMA)).as_py())


def has_sure_commas(column: Any) -> bool:
    """Tell whether a column of text has commas that can only be decimal.

    >>> has_sure_commas(pa.array(["1,5"])), has_sure_commas(pa.array(["1,234", "12,345"]))
    (True, False)
    """
    return bool(pc.any(pc.match_substring_regex(column, SURE_COMMA)).as_py())


def may_have_groups(column: Any) -> bool:
    """Tell whether all points in a column of text may separate thousands.

    >>> may_have_groups(pa.array(["987", "1.234,5"])), may_have_groups(pa.array(["1.234", "0.5"]))
    (True, False)
    """
    found = pc.match_substring_regex(column, f"^({POINTED}|{UNPOINTED})$")
    return bool(pc.all(pc.fill_null(found, True), min_count=0).as_py())


def has_groups(column: Any) -> bool:
    """Tell whether a column of text has numbers with points that may separate thousands."""
    return bool(pc.any(pc.match_substring_regex(column, f"^{POINTED}$")).as_py())


def without_groups(column: Any) -> Any:
    """Return text without the points between thousands."""
    pointed = pc.fill_null(pc.match_substring_regex(column, f"^{POINTED}$"), False)
    return pc.if_else(pointed, pc.replace_substring(column, ".", ""), column)


def first_with_point(column: Any) -> str | None:
    """Return the first cell of a column of text that has a point; None if there is none."""
    found = column.filter(pc.match_substring(column, "."))
    return found[0].as_py() if len(found) else None


def lengths_of(column: Any) -> tuple[int, int]:
    """Return how many letters the shortest and the longest cell of a column of text have."""
    found = pc.min_max(pc.utf8_length(column)).as_py()
    return found["min"], found["max"]


def has_codes(column: Any) -> bool:
    """Tell whether some cell of a column of text is a whole number that begins with a zero."""
    return bool(pc.any(pc.match_substring_regex(column, CODE)).as_py())


def as_codes(column: Any, width: int) -> Any:
    """Return a column whose whole numbers have so many digits; what reads codes drops zeros.

    >>> as_codes(pa.array([501, 2139]), 5).to_pylist(), as_codes(pa.array(["501.0"]), 5).to_pylist()
    (['00501', '02139'], ['00501'])
    """
    if not width or pa.types.is_boolean(column.type) or pa.types.is_nested(column.type):
        return column
    text = pc.replace_substring_regex(column.cast(pa.string()), r"^(\d+)\.0$", r"\1")
    digits = pc.fill_null(pc.match_substring_regex(text, r"^\d+$"), False)
    return pc.if_else(digits, pc.utf8_lpad(text, width, "0"), text)


def are_digits(column: Any) -> bool:
    """Tell whether all cells of a column of text consist of digits."""
    return bool(pc.all(pc.match_substring_regex(column, r"^\d+$")).as_py())


def are_integers(column: Any) -> bool:
    """Tell whether all cells are written as whole numbers."""
    if not is_text(column.type):
        return pa.types.is_integer(column.type) or pa.types.is_null(column.type)
    try:
        pc.cast(column, pa.int64())
    except pa.ArrowInvalid:
        return False
    return True


def as_integers(column: Any) -> NDArray[Any]:
    """Return whole numbers with all their digits, of a column without gaps that holds such."""
    if pa.types.is_uint64(column.type):
        return column.to_numpy(zero_copy_only=False)
    return pc.cast(column, pa.int64()).to_numpy(zero_copy_only=False)


def as_days(column: Any) -> NDArray[np.float64] | None:
    """Return dates and times as days since 1970, NaN where missing; None if some cell is none."""
    if is_text(column.type):
        column = _parsed_dates(column)
    elif _are_dates(column.type):
        column = pc.cast(column, pa.timestamp("us"), safe=False)
    if column is None or not _are_dates(column.type):
        return None
    return pc.cast(column, pa.int64()).cast(pa.float64()).to_numpy(zero_copy_only=False) / DAY


def _parsed_dates(column: Any) -> Any:
    """Return text as times, with or without a time zone; None if some cell is none."""
    column = _with_years_first(column)
    if not pc.all(pc.fill_null(pc.match_substring_regex(column, DATE), True)).as_py():
        return None
    for kind in (pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        try:
            return pc.cast(column, kind)
        except pa.ArrowInvalid:
            continue
    return None


def _with_years_first(column: Any) -> Any:
    """Return text in which 31.12.2024 and 1.2.2024 are 2024-12-31 and 2024-02-01."""
    if not pc.any(pc.match_substring_regex(column, POINTED_DATE)).as_py():
        return column
    padded = pc.replace_substring_regex(column, POINTED_DATE, r"\3-0\2-0\1")
    return pc.replace_substring_regex(padded, r"^(\d{4})-0?(\d{2})-0?(\d{2})", r"\1-\2-\3")


def may_be_dates(column: Any) -> bool:
    """Tell whether all cells of a column of text look like dates such as 12/31/2024."""
    there = column.drop_null()
    return len(there) > 0 and bool(pc.all(pc.match_substring_regex(there, DOUBTFUL_DATE)).as_py())


def as_words(column: Any) -> NDArray[np.object_]:
    """Return a column as text, NaN where missing."""
    return _translated(column, str)


def _translated(column: Any, meaning: Callable[[str], Any]) -> NDArray[np.object_]:
    """Return what each cell, as text, means, NaN where missing."""
    if pa.types.is_boolean(column.type):
        # As pandas writes them to text files.
        column = pc.if_else(column, "True", "False")
    if not is_text(column.type):
        column = pc.cast(column, pa.string())
    coded = column.dictionary_encode()
    words = np.array([*map(meaning, coded.dictionary.to_pylist()), np.nan], dtype=object)
    return words[coded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False)]


def are_truths(column: Any) -> bool:
    """Tell whether all cells are true or false, those missing apart."""
    if not is_text(column.type):
        return pa.types.is_boolean(column.type)
    return bool(pc.all(pc.is_in(column.drop_null(), value_set=pa.array(TRUTHS))).as_py())


def as_truths(column: Any) -> NDArray[np.object_]:
    """Return a column as True and False, in whatever case, NaN where missing; the rest is text."""
    return _translated(column, lambda word: {"true": True, "false": False}.get(word.lower(), word))


def count_amounts(column: Any) -> int:
    """Return how many cells of a column of text are amounts with a sign."""
    return int(pc.sum(pc.match_substring_regex(column, AMOUNT)).as_py() or 0)


def count_numbers(column: Any, commas: bool) -> int:
    """Return how many cells of a column of text are numbers."""
    column = _plainly(column, commas)
    return int(pc.sum(pc.fill_null(pc.match_substring_regex(column, NUMBER), False)).as_py() or 0)


def first_word(column: Any, commas: bool) -> tuple[int, str]:
    """Return the place and the text of the first cell of a column that is no number."""
    number = pc.fill_null(pc.match_substring_regex(_plainly(column, commas), NUMBER), True)
    place = pc.index(number, False).as_py()
    return place, column[place].as_py()
