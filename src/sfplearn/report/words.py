"""Numbers and names as people read them."""

from typing import Any

import numpy as np

# Digits that are told of a number; more are kept of those that a program may read.
DIGITS, KEPT_DIGITS = 3, 6

# From here on numbers are written by powers of ten, or without decimals.
HUGE, TINY, MANY = 1e7, 1e-3, 1e3

# Letters of a title, a name and the value of a cell that are kept: a page is not a table.
TITLE_LENGTH, NAME_LENGTH, CELL_LENGTH = 120, 60, 40

# Shares this near to none or all are not rounded to them.
EDGE = 0.005

# Shares below this are told with two digits.
SMALL = 0.01


def number(value: Any) -> str:
    """Return a number with as many digits as one reads.

    >>> [number(x) for x in (3, 0.12345, 12345.6, 1234567890.0, None)]
    ['3', '0.123', '12,346', '1.23e+09', '–']
    """
    if value is None or not np.isfinite(value):
        return "–"
    size = abs(value)
    if size and not TINY <= size < HUGE:
        return f"{value:.{DIGITS}g}"
    if size >= MANY or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.{DIGITS}g}"


def percent(share: Any) -> str:
    r"""Return a share in percent; those that are nearly none or all say so.

    >>> [percent(x) for x in (0.0, 0.001, 0.3333, 0.997, 1.0)]
    ['0\xa0%', '<1\xa0%', '33\xa0%', '99.7\xa0%', '100\xa0%']
    """
    if share is None:
        return "–"
    if 0 < share < EDGE:
        return "<1\xa0%"
    if 1 - EDGE < share < 1:
        # Nearly all is not all: cut digits off instead of rounding up.
        return f"{np.floor(1000 * share) / 10:.1f}\xa0%"
    return f"{100 * share:.0f}\xa0%"


def exact_percent(share: Any) -> str:
    r"""Return a share in percent with a decimal, or two digits where it is small.

    >>> [exact_percent(x) for x in (0.97191, 0.00072, 0.0, None)]
    ['97.2\xa0%', '0.072\xa0%', '0.0\xa0%', '–']
    """
    if share is None:
        return "–"
    small = 0 < share < SMALL
    return f"{100 * share:.2g}\xa0%" if small else f"{100 * share:.1f}\xa0%"


def shortened(text: Any, length: int = NAME_LENGTH) -> str:
    """Return a text on one line, cut where it is too long for a page.

    >>> shortened("a very long name", 6)
    'a ver…'
    """
    line = " ".join(str(text).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def plain(value: Any) -> float | None:
    """Return a number as JSON knows it: six digits, None where there is none.

    >>> plain(np.float64(1 / 3)), plain(np.nan)
    (0.333333, None)
    """
    return float(f"{value:.{KEPT_DIGITS}g}") if np.isfinite(value) else None


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count and its noun.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "pass", "passes")
    ('1 row', '1,200 rows', '2 passes')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
