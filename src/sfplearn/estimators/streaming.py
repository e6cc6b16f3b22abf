"""Learning from rows as they come: what `partial_fit` does, for all estimators.

The first rows are kept, and clusters are found anew, as a fit would find them, whenever their
number has grown by a quarter. Then they are let go, and every further row costs the same: one
pass over it, in small pieces, each followed by a step.
"""

import warnings
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from sfplearn.core import Rows
from sfplearn.core.objective import params_of, summarizer
from sfplearn.core.state import flatten, unflatten
from sfplearn.data import as_source, count_distinct, find_store
from sfplearn.estimators.checks import check_count, check_number
from sfplearn.estimators.geometry import is_refined
from sfplearn.estimators.losses import same_loss
from sfplearn.estimators.refinement import forget_refinement
from sfplearn.estimators.table import Table, has_missing
from sfplearn.fitting import FORGOTTEN, moved, renew, spread_of, stream

# Rows that are kept at first, in all and for each cluster.
YOUNG_ROWS = 2_000
ROWS_A_CLUSTER = 20

# Growth of their number after which clusters are found anew: the work for each row is bounded.
GROWTH = 1.25

# Rows of a step, at most and as a share of a half-life: fewer follow faster, more cost less each.
PIECE = 200
PIECE_SHARE = 0.2

# Deviations by which rows may leave the origin of their sums before it follows.
FAR = 10.0


class Batch(NamedTuple):
    """Rows that came, validated."""

    X: Any
    y: Any
    weight: NDArray[np.float64]

    def take(self, part: Any) -> "Batch":
        """Return some of the rows."""
        y = None if self.y is None else self.y[part]
        return Batch(self.X[part], y, self.weight[part])

    def join(self, other: "Batch") -> "Batch":
        """Return these rows and others, whose features may be sparse or dense."""
        sparse, X = sp.issparse(self.X), other.X
        if sparse != sp.issparse(X):
            X = sp.csr_array(X) if sparse else X.toarray()
        both = [self.X, X]
        return Batch(
            X=sp.vstack(both, format="csr") if sparse else np.concatenate(both),
            y=None if self.y is None else np.concatenate([self.y, other.y]),
            weight=np.concatenate([self.weight, other.weight]),
        )

    def copy(self) -> "Batch":
        """Return rows that do not change when their owner's do."""
        return Batch(self.X.copy(), None if self.y is None else self.y.copy(), self.weight.copy())


def streams(estimator: Any) -> bool:
    """Tell whether an estimator can learn from a stream; if not, say why."""
    if getattr(estimator, "refine", 0) not in (0, "auto"):
        raise AttributeError("partial_fit cannot refine, which needs all rows; set refine=0.")
    if getattr(estimator, "expert", "constant") != "constant":
        raise AttributeError("partial_fit needs expert='constant'; fit linear experts to all rows.")
    if getattr(estimator, "honest", "auto") is True:
        raise AttributeError("honest=True needs all rows at once; set honest='auto'.")
    return True


def is_streaming(estimator: Any) -> bool:
    """Tell whether an estimator has met rows that it can go on from."""
    return hasattr(estimator, "_stream")


def remember(estimator: Any, memory: Any, unit: float) -> None:
    """Keep what a fit knows of its rows, so that `partial_fit` can go on from it."""
    estimator._stream = {
        "sums": flatten(memory),
        "clusters": len(memory.mass),
        "unit": unit,
        "young": None,
        "found": 0,
    }


def check_in_memory(X: Any) -> None:
    """Refuse rows that live elsewhere, of which `partial_fit` would make one block."""
    if find_store(X) is not None:
        raise ValueError(
            "partial_fit takes rows in memory; call it for each block, or fit all of them at once."
        )


