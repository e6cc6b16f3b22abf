"""Labels that are numbers, from users' rows to the core's: for regressors."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from sfplearn.core import Huber, Loss, Means, Prototype
from sfplearn.core.linear import LocalRegression
from sfplearn.core.state import flatten
from sfplearn.data import find_store
from sfplearn.estimators.checks import (
    NO_LABELS,
    check_labels_match,
    check_numbers,
    check_rows,
    check_weight,
)
from sfplearn.estimators.coding import (
    MAX_LABELS,
    Counts,
    NumberCoding,
    Spans,
    TargetCoding,
    as_numbers,
    count_values,
    merge_counts,
    merge_spans,
    number_coding,
    span_of,
    split_labels,
)
from sfplearn.estimators.labels import find_unlabelled
from sfplearn.estimators.locals import is_linear
from sfplearn.estimators.losses import check_labels_of, find_loss, is_squared_error, mean_loss
from sfplearn.estimators.streaming import Batch, check_in_memory, is_streaming, memory_of, note
from sfplearn.estimators.survey import survey
from sfplearn.estimators.table import Table
from sfplearn.estimators.targets import Standard, plain, robust
from sfplearn.estimators.weights import in_rows

# Factor by which the spread of targets may differ from their unit.
OTHER_UNIT = 3.0
# Share of all labels below which some are lost to memory.
LOST = 1e-9

NO_NUMBER = "y holds None or NaN; set unlabeled=np.nan for rows without a label."


def labelled_table(estimator: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, float]:
    """Return validated rows with labels as the core takes them, the expert, and its unit."""
    loss = find_loss(estimator.loss, "numbers")
    store = find_store(X, y, sample_weight)
    if store is not None:
        exact = is_squared_error(loss)
        count, add = (span_of, merge_spans) if exact else (count_values, merge_counts)
        facts = survey(estimator, store, partial(_checked, loss, count), add)
        coding, expert, unit = _coding(estimator, loss, facts.labels)
        return in_rows(estimator, facts.table(store, estimator, coding)), expert, unit
    X, y, weight, unlabelled = _check_labelled(estimator, X, y, sample_weight, loss)
    none = np.zeros(len(y), bool) if unlabelled is None else unlabelled
    y[none] = np.nan
    table, expert, unit = encoded(estimator, loss, Batch(X, y, weight))
    return in_rows(estimator, table), expert, unit


def batch_of(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Batch:
    """Return validated rows of a stream, with labels as numbers, NaN where there are none."""
    loss = find_loss(estimator.loss, "numbers")
    check_in_memory(X)
    y, unlabelled = split_labels([] if np.ndim(y) == 0 else y, estimator.unlabeled)
    check_numbers(y)
    X = check_rows(estimator, X, reset=not is_streaming(estimator))
    check_labels_match(X, y)
    y = check_outputs(loss, as_numbers(y, unlabelled))
    if not np.isfinite(y).all():
        raise ValueError(NO_NUMBER)
    loss.check(y[~unlabelled])
    y[unlabelled] = np.nan
    weight = check_weight(sample_weight, len(y), may_be_zero=True)
    return Batch(X, shaped_as_before(estimator, y), weight)


def encoded(estimator: Any, loss: Loss, batch: Batch) -> tuple[Table, Any, float]:
    """Return rows with labels as the core takes them, the expert, and its unit."""
    unlabelled = np.isnan(batch.y).reshape(len(batch.y), -1).any(axis=1)
    table = Table(batch.X, batch.y, None, batch.weight).without_empty_rows(estimator.allow_nan)
    count = span_of if is_squared_error(loss) else count_values
    coding, expert, unit = _coding(estimator, loss, count(batch.y, table.weight, unlabelled))
    labels = coding._replace(unlabeled=np.nan)(batch.y)
    return table._replace(codes=labels.codes, targets=labels.targets), expert, unit


def _check_labelled(
    estimator: Any, X: Any, y: Any, sample_weight: Any, loss: Loss
) -> tuple[Any, NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_] | None]:
    """Return validated rows, labels and weights, and which rows have no label."""
    y, unlabelled = find_unlabelled(y, estimator.unlabeled)
    check_numbers(y)
    X, y = check_rows(estimator, X, y, reset=True, multi_output=True, y_numeric=True)
    y = np.array(y, dtype=np.float64)
    if not np.isfinite(y).all():
        raise ValueError(NO_NUMBER)
    y = check_outputs(loss, y)
    weight = check_weight(sample_weight, len(y))
    labelled = weight > 0 if unlabelled is None else (weight > 0) & ~unlabelled
    if not labelled.any():
        raise ValueError(NO_LABELS)
    loss.check(y[labelled])
    return X, y, weight, unlabelled


def _coding(estimator: Any, loss: Loss, labels: Any) -> tuple[Any, Any, float]:
    """Return how labels are encoded, the expert for them, and the unit of its loss."""
    return (
        _as_targets(estimator, labels)
        if is_squared_error(loss)
        else _as_codes(estimator, loss, labels)
    )


def _as_targets(estimator: Any, span: Spans) -> tuple[TargetCoding, Any, float]:
    """Let labels join the pass exactly."""
    if not span.weight:
        raise ValueError(NO_LABELS)
    varies = span.spread > np.finfo(np.float64).eps * np.abs(span.mean)
    scale = np.where(varies & (estimator.scale == "auto"), span.spread, 1.0)
    estimator._standard, estimator._flat = Standard(span.mean, scale), span.is_flat
    estimator._label_span = [span.weight, span.mean, span.spread]
    unit, q = max(1.0, float(varies.sum())), len(span.mean)
    expert = LocalRegression(q, 1.0) if is_linear(estimator) else Means(q)
    return TargetCoding(estimator._standard, estimator.unlabeled), expert, unit


def _as_codes(estimator: Any, loss: Loss, counts: Counts) -> tuple[NumberCoding, Prototype, float]:
    """Let labels be codes of numbers."""
    if not counts.labels.size:
        raise ValueError(NO_LABELS)
    coding = number_coding(counts, estimator.unlabeled)
    estimator._standard, estimator._flat = plain(), False
    if isinstance(loss, Huber) and estimator.scale == "auto":  # its delta needs a unit
        estimator._standard = robust(coding.values, coding.sums)
    values = estimator._standard.apply(coding.values)
    check_labels_of(loss, values, values)
    estimator._labels, estimator._values, estimator._upper = values, coding.values, coding.upper
    return coding, Prototype(loss, values), mean_loss(loss, values, coding.sums)


def check_outputs(loss: Loss, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return labels as a vector, unless several outputs can be learned at once."""
    if is_squared_error(loss):
        return y
    if y.ndim > 1 and y.shape[1] > 1:
        raise ValueError(
            f"y has {y.shape[1]} outputs, which only loss='squared_error' can learn; fit "
            "one estimator for each, for example with MultiOutputRegressor."
        )
    return column_or_1d(y, warn=True)


