"""Checkpoints as estimators use them: which fit a file belongs to, and from which seed."""

import hashlib
import os
from functools import lru_cache, partial
from numbers import Integral
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from sfplearn.data import fingerprint
from sfplearn.fitting import Checkpoint

# Parameters that do not change what a fit finds; the seed is told apart from them.
WITHOUT_EFFECT = {"checkpoint", "half_life", "n_jobs", "random_state", "verbose"}


def find_checkpoint(estimator: Any, table: Any, k: int) -> Checkpoint | None:
    """Return the checkpoint of a fit, if it is asked for one, and set the seed of the fit.

    A fit that goes on has the seed that it had, unless it is told which.
    """
    random_state = estimator.random_state
    given = isinstance(random_state, Integral)
    estimator._seed = _seed_of(random_state) if given else _draw_seed(random_state)
    folder = estimator.checkpoint
    if folder is None:
        return None
    if not isinstance(folder, str | os.PathLike) or not str(folder):
        raise ValueError(f"checkpoint must be None or the path of a folder; got {folder!r}.")
    with table.source(k, estimator.n_jobs) as source:
        identity = _identity(estimator, fingerprint(source), k, given)
    checkpoint = Checkpoint(os.path.abspath(folder), identity, estimator._seed)
    held = checkpoint.load()
    if held is not None:
        estimator._seed = held[0]
    return checkpoint._replace(seed=estimator._seed)


def _draw_seed(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(2**31 - 1))


# Of many fits with one seed, as in a search: making its state takes as long as a small pass.
_seed_of = lru_cache(_draw_seed)


def _identity(estimator: Any, rows: int, k: int, seeded: bool) -> str:
    """Return what is the same for fits of the same rows with the same settings."""
    settings = estimator.get_params(deep=False)
    kept = {name: _text(value) for name, value in settings.items() if name not in WITHOUT_EFFECT}
    warm = _text(estimator.cluster_centers_) if _goes_on(estimator) else ""
    seed = estimator._seed if seeded else "any"
    what = [type(estimator).__name__, sorted(kept.items()), rows, k, seed, warm]
    return hashlib.sha256(repr(what).encode()).hexdigest()[:24]


def _text(value: Any) -> str:
    """Return what is the same for equal settings, also in another process."""
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"{value.dtype} {value.shape} {content}"
    if isinstance(value, partial):
        return _text([value.func, value.args, sorted(value.keywords.items())])
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, FunctionType):
        within = [cell.cell_contents for cell in value.__closure__ or ()]
        name = f"{value.__module__}.{value.__qualname__}"
        return _text([name, value.__code__, value.__defaults__, within])
    if isinstance(value, CodeType):
        return _text([value.co_code.hex(), value.co_names, value.co_consts])
    if " at 0x" in repr(value):  # an object that says no more than where it is
        return _text([type(value).__qualname__, sorted(getattr(value, "__dict__", {}).items())])
    return repr(value)


def _goes_on(estimator: Any) -> bool:
    return bool(estimator.warm_start) and hasattr(estimator, "cluster_centers_")
