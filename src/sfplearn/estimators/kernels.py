"""Kernel SFP: clusters in the space of a kernel, spanned by landmarks.

With landmarks l_m and K their kernel matrix, x is shown as K^(-1/2) (k(x, l_1), ..., k(x, l_r)):
distances between such features are those in the space of the kernel, projected on the span of
the landmarks. A centre there is a mix of landmarks, and sums of features add as ever.
"""

import math
from collections.abc import Callable, Hashable
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics.pairwise import pairwise_kernels

from sfplearn.core import Objective, Silent, WeightedEuclidean
from sfplearn.data import ArraySource, HeldFeatures, MappedSource
from sfplearn.estimators.checks import check_choice, check_count
from sfplearn.fitting import STARTS, measure, start_rows

KERNELS = ("rbf", "laplacian", "anova", "polynomial", "sigmoid")
# Landmarks of n_landmarks="auto", where there are as many rows.
LANDMARKS = 100
# Directions of the kernel matrix below this share of the largest are rounding.
FLAT = 1e-10

# How far apart rows are, by the number of features and their mean variance: the gamma of a kernel
# is one over it.
WIDTHS: dict[str, Callable[[int, float], float]] = {
    "rbf": lambda p, variance: p * variance,
    "laplacian": lambda p, variance: p * math.sqrt(variance),
    "anova": lambda p, variance: math.sqrt(variance),
}

FITTED = ("landmarks_", "landmark_map_", "kernel_", "kernel_params_")


def is_kernel(estimator: Any) -> bool:
    """Tell whether a fitted estimator works in the space of a kernel."""
    return bool(estimator.divergence_ == "kernel")


def check_kernel(estimator: Any) -> None:
    """Refuse what does not go with a kernel."""
    if estimator.allow_nan:
        raise ValueError("divergence='kernel' needs complete rows; set allow_nan=False and impute.")
    if not callable(estimator.kernel):
        check_choice("kernel", estimator.kernel, KERNELS, or_else=" or a function")


def space_of(estimator: Any) -> Hashable:
    """Name the space that a fit of known rows works in: () for their own; None if it has no name.

    Fits whose spaces have the same name may share what they find out about rows.
    """
    if estimator.divergence != "kernel":
        return ()
    settings = sorted(dict(estimator.kernel_params or {}).items())
    plain = all(isinstance(value, int | float) for _, value in settings)
    if estimator.warm_start or callable(estimator.kernel) or not plain:
        return None
    return estimator.kernel, tuple(settings), str(estimator.n_landmarks), estimator._seed


def known_of(estimator: Any, shared: dict[Any, Any] | None) -> dict[Any, Any] | None:
    """Return what fits of the same rows share in the space of an estimator; None if nothing.

    Of kernels the last one alone is remembered: features of all would be many times the rows.
    """
    space = None if shared is None else space_of(estimator)
    if shared is None or space is None:
        return None
    if space == ():
        return shared
    last = shared.get("kernel")
    if last is None or last[0] != space:
        last = shared["kernel"] = space, {}
    return last[1]


def choose_landmarks(
    estimator: Any, source: ArraySource, random: np.random.Generator
) -> dict[str, Any]:
    """Return landmarks, spread out by weighted k-means++, and the map onto features."""
    spread = measure(source)
    near = source.relative_to(spread.origin)
    wanted = estimator.n_landmarks
    if isinstance(wanted, str):
        check_choice("n_landmarks", wanted, ("auto",), or_else=" or a whole number")
        wanted = LANDMARKS
    wanted = check_count("n_landmarks", wanted, or_else=" or 'auto'")
    rows = start_rows(near, len(spread.origin), wanted, random)
    rows = rows.without_labels()
    blind = Objective(WeightedEuclidean(1.0), Silent(), 0.0, 1.0)
    if wanted < len(rows.y):
        rows = rows.take(STARTS["k-means++"](blind, rows, wanted, random))
    landmarks = np.unique(rows.dense() + spread.origin, axis=0)
    settings = dict(estimator.kernel_params or {})
    if isinstance(estimator.kernel, str) and estimator.kernel in WIDTHS:
        width = WIDTHS[estimator.kernel](len(spread.origin), spread.variance)
        settings = {"gamma": 1.0 / width, **settings}
    found = {"landmarks_": landmarks, "kernel_": estimator.kernel, "kernel_params_": settings}
    return {**found, "landmark_map_": root_inverse(_kernel(SimpleNamespace(**found), landmarks))}


