"""From outcomes to a model: the choice, the last fit, the committee and its temperature."""

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.tuning.calibrate import fit_temperature
from sfplearn.tuning.choose import STRATEGIES
from sfplearn.tuning.committee import Committee, choose_members
from sfplearn.tuning.plan import Plan
from sfplearn.tuning.results import table_of
from sfplearn.tuning.space import Candidate
from sfplearn.tuning.trials import Outcome, Trials

Array = NDArray[np.float64]

# What a search knows of its last fit, and must not keep if the next one does not say it.
OF_A_FIT = ("best_estimator_", "refit_time_", "classes_", "n_features_in_", "feature_names_in_")


def conclude(search: Any, plan: Plan, outcomes: list[Outcome]) -> None:
    """Set the attributes of a search that has tried candidates."""
    for name in OF_A_FIT:
        vars(search).pop(name, None)
    trials, candidates = plan.trials, plan.candidates[: len(outcomes)]
    search.cv_results_ = table_of(candidates, outcomes)
    search.n_splits_ = len(trials.folds)
    scores = search.cv_results_["mean_test_score"]
    eligible = _eligible(outcomes)
    choice = STRATEGIES[search.strategy](candidates, np.where(eligible, scores, np.nan), search.top)
    if search.strategy == "loess":
        search.cv_results_["smooth_test_score"] = choice.scores
    search.best_params_, search.best_index_ = choice.settings, choice.place
    search.best_score_ = float(scores[choice.place]) if choice.place >= 0 else np.nan
    weights = _weights(plan, outcomes, eligible) if plan.picks else None
    if weights is not None:
        search.cv_results_["ensemble_weight"] = weights
    search.temperature_ = _temperature(trials, outcomes, choice.place, weights)
    if trials.classes is not None:
        search.classes_ = trials.classes
    if search.refit:
        _keep_model(search, trials, choice.settings, outcomes, weights)


def _eligible(outcomes: list[Outcome]) -> NDArray[np.bool_]:
    """Tell which candidates were given all their passes; all, if none was."""
    whole = np.array([not (outcome.is_short or outcome.error) for outcome in outcomes])
    return whole if whole.any() else np.ones(len(outcomes), bool)


def _weights(plan: Plan, outcomes: list[Outcome], eligible: NDArray[np.bool_]) -> Array | None:
    """Return what each candidate counts in a committee, if any gives probabilities."""
    held = {
        i: o.probabilities
        for i, o in enumerate(outcomes)
        if o.probabilities is not None and eligible[i]
    }
    if not held:
        return None
    tested, known = plan.trials.tested(), list(held)
    probabilities = np.array([each[tested] for each in held.values()])
    codes, weight = plan.trials.codes[tested], plan.trials.weight[tested]
    weights = np.zeros(len(outcomes))
    weights[known] = choose_members(probabilities, codes, weight, plan.picks, plan.random)
    return weights


def _temperature(
    trials: Trials, outcomes: list[Outcome], index: int, weights: Array | None
) -> float:
    """Return the temperature that suits what the choice said of rows it was not trained on."""
    if weights is None:
        held: Any = outcomes[index].probabilities if index >= 0 else None
    else:
        pairs = zip(weights, outcomes, strict=True)
        held = sum(weight * outcome.probabilities for weight, outcome in pairs if weight)
    if held is None:
        return 1.0
    tested = trials.tested()
    return fit_temperature(held[tested], trials.codes[tested], trials.weight[tested])


def _keep_model(
    search: Any, trials: Trials, chosen: Candidate, outcomes: list[Outcome], weights: Array | None
) -> None:
    """Set what predicts, and what it knows of features."""
    begin = time.perf_counter()
    search.best_estimator_ = _fitted(trials, chosen, outcomes, weights)
    search.refit_time_ = time.perf_counter() - begin
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(search.best_estimator_, name):
            setattr(search, name, getattr(search.best_estimator_, name))


def _fitted(
    trials: Trials, chosen: Candidate, outcomes: list[Outcome], weights: Array | None
) -> Any:
    """Return the choice fitted to all rows, or the models of all folds of those chosen.

    The models of the folds differ in their rows, so that their mean errs less than one model of
    all rows; and what was measured on the folds is what predicts.
    """
    if weights is None:
        return trials.refit(trials.model(chosen))
    members, shares = [], []
    for weight, outcome in zip(weights, outcomes, strict=True):
        if weight:
            members += outcome.models
            shares += [weight / len(outcome.models)] * len(outcome.models)
    return Committee(members, np.array(shares), trials.classes)
