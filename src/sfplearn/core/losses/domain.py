"""Where prototypes live, and how to move in there without leaving.

A domain maps free numbers t (k, d) onto prototypes z (k, d), back, and slopes along z into slopes
along t: what a descent over prototypes needs.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Prototypes on the edge of their domain start this far inside: at the edge nothing moves them.
INSIDE = 1e-3

# Rates may change by the exponential of this: losses of far larger changes are beyond numbers.
FARTHEST_LOGARITHM = 50.0


class Domain(Protocol):
    """A set of prototypes that free numbers map onto."""

    reach: float
    """How far free numbers may go from where they begin."""

    def enter(self, t: Array) -> Array:
        """Return the prototypes that free numbers stand for."""

    def leave(self, z: Array) -> Array:
        """Return free numbers that stand for prototypes."""

    def slope(self, z: Array, along_z: Array) -> Array:
        """Return slopes along free numbers, given those along the prototypes z."""


class Real:
    """Any numbers."""

    reach: float = np.inf

    def enter(self, t: Array) -> Array:
        """Return t."""
        return t

    def leave(self, z: Array) -> Array:
        """Return z."""
        return z

    def slope(self, z: Array, along_z: Array) -> Array:
        """Return the same slopes."""
        return along_z


class Balanced(Real):
    """Numbers that sum to 0."""

    def enter(self, t: Array) -> Array:
        """Z = t - mean t."""
        return t - t.mean(axis=1, keepdims=True)

    def slope(self, z: Array, along_z: Array) -> Array:
        """Return slopes along t: a common shift does not matter."""
        return along_z - along_z.mean(axis=1, keepdims=True)


class Positive:
    """Numbers above 0."""

    reach: float = FARTHEST_LOGARITHM

    def enter(self, t: Array) -> Array:
        """Z = exp t."""
        return np.exp(t)

    def leave(self, z: Array) -> Array:
        """T = ln z."""
        return np.log(z)

    def slope(self, z: Array, along_z: Array) -> Array:
        """dz/dt = z."""
        return z * along_z


class Simplex:
    """Mixes of labels: numbers from 0 that sum to 1."""

    reach: float = np.inf

    def enter(self, t: Array) -> Array:
        """z_m = exp t_m / sum exp t."""
        e = np.exp(t - t.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def leave(self, z: Array) -> Array:
        """T = ln z, a little inside the simplex."""
        return np.log((1.0 - INSIDE) * z + INSIDE / z.shape[1])

    def slope(self, z: Array, along_z: Array) -> Array:
        """dz_m/dt_n = z_m (1(m = n) - z_n)."""
        return z * (along_z - np.sum(z * along_z, axis=1, keepdims=True))


DOMAINS: dict[str, Domain] = {
    "real": Real(),
    "balanced": Balanced(),
    "positive": Positive(),
    "simplex": Simplex(),
}
