"""Refinement as estimators offer it: settings in, attributes out."""

from typing import Any, cast

import numpy as np

from sfplearn.core import Objective, Params
from sfplearn.core.divergences import LEAST_WEIGHT, Balls, Fixed, Gaussians
from sfplearn.core.experts import Prototypes
from sfplearn.core.losses.domain import DOMAINS
from sfplearn.core.risk import Fields, Readout
from sfplearn.core.terms import Quadratic
from sfplearn.estimators.checks import check_number
from sfplearn.estimators.geometry import fitted_divergence
from sfplearn.estimators.plugin import pull_of
from sfplearn.fitting import refine


def refined(
    estimator: Any,
    objective: Objective,
    source: Any,
    params: Params,
    label_unit: float,
    weight: float,
) -> tuple[Any, Params]:
    """Return divergence and parameters after the refinement that an estimator asks for.

    `weight` is that of all rows, of which losses are in units of `label_unit`.
    """
    for name in ("refine_path_", "_unrefined"):
        vars(estimator).pop(name, None)
    if not estimator._iterations:
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
        pull=pull_of(estimator, form.weights, weight),
        iterations=estimator._iterations,
        unit=label_unit,
        spread=spread_of(objective.expert, params.expert.z),
        is_mean=form.is_mean,
    )
    estimator.refine_path_ = np.array(path)
    quadratic = Quadratic(end.b, np.exp(end.log_w), end.v, is_mean=form.is_mean)
    return Fixed(), Params(quadratic, params.expert._replace(z=end.z))


def check_refinement(estimator: Any) -> None:
    """Refuse settings of a refinement, or what does not go with one, before any work."""
    if not (isinstance(estimator.refine_pull, str) and estimator.refine_pull == "auto"):
        check_number("refine_pull", estimator.refine_pull, least=0, or_else=" or 'auto'")
    asked = not isinstance(estimator.refine, str) and estimator.refine
    gaussian = estimator.divergence == "diagonal_gaussian"
    if asked and gaussian and estimator.allow_nan:
        raise ValueError("refine needs complete rows for Gaussians; impute and set allow_nan=False")


def keep_unrefined(estimator: Any, params: Params, mass: Any) -> None:
    """Keep where the descent ended, as plain arrays: the next one may go on from there."""
    estimator._unrefined = {
        "divergence": params.divergence._asdict(),
        "expert": params.expert._asdict(),
        "mass": mass,
    }


def before_refinement(estimator: Any) -> Params:
    """Return where the descent ended, relative to the origin of the fit."""
    held = estimator._unrefined
    kind = Gaussians if "variance" in held["divergence"] else Balls
    return Params(kind(**held["divergence"]), Prototypes(**held["expert"]))


def forget_refinement(estimator: Any) -> None:
    """Go back to where the descent ended, from where a stream can go on."""
    before, mass = before_refinement(estimator), estimator._unrefined["mass"]
    for name in ("refine_path_", "_unrefined", "cluster_biases_", "cluster_scales_"):
        vars(estimator).pop(name, None)
    estimator._iterations = 0  # rules for "auto" are those of a descent from now on
    objective = Objective(fitted_divergence(estimator), estimator._expert(), 0.0, estimator.gamma_)
    estimator._keep_params(objective, before, mass, estimator._origin)
    estimator._keep_expert(before.expert)


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
