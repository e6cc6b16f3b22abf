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
    estimator: Any, objective: Objective, source: Any, params: Params
) -> tuple[Any, Params]:
    """Return divergence and parameters after the refinement that an estimator asks for."""
    iterations = check_whole("refine", estimator.refine)
    pull = check_number("refine_pull", estimator.refine_pull, least=0)
    vars(estimator).pop("refine_path_", None)
    if not iterations:
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
        pull=pull,
        iterations=iterations,
        is_mean=form.is_mean,
    )
    estimator.refine_path_ = np.array(path)
    quadratic = Quadratic(end.b, np.exp(end.log_w), end.v, is_mean=form.is_mean)
    return Fixed(), Params(quadratic, params.expert._replace(z=end.z))


def domain_of(expert: Any) -> str:
    """Return where the prototypes of an expert live: numbers are real unless a loss says so."""
    loss = getattr(expert, "loss", None)
    if loss is None or (expert.labels.dtype.kind == "f" and loss.domain == "simplex"):
        return "real"
    return str(loss.domain)
