"""Tables in Markdown."""

from collections.abc import Iterable, Sequence
from typing import Any


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table; the first column is text, the others are numbers on the right.

    >>> print(table(["set", "ours"], [["iris", 1.5]]))
    | set | ours |
    |:--|--:|
    | iris | 1.5 |
    """
    lines = [head, [":--", *["--:"] * (len(head) - 1)], *rows]
    texts = [" | ".join(str(cell) for cell in line) for line in lines]
    return "\n".join(
        f"|{t.replace(' ', '')}|" if i == 1 else f"| {t} |" for i, t in enumerate(texts)
    )


def signed(value: float, digits: int = 1) -> str:
    """Return a difference with its sign.

    >>> signed(0.25), signed(-3.0), signed(0.04)
    ('+0.2', '-3.0', '0.0')
    """
    text = f"{value:+.{digits}f}"
    return text.lstrip("+-") if float(text) == 0.0 else text
