"""The risk of predictions, and its slope along all parameters: one pass, sums that add.

Prediction mixes prototypes by memberships that do not know labels, so the risk that counts is

    sum_i l(y_i, sum_j u_ij z_j),  u_ij = softmin_j((sum_l w_jl (x_il - v_jl)^2 + b_j) / gamma).

A block gives its risk and the moments of its slopes; `slopes` turns the sums of all blocks into
the slopes along v, ln w, b and z.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import kernel
from sfplearn.core.state import Rows
from sfplearn.core.terms import Quadratic

Array = NDArray[np.float64]


class Readout(Protocol):
    """An expert whose clusters say z_j, of which predictions are mixes."""

    def losses(self, rows: Rows, mixed: Array) -> tuple[Array, Array]:
        """Return the loss of each row under mixed prototypes (n, d), and its slope, (n, d)."""


class Fields(NamedTuple):
    """Parameters of a prediction; also their slopes."""

    v: Array
    """Centres, of shape (k, p), relative to the origin of the rows."""
    log_w: Array
    """Logarithms of weights, of shape (k, p)."""
    b: Array
    """Biases, of shape (k,)."""
    z: Array
    """Prototypes, of shape (k, d)."""


class RiskSums(NamedTuple):
    """What a pass over a block leaves behind; these add."""

    risk: float
    """Sum of losses."""
    weight: float
    """Sum of the weights of labelled rows."""
    mass: Array
    """Sums of the slopes along distances, of shape (k,)."""
    first: Array
    """Sums of these times x, of shape (k, p)."""
    second: Array
    """Sums of these times x^2, of shape (k, p)."""
    seen: Array
    """Sums of these over observed cells, of shape (k, p) or (k, 1)."""
    expected: Array
    """What of the slopes along weights is due to averaging over observed cells, (k, p or 1)."""
    prototypes: Array
    """Slopes along prototypes, of shape (k, d)."""


def risk_summarizer(
    fields: Fields, readout: Readout, gamma: float, is_mean: bool
) -> Callable[[Rows], RiskSums]:
    """Return a pass over a block of rows at these parameters."""
    coefficients = _coefficients(fields, gamma, is_mean)
    z = fields.z

    def summarize(rows: Rows) -> RiskSums:
        blind = rows.without_labels()
        u = kernel.memberships(blind, coefficients).astype(np.float64)
        weight = np.where(rows.y >= 0, rows.weight, 0.0)
        losses, slopes = readout.losses(rows, u @ z)
        g = slopes * weight[:, None]
        h = g @ z.T
        # The slope of u_ij along d_ij' is -u_ij (1(j = j') - u_ij') / gamma.
        delta = u * (np.einsum("nk,nk->n", u, h)[:, None] - h)
        delta /= gamma
        sums = kernel.gather(blind, coefficients, delta)
        mass = sums.class_sums[:, 0]
        complete = sums.seen is None
        expected = np.zeros((len(mass), 1))
        if not complete and is_mean:
            expected = _expected_slope(fields, sums)
        return RiskSums(
            risk=float(losses @ weight),
            weight=float(weight.sum()),
            mass=mass,
            first=sums.first,
            second=sums.second,
            seen=mass[:, None] if complete else sums.seen,
            expected=expected,
            prototypes=u.T @ g,
        )

    return summarize


def slopes(fields: Fields, sums: RiskSums) -> Fields:
    """Return the slopes of the risk along all parameters."""
    v, w = fields.v, np.exp(fields.log_w)
    along_w = _scatter(v, sums) - sums.expected
    return Fields(
        v=2.0 * w * (v * sums.seen - sums.first),
        log_w=w * along_w,
        b=sums.mass,
        z=sums.prototypes,
    )


def _scatter(v: Array, sums: Any) -> Array:
    """Return the sums of slopes along distances times (x - v)^2, (k, p)."""
    return sums.second - 2.0 * v * sums.first + v * v * sums.seen


def _expected_slope(fields: Fields, sums: kernel.Sums) -> Array:
    """Return what averaging takes off slopes along weights; none where all cells are observed.

    D = W sum_l o w (x - v)^2 / sum_l o w with W = sum_l w. Its slope along w_l is
    W o_l ((x_l - v_l)^2 - D / W) / sum o w + D / W.
    """
    w = np.exp(fields.log_w)
    total = np.sum(w * _scatter(fields.v, sums), axis=1, keepdims=True)
    return (sums.expected - total) / w.sum(axis=1, keepdims=True)


def _coefficients(fields: Fields, gamma: float, is_mean: bool) -> kernel.Coefficients:
    w = np.exp(fields.log_w)
    linear, square, constant = Quadratic(bias=fields.b, weights=w, centers=fields.v).expand()
    return kernel.Coefficients(
        linear,
        square,
        (fields.b + constant.sum(axis=1))[:, None],
        gamma,
        label_table=fields.b[:, None],
        constant=constant,
        is_mean=is_mean,
    )


def add(left: RiskSums, right: RiskSums) -> RiskSums:
    """Add the sums of two sets of rows."""
    pairs: Any = zip(left, right, strict=True)
    return RiskSums(*(a + b for a, b in pairs))
