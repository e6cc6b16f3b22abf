"""Trying candidates one by one, or side by side in processes, until all or enough are done."""

import warnings
from collections.abc import Generator, Iterator
from itertools import chain
from math import ceil

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from sfplearn.estimators.callbacks import TaskWatch
from sfplearn.tuning.progress import Progress
from sfplearn.tuning.space import Candidate
from sfplearn.tuning.trials import Outcome, Trials

# Halving: passes of the first round, and the share of candidates that reach the second.
FIRST_PASSES = 3
FINAL_SHARE = 0.2

# Candidates that a process tries in a row, so that it prepares folds seldom.
CHUNK = 8


def count_trials(candidates: list[Candidate], halving: bool) -> int:
    """Return how often candidates are tried: with halving, the best of them twice."""
    return len(candidates) + (ceil(len(candidates) * FINAL_SHARE) if halving else 0)


def try_all(
    trials: Trials,
    candidates: list[Candidate],
    *,
    halving: bool,
    n_jobs: int | None,
    silent: bool,
    watch: TaskWatch,
) -> list[Outcome]:
    """Return the outcomes of the candidates, or of the first of them if a user interrupts.

    With halving, all are tried with few passes, and the best of these with all of theirs. Who
    looks on may end it, too.
    """
    progress = Progress("SFPSearchCV", count_trials(candidates, halving), silent)
    outcomes: list[Outcome] = []
    try:
        first = [_shortened(candidate) for candidate in candidates] if halving else candidates
        for outcome in _watched(_outcomes(trials, first, n_jobs), watch, len(first)):
            outcomes.append(outcome._replace(is_short=halving))
            progress.step()
        if halving and not watch.stopped:
            _check_some_succeeded(outcomes)
            best = _best(outcomes, progress.total - len(candidates))
            finals = _outcomes(trials, [candidates[i] for i in best], n_jobs)
            _replace(outcomes, best, _watched(finals, watch, len(best)), progress)
    except KeyboardInterrupt:
        if not outcomes:
            raise
        _warn_of_interrupt(progress, len(outcomes), len(candidates))
    _check_some_succeeded(outcomes)
    return outcomes


def _replace(
    outcomes: list[Outcome], places: list[int], finals: Iterator[Outcome], progress: Progress
) -> None:
    """Put what comes out of all passes in its place, as far as it comes."""
    for place, outcome in zip(places, finals, strict=False):
        outcomes[place] = outcome
        progress.step()


def _watched(
    groups: Generator[list[Outcome], None, None], watch: TaskWatch, count: int
) -> Iterator[Outcome]:
    """Yield the outcomes of so many candidates, until who looks on wants no more."""
    watch.begin("candidate")
    for number, outcome in enumerate(chain.from_iterable(groups), start=1):
        stops = watch.end(tuple)
        yield outcome
        if stops:
            _give_up(groups)
            return
        if number < count:
            watch.begin("candidate")


def _give_up(groups: Generator[list[Outcome], None, None]) -> None:
    """Leave alone what other processes have begun."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module="joblib")
        groups.close()


def _warn_of_interrupt(progress: Progress, tried: int, candidates: int) -> None:
    warnings.warn(
        f"Interrupted after {progress.done} of {progress.total} trials: the choice is made among "
        f"{tried} of {candidates} candidates.",
        UserWarning,
        stacklevel=5,
    )


def _shortened(candidate: Candidate) -> Candidate:
    return {**candidate, "max_iter": min(FIRST_PASSES, candidate.get("max_iter", FIRST_PASSES))}


def _best(outcomes: list[Outcome], count: int) -> list[int]:
    """Return the places of the highest scores, which are to be tried again."""
    scores = np.array([np.mean(outcome.scores) for outcome in outcomes])
    order = np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")
    return sorted(order[:count].tolist())


def _outcomes(
    trials: Trials, candidates: list[Candidate], n_jobs: int | None
) -> Generator[list[Outcome], None, None]:
    """Yield outcomes in the order of the candidates."""
    jobs = effective_n_jobs(n_jobs)
    if jobs == 1 or len(candidates) < 2:
        yield from ([trials.run(candidate)] for candidate in candidates)
        return
    size = max(1, min(CHUNK, len(candidates) // (2 * jobs)))
    chunks = [candidates[i : i + size] for i in range(0, len(candidates), size)]
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    yield from parallel(delayed(_run_some)(trials, chunk) for chunk in chunks)


def _run_some(trials: Trials, candidates: list[Candidate]) -> list[Outcome]:
    return [trials.run(candidate) for candidate in candidates]


def _check_some_succeeded(outcomes: list[Outcome]) -> None:
    """Refuse to go on without a score; warn of candidates that have none."""
    errors = [outcome.error for outcome in outcomes if outcome.error]
    if len(errors) == len(outcomes):
        raise ValueError(f"All {len(errors)} candidates failed; the first with {errors[0]}")
    if errors:
        warnings.warn(
            f"{len(errors)} of {len(outcomes)} candidates failed and are left out; the first "
            f"with {errors[0]}",
            UserWarning,
            stacklevel=4,
        )
