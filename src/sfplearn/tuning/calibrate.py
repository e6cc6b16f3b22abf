"""Probabilities that say how often they are right: one temperature, from rows not trained on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

Array = NDArray[np.float64]

# Probabilities below this are as good as none; temperatures of one model stay within these
# logarithms.
LEAST_PROBABILITY = 1e-7
COLDEST, HOTTEST = -2.0, 2.0


def log_loss(probabilities: Array, codes: NDArray[Any], weight: Array) -> Any:
    """Return the mean of -ln p of the true classes, over the last but one axis."""
    own = np.take_along_axis(probabilities, _as_index(codes, probabilities), axis=-1)[..., 0]
    return -(np.log(np.maximum(own, LEAST_PROBABILITY)) @ weight) / weight.sum()


def tempered(probabilities: Array, temperature: float) -> Array:
    """Return p^(1 / T), normalised: flatter for T above 1, and of the same order for any T.

    >>> import numpy as np
    >>> tempered(np.array([[0.9, 0.1]]), 2.0).round(2).tolist()
    [[0.75, 0.25]]
    """
    logits = np.log(np.maximum(probabilities, LEAST_PROBABILITY)) / temperature
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


def fit_temperature(probabilities: Array, codes: NDArray[Any], weight: Array) -> float:
    """Return the temperature at which probabilities have the least log-loss.

    It is drawn towards 1, by as much as a row counts: few rows, all of them right, would else
    make probabilities sure.

    >>> import numpy as np
    >>> sure = np.tile([[0.99, 0.01]], (1000, 1))
    >>> codes = np.arange(1000) % 10 // 7
    >>> tempered(sure, fit_temperature(sure, codes, np.ones(1000)))[0].round(2).tolist()
    [0.7, 0.3]
    """
    rows = max(weight.sum(), 1.0)
    found = minimize_scalar(
        lambda t: log_loss(tempered(probabilities, np.exp(t)), codes, weight) + t * t / rows,
        bounds=(COLDEST, HOTTEST),
        method="bounded",
    )
    return float(np.exp(found.x))


def _as_index(codes: NDArray[Any], probabilities: Array) -> NDArray[Any]:
    return np.broadcast_to(codes[:, None], (*probabilities.shape[:-1], 1))
