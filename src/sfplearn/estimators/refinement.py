"""Refinement as estimators offer it: settings in, attributes out."""

from functools import partial
from typing import Any, cast

import numpy as np

from sfplearn.core import Objective, Params, merge
from sfplearn.core.divergences import LEAST_WEIGHT, Balls, Fixed, Gaussians
from sfplearn.core.experts import Prototypes
from sfplearn.core.losses.domain import DOMAINS
from sfplearn.core.objective import summarizer
from sfplearn.core.risk import Fields, Readout
from sfplearn.core.terms import Divergence, Quadratic
from sfplearn.estimators.callbacks import FitWatch
from sfplearn.estimators.checks import check_number
from sfplearn.estimators.geometry import fitted_divergence
from sfplearn.estimators.plugin import pull_of
from sfplearn.fitting import join_alike, refine


def refine_fit(
    estimator: Any,
    objective: Objective,
    source: Any,
    params: Params,
    label_unit: float,
    weight: float,
    watch: FitWatch,
) -> None:
    """Refine parameters as an estimator asks for, and set the attributes of what is found.

    `weight` is that of all rows, of which losses are in units of `label_unit`.
    """
    form = objective.divergence.view(params.divergence)
    keep = partial(keep_refined, estimator, objective, source, params)
    watch.begin("refinement", estimator._iterations)
    within = watch.within(keep)
    found = refine(
        fields_of(form, params.expert.z),
        source,
        cast(Readout, objective.expert),
        DOMAINS[domain_of(objective.expert)],
        gamma=objective.gamma,
        pull=pull_of(estimator, form.weights, weight),
        iterations=estimator._iterations,
        unit=label_unit,
        spread=spread_of(objective.expert, params.expert.z),
        is_mean=form.is_mean,
        watch=within,
    )
    within.close(lambda: found)
    keep(*found)
    watch.end(lambda: found, keep)


def fields_of(form: Quadratic, z: Any) -> Fields:
    """Return the parameters that a refinement moves."""
    offsets = np.broadcast_to(form.offsets, form.centers.shape).sum(axis=1)
    log_w = np.log(np.maximum(form.weights, LEAST_WEIGHT))
    return Fields(v=form.centers, log_w=log_w, b=form.bias + offsets, z=z)


def keep_refined(
    estimator: Any,
    objective: Objective,
    source: Any,
    begun: Params,
    end: Fields,
    path: list[float],
) -> None:
    """Set the attributes of a refinement that ends here; masses are those by features alone."""
    is_mean = objective.divergence.view(begun.divergence).is_mean
    quadratic, z = Quadratic(end.b, np.exp(end.log_w), end.v, is_mean=is_mean), end.z
    if estimator.n_clusters == "auto":  # who asks for a number gets that many
        spread = spread_of(objective.expert, z)
        quadratic, z = join_alike(quadratic, z, objective.gamma, spread)
    params = Params(quadratic, begun.expert._replace(z=z))
    objective = objective._replace(divergence=cast(Divergence, Fixed()))
    mass = source.map_reduce(summarizer(objective._replace(alpha=0.0), params), merge).mass
    estimator._keep_params(objective, params, mass, source.origin)
    estimator._keep_expert(params.expert)
    estimator.refine_path_ = np.array(path)


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
    size = float(np.abs(z).max(initial=0.0))
    if numbers and domain_of(expert) == "real" and size > 0:
        return size * float(np.std(z / size)) or 1.0  # squares of very large numbers overflow
    return 1.0


def domain_of(expert: Any) -> str:
    """Return where the prototypes of an expert live: numbers are real unless a loss says so."""
    loss = getattr(expert, "loss", None)
    if loss is None or (expert.labels.dtype.kind == "f" and loss.domain == "simplex"):
        return "real"
    return str(loss.domain)
