"""One answer of several members: a logarithmic opinion pool.

    ln p(y) = (sum_c w_c ln p_c(y) + b_y) / T, up to a constant

Shares w_c of members, biases b_y of classes and the temperature T are those under which the labels
of rows that members were not trained on are most probable, held back towards given shares and
no biases: a logistic regression of few numbers.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from sfplearn.tuning.calibrate import HOTTEST, LEAST_PROBABILITY

Array = NDArray[np.float64]

# What squares of changes of shares and of biases cost, in units of ln p of one row. Beside the mean
# of probabilities in equal parts, on the tables that `pool.py` names: with 300 training rows 0.34
# points of accuracy (standard error 0.15, 45 tables) and 0.0070 of log-loss (0.0028), with 1200
# rows 0.22 (0.11, 16 tables) and 0.0045 (0.0012). Forty settings around it gained 0.1 to 0.4 there;
# of fifty farther ones, such as equal shares of eight or 14, some gained nothing.
# On other splits, made once it was settled: with 300 rows 0.15 (0.13, 39 tables; 20 better, 6
# worse) and 0.0064 (0.0024), with 120 rows -0.03 (0.11, 45 tables) and 0.0058 (0.0027).
PULL_OF_SHARES, PULL_OF_BIASES = 30.0, 3.0


class Opinion(NamedTuple):
    """How members become one."""

    shares: Array
    """What each member counts, w; they sum to 1."""
    biases: Array
    """What is added for each class, b; nothing for classes that no row has."""
    temperature: float
    """What all is flattened by, T."""


def fit_opinion(said: Array, codes: NDArray[Any], weight: Array, start: Array) -> Opinion:
    """Return what suits the true classes of rows.

    `said` are probabilities (members, rows, classes), `start` are shares that sum to 1.

    >>> right, wrong = np.tile([0.8, 0.2], (500, 1)), np.tile([0.3, 0.7], (500, 1))
    >>> codes = np.arange(500) % 5 // 4
    >>> found = fit_opinion(np.array([right, wrong]), codes, np.ones(500), np.array([0.5, 0.5]))
    >>> bool(found.shares[0] > found.shares[1])
    True
    """
    # Of classes that no row has nothing can be learnt: not that they do not occur, either.
    classes = np.unique(codes[weight > 0])
    logs, own = _logarithms(said)[:, :, classes], codes[:, None] == classes
    logs, own, weight = logs[:, weight > 0], own[weight > 0], weight[weight > 0]
    found = _fit(logs, own, weight, start)
    biases = np.zeros(said.shape[2])
    biases[classes] = found[len(said) :]
    return _in_shares(found[: len(said)], biases, start)


def _fit(logs: Array, own: NDArray[np.bool_], weight: Array, start: Array) -> Array:
    """Return t = w / T of members, then b / T of classes, at which the own classes are likely."""
    members = len(logs)

    def loss(numbers: Array) -> tuple[float, Array]:
        t, b = numbers[:members], numbers[members:]
        ln_p = _normal(np.tensordot(t, logs, 1) + b)
        slope = weight[:, None] * (np.exp(ln_p) - own)
        moved = t - start
        value = -weight @ ln_p[own] + PULL_OF_SHARES * moved @ moved + PULL_OF_BIASES * b @ b
        of_t = np.tensordot(logs, slope, 2) + 2.0 * PULL_OF_SHARES * moved
        return float(value), np.append(of_t, slope.sum(axis=0) + 2.0 * PULL_OF_BIASES * b)

    bounds = [(0.0, None)] * members + [(None, None)] * logs.shape[2]
    first = np.append(start, np.zeros(logs.shape[2]))
    return minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds).x


def _in_shares(t: Array, b: Array, start: Array) -> Opinion:
    """Return w, b, T of w / T and b / T; members that know nothing keep their shares, but flat."""
    least = np.exp(-HOTTEST)
    if t.sum() < least:
        t = start * least
    T = 1.0 / t.sum()
    return Opinion(t * T, b * T, float(T))


def pooled(said: Array, opinion: Opinion) -> Array:
    """Return the probabilities of all members together.

    >>> one, other = [[0.9, 0.1]], [[0.1, 0.9]]
    >>> equal = Opinion(np.array([0.5, 0.5]), np.zeros(2), 1.0)
    >>> pooled(np.array([one, other]), equal).round(2).tolist()
    [[0.5, 0.5]]
    """
    w, b, T = opinion
    return np.exp(_normal((np.tensordot(w, _logarithms(said), 1) + b) / T))


def _logarithms(said: Array) -> Array:
    """Return ln p; what is as good as impossible does not outweigh all else."""
    return np.log(np.maximum(said, LEAST_PROBABILITY))


def _normal(ln_p: Array) -> Array:
    """Return logarithms of probabilities that sum to 1."""
    ln_p = ln_p - ln_p.max(axis=-1, keepdims=True)
    return ln_p - np.log(np.exp(ln_p).sum(axis=-1, keepdims=True))
