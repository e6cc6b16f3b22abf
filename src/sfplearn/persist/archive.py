"""What is read of a saved model before anything is made of it: its size and its own words."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from textwrap import shorten
from typing import Any
from zipfile import ZipFile, ZipInfo, is_zipfile

# The entry of skops, the one that skops does not know, and the number of its format.
SCHEMA = "schema.json"
ENTRY = "sfplearn.json"
FORMAT = 1

# Unpacked, a file may take this many times its size, and small ones this many bytes: models
# shrink to a tenth when packed, and archives made to fill memory to a thousandth.
LARGEST_GROWTH = 200
ALWAYS_ALLOWED = 2**28

# Characters that are shown of an error of another library.
LONGEST_REASON = 200

# How zip archives begin, and pickles.
ZIP = b"PK"
PICKLE = b"\x80"


class NotAModelError(ValueError):
    """Bytes are no model that can be read; the message names them and says what to do."""


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Turn whatever fails on damaged bytes into one sentence that names them."""
    try:
        yield
    except NotAModelError:
        raise
    except Exception as error:  # what is wrong with bytes has no end
        raise NotAModelError(
            f"{name} cannot be read ({in_short(error)}); it is damaged, or made with other "
            "versions of the libraries: save the model again."
        ) from error


def in_short(error: Exception) -> str:
    """Return an error of any length and kind on one line."""
    return shorten(f"{type(error).__name__}: {error}", LONGEST_REASON)


def read_header(data: bytes, name: str) -> dict[str, Any]:
    """Return what an archive says of itself; nothing, if it is one that skops alone wrote.

    `name` is what errors call the archive.
    """
    if not is_zipfile(BytesIO(data)):
        raise NotAModelError(f"{name} {_what_else(data)}; give a file that save_model wrote.")
    with readable(name), ZipFile(BytesIO(data)) as archive:
        if grows_too_much(archive, len(data)):
            raise NotAModelError(
                f"{name} would unpack to more than {LARGEST_GROWTH} times its size, as no model "
                "does; it was made to fill the memory, or is damaged."
            )
        names = archive.namelist()
        if SCHEMA not in names:
            raise NotAModelError(f"{name} has no model in it; give a file that save_model wrote.")
        header = json.loads(archive.read(ENTRY)) if ENTRY in names else {"about": {}}
        if not isinstance(header, dict) or not isinstance(header.get("about"), dict):
            raise TypeError(f"{ENTRY} is not as save_model writes it")
    return header


def grows_too_much(archive: ZipFile, size: int) -> bool:
    """Tell whether an archive of some size would take far more memory.

    zipfile reads no more than the sizes of the entries, whatever else there is.
    """
    allowed = max(LARGEST_GROWTH * size, ALWAYS_ALLOWED)
    entries = archive.infolist()
    total = sum(entry.file_size for entry in entries)
    return total > allowed or total + sum(_inner_size(archive, e) for e in entries) > allowed


def _inner_size(archive: ZipFile, entry: ZipInfo) -> int:
    """Return the size of what an entry holds, if that is an archive itself, as sparse rows are."""
    with archive.open(entry) as file:
        if file.read(len(ZIP)) != ZIP:
            return 0
    with ZipFile(BytesIO(archive.read(entry))) as inner:
        return sum(part.file_size for part in inner.infolist())


def _what_else(data: bytes) -> str:
    """Say what bytes are that are no whole archive."""
    if not data:
        return "is empty"
    if data.startswith(ZIP):
        return "is the beginning of a model only"
    if data.startswith(PICKLE):
        return "looks like a pickle, which could run any code and is not read"
    return "is not a model"
