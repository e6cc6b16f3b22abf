"""Errors as part of the product: one sentence that says what is wrong and what to do."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

FLOATS = (np.float64, np.float32)


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Give an estimator back the attributes it had if what happens inside fails."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def check_number(
    name: str, value: Any, *, above: float | None = None, least: float | None = None
) -> float:
    """Return a finite number in its range."""
    wanted = "a number"
    if above is not None:
        wanted += f" above {above:g}"
    if least is not None:
        wanted += f" of at least {least:g}"
    good = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if good and above is not None:
        good = value > above
    if good and least is not None:
        good = value >= least
    if not good:
        raise ValueError(f"{name} must be {wanted}; got {value!r}.")
    return float(value)


def check_count(name: str, value: Any, *, or_else: str = "") -> int:
    """Return a whole number of at least 1."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1{or_else}; got {value!r}.")
    return int(value)


def check_choice(name: str, value: Any, choices: Collection[str | None]) -> str:
    """Return one of the named choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}.")
    return str(value)


def check_rows(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
    """Validate data as scikit-learn does, keeping float32 and sparse rows as they are."""
    try:
        return validate_data(
            estimator, X, y, accept_sparse="csr", dtype=FLOATS, order=None, reset=reset
        )
    except ValueError as error:
        raise _explained(error) from None


def check_weight(sample_weight: Any, n: int) -> NDArray[np.float64]:
    """Return one weight a row, at least 0 and not all 0."""
    if sample_weight is None:
        return np.ones(n)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n, weight)
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight must hold one number for each of the {n} rows; "
            f"got shape {weight.shape}."
        )
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must not hold negative or missing numbers; set them to 0.")
    if not weight.any():
        raise ValueError(
            "sample_weight is zero for every row; give at least one a positive weight."
        )
    return weight


def _explained(error: ValueError) -> ValueError:
    """Say what to do about the two mistakes that scikit-learn only names."""
    message = str(error)
    if "could not convert string" in message:
        found = message.split("could not convert string to float: ")[-1]
        return ValueError(
            f"X holds text ({found}); turn text columns into numbers first, for example with "
            "sklearn.preprocessing.OneHotEncoder in a pipeline."
        )
    if message.startswith("Input X contains"):
        what = "NaN" if "NaN" in message else "infinity or a value too large for its dtype"
        return ValueError(
            f"Input X contains {what}; fill or remove such cells first, for example with "
            "sklearn.impute.SimpleImputer in a pipeline."
        )
    return error
