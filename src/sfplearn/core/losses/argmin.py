"""Prototypes found numerically: many small convex problems solved at once.

Every function takes `risk`, which maps candidates z (k, d), one for each cluster, to what is to
be minimised, (k,), and returns the best z (k, d).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Array = NDArray[np.float64]
Risk = Callable[[Array], Array]

# Each step of a golden section keeps this share of the interval, 70 steps 2e-15 of it.
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
SECTIONS = 70
# Steps from the start, each twice the last, to find an interval around the minimum.
STEPS_OUT = 100
# Finite differences: about the square root of the precision.
STEP = 1e-7
# Mixes keep off the edge of the simplex by this, where logarithms would be infinite.
EDGE = 1e-9
# Scores without a finite minimum end here: exp(-30) is a probability of 1e-13.
LARGEST_SCORE = 30.0
SETTINGS = {"maxiter": 200, "maxfun": 1000, "ftol": 1e-15, "gtol": 1e-10}


def argmin_number(risk: Risk, start: Array, width: Array) -> Array:
    """Minimise over one number for each cluster by golden section, around start (k, 1).

    >>> import numpy as np
    >>> start, width = np.zeros((2, 1)), np.ones((2, 1))
    >>> argmin_number(lambda z: (z[:, 0] - np.array([1.0, 7.0])) ** 2, start, width).round(6)
    array([[1.],
           [7.]])
    """
    a, at_a = _walk(risk, start, -width)
    b, _ = _walk(risk, start, width)
    c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    at_c, at_d = risk(c), risk(d)
    for _ in range(SECTIONS):
        # Where both are beyond the domain of the loss, the minimum is towards the edge inside.
        beyond = np.isinf(at_c) & np.isinf(at_d)
        left = np.where(beyond, np.isfinite(at_a), at_c <= at_d)[:, None]
        at_a = np.where(left[:, 0], at_a, at_c)
        a, b = np.where(left, a, c), np.where(left, d, b)
        new = np.where(left, b - GOLDEN * (b - a), a + GOLDEN * (b - a))
        at_new = risk(new)
        c, d = np.where(left, new, d), np.where(left, c, new)
        at_c, at_d = np.where(left[:, 0], at_new, at_d), np.where(left[:, 0], at_c, at_new)
    return (a + b) / 2.0


def argmin_mix(risk: Risk, sums: Array) -> Array:
    """Minimise over the simplex, starting from label frequencies (k, M).

    >>> import numpy as np
    >>> sums = np.array([[3.0, 1.0]])
    >>> argmin_mix(lambda z: ((4 * z - sums) ** 2).sum(axis=1), sums).round(6)
    array([[0.75, 0.25]])
    """
    share = sums / sums.sum(axis=1, keepdims=True)
    start = np.clip(share, EDGE, 1.0)
    z = _descend(risk, start, (EDGE, 1.0), _on_simplex)
    corners = np.eye(sums.shape[1])
    return _best(risk, [z, share, *(np.broadcast_to(corner, z.shape) for corner in corners)])


def argmin_scores(risk: Risk, sums: Array) -> Array:
    """Minimise over scores (k, M) of any sign and size.

    >>> import numpy as np
    >>> argmin_scores(lambda z: ((z - 2.0) ** 2).sum(axis=1), np.ones((1, 2))).round(6)
    array([[2., 2.]])
    """
    start = np.zeros_like(sums)
    z = _descend(risk, start, (-LARGEST_SCORE, LARGEST_SCORE), lambda t: t)
    return _best(risk, [z, start])


def _walk(risk: Risk, edge: Array, step: Array) -> tuple[Array, Array]:
    """Move edges outwards while the risk falls there; a convex risk then has its minimum inside.

    Steps that fall double, steps beyond the domain of the loss halve. Returns edges and risks.
    """
    at_edge = risk(edge)
    for _ in range(STEPS_OUT):
        further = edge + step
        at_further = risk(further)
        falls, beyond = at_further < at_edge, np.isinf(at_further)
        if not (falls | beyond).any():
            break
        edge = np.where(falls[:, None], further, edge)
        at_edge = np.where(falls, at_further, at_edge)
        step = np.where(falls[:, None], 2.0 * step, np.where(beyond[:, None], step / 2.0, step))
    inside = np.isfinite(at_further)
    return np.where(inside[:, None], further, edge), np.where(inside, at_further, at_edge)


def _descend(
    risk: Risk, start: Array, bounds: tuple[float, float], to_domain: Callable[[Array], Array]
) -> Array:
    """Minimise the sum over clusters by L-BFGS; as they are apart, so are their gradients."""
    k, m = start.shape
    scale = np.maximum(np.abs(risk(to_domain(start))), 1.0)

    def value_and_slope(flat: Array) -> tuple[float, Array]:
        t = flat.reshape(k, m)
        here = risk(to_domain(t)) / scale
        slope = np.empty_like(t)
        for entry in range(m):
            moved = t.copy()
            moved[:, entry] += STEP
            slope[:, entry] = (risk(to_domain(moved)) / scale - here) / STEP
        return float(here.sum()), slope.ravel()

    found = minimize(
        value_and_slope,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[bounds] * (k * m),
        options=SETTINGS,
    )
    return to_domain(found.x.reshape(k, m))


def _best(risk: Risk, candidates: list[Array]) -> Array:
    """Return the candidate of least risk for each cluster."""
    risks = np.stack([risk(z) for z in candidates])
    best = risks.argmin(axis=0)
    return np.stack(candidates)[best, np.arange(risks.shape[1])]


def _on_simplex(t: Array) -> Array:
    return t / t.sum(axis=1, keepdims=True)