def check_settings(estimator: Any) -> None:
    """Refuse settings that a stream cannot follow, or that are others than before."""
    if estimator.half_life is not None:
        check_number("half_life", estimator.half_life, above=0)
        if estimator.divergence == "kernel":
            raise ValueError(
                "half_life needs another divergence than 'kernel', whose landmarks stay for ever."
            )
    if not is_streaming(estimator):
        return
    if hasattr(estimator, "local_coef_"):
        raise ValueError("partial_fit cannot go on from linear experts; fit constant ones first.")
    now = {
        name: getattr(estimator, name)
        for name in ("divergence", "loss")
        if hasattr(estimator, name)
    }
    for name, value in now.items():
        before = getattr(estimator, f"{name}_", value)
        if not (same_loss(before, value) if name == "loss" else before == value):
            raise ValueError(
                f"partial_fit needs the {name} of the first call, {before!r}; got {value!r}."
            )


def take_in(estimator: Any, batch: Batch) -> None:
    """Learn from rows, forgetting others at the pace that the estimator asks for."""
    check_settings(estimator)
    batch = _rows_that_count(estimator, batch)
    if not len(batch.weight):
        return
    if is_refined(estimator):
        forget_refinement(estimator)
    young = Batch(*estimator._stream["young"]) if _is_young(estimator) else None
    if is_streaming(estimator) and young is None:
        _follow(estimator, batch)
        return
    found = 0 if young is None else estimator._stream["found"]
    young = batch.copy() if young is None else young.join(batch)
    size, enough = len(young.weight), _enough_rows(estimator)
    if size < min(GROWTH * found, enough):
        _follow(estimator, batch)
    else:
        _find(estimator, young.take(slice(enough)))
        found = size
    if size >= enough:
        _follow(estimator, young.take(slice(enough, None)))
        young = None
    note(estimator, young=None if young is None else list(young), found=found)


def _rows_that_count(estimator: Any, batch: Batch) -> Batch:
    """Return rows with a weight of which some cell is known; there must be one at first."""
    weight = batch.weight
    if estimator.allow_nan and not sp.issparse(batch.X):
        weight = np.where(np.isnan(batch.X).all(axis=1), 0.0, weight)
    if not weight.any() and not is_streaming(estimator):
        raise ValueError("No row has a weight and a known cell; give at least one.")
    return batch if weight.all() else batch.take(weight > 0)


def note(estimator: Any, **what: Any) -> None:
    """Change what is remembered of a stream, leaving what others may hold of it alone."""
    estimator._stream = {**estimator._stream, **what}


def _is_young(estimator: Any) -> bool:
    return is_streaming(estimator) and estimator._stream["young"] is not None


def _most_clusters(estimator: Any) -> int | None:
    """Return the number of clusters that is asked for; None for "auto"."""
    k = estimator.n_clusters
    return None if isinstance(k, str) else check_count("n_clusters", k, or_else=" or 'auto'")


def _enough_rows(estimator: Any) -> int:
    return max(YOUNG_ROWS, ROWS_A_CLUSTER * (_most_clusters(estimator) or 0))


def _find(estimator: Any, batch: Batch) -> None:
    """Fit clusters to the first rows, later ones counting more if rows are forgotten."""
    age = np.cumsum(batch.weight[::-1])[::-1] - batch.weight
    batch = batch._replace(weight=batch.weight * _kept(estimator, age))
    fresh = copy(estimator)
    fresh.warm_start, fresh.checkpoint = False, None
    if hasattr(fresh, "refine"):
        fresh.refine = 0
    k = _most_clusters(estimator)
    if k is not None:  # few rows, or equal ones, cannot fill many clusters
        distinct = count_distinct(as_source(batch.X, weight=batch.weight))
        fresh.n_clusters = min(k, distinct)
        if distinct < k and not isinstance(fresh.init, str):
            fresh.init = "k-means++"  # for the time being
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fresh._fit_batch(batch)
    given = estimator.get_params(deep=False)
    vars(estimator).update(
        {name: value for name, value in vars(fresh).items() if name not in given}
    )


