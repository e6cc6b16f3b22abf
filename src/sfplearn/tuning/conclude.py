"""From outcomes to a model: the choice, the last fit, the committee and its temperature."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.tuning.calibrate import fit_temperature
from sfplearn.tuning.candidates import Candidate, kind_of
from sfplearn.tuning.choose import STRATEGIES
from sfplearn.tuning.committee import Committee, FoldModels
from sfplearn.tuning.members import best_members, greedy_members
from sfplearn.tuning.opinion import Opinion, fit_opinion
from sfplearn.tuning.plan import GREEDY, Plan
from sfplearn.tuning.results import table_of
from sfplearn.tuning.trials import Outcome, Trials
from sfplearn.tuning.worth import Sayings, sayings

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
    opinion: Opinion
    """How those that count at all are pooled; its shares are theirs."""


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
    search.temperature_ = 1.0  # committees are calibrated by themselves
    if shares is None:
        search.temperature_ = _temperature(trials, outcomes, choice.place)
    else:
        search.cv_results_["ensemble_weight"] = shares.weights
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
    start, heard = _heard(plan, said, said.worth() if scores is None else scores[said.places])
    found = fit_opinion(said.sure[heard], said.codes, said.weight, start[heard])
    weights, temperatures = np.zeros(len(outcomes)), np.ones(len(outcomes))
    places = np.array(said.places)
    temperatures[places] = said.temperatures
    weights[places[heard]] = found.shares
    return Shares(weights, temperatures, found._replace(shares=found.shares[found.shares > 0]))


def _heard(plan: Plan, said: Sayings, worth: Array) -> tuple[Array, NDArray[np.int_]]:
    """Return the shares to start from, and the places of all candidates that may get one."""
    if plan.members == GREEDY:
        start = greedy_members(said.sure, said.codes, said.weight, random=plan.random)
    else:
        kinds = [kind_of(plan.candidates[place]) for place in said.places]
        start = best_members(worth, kinds, plan.members)
    best = np.argsort(-worth, kind="stable")[: plan.heard]  # NaN comes last
    best = best[~np.isnan(worth[best])]
    return start, np.union1d(np.flatnonzero(start), best)


def _temperature(trials: Trials, outcomes: list[Outcome], index: int) -> float:
    """Return the temperature that suits what the choice said of rows it was not trained on."""
    held = outcomes[index].probabilities if index >= 0 else None
    if held is None:
        return 1.0
    asked = trials.telling(outcomes[index].seen > 0)
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
            return trials.refit(model, silent="max_iter" in chosen)
    some = np.flatnonzero(shares.weights)
    members = [
        FoldModels(outcomes[i].models, trials.classes, float(shares.temperatures[i])) for i in some
    ]
    w, b, T = shares.opinion
    return Committee(members, w, trials.classes, b, T)