def in_kernel_space(estimator: Any, source: Any, held: HeldFeatures | None = None) -> MappedSource:
    """Return the rows of a source as features of the kernel, those that find room `held`."""
    origin = np.zeros(estimator.landmark_map_.shape[1])
    return MappedSource(source, feature_map(estimator), origin, held)


def feature_map(estimator: Any) -> Callable[[Any], NDArray[np.float64]]:
    """Return the map of rows onto features of a fitted kernel."""
    # Not the estimator, which may hold much else, where rows are elsewhere.
    fitted = SimpleNamespace(**{name: getattr(estimator, name) for name in FITTED})
    return lambda X: _kernel(fitted, X) @ fitted.landmark_map_


def root_inverse(K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return K^(-1/2) on the directions that K has, (m, r).

    >>> import numpy as np
    >>> root_inverse(np.diag([4.0, 1.0])).round(2).tolist()
    [[0.0, 0.5], [1.0, 0.0]]
    """
    value, direction = np.linalg.eigh((K + K.T) / 2.0)
    some = value > FLAT * np.abs(value).max()
    if not some.any():
        raise ValueError("The kernel is not positive on any row; choose another, or its settings.")
    return direction[:, some] / np.sqrt(value[some])


def _kernel(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Return k(x_i, l_m), (n, m)."""
    L, kernel = estimator.landmarks_, estimator.kernel_
    if kernel == "anova":
        K = anova_kernel(X, L, **estimator.kernel_params_)
    elif callable(kernel):
        K = np.asarray(kernel(X, L, **estimator.kernel_params_), dtype=np.float64)
    else:
        K = pairwise_kernels(_with_short_places(X), L, metric=kernel, **estimator.kernel_params_)
    if K.shape != (X.shape[0], len(L)) or not np.isfinite(K).all():
        raise ValueError(
            f"kernel must return finite numbers of shape {(X.shape[0], len(L))}; got {K.shape}."
        )
    return K.astype(np.float64, copy=False)


def anova_kernel(
    X: Any, L: NDArray[np.float64], gamma: float = 1.0, interaction: float = 2.0
) -> NDArray[np.float64]:
    """Return (e^(t s) - 1) / (e^t - 1) of how alike rows are feature by feature, (n, m).

    s is the mean of exp(-gamma |x_l - l_l|) over features, and t the `interaction`: s^q is a sum of
    products of q features, which counts t^q / q!. A far cell costs no more than its own share, so
    that functions of few features are easy to learn, as they are for trees.

    >>> anova_kernel(np.array([[0.0, 0.0]]), np.array([[0.0, 0.0], [0.0, 99.0]])).round(2).tolist()
    [[1.0, 0.27]]
    """
    if not interaction > 0:
        raise ValueError(f"interaction of kernel='anova' must be above 0; got {interaction!r}.")
    X = X.tocsc() if sp.issparse(X) else X
    alike = np.zeros((X.shape[0], len(L)))
    for feature, marks in enumerate(L.T):
        x = X[:, [feature]]
        alike += np.exp(-gamma * np.abs((x.toarray() if sp.issparse(x) else x) - marks))
    return np.expm1(interaction * alike / L.shape[1]) / np.expm1(interaction)


def _with_short_places(X: Any) -> Any:
    """Return rows whose places of cells, if sparse, have 32 bits: some kernels know no others."""
    if not sp.issparse(X) or X.indices.dtype == np.int32:
        return X
    places = (places.astype(np.int32) for places in (X.indices, X.indptr))
    return type(X)((X.data, *places), shape=X.shape)
