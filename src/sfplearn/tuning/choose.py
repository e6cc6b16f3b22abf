"""The paper's three ways to choose hyperparameters from scores over a grid."""

from collections.abc import Callable
from math import ceil
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.tuning.candidates import Candidate
from sfplearn.tuning.smooth import loess
from sfplearn.tuning.space import bounded, unbounded

Array = NDArray[np.float64]

# Hyperparameters that are searched between 0 and 1, and so averaged and smoothed there.
STRENGTHS = ("alpha", "gamma", "lam")


class Choice(NamedTuple):
    """What a strategy chooses."""

    settings: Candidate
    """The settings."""
    place: int
    """The candidate that has them; -1 if none has."""
    scores: Array
    """The scores that decided."""


def best(candidates: list[Candidate], scores: Array, top: float) -> Choice:
    """Choose the candidate with the highest score, the first of equals."""
    place = int(np.nanargmax(scores))
    return Choice(candidates[place], place, scores)


def mean_of_top(candidates: list[Candidate], scores: Array, top: float) -> Choice:
    """Average each number over the share `top` of highest scores, in bounded form.

    What is not a number is taken from the best candidate.
    """
    count = max(1, ceil(top * np.isfinite(scores).sum()))
    order = np.argsort(-np.where(np.isfinite(scores), scores, -np.inf), kind="stable")
    kept = [candidates[i] for i in order[:count]]
    return Choice({name: _average(name, [c[name] for c in kept]) for name in kept[0]}, -1, scores)


def smoothed(candidates: list[Candidate], scores: Array, top: float) -> Choice:
    """Choose the candidate with the highest score after LOESS over all numbers that vary."""
    known = np.isfinite(scores)
    names = [name for name in candidates[0] if all(_is_number(c[name]) for c in candidates)]
    points = np.array([[_bounded(name, c[name]) for name in names] for c in candidates])
    smooth = np.full_like(scores, np.nan)
    smooth[known] = loess(points[known], scores[known])
    return best(candidates, smooth, top)


STRATEGIES: dict[str, Callable[[list[Candidate], Array, float], Choice]] = {
    "best": best,
    "mean": mean_of_top,
    "loess": smoothed,
}


def check_comparable(strategy: str, candidates: list[Candidate]) -> None:
    """Refuse to average or smooth over candidates that do not set the same things."""
    if strategy != "best" and any(set(c) != set(candidates[0]) for c in candidates):
        raise ValueError(
            f"strategy={strategy!r} needs candidates that all set the same parameters, as those of "
            "space='reduced' do; take strategy='best'."
        )


def _bounded(name: str, value: float) -> float:
    return float(bounded(value)) if name in STRENGTHS else float(value)


def _average(name: str, values: list[Any]) -> Any:
    if not all(_is_number(value) for value in values):
        return values[0]
    mean = float(np.mean([_bounded(name, value) for value in values]))
    if name in STRENGTHS:
        return float(unbounded(mean))
    return round(mean) if all(isinstance(value, Integral) for value in values) else mean


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
