"""Trying candidates one by one, or side by side in processes, until all or enough are done."""

import warnings
from collections.abc import Iterator
from itertools import chain
from math import ceil

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from sfplearn.tuning.progress import Progress
from sfplearn.tuning.space import Candidate
from sfplearn.tuning.trials import Outcome, Trials

# Halving: passes of the first round, and the share of candidates that reach the second.
FIRST_PASSES = 3
FINAL_SHARE = 0.2

# Candidates that a process tries in a row, so that it prepares folds seldom.
CHUNK = 8


def try_all(
    trials: Trials,
    candidates: list[Candidate],
    *,
    halving: bool,
    n_jobs: int | None,
    silent: bool,
) -> list[Outcome]:
    """Return the outcomes of the candidates, or of the first of them if a user interrupts.

    With halving, all are tried with few passes, and the best of these with all of theirs.
    """
    final = ceil(len(candidates) * FINAL_SHARE) if halving else 0
    progress = Progress("SFPSearchCV", len(candidates) + final, silent)
    outcomes: list[Outcome] = []
    try:
        first = [_shortened(candidate) for candidate in candidates] if halving else candidates
        for some in _outcomes(trials, first, n_jobs):
            outcomes += [outcome._replace(is_short=halving) for outcome in some]
            progress.step(len(some))
        if halving:
            _check_some_succeeded(outcomes)
            _finish(trials, candidates, outcomes, _best(outcomes, final), n_jobs, progress)
    except KeyboardInterrupt:
        if not outcomes:
            raise
        _warn_of_interrupt(progress, len(outcomes), len(candidates))
    _check_some_succeeded(outcomes)
    return outcomes


def _finish(
    trials: Trials,
    candidates: list[Candidate],
    outcomes: list[Outcome],
    best: list[int],
    n_jobs: int | None,
    progress: Progress,
) -> None:
    """Try some candidates with all their passes, and put what comes out in its place."""
    finals = _outcomes(trials, [candidates[i] for i in best], n_jobs)
    for place, outcome in zip(best, chain.from_iterable(finals), strict=True):
        outcomes[place] = outcome
        progress.step()


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
) -> Iterator[list[Outcome]]:
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