def _checked(
    loss: Loss,
    count: Callable[..., Any],
    y: NDArray[Any],
    weight: NDArray[np.float64],
    unlabelled: NDArray[np.bool_],
) -> Any:
    """Count the labels of a block, after a look at them."""
    check_numbers(y)
    numbers = check_outputs(loss, as_numbers(y, unlabelled))
    if not np.isfinite(numbers).all():
        raise ValueError(NO_NUMBER)
    labelled = (weight > 0) & ~unlabelled
    if labelled.any():
        loss.check(numbers[labelled])
    return count(numbers, weight, unlabelled)


def shaped_as_before(estimator: Any, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return labels of a stream in the shape of the first; refuse another number of outputs."""
    exact = is_squared_error(find_loss(estimator.loss, "numbers"))
    if not (is_streaming(estimator) and exact):
        return y
    outputs, before = (y.shape[1] if y.ndim > 1 else 1), len(estimator._standard.center)
    if outputs != before:
        raise ValueError(f"y has {outputs} outputs, and had {before} in the first call.")
    return y.ravel() if estimator._flat else y.reshape(len(y), -1)


def meet_labels(estimator: Any, batch: Batch, kept: float) -> None:
    """Make room for labels of a stream that are unlike those before, which count `kept` times."""
    loss = find_loss(estimator.loss_, "numbers")
    unlabelled = np.isnan(batch.y).reshape(len(batch.y), -1).any(axis=1)
    if is_squared_error(loss):
        _rescale(estimator, span_of(batch.y, batch.weight, unlabelled), kept)
    else:
        _recode(estimator, loss, count_values(batch.y, batch.weight, unlabelled))


def _rescale(estimator: Any, fresh: Spans, kept: float) -> None:
    """Let the unit of targets follow their spread, if that has become quite another."""
    if not fresh.weight or estimator.scale != "auto":
        return
    standard, memory = estimator._standard, memory_of(estimator)
    before = estimator._label_span
    past = Spans(kept * before[0], before[1], before[2], fresh.is_flat)
    span = merge_spans(past, fresh)
    estimator._label_span = [span.weight, span.mean, span.spread]
    ratio = np.where(span.spread > 0, span.spread, standard.scale) / standard.scale
    if (np.abs(np.log(ratio)) > np.log(OTHER_UNIT)).any():
        estimator._standard = Standard(standard.center, standard.scale * ratio)
        targets = memory.expert._replace(targets=memory.expert.targets / ratio)
        note(estimator, sums=flatten(memory._replace(expert=targets)))


def _recode(estimator: Any, loss: Loss, fresh: Counts) -> None:
    """Make new bins where labels lie outside those there are, or there is room for more."""
    values = estimator._values
    outside = (fresh.labels < values[0]) | (fresh.labels > values[-1])
    few = len(values) < MAX_LABELS and not np.isin(fresh.labels, values).all()
    if not (outside.any() or few):
        return
    memory = memory_of(estimator)
    sums = memory.expert.sums
    there = sums.sum(axis=0) > LOST * sums.sum()
    counts = merge_counts(Counts(values[there], sums.sum(axis=0)[there]), fresh)
    coding = number_coding(counts, np.nan)
    recoded = np.zeros((len(sums), len(coding.values)))
    np.add.at(recoded.T, coding(values).codes, sums.T)
    estimator._values, estimator._upper = coding.values, coding.upper
    estimator._labels = estimator._standard.apply(coding.values)
    labels = memory.expert._replace(sums=recoded)
    unit = mean_loss(loss, estimator._labels, coding.sums)
    note(estimator, sums=flatten(memory._replace(expert=labels)), unit=unit)
