"""Steps of a pipeline: what comes before a model, what its settings are called, who is weighted."""

from typing import Any

from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from sfplearn.tuning.candidates import PREPARE

WEIGHT = "sample_weight"


def last_of(estimator: Any) -> Any:
    """Return the last step of a pipeline, or an estimator itself."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def prefix_of(estimator: Any) -> str:
    """Return how settings of the last step of a pipeline begin."""
    return f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""


def behind(prepare: Any, model: Any) -> Pipeline:
    """Return a model behind what prepares its rows, which comes after other steps of its own."""
    *before, last = model.steps if isinstance(model, Pipeline) else [("sfp", model)]
    name = PREPARE
    while name in dict([*before, last]):
        name += "_"
    if _routes():
        _ask_for_weights(prepare)
    return Pipeline([*before, (name, prepare), last])


def weights_for(model: Any, weight: Any) -> dict[str, Any]:
    """Return the weights of rows as `fit` of a model or a pipeline takes them."""
    if weight is None:
        return {}
    if _routes() or not isinstance(model, Pipeline):
        return {WEIGHT: weight}
    prepare = model.named_steps.get(PREPARE)
    told = {f"{prefix_of(model)}{WEIGHT}": weight}
    return told | ({f"{PREPARE}__{WEIGHT}": weight} if takes_weights(prepare) else {})


def fit_and_transform(step: Any, X: Any, y: Any, weight: Any) -> Any:
    """Fit a step and return what it makes of the rows; not all can do both at once."""
    told = {WEIGHT: weight} if weight is not None and takes_weights(step) else {}
    if hasattr(step, "fit_transform"):
        return step.fit_transform(X, y, **told)
    return step.fit(X, y, **told).transform(X)


def takes_weights(step: Any) -> bool:
    """Tell whether a step takes weights of rows itself."""
    return step is not None and has_fit_parameter(step, WEIGHT)


def _routes() -> bool:
    """Tell whether steps of a pipeline are given what they request."""
    return bool(get_config()["enable_metadata_routing"])


def _ask_for_weights(prepare: Any) -> None:
    """Let a step have weights, and what it is made of go without, as where nothing is routed."""
    for part in (prepare, *prepare.get_params().values()):
        if hasattr(part, "set_fit_request") and takes_weights(part):
            part.set_fit_request(**{WEIGHT: part is prepare})
