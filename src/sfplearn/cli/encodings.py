"""In which encoding a text file is written: nothing says so but its first bytes."""

import codecs

# How files in UTF-16 begin, as spreadsheets write them.
WIDE_TEXT = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

UTF_8, UTF_16, WINDOWS = "utf-8", "utf-16", "cp1252"

# Reasons that follow the name of a file.
NO_TEXT = "is no text in UTF-8, UTF-16 or Windows-1252; save it as UTF-8 (in Excel: CSV UTF-8)."
LATE = (
    "begins as text in UTF-8 and goes on as something else; save it as UTF-8 (in Excel: CSV UTF-8)."
)


def encoding_of(head: bytes) -> str:
    r"""Return the encoding of a text that begins so.

    Hardly any text in another encoding is UTF-8 by chance. The rest is taken for what
    spreadsheets write in Western Europe and America.

    >>> encoding_of("é".encode()), encoding_of("é".encode("utf-16")), encoding_of(b"caf\xe9")
    ('utf-8', 'utf-16', 'cp1252')
    """
    if head.startswith(WIDE_TEXT):
        return UTF_16
    try:
        decoded(head, UTF_8)
    except UnicodeDecodeError:
        return WINDOWS
    return UTF_8


def decoded(head: bytes, encoding: str) -> str:
    """Return the text of the first bytes of a file, which may end amid a letter."""
    text = codecs.getincrementaldecoder(encoding)().decode(head)
    return text.removeprefix("\ufeff")


def note_of(encoding: str, place: str) -> str:
    """Return what a user should know of how a file was read; nothing if it says so itself."""
    if encoding != WINDOWS:
        return ""
    return (
        f"{place} is no UTF-8 and was read as Windows-1252; save it as UTF-8 if letters look wrong."
    )
