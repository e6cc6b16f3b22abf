"""A user's own loss: a function as a loss, and what is checked before it is trusted."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.losses.base import Array, Loss
from sfplearn.core.losses.domain import DOMAINS

# Checks look at this many prototypes and labels.
SAMPLES = 64
# Shape of the gamma distribution of sampled label sums: most of a cluster's labels are rare.
SPARSE_MIXES = 0.3
# Costs may break a law by this share of their size, through rounding.
ROUNDING = 1e-7


class FunctionLoss(Loss):
    """A function `loss(y, z)` as a loss; it takes and returns what `Loss.cost` does.

    Parameters
    ----------
    function : callable
        Maps labels (m,) and prototypes (k, d) to a table of losses (k, m).

    Examples
    --------
    >>> import numpy as np
    >>> loss = FunctionLoss(lambda y, z: np.log(np.cosh(y - z)))
    >>> loss.prototype(np.array([0.0, 1.0]), np.array([[1.0, 1.0]])).round(6).tolist()
    [[0.5]]
    """

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self.function = function

    def cost(self, y: NDArray[Any], z: Array) -> Array:
        return self.function(y, z)


def check_loss(loss: Loss, y: NDArray[Any]) -> None:
    """Try a loss on sampled prototypes: refuse wrong tables, warn if it is not convex."""
    random = np.random.default_rng(0)
    # Fewer labels than prototypes: a table that is the wrong way round would fit a square.
    y = y[np.unique(np.linspace(0, len(y) - 1, SAMPLES - 1).astype(int))]
    here = _sampled_prototypes(loss, y, random)
    there = here[random.permutation(SAMPLES)]
    t = random.random((SAMPLES, 1))
    ends = t * checked_cost(loss, y, here) + (1 - t) * checked_cost(loss, y, there)
    between = checked_cost(loss, y, t * here + (1 - t) * there)
    if (between > ends + ROUNDING * (np.abs(ends) + np.abs(ends).mean())).any():
        warnings.warn(
            f"{loss!r} is not convex in z: prototypes may be poor local minima, and the objective "
            "no longer bounds the loss of predictions.",
            UserWarning,
            stacklevel=2,
        )


def checked_cost(loss: Loss, y: NDArray[Any], z: Array) -> Array:
    """Return the costs of a loss, or say what is wrong with them."""
    try:
        costs = np.asarray(loss.cost(y, z))
    except Exception as error:
        raise ValueError(
            f"{loss!r} failed on labels of shape {y.shape} and prototypes of shape {z.shape} "
            f"({type(error).__name__}: {error}); it must take arrays and return a table of losses."
        ) from error
    if costs.shape != (len(z), len(y)) or costs.dtype.kind not in "fiub":
        raise ValueError(
            f"{loss!r} must return a table of numbers, {len(z)} prototypes by {len(y)} labels; "
            f"got shape {costs.shape} and type {costs.dtype}."
        )
    if np.isnan(costs).any():
        raise ValueError(f"{loss!r} returned NaN; check its domain, for example logarithms of 0.")
    return costs


def _sampled_prototypes(loss: Loss, y: NDArray[Any], random: np.random.Generator) -> Array:
    """Return prototypes such as a fit may meet, (SAMPLES, d)."""
    sums = random.gamma(SPARSE_MIXES, size=(SAMPLES, len(y)))
    if loss.is_closed:
        return loss.prototype(y, sums)
    mixes = sums / sums.sum(axis=1, keepdims=True)
    if y.dtype.kind == "f":
        return (mixes @ y)[:, None]
    if loss.domain == "simplex":
        return mixes
    return DOMAINS[loss.domain].enter(random.standard_normal(mixes.shape))
