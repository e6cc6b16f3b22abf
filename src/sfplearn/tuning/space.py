"""Where to search: the paper's grids over its bounded hyperparameters, and ours.

The paper searches alpha', gamma' and lam' in (0, 1), where alpha = (1 - alpha') / alpha' and so
on, and k between the number of classes M and the number of training rows n':

    full      k in {M + i (n' - M) / 4}, alpha', gamma', lam' in {0.05, 0.15, ..., 0.95}: 5000
    reduced   the same k and lam', gamma' in {0.55, ..., 0.95}, alpha' = gamma' / 2:       250
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, StandardScaler

from sfplearn.estimators import SFPClassifier, WeighFeatures

Candidate = dict[str, Any]

# The setting that is put before a model.
PREPARE = "prepare"

# Steps of the paper's grid over k, and its values of bounded hyperparameters.
K_STEPS = 4
TENTHS = tuple(round(0.05 + 0.1 * i, 2) for i in range(10))
FUZZY_TENTHS = TENTHS[5:]

# Rows that each cluster of a small model should have, and clusters that a large one may have.
ROWS_A_CLUSTER = 3
MOST_CLUSTERS = 1000

# Parts of equally many rows that features are cut into, to make steps.
STEPS = 10

# Tables with more features are wide: linear experts would need their products.
WIDE = 200

# Landmarks of kernels: a few are quick; many hold all of a small table.
FEW_LANDMARKS, MANY_LANDMARKS = 100, 300

# Refined models: clusters a class, gamma, pull, loss, and whether all clusters share weights.
EACH, SHARED = "weighted_euclidean", "shared_weights"
REFINED: tuple[tuple[Any, ...], ...] = (
    (1, 0.3, 0.03, "log_loss"),
    (2, 0.3, 0.03, "log_loss"),
    (2, 0.3, 0.1, "log_loss"),
    (4, 0.3, 0.03, "log_loss"),
    (4, 0.3, 0.1, "log_loss"),
    (4, 1.0, 0.03, "log_loss"),
    (4, 0.3, 0.03, "logistic"),
    (4, 0.3, 0.1, "logistic"),
    (4, 1.0, 0.03, "logistic"),
    (8, 1.0, 0.03, "logistic"),
    (2, 0.3, 0.1, "log_loss", SHARED),
    (2, 0.3, 0.1, "logistic", SHARED),
)

# The same, refined for longer: more and crisper clusters, which take more steps to place.
REFINED_LONG: tuple[tuple[Any, ...], ...] = (
    (8, 0.3, 0.03, "log_loss"),
    (8, 0.1, 0.03, "log_loss"),
)
SHORT, LONG = 50, 200

# Kernels: kind, gamma times features, penalty, landmarks.
KERNELS = (
    ("rbf", 0.25, 0.3, FEW_LANDMARKS),
    ("rbf", 0.25, 3.0, FEW_LANDMARKS),
    ("rbf", 0.25, 30.0, FEW_LANDMARKS),
    ("rbf", 1.0, 0.3, FEW_LANDMARKS),
    ("rbf", 1.0, 30.0, FEW_LANDMARKS),
)
KERNELS_LARGE = (
    ("rbf", 0.25, 0.3, MANY_LANDMARKS),
    ("rbf", 0.25, 3.0, MANY_LANDMARKS),
    ("rbf", 1.0, 0.3, MANY_LANDMARKS),
    ("laplacian", 0.3, 0.3, MANY_LANDMARKS),
    ("laplacian", 1.0, 0.03, MANY_LANDMARKS),
    ("laplacian", 1.0, 3.0, MANY_LANDMARKS),
)
# Those of features that are scaled by how much they matter.
KERNELS_WEIGHED = (
    ("rbf", 0.25, 0.3, MANY_LANDMARKS),
    ("laplacian", 0.3, 0.3, MANY_LANDMARKS),
    ("laplacian", 1.0, 0.3, MANY_LANDMARKS),
)

REFINED_WIDE: tuple[tuple[Any, ...], ...] = (
    (1, 0.3, 0.03, "log_loss"),
    (1, 0.3, 0.3, "log_loss"),
    (1, 1.0, 0.03, "log_loss"),
    (2, 1.0, 0.03, "log_loss"),
    (2, 1.0, 0.1, "logistic"),
)

# What all clusters of the pool have in common; the default rules may differ.
PLAIN = {"alpha": 1.0, "init": "k-means++", "honest": True}

# One cluster: gamma and lam do not matter.
ONE_LINEAR = {
    "n_clusters": 1, "alpha": 1.0, "gamma": 0.1, "lam": 1.0, "expert": "linear", "refine": 0,
    "max_iter": 30, "tol": 1e-3,
}  # fmt: skip

# Passes that the paper found enough in practice.
PAPER_PASSES = 10


class Shape(NamedTuple):
    """What a grid depends on."""

    n_rows: int
    """Rows that a model is trained on inside the cross-validation."""
    n_features: int
    """Columns."""
    n_classes: int
    """Classes M; 2 for numbers, which have none."""
    is_dense: bool = True
    """Whether rows are dense."""
    is_complete: bool = True
    """Whether no cell is missing."""


def unbounded(bounded: Any) -> Any:
    """Return the paper's x = (1 - x') / x' for x' in (0, 1].

    >>> unbounded(0.5), unbounded(1.0)
    (1.0, 0.0)
    """
    return (1.0 - bounded) / bounded


def bounded(value: Any) -> Any:
    """Return the x' = 1 / (1 + x) of which x = (1 - x') / x'.

    >>> bounded(1.0)
    0.5
    """
    return 1.0 / (1.0 + value)


def cluster_counts(shape: Shape) -> list[int]:
    """Return the paper's k in {M + i (n' - M) / 4}, each once.

    >>> cluster_counts(Shape(n_rows=100, n_features=4, n_classes=4))
    [4, 28, 52, 76, 100]
    """
    least = min(shape.n_classes, shape.n_rows)
    steps = np.linspace(least, shape.n_rows, K_STEPS + 1)
    return sorted({int(k) for k in steps})


def full_grid(shape: Shape) -> Iterator[Candidate]:
    """Yield the paper's grid of 5000 candidates."""
    for k, a, g, w in product(cluster_counts(shape), TENTHS, TENTHS, TENTHS):
        yield paper_candidate(k, a, g, w)


