"""Errors as part of the product: one sentence that says what is wrong and what to do."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from sfplearn.core.state import UNLABELLED
from sfplearn.estimators.labels import is_missing

FLOATS = (np.float64, np.float32)
NO_LABELS = "No row with a weight has a label; label some of them."
LABELS_MISSING = (
    "y has missing labels; leave these rows out, or say what marks them, as in unlabeled=np.nan."
)
LARGEST = float(np.finfo(np.float64).max)


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
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    or_else: str = "",
) -> float:
    """Return a finite number in its range."""
    wanted = "a number"
    if above is not None:
        wanted += f" above {above:g}"
    if least is not None:
        wanted += f" of at least {least:g}"
    if not isinstance(value, Real) or isinstance(value, bool) or not _in_range(value, above, least):
        raise ValueError(f"{name} must be {wanted}{or_else}; got {value!r}.")
    return float(value)


def _in_range(value: Any, above: float | None, least: float | None) -> bool:
    finite = -LARGEST <= value <= LARGEST
    return finite and (above is None or value > above) and (least is None or value >= least)


def check_count(name: str, value: Any, *, or_else: str = "") -> int:
    """Return a whole number of at least 1."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1{or_else}; got {value!r}.")
    return int(value)


def check_whole(name: str, value: Any, *, or_else: str = "") -> int:
    """Return a whole number of at least 0."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{name} must be a whole number of at least 0{or_else}; got {value!r}.")
    return int(value)


def check_choice(
    name: str, value: Any, choices: Collection[str | None], *, or_else: str = ""
) -> str:
    """Return one of the named choices."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        named = ", ".join(map(repr, choices))
        one_of = "one of " if len(choices) > 1 else ""
        raise ValueError(f"{name} must be {one_of}{named}{or_else}; got {value!r}.")
    return str(value)


def check_switch(name: str, value: Any, *, auto: bool) -> bool:
    """Return True or False, or what "auto" stands for."""
    if not (isinstance(value, bool | np.bool_) or (isinstance(value, str) and value == "auto")):
        raise ValueError(f"{name} must be True, False or 'auto'; got {value!r}.")
    return auto if isinstance(value, str) else bool(value)


def check_threads(n_jobs: Any) -> None:
    """Refuse what joblib would refuse, but also where no threads are needed."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or a whole number other than 0; got {n_jobs!r}.")


def check_array_like(name: str, value: Any) -> NDArray[Any]:
    """Return an array of numbers."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be an array whose rows are equally long.") from None


def check_rows(
    estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool, **about_y: Any
) -> Any:
    """Validate data as scikit-learn does, keeping float32 and sparse rows as they are."""
    try:
        checked = validate_data(
            estimator,
            X,
            y,
            accept_sparse="csr",
            dtype=FLOATS,
            order=None,
            ensure_all_finite="allow-nan" if estimator.allow_nan else True,
            reset=reset,
            **about_y,
        )
    except (TypeError, ValueError) as error:
        raise explained(error) from None
    X = checked[0] if isinstance(checked, tuple) else checked
    if estimator.allow_nan and sp.issparse(X) and np.isnan(X.data).any():
        raise ValueError("Sparse rows must not hold NaN; give rows with missing cells as dense.")
    return checked


def encode_classes(
    y: NDArray[Any], unlabelled: NDArray[np.bool_] | None
) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the classes in order and the code of each label, -1 where there is none."""
    labelled = slice(None) if unlabelled is None else ~unlabelled
    all_codes = np.full(len(y), UNLABELLED, np.int32)
    try:
        classes, codes = np.unique(y[labelled], return_inverse=True)
    except TypeError:
        if is_missing(y[labelled]).any():
            raise ValueError(LABELS_MISSING) from None
        raise ValueError("y mixes kinds of labels, such as text and numbers; use one.") from None
    check_classes(classes)
    all_codes[labelled] = codes
    return classes, all_codes


def check_labels_match(X: Any, y: Any) -> None:
    """Refuse labels that are more or fewer than rows."""
    if len(y) != X.shape[0]:
        raise ValueError(f"y has {len(y)} labels for {X.shape[0]} rows; give one for each row.")


def check_classes(classes: NDArray[Any]) -> None:
    """Refuse fewer than two classes, and numbers that are no classes."""
    if len(classes) == 1:
        raise ValueError(
            f"y holds one class only, {classes[0]}; a classifier needs at least two classes."
        )
    if not len(classes):
        raise ValueError(NO_LABELS)
    if classes.dtype.kind == "f" and not np.isfinite(classes).all():
        raise ValueError("y holds infinity or NaN; give classes as text or whole numbers.")
    if classes.dtype.kind == "f" and (classes != np.round(classes)).any():
        raise ValueError("Unknown label type: continuous; use SFPRegressor for numbers.")


def check_numbers(y: Any) -> None:
    """Refuse labels that are no numbers."""
    array = np.asarray(y)
    if array.dtype.kind in "mM":
        raise ValueError("y holds dates or times; turn them into numbers first.")
    if y is None or array.dtype.kind not in "OUS":
        return
    for label in array.ravel():
        try:
            float(np.nan if label is None else label)
        except (TypeError, ValueError):
            raise ValueError(
                f"y must hold numbers; got '{label}'. Use SFPClassifier for classes."
            ) from None


def check_weight(sample_weight: Any, n: int, *, may_be_zero: bool = False) -> NDArray[np.float64]:
    """Return one weight a row, at least 0 and not all 0 unless they may be."""
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
    if not weight.any() and not may_be_zero:
        raise ValueError(
            "sample_weight is zero for every row; give at least one a positive weight."
        )
    return weight


def explained(error: TypeError | ValueError) -> TypeError | ValueError:
    """Say what to do about mistakes that scikit-learn and NumPy only name."""
    message = str(error)
    if "DateTime" in message or "datetime64" in message:
        return ValueError(
            "X holds dates; turn them into numbers first, for example the days since the first."
        )
    if "could not convert string" in message:
        found = message.split("could not convert string to float: ")[-1]
        return ValueError(
            f"X holds text ({found}); turn text columns into numbers first, for example with "
            "sklearn.preprocessing.OneHotEncoder in a pipeline."
        )
    if message.startswith("Input X contains"):
        or_allow = ", or set allow_nan=True" if "NaN" in message else ""
        what = "NaN" if "NaN" in message else "infinity or a value too large for its dtype"
        return ValueError(
            f"Input X contains {what}; fill or remove such cells first, for example with "
            f"sklearn.impute.SimpleImputer in a pipeline{or_allow}."
        )
    return error
