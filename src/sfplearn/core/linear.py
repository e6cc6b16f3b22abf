"""Experts that say something else about every row: a linear model a cluster.

Sums of x x^T and of x times what is to be explained, weighted by membership, are all that the
models need. They are k (p + 1)^2 numbers: `check_memory` refuses more than fit.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core.state import Rows
from sfplearn.core.terms import LabelSums

Array = NDArray[np.float64]

# Added to a diagonal of 1, against features that repeat each other.
ROUNDING = 1e-12
# Bytes that the sums of one block may take; a handful of blocks are under way at a time.
MEMORY = 256 * 2**20


class Coefficients(NamedTuple):
    """Parameters of linear experts."""

    beta: Array
    """Of shape (k, p + 1, d): slopes relative to the origin of the rows, then the intercept."""
    inverse: Array = np.zeros((1, 0, 0))
    """(G / 2 + 2 penalty)^-1 of `LocalLogistic` if every pass finds the same gram G, as that of one
    cluster, which has all rows; else empty."""


class LinearSums(NamedTuple):
    """Sums gathered for linear experts, of labelled rows x~ = (x, 1)."""

    gram: Array
    """sum_i u_ij x~_i x~_i^T, of shape (k, p + 1, p + 1); empty where its inverse is known."""
    moment: Array
    """sum_i u_ij x~_i r_ij^T, of shape (k, p + 1, d), r being what is to be explained."""


class _Linear(ABC):
    """What local regression and local classification share."""

    n_codes: int
    n_targets: int

    def __init__(self, penalty: float) -> None:
        self.ridge = penalty

    def penalty(self, params: Coefficients) -> float:
        """Return the ridge penalty: squares of all slopes; intercepts are free."""
        return self.ridge * float(np.sum(params.beta[:, :-1] ** 2))

    def predictor(self, x: Array, params: Coefficients) -> Array:
        """Return x~^T beta_j for every row and cluster, (n, k, d)."""
        k, p, d = params.beta.shape
        flat = _with_one(x) @ params.beta.transpose(1, 0, 2).reshape(p, k * d)
        return flat.reshape(len(x), k, d)

    def gather(self, rows: Rows, u: Array, params: Coefficients) -> LinearSums:
        """Return the sums of a block under memberships u (n, k), weights included."""
        x, u = _with_one(rows.dense()), np.where(rows.y[:, None] >= 0, u, 0.0)
        explained = self.to_explain(rows, params)
        explained = np.broadcast_to(explained, (*u.shape, explained.shape[2]))
        moment = np.stack([x.T @ (u[:, [j]] * explained[:, j]) for j in range(u.shape[1])])
        if params is not None and params.inverse.size:
            return LinearSums(gram=np.zeros((1, 0, 0)), moment=moment)
        # A matrix times itself: BLAS computes half of it.
        halves = (x * np.sqrt(u[:, [j]]) for j in range(u.shape[1]))
        return LinearSums(gram=np.stack([half.T @ half for half in halves]), moment=moment)

    @abstractmethod
    def to_explain(self, rows: Rows, params: Coefficients) -> Array:
        """Return what linear models are to explain of each row in each cluster, (n, k or 1, d)."""

    def least_costs(self) -> Array:
        """Return 0: a linear model can explain any single row."""
        return np.zeros(self.n_codes)

    def _curvature(self, gram: Array) -> tuple[Array, Array]:
        """Return gram + ridge on slopes in units in which its diagonal is 1, and these units."""
        width = gram.shape[1]
        A = gram + self.ridge * np.diag(np.append(np.ones(width - 1), 0.0))
        size = np.sqrt(np.diagonal(A, axis1=1, axis2=2))
        size = np.where(size > 0, size, 1.0)[:, :, None]  # what no labelled row tells is 0
        return A / (size * size.transpose(0, 2, 1)) + ROUNDING * np.eye(width), size


class LocalRegression(_Linear):
    """l(t, x; beta_j) = |t - x~^T beta_j|^2 with penalty sum beta^2: a ridge regression a cluster.

    Parameters
    ----------
    n_targets : int
        Numbers of a label.
    penalty : float
        Weight of the squares of slopes.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core import Rows
    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> rows = Rows.of(x, y=[0, 0, 0], targets=1 + 2 * x)
    >>> expert = LocalRegression(1, penalty=1e-9)
    >>> sums = expert.gather(rows, np.ones((3, 1)), None)
    >>> expert.update(sums).beta.round(3).ravel().tolist()
    [2.0, 1.0]
    """

    n_codes = 1

    def __init__(self, n_targets: int, penalty: float) -> None:
        super().__init__(penalty)
        self.n_targets = n_targets

    def at(self, sums: LabelSums, p: int) -> Coefficients:
        """Return the constants that one row a cluster asks for."""
        slopes = np.zeros((len(sums.targets), p, self.n_targets))
        return Coefficients(np.concatenate([slopes, sums.targets[:, None]], axis=1))

    def costs(self, rows: Rows, params: Coefficients) -> Array:
        """Return the squared error of each row in each cluster, (n, k)."""
        error = self.to_explain(rows, params) - self.predictor(rows.dense(), params)
        return np.einsum("nkd,nkd->nk", error, error)

    def to_explain(self, rows: Rows, params: Coefficients) -> Array:
        """Return the targets."""
        return np.asarray(rows.targets)[:, None, :]

    def update(self, sums: LinearSums, params: Coefficients | None = None) -> Coefficients:
        """beta_j = (sum_i u_ij x~ x~^T + penalty)^-1 sum_i u_ij x~ t."""
        A, size = self._curvature(sums.gram)
        return Coefficients(np.linalg.solve(A, sums.moment / size) / size)

    def decide(self, u: Array, params: Coefficients, x: Array) -> Array:
        """Return the mixed predictions sum_j u_j x~^T beta_j, (n, d)."""
        return np.einsum("nk,nkd->nd", u, self.predictor(x, params))


class LocalLogistic(_Linear):
    """l(y, x; beta_j) = -ln softmax(x~^T beta_j)_y with penalty sum beta^2, a model a cluster.

    A step minimises a quadratic upper bound of the loss at the last coefficients, of curvature
    x~ x~^T / 2, so that the objective falls (Boehning).

    Parameters
    ----------
    n_labels : int
        Labels are codes 0, 1, ..., n_labels - 1.
    penalty : float
        Weight of the squares of slopes.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn.core.terms import LabelSums
    >>> expert = LocalLogistic(2, penalty=1.0)
    >>> start = expert.at(LabelSums(np.array([[0.0, 1.0]]), np.zeros((1, 0))), p=3)
    >>> expert.probabilities(np.ones((1, 1)), start, np.zeros((1, 3))).round(2).tolist()
    [[0.01, 0.99]]
    """

    n_targets = 0
    is_exact = False

    def __init__(self, n_labels: int, penalty: float) -> None:
        super().__init__(penalty)
        self.n_codes = n_labels

    def at(self, sums: LabelSums, p: int) -> Coefficients:
        """Return the constant log-odds that one row a cluster asks for, a little smoothed."""
        z = np.log(sums.sums + 0.01)
        z -= z.mean(axis=1, keepdims=True)
        slopes = np.zeros((len(z), p, self.n_codes))
        return Coefficients(np.concatenate([slopes, z[:, None]], axis=1))

    def costs(self, rows: Rows, params: Coefficients) -> Array:
        """Return the log-loss of each row in each cluster, (n, k)."""
        scores = self.predictor(rows.dense(), params)
        top = scores.max(axis=2, keepdims=True)
        total = np.log(np.exp(scores - top).sum(axis=2)) + top[:, :, 0]
        own = np.take_along_axis(scores, np.maximum(rows.y, 0)[:, None, None], axis=2)
        return total - own[:, :, 0]

    def to_explain(self, rows: Rows, params: Coefficients) -> Array:
        """Return what the last coefficients leave: 1(m = y_i) minus its probability."""
        indicator = rows.y[:, None] == np.arange(self.n_codes)
        return indicator[:, None, :] - _softmax(self.predictor(rows.dense(), params))

    def update(self, sums: LinearSums, params: Coefficients) -> Coefficients:
        """Return beta_j + (G_j / 2 + 2 penalty)^-1 (slope of the loss - 2 penalty beta_j)."""
        pulled = params.beta.copy()
        pulled[:, -1] = 0.0
        slope = sums.moment - 2.0 * self.ridge * pulled
        inverse = params.inverse if params.inverse.size else self._inverse(sums.gram)
        beta = params.beta + inverse @ slope
        return Coefficients(beta, inverse) if len(beta) == 1 else Coefficients(beta)

    def _inverse(self, gram: Array) -> Array:
        """Return the inverse of the curvature of the bound: half the gram, twice the ridge."""
        A, size = self._curvature(gram / 4.0)
        return np.linalg.inv(A) / (2.0 * size * size.transpose(0, 2, 1))

    def scores(self, u: Array, params: Coefficients, x: Array) -> Array:
        """Return the logarithms of mixed probabilities."""
        return np.log(np.maximum(self.probabilities(u, params, x), np.finfo(np.float64).tiny))

    def decide(self, u: Array, params: Coefficients, x: Array) -> NDArray[Any]:
        """Return the code of the label that is most probable."""
        return self.probabilities(u, params, x).argmax(axis=1)

    def probabilities(self, u: Array, params: Coefficients, x: Array) -> Array:
        """Return the mixed probabilities sum_j u_j softmax(x~^T beta_j), (n, M)."""
        mixed = np.einsum("nk,nkd->nd", u, _softmax(self.predictor(x, params)))
        return mixed / mixed.sum(axis=1, keepdims=True)


def check_memory(k: int, p: int, d: int) -> None:
    """Refuse linear experts whose sums do not fit.

    >>> check_memory(10, 20, 1)
    """
    needed = 8 * k * (p + 1) * (p + 1 + d)
    if needed > MEMORY:
        raise ValueError(
            f"Linear experts of {k} clusters and {p} features need {needed / 2**20:.0f} MB of sums "
            f"a block, more than {MEMORY / 2**20:.0f} MB; ask for fewer clusters, select features "
            "first, or take expert='constant'."
        )


def _with_one(x: Array) -> Array:
    return np.hstack([x, np.ones((len(x), 1))])


def _softmax(scores: Array) -> Array:
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