def reduced_grid(shape: Shape) -> Iterator[Candidate]:
    """Yield the paper's grid of 250 candidates."""
    for k, g, w in product(cluster_counts(shape), FUZZY_TENTHS, TENTHS):
        yield paper_candidate(k, g / 2, g, w)


def paper_candidate(k: int, alpha: float, gamma: float, lam: float) -> Candidate:
    """Return the settings of bounded hyperparameters, in the units of the paper."""
    return {
        "n_clusters": k,
        "alpha": unbounded(alpha),
        "gamma": unbounded(gamma),
        "lam": unbounded(lam),
        "scale": None,
        "init": "random",
        "n_init": 1,
        "refine": 0,
        "honest": False,
        "max_iter": PAPER_PASSES,
        "tol": 1e-3,
    }


def broad_pool(shape: Shape) -> Iterator[Candidate]:
    """Yield models of all kinds that suit small tables, each once.

    A few clusters a class, refined; one cluster a row, which smooths over neighbours; and one
    cluster with a linear expert, of the features or in the space of a kernel, also one that
    counts features by how much they matter; and some of these on features with steps. Wide tables get fewer clusters, linear kernels, and models
    that keep few features.
    """
    # Where rows are few, more clusters or landmarks than there are rows come to the same.
    yield from {repr(candidate): candidate for candidate in _broad_pool(shape)}.values()


def _broad_pool(shape: Shape) -> Iterator[Candidate]:
    if shape.n_features > WIDE:
        yield from (_refined(shape, *settings) for settings in REFINED_WIDE)
        yield from _selecting(shape)
        if not shape.is_complete:
            return
        linear = {"kernel": "polynomial", "kernel_params": {"degree": 1}}
        yield from (_in_kernel(shape, penalty, linear) for penalty in (0.1, 1.0, 10.0))
    else:
        yield from (_refined(shape, *settings) for settings in REFINED)
        for settings in REFINED_LONG:
            yield {**_refined(shape, *settings), "refine": LONG}
        yield from _smoothing(shape)
        yield {**ONE_LINEAR, "expert_penalty": 1.0}
        if not shape.is_complete:
            return
        if shape.is_dense:
            yield from _stepwise(shape)
        yield from (_around_rows(shape, *settings) for settings in KERNELS_LARGE)
        weighed = {PREPARE: weighing(shape)}  # one for all, so that it is fitted once
        yield from ({**_around_rows(shape, *s), **weighed} for s in KERNELS_WEIGHED)
    yield from (_around_rows(shape, *settings) for settings in KERNELS)


