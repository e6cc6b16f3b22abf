"""A model as bytes: a skops archive, with one more entry that says what it is.

`skops.io.load` opens such an archive too.
"""

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from sfplearn.estimators.callbacks import without_callbacks
from sfplearn.persist.archive import (
    ENTRY,
    FORMAT,
    NotAModelError,
    grows_too_much,
    in_short,
    read_header,
    readable,
)
from sfplearn.persist.trust import UnsafeModelError, skops, strangers, trusted_types

# Libraries whose versions are written down.
LIBRARIES = ("sfplearn", "scikit-learn", "numpy", "skops")


class SavedModel(NamedTuple):
    """A model, and what was written down about it.

    Examples
    --------
    >>> from sfplearn import SFPClusterer
    >>> from sfplearn.persist import SavedModel
    >>> model, about = SavedModel(SFPClusterer(2), {"rows": 2})
    >>> about
    {'rows': 2}
    """

    model: Any
    """The fitted estimator."""
    about: dict[str, Any]
    """What `save_model` was given; empty if nothing was."""


def pack(model: Any, about: Mapping[str, Any] | None = None) -> bytes:
    """Return a fitted model as bytes, with what is to be known about it."""
    if not isinstance(model, BaseEstimator):
        raise TypeError(f"Only fitted estimators can be saved; got {type(model).__name__}.")
    if hasattr(model, "fit"):  # committees are born fitted
        check_is_fitted(model)
    skops()  # says what to install if it is missing, before any work
    header = _header(about)
    data = _dumped(model)
    unknown = strangers(data)
    if unknown:
        raise UnsafeModelError(
            f"The model holds {', '.join(unknown)}, and code cannot be saved safely; replace "
            "functions and classes of your own, such as a loss, by settings of the library, and "
            "let go of callbacks with set_callbacks()."
        )
    return _with_entry(data, header)


def unpack(data: bytes, name: str) -> SavedModel:
    """Return the model in bytes, if all its types are known; `name` is what errors call them."""
    about, library = describe(data, name), skops()
    with readable(name):
        unknown = strangers(data)
    if unknown:
        raise UnsafeModelError(
            f"{name} holds {', '.join(unknown)}, which could run a stranger's code; nothing of it "
            "was loaded: ask for a file that save_model wrote."
        )
    with readable(name):
        model = library.loads(data, trusted=trusted_types())
    if not isinstance(model, BaseEstimator):
        kind = type(model).__name__
        raise NotAModelError(f"{name} holds no estimator but {kind}; give a file of save_model.")
    return SavedModel(model, about)


def describe(data: bytes, name: str) -> dict[str, Any]:
    """Return what was written down about a model; refuse one that we cannot read."""
    header = read_header(data, name)
    if "format" in header:
        _check_versions(header, name)
    return header["about"]


def _header(about: Mapping[str, Any] | None) -> str:
    """Return what a file says of itself, as JSON."""
    facts = {
        "format": FORMAT,
        **{name: version(name) for name in LIBRARIES},
        "python": platform.python_version(),
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "about": dict(about or {}),
    }
    try:
        return json.dumps(facts, indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"about must hold what JSON can: text, finite numbers, lists, tables ({error})."
        ) from None


def _dumped(model: Any) -> bytes:
    """Return a model as skops writes it: packed, unless that would look like a trap."""
    data = b""
    for compression in (ZIP_DEFLATED, ZIP_STORED):
        try:
            data = skops().dumps(without_callbacks(model), compression=compression)
        except Exception as error:
            raise ValueError(
                f"The model holds what cannot be saved ({in_short(error)}); fit it with other "
                "settings, or leave out the step of the pipeline that holds it."
            ) from error
        with ZipFile(BytesIO(data)) as archive:
            if not grows_too_much(archive, len(data)):
                break
    return data


def _with_entry(data: bytes, header: str) -> bytes:
    """Return an archive with what it says of itself."""
    buffer = BytesIO(data)
    with ZipFile(buffer, "a", compression=ZIP_DEFLATED) as archive:
        archive.writestr(ENTRY, header)
    return buffer.getvalue()


def _check_versions(header: dict[str, Any], name: str) -> None:
    """Refuse files of another format, or of another major version."""
    there, here = str(header.get("sfplearn")), version("sfplearn")
    if header["format"] != FORMAT or _major(there) != _major(here):
        raise NotAModelError(
            f"{name} was written by sfplearn {there} in format {header['format']}; this is "
            f"sfplearn {here}, which reads format {FORMAT} of its own major version: load it "
            f"with sfplearn {there}, or save the model anew."
        )


def _major(number: str) -> str:
    return number.split(".")[0]
