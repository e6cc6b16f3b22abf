"""How a descent ends, or would if it ended now: parameters to attributes."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sfplearn.core import Objective, Params
from sfplearn.core.state import Trace
from sfplearn.estimators.streaming import remember
from sfplearn.fitting import with_honest_labels

# What is known only when a fit is finished, and must not stay from the one before.
OF_THE_END = (
    *("refine_path_", "_unrefined"),
    *("labels_", "partition_coefficient_", "partition_entropy_", "xie_beni_"),
)


def end_descent(
    estimator: Any,
    objective: Objective,
    source: Any,
    table: Any,
    label_unit: float,
    params: Params,
    trace: Trace,
) -> Params:
    """Set the attributes of a descent that ends at these parameters, and return those kept."""
    for name in OF_THE_END:
        vars(estimator).pop(name, None)
    if estimator._is_honest(table, objective.expert):
        params = with_honest_labels(objective, source, params)
    estimator._keep_params(objective, params, trace.stats.mass, source.origin)
    estimator._keep_expert(params.expert)
    estimator.objective_path_ = np.array(trace.values)
    estimator.n_iter_ = len(trace.values)
    remember(estimator, trace.stats, label_unit)
    return params


def check_converged(estimator: Any, trace: Trace) -> None:
    """Warn of a descent that ran out of passes."""
    if estimator.tol > 0 and not (trace.converged or trace.stopped):
        warnings.warn(
            f"{type(estimator).__name__} did not converge in max_iter={estimator.max_iter} passes; "
            "raise max_iter, raise tol, or set tol=0 to ask for exactly max_iter passes.",
            ConvergenceWarning,
            stacklevel=4,
        )