def _follow(estimator: Any, batch: Batch) -> None:
    """Take rows in, piece by piece."""
    if not len(batch.weight):
        return
    estimator._meet_labels(batch, float(_kept(estimator, batch.weight.sum())))
    eps = float(np.finfo(batch.X.dtype).eps)
    expert, memory = estimator._expert(), _recentred(estimator, batch, eps)
    random, size = np.random.default_rng([estimator._seed, estimator.n_iter_]), _piece(estimator)
    for first in range(0, len(batch.weight), size):
        rows = _rows(estimator, batch.take(slice(first, first + size)))
        if rows.weight.any():
            objective = _objective(estimator, expert, memory, eps)
            memory = _step(estimator, objective, rows, memory, random)
            estimator.n_iter_ += 1
    objective = _objective(estimator, expert, memory, eps)
    params = params_of(objective, memory)
    estimator._keep_params(objective, params, memory.mass, estimator._origin)
    estimator._keep_expert(params.expert)
    vars(estimator).pop("objective_path_", None)
    note(estimator, sums=flatten(memory))


def _step(
    estimator: Any, objective: Any, rows: Rows, memory: Any, random: np.random.Generator
) -> Any:
    """Return the sums after one more piece of rows."""
    most = _most_clusters(estimator) or estimator._stream["clusters"]
    total, forgets = rows.weight.sum(), estimator.half_life is not None
    least = FORGOTTEN * total / np.count_nonzero(rows.weight) if forgets else 0.0
    memory, rows = renew(objective, rows, memory, most, random, least=least)
    kept, watchful = float(_kept(estimator, total)), forgets and estimator._is_watchful
    return stream(objective, rows, memory, kept=kept, watchful=watchful)


def _objective(estimator: Any, expert: Any, memory: Any, eps: float) -> Any:
    """Return the objective for the rows that are remembered."""
    spread = spread_of(memory, estimator._origin, eps)
    return estimator._objective(spread, len(memory.mass), expert, estimator._stream["unit"])


def _piece(estimator: Any) -> int:
    """Return how many rows a step takes: few beside those that are remembered."""
    if estimator.half_life is None:
        return PIECE
    return max(1, min(PIECE, int(PIECE_SHARE * estimator.half_life)))


def _recentred(estimator: Any, batch: Batch, eps: float) -> Any:
    """Return the sums so far, relative to an origin that has not been left far behind."""
    memory = memory_of(estimator)
    if estimator.divergence == "kernel":
        return memory
    if sp.issparse(batch.X):  # whose origin is 0
        memory = moved(memory, -estimator._origin)
        estimator._origin = np.zeros_like(estimator._origin)
        return memory
    spread = spread_of(memory, estimator._origin, eps)
    mean = memory.divergence.first.sum(axis=0) / np.maximum(
        memory.divergence.seen.sum(axis=0), 1e-300
    )
    if not (mean * mean > FAR**2 * (spread.variances + spread.variance)).any():
        return memory
    origin = (estimator._origin + mean).astype(batch.X.dtype).astype(np.float64)
    memory = moved(memory, origin - estimator._origin)
    estimator._origin = origin
    return memory


def _kept(estimator: Any, age: Any) -> Any:
    """Return how much is left of rows after so many others."""
    return np.exp2(-age / estimator.half_life) if estimator.half_life else np.ones_like(age, float)


def _rows(estimator: Any, batch: Batch) -> Rows:
    """Return rows as the core takes them, relative to the origin of the stream."""
    labels = estimator._stream_labels(batch)
    weight = batch.weight * labels.weight
    missing = bool(estimator.allow_nan) and has_missing(batch.X)
    table = Table(batch.X, None, labels.codes, weight, labels.targets, missing)
    source = estimator._source(table, len(estimator.cluster_centers_))
    return source.relative_to(estimator._origin).take(slice(None))


def memory_of(estimator: Any) -> Any:
    """Return the sums of the rows so far."""
    objective, params, origin = estimator._model(np.dtype(np.float64))
    targets = np.zeros((1, objective.expert.n_targets))
    nothing = Rows.of(np.zeros((1, len(origin))), targets=targets)
    like = summarizer(objective, params)(nothing._replace(origin=origin))
    return unflatten(estimator._stream["sums"], like)
