"""From outcomes to a model: the choice, the last fit, the committee and its temperature."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.tuning.calibrate import fit_temperature, tempered
from sfplearn.tuning.candidates import Candidate, kind_of
from sfplearn.tuning.choose import STRATEGIES
from sfplearn.tuning.committee import Committee, best_members, greedy_members
from sfplearn.tuning.plan import GREEDY, Plan
from sfplearn.tuning.results import table_of
from sfplearn.tuning.trials import Outcome, Trials
from sfplearn.tuning.worth import sayings

Array = NDArray[np.float64]
Handed = Callable[[Any], AbstractContextManager[None]]

# What a search knows of its last fit, and must not keep if the next one does not say it.
OF_A_FIT = ("best_estimator_", "refit_time_", "classes_", "n_features_in_", "feature_names_in_")


class Shares(NamedTuple):
    """How a committee is made up."""

    weights: Array
    """What each candidate counts; they sum to 1."""
    temperatures: Array
    """What the probabilities of each are flattened by."""


def conclude(search: Any, plan: Plan, outcomes: list[Outcome], handed: Handed) -> None:
    """Set the attributes of a search that has tried candidates.

    `handed` lets callbacks look on at the last fit.
    """
    for name in OF_A_FIT:
        vars(search).pop(name, None)
    trials, candidates = plan.trials, plan.candidates[: len(outcomes)]
    search.cv_results_ = table_of(candidates, outcomes)
    search.n_splits_ = len(trials.folds)
    scores = search.cv_results_["mean_test_score"]
    eligible = _eligible(outcomes, max(1, plan.members))
    choice = STRATEGIES[search.strategy](candidates, np.where(eligible, scores, np.nan), search.top)
    if search.strategy == "loess":
        search.cv_results_["smooth_test_score"] = choice.scores
    search.best_params_, search.best_index_ = choice.settings, choice.place
    search.best_score_ = float(scores[choice.place]) if choice.place >= 0 else np.nan
    by_score = scores if search.scoring is not None else None
    shares = _shares(plan, outcomes, eligible, by_score) if plan.members else None
    if shares is not None:
        search.cv_results_["ensemble_weight"] = shares.weights
    search.temperature_ = _temperature(trials, outcomes, choice.place, shares)
    if trials.classes is not None:
        search.classes_ = trials.classes
    if search.refit:
        _keep_model(search, trials, choice.settings, outcomes, shares, handed)


def _eligible(outcomes: list[Outcome], least: int) -> NDArray[np.bool_]:
    """Tell which candidates were tried in full; all, if a second round did not get to `least`.

    Else who interrupts it would get a committee of those that happened to be first.
    """
    over = np.array([not outcome.is_short for outcome in outcomes])
    whole = over & np.array([not outcome.error for outcome in outcomes])
    return whole if whole.any() and (over.all() or over.sum() >= least) else np.ones_like(whole)


def _shares(
    plan: Plan, outcomes: list[Outcome], eligible: NDArray[np.bool_], scores: Array | None
) -> Shares | None:
    """Return what each candidate counts in a committee, if any gives probabilities.

    The best are those of the best scores, or of accuracy and log-loss if none are given.
    """
    said = sayings(plan.trials, outcomes, eligible)
    if said is None:
        return None
    weights, temperatures = np.zeros(len(outcomes)), np.ones(len(outcomes))
    temperatures[said.places] = said.temperatures
    if plan.members == GREEDY:
        chosen = greedy_members(said.sure, said.codes, said.weight, random=plan.random)
    else:
        worth = said.worth() if scores is None else scores[said.places]
        kinds = [kind_of(plan.candidates[place]) for place in said.places]
        chosen = best_members(worth, kinds, plan.members)
    weights[said.places] = chosen
    return Shares(weights, temperatures)


def _temperature(
    trials: Trials, outcomes: list[Outcome], index: int, shares: Shares | None
) -> float:
    """Return the temperature that suits what the choice said of rows it was not trained on."""
    if shares is None and index < 0:
        return 1.0
    if shares is None:
        held: Any = outcomes[index].probabilities
        asked = outcomes[index].seen > 0
    else:
        parts = [part for part in zip(outcomes, *shares, strict=True) if part[1]]
        said: Any = ((o.probabilities, w, T) for o, w, T in parts)
        held = sum(w * tempered(p, T) for p, w, T in said)
        asked = np.all([o.seen > 0 for o, *_ in parts], axis=0)
    if held is None:
        return 1.0
    return fit_temperature(held[asked], trials.codes[asked], trials.weight[asked])


def _keep_model(
    search: Any,
    trials: Trials,
    chosen: Candidate,
    outcomes: list[Outcome],
    shares: Shares | None,
    handed: Handed,
) -> None:
    """Set what predicts, and what it knows of features."""
    begin = time.perf_counter()
    search.best_estimator_ = _fitted(trials, chosen, outcomes, shares, handed)
    search.refit_time_ = time.perf_counter() - begin
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(search.best_estimator_, name):
            setattr(search, name, getattr(search.best_estimator_, name))


def _fitted(
    trials: Trials,
    chosen: Candidate,
    outcomes: list[Outcome],
    shares: Shares | None,
    handed: Handed,
) -> Any:
    """Return the choice fitted to all rows, or the models of all folds of those chosen.

    The models of the folds differ in their rows, so that their mean errs less than one model of
    all rows; and what was measured on the folds is what predicts.
    """
    if shares is None:
        model = trials.model(chosen)
        with handed(model):
            return trials.refit(model)
    parts = [part for part in zip(outcomes, *shares, strict=True) if part[1]]
    members = [model for outcome, *_ in parts for model in outcome.models]
    folds = [len(outcome.models) for outcome, *_ in parts]
    weights = np.repeat([weight / n for (_, weight, _), n in zip(parts, folds, strict=True)], folds)
    temperatures = np.repeat([temperature for *_, temperature in parts], folds)
    return Committee(members, weights, trials.classes, temperatures)