def _refined(
    shape: Shape, a_class: int, gamma: float, pull: float, loss: str, divergence: str = EACH
) -> Candidate:
    """Few clusters, refined."""
    k = max(1, min(a_class * shape.n_classes, shape.n_rows // ROWS_A_CLUSTER))
    return {
        "n_clusters": k, "gamma": gamma, "lam": 1.0, "refine": SHORT, "refine_pull": pull,
        "loss": loss, "divergence": divergence, **PLAIN, "max_iter": 20, "tol": 1e-3,
    }  # fmt: skip


def _smoothing(shape: Shape) -> Iterator[Candidate]:
    """Yield a cluster a row: labels are smoothed over neighbours."""
    k = min(shape.n_rows, MOST_CLUSTERS)
    for gamma, lam in ((0.03, 10.0), (0.1, 1.0)):
        yield {
            "n_clusters": k, "gamma": gamma, "lam": lam, "refine": 0, **PLAIN,
            "max_iter": 10, "tol": 1e-3,
        }  # fmt: skip


def _stepwise(shape: Shape) -> Iterator[Candidate]:
    """Yield models that can step where a feature crosses a value, as trees do."""
    steps = {PREPARE: with_steps()}
    yield {**_refined(shape, 4, 0.3, 0.1, "log_loss"), **steps}
    linear = {"kernel": "polynomial", "kernel_params": {"degree": 1}}
    for penalty in (1.0, 10.0):
        yield {**_in_kernel(shape, penalty, linear), **steps}
    rbf = {"kernel": "rbf", "kernel_params": {"gamma": 0.25 / (shape.n_features * STEPS)}}
    yield {**_in_kernel(shape, 3.0, rbf), **steps}


def with_steps() -> Pipeline:
    """Return a transformer that adds to features which tenth of the training rows they are in.

    >>> with_steps().fit_transform([[float(i)] for i in range(30)]).shape
    (30, 11)
    """
    tenths = KBinsDiscretizer(
        STEPS, encode="onehot-dense", strategy="quantile", quantile_method="averaged_inverted_cdf"
    )
    union = FeatureUnion([("rows", FunctionTransformer()), ("steps", tenths)])
    union.set_output(transform="default")
    return make_pipeline(union, StandardScaler().set_output(transform="default"))


def weighing(shape: Shape) -> WeighFeatures:
    """Return a transformer that scales features by how much they matter to refined clusters.

    >>> weighing(Shape(n_rows=30, n_features=4, n_classes=3)).estimator.n_clusters
    10
    """
    settings = _refined(shape, 4, 0.3, 0.1, "log_loss", SHARED)
    return WeighFeatures(SFPClassifier(**settings, n_jobs=1, random_state=0))


def _selecting(shape: Shape) -> Iterator[Candidate]:
    """Yield a cluster a class, which keeps few of many features."""
    for lam, gamma in product((0.03, 0.1, 0.3), (0.03, 0.1)):
        yield {
            "n_clusters": shape.n_classes, "gamma": gamma, "lam": lam, "refine": 0,
            **PLAIN, "max_iter": 20, "tol": 1e-3,
        }  # fmt: skip


def _around_rows(
    shape: Shape, kernel: str, width: float, penalty: float, landmarks: int
) -> Candidate:
    """One linear expert of how near rows are to landmarks."""
    near = {"kernel": kernel, "kernel_params": {"gamma": width / shape.n_features}}
    return _in_kernel(shape, penalty, near, landmarks)


def _in_kernel(
    shape: Shape, penalty: float, kernel: Candidate, landmarks: int = FEW_LANDMARKS
) -> Candidate:
    """One linear expert in the space of a kernel."""
    space = {"divergence": "kernel", "n_landmarks": min(landmarks, shape.n_rows), **kernel}
    return {**ONE_LINEAR, "expert_penalty": penalty, **space}


def kind_of(candidate: Candidate) -> str:
    """Name the kind of model that a candidate is: those of one kind err alike.

    >>> kind_of({"divergence": "kernel"}), kind_of({"n_clusters": 3, "refine": 0})
    ('kernel', 'clusters')
    """
    prepare = candidate.get(PREPARE)
    if prepare is not None and not isinstance(prepare, WeighFeatures):
        return "other features"
    if candidate.get("divergence") == "kernel":
        return "kernel"
    if candidate.get("expert") == "linear":
        return "linear"
    return "refined" if candidate.get("refine", True) else "clusters"


SPACES: dict[str, Callable[[Shape], Iterator[Candidate]]] = {
    "paper": full_grid,
    "reduced": reduced_grid,
    "broad": broad_pool,
}
