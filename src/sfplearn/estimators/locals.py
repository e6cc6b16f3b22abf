"""Linear experts as estimators offer them: settings in, attributes out."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.core import Rows
from sfplearn.core.linear import Coefficients, LocalLogistic, LocalRegression, check_memory
from sfplearn.estimators.checks import check_choice, check_number
from sfplearn.fitting import Spread

EXPERTS = ("constant", "linear")


def is_linear(estimator: Any) -> bool:
    """Tell whether an estimator asks for linear experts."""
    return check_choice("expert", getattr(estimator, "expert", "constant"), EXPERTS) == "linear"


def check_linear(estimator: Any, losses: tuple[str, ...]) -> None:
    """Refuse what linear experts cannot do."""
    if not (isinstance(estimator.loss, str) and estimator.loss in losses):
        named = " or ".join(map(repr, losses))
        raise ValueError(f"expert='linear' needs loss={named}; got {estimator.loss!r}.")
    if estimator.refine not in (0, "auto"):
        raise ValueError("refine works with expert='constant'; set refine=0.")


def check_warm_expert(estimator: Any) -> None:
    """Refuse to go on from experts of another kind."""
    before = "linear" if hasattr(estimator, "local_coef_") else "constant"
    if before != estimator.expert:
        raise ValueError(
            f"warm_start=True needs the experts of the last fit, {before!r}; got "
            f"{estimator.expert!r}. Set warm_start=False to fit anew."
        )


def scale_ridge(estimator: Any, expert: Any, spread: Spread, k: int) -> None:
    """Set the penalty of linear experts in the units of the rows, if they fit into memory."""
    if isinstance(expert, LocalRegression | LocalLogistic):
        check_memory(k, len(spread.origin), max(expert.n_targets, expert.n_codes))
        penalty = check_number("expert_penalty", estimator.expert_penalty, least=0)
        expert.ridge = penalty * (spread.variance if estimator.scale == "auto" else 1.0)


def split(
    params: Coefficients, origin: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return slopes (k, p, d) and intercepts (k, d) for features as they are."""
    slopes = params.beta[:, :-1]
    return slopes, params.beta[:, -1] - np.einsum("p,kpd->kd", origin, slopes)


def keep_logistic(estimator: Any, params: Coefficients) -> None:
    """Set the attributes of linear experts of classes: slopes, and what they say at centres."""
    estimator.local_coef_, estimator.local_intercept_ = split(params, estimator._origin)
    at_centers = params, estimator.cluster_centers_ - estimator._origin
    expert = LocalLogistic(params.beta.shape[2], 1.0)
    estimator.prototypes_ = expert.probabilities(np.eye(len(params.beta)), *at_centers)


def join(
    slopes: NDArray[np.float64], intercepts: NDArray[np.float64], origin: NDArray[np.float64]
) -> Coefficients:
    """Return coefficients for features relative to an origin."""
    there = intercepts + np.einsum("p,kpd->kd", origin, slopes)
    return Coefficients(np.concatenate([slopes, there[:, None]], axis=1))


def ask(verb: str) -> Callable[[Any, Any, Any, Rows], Any]:
    """Return a question to experts about rows with memberships u; linear ones look at features."""

    def answer(expert: Any, u: NDArray[np.floating], params: Any, rows: Rows) -> Any:
        if isinstance(params, Coefficients):
            u = u.astype(np.float64) / u.sum(axis=1, keepdims=True, dtype=np.float64)
            return getattr(expert, verb)(u, params, rows.dense())
        return getattr(expert, verb)(u, params)

    return answer
