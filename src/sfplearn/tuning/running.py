"""Trying candidates one by one, or side by side in processes, until all or enough are done."""

import warnings
from collections.abc import Generator, Iterator
from itertools import chain

from joblib import Parallel, delayed, effective_n_jobs

from sfplearn.estimators.callbacks import TaskWatch
from sfplearn.tuning.candidates import PREPARE, Candidate
from sfplearn.tuning.halving import Halving
from sfplearn.tuning.progress import Progress
from sfplearn.tuning.trials import Outcome, Trial, Trials

# Candidates that a process tries in a row, so that it prepares folds seldom.
CHUNK = 8


def count_trials(candidates: list[Candidate], halving: Halving | None) -> int:
    """Return how often candidates are tried: with halving, the best of them twice."""
    return len(candidates) + (0 if halving is None else halving.count(len(candidates)))


def try_all(
    trials: Trials,
    candidates: list[Candidate],
    *,
    halving: Halving | None,
    n_jobs: int | None,
    silent: bool,
    watch: TaskWatch,
) -> list[Outcome]:
    """Return the outcomes of the candidates, or of the first of them if a user interrupts.

    With halving, all are tried a little, and the best of these in full. Who looks on may end it,
    too.
    """
    progress = Progress("SFPSearchCV", count_trials(candidates, halving), silent)
    outcomes: list[Outcome] = []
    try:
        first = [Trial(each) if halving is None else halving.first(each) for each in candidates]
        for outcome in _watched(_outcomes(trials, first, n_jobs), watch, len(first)):
            outcomes.append(outcome._replace(is_short=halving is not None))
            progress.step()
        if halving is not None and not watch.stopped:
            _check_any_succeeded(outcomes)
            best = _together(halving.best(trials, outcomes), candidates)
            second = _outcomes(trials, [halving.second(candidates[i]) for i in best], n_jobs)
            for place, outcome in zip(best, _watched(second, watch, len(best)), strict=False):
                outcomes[place] = halving.joined(outcomes[place], outcome)
                progress.step()
    except KeyboardInterrupt:
        if not outcomes:
            raise
        _warn_of_interrupt(progress)
    _check_any_succeeded(outcomes)
    _warn_of_failures(outcomes)
    return outcomes


def _together(places: list[int], candidates: list[Candidate]) -> list[int]:
    """Return places, best first but for those that prepare rows alike, which stand side by side.

    What these share is then fitted once.
    """
    prepares = [id(candidates[place].get(PREPARE)) for place in places]
    order = sorted(range(len(places)), key=lambda i: prepares.index(prepares[i]))
    return [places[i] for i in order]


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


def _warn_of_interrupt(progress: Progress) -> None:
    warnings.warn(
        f"Interrupted after {progress.done} of {progress.total} trials: the choice is made by what "
        "is known from these.",
        UserWarning,
        stacklevel=5,
    )


def _outcomes(
    trials: Trials, wanted: list[Trial], n_jobs: int | None
) -> Generator[list[Outcome], None, None]:
    """Yield outcomes in the order of what is to be tried."""
    jobs = effective_n_jobs(n_jobs)
    if jobs == 1 or len(wanted) < 2:
        yield from ([trials.run(trial)] for trial in wanted)
        return
    size = max(1, min(CHUNK, len(wanted) // (2 * jobs)))
    chunks = [wanted[i : i + size] for i in range(0, len(wanted), size)]
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    yield from parallel(delayed(_run_some)(trials, chunk) for chunk in chunks)


def _run_some(trials: Trials, wanted: list[Trial]) -> list[Outcome]:
    return [trials.run(trial) for trial in wanted]


def _check_any_succeeded(outcomes: list[Outcome]) -> None:
    """Refuse to go on without a score."""
    if all(outcome.error for outcome in outcomes):
        first = outcomes[0].error
        raise ValueError(f"All {len(outcomes)} candidates failed; the first with {first}")


def _warn_of_failures(outcomes: list[Outcome]) -> None:
    """Tell of candidates that have no score."""
    errors = [outcome.error for outcome in outcomes if outcome.error]
    if errors:
        warnings.warn(
            f"{len(errors)} of {len(outcomes)} candidates failed and are left out; the first "
            f"with {errors[0]}",
            UserWarning,
            stacklevel=4,
        )
