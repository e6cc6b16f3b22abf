"""A model as a file: written all at once or not at all, read without trust."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sfplearn.persist.packing import SavedModel, describe, pack, unpack
from sfplearn.persist.writing import check_place, whole_file


def save_model(
    model: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> Path:
    """Write a fitted model to a file that cannot bring code of its own, unlike a pickle.

    The file is an archive of skops (`skops.io.load` opens it too) with one more entry,
    `sfplearn.json`, that holds versions, the time, and what `about` says. It needs the extra
    `skops`.

    Parameters
    ----------
    model : estimator
        A fitted estimator of sfplearn, or a Pipeline that holds one. It must not hold functions
        or classes of your own, such as a custom loss or kernel.
    path : str or path
        The file, for example `model.skops`. It is replaced at once, when all is written; if
        anything fails, nothing changes.
    about : dict or None, default=None
        What else is to be known about the model, as JSON can write it.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from sfplearn import SFPClassifier, load_model, save_model
    >>> model = SFPClassifier(2, random_state=0).fit([[0], [9]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_model(model, f"{folder}/model.skops", about={"columns": ["size"]})
    ...     model, about = load_model(path)
    >>> model.predict([[1], [8]]).tolist(), about
    (['a', 'b'], {'columns': ['size']})
    """
    file = Path(path)
    check_place(file)
    data = pack(model, about)
    try:
        with whole_file(file) as part:
            part.write_bytes(data)
    except OSError as error:
        raise OSError(f"{file} cannot be written: {error.strerror}.") from error
    return file


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read a model that `save_model` wrote, without running any code that the file brings.

    Types are looked at before anything is made: other ones than those of sfplearn, and the
    harmless ones of scikit-learn, NumPy and Python, are refused by name. A plain file of
    `skops.io.dump` is read as well.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    model : estimator
        The fitted model, which predicts exactly as before.
    about : dict
        What `save_model` was told about it.

    Raises
    ------
    UnsafeModelError
        If the file holds types that are not known.
    ValueError
        If the file is damaged, no model, or written by another major version.

    Examples
    --------
    >>> import tempfile
    >>> from sfplearn import SFPRegressor, load_model, save_model
    >>> model = SFPRegressor(2, gamma=0.01, random_state=0).fit([[0], [9]], [1.0, 5.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = load_model(save_model(model, f"{folder}/model.skops"))
    >>> saved.model.predict([[1], [8]]).round(2).tolist()
    [1.0, 5.0]
    """
    return unpack(*_content(path))


def describe_model(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what `save_model` was told about a model; the model itself is not loaded.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    about : dict
        Empty if nothing was said.

    Examples
    --------
    >>> import tempfile
    >>> from sfplearn import SFPClassifier, save_model
    >>> from sfplearn.persist import describe_model
    >>> model = SFPClassifier(2, random_state=0).fit([[0], [9]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     describe_model(save_model(model, f"{folder}/model.skops", about={"rows": 2}))
    {'rows': 2}
    """
    return describe(*_content(path))


def _content(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return what a file holds, all that is read of it, and its name."""
    file = Path(path)
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder; give a file that save_model wrote.")
    try:
        return file.read_bytes(), str(file)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {file}.") from None
