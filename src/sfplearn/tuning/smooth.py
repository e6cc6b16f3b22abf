"""Scores smoothed over hyperparameters by LOESS (Cleveland and Devlin, 1988)."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Share of the candidates that each local regression looks at.
SPAN = 0.75

# Points that a neighbourhood has for each coefficient.
ENOUGH = 1.5

# Relative differences below this are none.
ROUNDING = 1e-6

# The library of Cleveland takes at most so many dimensions, as R does.
DIMENSIONS = 4


def loess(points: Array, scores: Array, span: float = SPAN) -> Array:
    """Return scores (n,) smoothed over points (n, d) by local quadratic regression.

    Coordinates that do not vary, or that another one determines linearly, add nothing and
    are left out; of others the first four count. Where points are too few for quadratic
    regression it is linear, and where they are too few for that scores stay as they are.
    """
    _library()
    axes = _independent(points)
    axes = axes if _reads_rows() else _by_columns(axes)
    for degree, share in ((2, span), (1, 1.0)):
        if share * len(scores) > ENOUGH * _coefficients(axes.shape[1], degree):
            try:
                return _fitted(axes, scores, share, degree)
            except ValueError:  # points lie so that a neighbourhood does not determine it
                continue
    return scores


def _fitted(axes: Array, scores: Array, span: float, degree: int) -> Array:
    """Smooth by exact local regressions; interpolation between some of them loses peaks."""
    model = _library()(axes, scores, span=span, degree=degree, surface="direct")
    model.fit()
    return np.asarray(model.outputs.fitted_values)


@cache
def _reads_rows() -> bool:
    """Tell whether the library reads points row by row, as it is given them.

    scikit-misc 0.5 hands them to Fortran as they lie in memory, which mixes up coordinates.
    A plane tells, since local planes reproduce it.
    """
    points = np.random.default_rng(0).standard_normal((30, 2))
    plane = points @ [1.0, 2.0]
    return bool(np.allclose(_fitted(points, plane, 1.0, 1), plane))


def _by_columns(points: Array) -> Array:
    """Return an array of the same shape that lies in memory column by column."""
    return np.ascontiguousarray(points.T).reshape(points.shape)


def _library() -> type:
    try:
        from skmisc.loess import loess as cleveland
    except ImportError as error:
        raise ImportError(
            "LOESS needs scikit-misc: pip install 'sfplearn[tuning]', or choose strategy='best' "
            "or 'mean'."
        ) from error
    return cleveland


def _coefficients(d: int, degree: int) -> float:
    """Return how many coefficients a polynomial of d coordinates has; none is too many."""
    if d == 0:
        return np.inf
    return d + 1 if degree == 1 else (d + 1) * (d + 2) / 2


def _independent(points: Array) -> Array:
    """Return standardised coordinates, without those that the ones before them determine."""
    kept: list[Array] = []
    varying = np.ptp(points, axis=0) > ROUNDING * np.abs(points).max(axis=0)
    for column in points.T[varying]:
        column = (column - column.mean()) / column.std()
        basis = np.array(kept).T if kept else np.zeros((len(points), 0))
        rest = column - basis @ np.linalg.lstsq(basis, column)[0] if kept else column
        if np.sqrt(np.mean(rest**2)) > ROUNDING:
            kept.append(column)
    return np.array(kept[:DIMENSIONS]).reshape(-1, len(points)).T
