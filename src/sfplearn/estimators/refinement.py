"""Refinement as estimators offer it: settings in, attributes out."""

from typing import Any, cast

import numpy as np

from sfplearn.core import Objective, Params
from sfplearn.core.divergences import LEAST_WEIGHT, Fixed
from sfplearn.core.losses.domain import DOMAINS
from sfplearn.core.risk import Fields, Readout
from sfplearn.core.terms import Quadratic
from sfplearn.estimators.checks import check_number, check_whole
from sfplearn.fitting import refine


def refined(
    estimator: Any, objective: Objective, source: Any, params: Params, label_unit: float
) -> tuple[Any, Params]:
    """Return divergence and parameters after the refinement that an estimator asks for."""
    for name in ("refine_path_", "_unrefined"):
        vars(estimator).pop(name, None)
    if not estimator.refine:
        return objective.divergence, params
    form = objective.divergence.view(params.divergence)
    offsets = np.broadcast_to(form.offsets, form.centers.shape).sum(axis=1)
    fields = Fields(
        v=form.centers,
        log_w=np.log(np.maximum(form.weights, LEAST_WEIGHT)),
        b=form.bias + offsets,
        z=params.expert.z,
    )
    end, path = refine(
        fields,
        source,
        cast(Readout, objective.expert),
        DOMAINS[domain_of(objective.expert)],
        gamma=objective.gamma,
        pull=estimator.refine_pull,
        iterations=estimator.refine,
        unit=label_unit,
        spread=spread_of(objective.expert, params.expert.z),
        is_mean=form.is_mean,
    )
    estimator.refine_path_ = np.array(path)
    estimator._unrefined = params
    quadratic = Quadratic(end.b, np.exp(end.log_w), end.v, is_mean=form.is_mean)
    return Fixed(), Params(quadratic, params.expert._replace(z=end.z))


def check_refinement(estimator: Any) -> None:
    """Refuse settings of a refinement, or what does not go with one, before any work."""
    check_whole("refine", estimator.refine)
    check_number("refine_pull", estimator.refine_pull, least=0)
    gaussian = estimator.divergence == "diagonal_gaussian"
    if estimator.refine and gaussian and estimator.allow_nan:
        raise ValueError("refine needs complete rows for Gaussians; impute and set allow_nan=False")


def spread_of(expert: Any, z: Any) -> float:
    """Return the unit of free prototypes: of numbers their own spread, else 1."""
    numbers = hasattr(expert, "labels") and expert.labels.dtype.kind == "f"
    if numbers and domain_of(expert) == "real":
        return float(np.std(z)) or 1.0
    return 1.0


def domain_of(expert: Any) -> str:
    """Return where the prototypes of an expert live: numbers are real unless a loss says so."""
    loss = getattr(expert, "loss", None)
    if loss is None or (expert.labels.dtype.kind == "f" and loss.domain == "simplex"):
        return "real"
    return str(loss.domain)
