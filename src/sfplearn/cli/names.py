"""Names of columns as users read and write them."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

# Names of columns that a sentence lists before it says how many more there are.
LISTED = 10

# How alike names are, from 0 to 1, of which one may be meant by the other.
CLOSE = 0.7

# Letters of a name or of a cell that are shown.
LONGEST = 60


def quoted(name: object) -> str:
    r"""Return a name in quotes, on one line, safe for a terminal.

    >>> quoted("a\nb")
    "'a\\nb'"
    """
    return f"'{plain(name)}'"


def plain(name: object) -> str:
    r"""Return a name or a cell without line breaks and control characters, cut if it is long.

    >>> plain("a\tb\x1b[31m")
    'a\\tb\\x1b[31m'
    """
    text = str(name)
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[: LONGEST + 1])
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 3] + "..."


def listed(names: Sequence[object], most: int = LISTED) -> str:
    """Return the first names of a list in quotes, and how many more there are.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(map(quoted, names[:most]))
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def check_known(wanted: Iterable[str], names: Sequence[str], place: str) -> None:
    """Refuse names that a table does not have, and say which ones were perhaps meant.

    >>> check_known(["agee"], ["age", "sex"], "t.csv")
    Traceback (most recent call last):
    ValueError: t.csv has no column 'agee'; did you mean 'age'?
    """
    missing = [name for name in dict.fromkeys(wanted) if name not in names]
    if not missing:
        return
    columns = "column" if len(missing) == 1 else "columns"
    raise ValueError(f"{place} has no {columns} {listed(missing)}; {meant(missing, names)}")


def meant(missing: Sequence[str], names: Sequence[str]) -> str:
    """Return which columns were perhaps meant, or which ones there are.

    >>> meant(["zzz"], ["age", "sex"])
    "it has 'age', 'sex'."
    """
    lower = {name.casefold(): name for name in reversed(names)}
    found = []
    for name in missing:
        close = get_close_matches(name.casefold(), list(lower), n=1, cutoff=CLOSE)
        found += [lower[close[0]]] if close else []
    if found:
        return f"did you mean {listed(list(dict.fromkeys(found)))}?"
    return f"it has {listed(names)}." if names else "it has no columns at all."
