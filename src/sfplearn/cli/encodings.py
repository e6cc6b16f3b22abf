"""In which encoding a text file is written: nothing says so but its first bytes."""

import codecs

import numpy as np

# How files in UTF-16 begin, as spreadsheets write them.
WIDE_TEXT = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

UTF_8, UTF_16, WINDOWS = "utf-8", "utf-16", "cp1252"

# Shares of zeros among the first and the second of two bytes in UTF-16.
RARE, USUAL = 0.1, 0.5

# Reasons that follow the name of a file.
NO_TEXT = "is no text in UTF-8, UTF-16 or Windows-1252; save it as UTF-8 (in Excel: CSV UTF-8)."
LATE = (
    "begins as text in UTF-8 and goes on as something else; save it as UTF-8 (in Excel: CSV UTF-8)."
)


def encoding_of(head: bytes, is_all: bool, place: str) -> str:
    r"""Return the encoding of a text that begins so, or is all of it.

    Hardly any text in another encoding is UTF-8 by chance. The rest is taken for what
    spreadsheets write in Western Europe and America.

    >>> [encoding_of(head, True, "t") for head in ("é".encode(), "é".encode("utf-16"), b"\xe9")]
    ['utf-8', 'utf-16', 'cp1252']
    """
    if head.startswith(WIDE_TEXT):
        return UTF_16
    if b"\0" in head[1:]:
        return _without_mark(head)
    try:
        decoded(head, UTF_8, is_all)
    except UnicodeDecodeError as error:
        _check_not_damaged(head, error.start, place)
        return WINDOWS
    return UTF_8


def _without_mark(head: bytes) -> str:
    """Return the encoding of bytes with zeros: in plain letters of UTF-16, each second is one."""
    pairs = np.frombuffer(head[: len(head) // 2 * 2], np.uint8).reshape(-1, 2) == 0
    first, second = pairs.mean(axis=0)
    if first < RARE and second > USUAL:
        return "utf-16-le"
    return "utf-16-be" if second < RARE and first > USUAL else UTF_8


def _check_not_damaged(head: bytes, start: int, place: str) -> None:
    """Refuse text that is UTF-8 for the most part: in another encoding all of it would be odd."""
    text = head.decode(UTF_8, "replace")
    odd = text.count("\ufffd")
    if sum(not letter.isascii() for letter in text) > 2 * odd:
        line = head[:start].count(b"\n") + 1
        raise ValueError(
            f"{place} is text in UTF-8, but not in line {line}; save it as UTF-8 once more."
        )


def decoded(head: bytes, encoding: str, is_all: bool) -> str:
    """Return the text of the first bytes of a file, which end amid a letter if they are not all."""
    text = codecs.getincrementaldecoder(encoding)().decode(head, is_all)
    return text.removeprefix("\ufeff")


def note_of(encoding: str, place: str) -> str:
    """Return what a user should know of how a file was read; nothing if it says so itself."""
    if encoding != WINDOWS:
        return ""
    return (
        f"{place} is no UTF-8 and was read as Windows-1252; save it as UTF-8 if letters look wrong."
    )
