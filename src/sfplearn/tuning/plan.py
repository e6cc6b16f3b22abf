"""What a search will do: its folds, its candidates and its scorer, checked before any work."""

import warnings
from collections.abc import Iterable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, StratifiedKFold, check_cv
from sklearn.utils import check_random_state, column_or_1d, indexable
from sklearn.utils.multiclass import check_classification_targets

from sfplearn.data import find_store
from sfplearn.estimators import SFPClassifier
from sfplearn.estimators.checks import (
    check_choice,
    check_classes,
    check_count,
    check_number,
    check_rows,
    check_switch,
    check_threads,
    check_weight,
    encode_classes,
)
from sfplearn.estimators.table import has_missing
from sfplearn.tuning.candidates import Candidate
from sfplearn.tuning.choose import STRATEGIES, check_comparable
from sfplearn.tuning.halving import FINALISTS, ByFolds, ByPasses, Halving
from sfplearn.tuning.numbers import number_pool
from sfplearn.tuning.shape import shape_of
from sfplearn.tuning.space import SPACES
from sfplearn.tuning.steps import last_of
from sfplearn.tuning.trials import Trials, is_bare, take, without_label

# Candidates of the broad pool that begin with equal shares of a committee; and as many as are
# picked.
BEST = 4
GREEDY = -1

# Candidates beyond which halving saves time: by passes, and by folds.
MANY, MANY_MEMBERS = 50, 32

# Folds of cv=None. The models of a committee are those of folds: where rows are few, they should
# not lack a fifth of them. On 22 tables cut to 700 rows 10 folds gained 0.13 points of accuracy on
# 5 (standard error 0.07; 13 better, 5 worse) and 0.005 of log-loss, in twice the time.
FOLDS = 5
FOLDS_OF_FEW, FEW_ROWS = 10, 1000

# Scorers that are read off probabilities which are at hand anyway.
GAPS = (
    "Input X contains NaN; fill such cells first, for example with sklearn.impute.SimpleImputer in "
    "a pipeline, or search over SFPClassifier(allow_nan=True)."
)

FAST_SCORERS = {None: "accuracy", "accuracy": "accuracy", "neg_log_loss": "log_loss"}

Folds = list[tuple[NDArray[Any], NDArray[Any]]]


class Plan(NamedTuple):
    """All that is decided before candidates are tried."""

    trials: Trials
    """What candidates are tried on."""
    candidates: list[Candidate]
    """Their settings."""
    members: int
    """Candidates that begin with a share; 0 for one model, GREEDY for as many as are picked."""
    heard: int
    """So many of the best may get a share, too."""
    halving: Halving | None
    """What most candidates are spared."""
    random: np.random.Generator
    """Chance, for the choice that follows."""


def make_plan(search: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> Plan:
    """Check what a search is asked to do."""
    estimator = clone(inner_of(search))
    _check_settings(search)
    X, y = _check_rows(search, estimator, X, y)
    weight = None if sample_weight is None else check_weight(sample_weight, len(y))
    seed = int(check_random_state(search.random_state).randint(2**31 - 1))
    _settle(estimator, seed)
    members = _members(search, estimator)
    scorer = _scorer(search.scoring, estimator)
    count = None if search.cv is not None else _fold_count(y, members, estimator, scorer)
    folds = _folds(search.cv, count, X, y, groups, seed, estimator)
    keeps = members != 0 and bool(search.refit)
    trials = Trials(estimator, X, y, weight, folds, scorer, keeps)
    candidates = _candidates(search.space, trials)
    check_comparable(search.strategy, candidates)
    _check_candidates(trials, candidates)
    halving = _halving(search, members, len(folds), len(candidates))
    heard = FINALISTS if members and search.ensemble == "auto" else 0
    return Plan(trials, candidates, members, heard, halving, np.random.default_rng(seed))


def inner_of(search: Any) -> Any:
    """Return what a search tunes."""
    return SFPClassifier() if search.estimator is None else search.estimator


def _check_settings(search: Any) -> None:
    check_choice("strategy", search.strategy, STRATEGIES)
    if check_number("top", search.top, above=0) > 1:
        raise ValueError(f"top must be a share of at most 1; got {search.top!r}.")
    check_threads(search.n_jobs)
    check_switch("refit", search.refit, auto=True)


def _members(search: Any, estimator: Any) -> int:
    """Return how many answer together: by default of the broad pool, of which one is too few."""
    wanted = search.ensemble
    if wanted is None or not is_classifier(estimator):
        return 0
    if not isinstance(wanted, str):
        return check_count("ensemble", wanted, or_else=", 'auto', 'greedy' or None")
    check_choice("ensemble", wanted, ("auto", "greedy"), or_else=", None or a whole number")
    if wanted == "greedy":
        return GREEDY
    broad = isinstance(search.space, str) and search.space == "broad"
    return BEST if broad and search.strategy == "best" else 0


def _halving(search: Any, members: int, folds: int, candidates: int) -> Halving | None:
    """Return how to halve: passes to choose one, folds to choose the best few."""
    many = candidates > (MANY_MEMBERS if members else MANY)
    auto = many and search.strategy == "best" and members != GREEDY
    if not check_switch("halving", search.halving, auto=auto):
        return None
    if not members:
        return ByPasses()
    return ByFolds(folds, members, search.scoring is not None) if folds > 1 else None


def _check_rows(search: Any, estimator: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Refuse rows that no candidate could take, before any is tried."""
    if y is None:
        raise ValueError("SFPSearchCV requires y to be passed, but the target y is None.")
    if find_store(X, y, None) is not None:
        raise ValueError("A search needs rows in memory; give an array or a data frame.")
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    elif not hasattr(X, "columns"):
        X = np.asarray(X)
    y = column_or_1d(y, warn=True) if is_classifier(estimator) else np.asarray(y)
    indexable(X, y)
    if is_bare(estimator):
        rows = check_rows(clone(estimator).set_params(allow_nan=True), X, reset=True)
        named = isinstance(search.space, str)  # candidates of one's own may allow gaps
        if named and not estimator.allow_nan and has_missing(rows):
            raise ValueError(GAPS)
    if is_classifier(estimator):
        unlabelled = without_label(estimator, y)
        check_classes(encode_classes(y, unlabelled)[0])
        check_classification_targets(y[~unlabelled])
    return X, y


def _settle(estimator: Any, seed: int) -> None:
    """Give models one thread each and a seed, where they have none of their own."""
    for name, value in estimator.get_params().items():
        if name.split("__")[-1] in ("n_jobs", "random_state") and value is None:
            last = name.split("__")[-1]
            estimator.set_params(**{name: 1 if last == "n_jobs" else seed})


def _fold_count(y: NDArray[Any], members: int, estimator: Any, scorer: Any) -> int:
    """Return how many folds to make where users do not say.

    Scores such as the area under a curve need rows of every class in every fold.
    """
    y = y[~without_label(estimator, y)]
    count = FOLDS_OF_FEW if members and len(y) < FEW_ROWS else FOLDS
    if not (is_classifier(estimator) and callable(scorer)):
        return count
    return int(np.clip(np.unique(y, return_counts=True)[1].min(), 2, count))


def _folds(
    cv: Any, count: int | None, X: Any, y: NDArray[Any], groups: Any, seed: int, estimator: Any
) -> Folds:
    """Return training and test rows; rows without a label are always trained on."""
    classes, none = is_classifier(estimator), without_label(estimator, y)
    some = np.flatnonzero(~none)
    groups = None if groups is None else np.asarray(groups)[some]
    splitter = _splitter(cv if count is None else count, y[some], seed, classes)
    with warnings.catch_warnings():
        if count is not None:  # a user who gave no number need not hear that it is too large
            warnings.filterwarnings("ignore", "The least populated class")
        split = list(splitter.split(take(X, some), y[some], groups))
    folds = [(np.append(some[train], np.flatnonzero(none)), some[test]) for train, test in split]
    if not folds:
        raise ValueError("cv gives no folds; if it is a generator it may be used up.")
    for number, (train, _) in enumerate(folds):
        if classes and len(np.unique(y[train][~none[train]])) < 2:
            raise ValueError(
                f"The training rows of fold {number} hold one class only, {y[train][0]}; give more "
                "rows, fewer folds, or a splitter such as StratifiedKFold."
            )
    return folds


def _splitter(cv: Any, y: NDArray[Any], seed: int, classes: bool) -> Any:
    """Return a splitter; a number of folds is at most what the largest class allows."""
    if not isinstance(cv, Integral) or isinstance(cv, bool):
        return check_cv(cv, y, classifier=classes)
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds; got {cv}.")
    most = np.unique(y, return_counts=True)[1].max() if classes else len(y)
    if most < 2:
        raise ValueError("No class has two rows, so none can be tested; give more rows.")
    kind = StratifiedKFold if classes else KFold
    return kind(min(int(cv), int(most)), shuffle=True, random_state=seed)


def _scorer(scoring: Any, estimator: Any) -> Any:
    if callable(scoring):
        return scoring
    if not (scoring is None or isinstance(scoring, str)):
        raise ValueError(f"scoring must be one scorer, by name or as a function; got {scoring!r}.")
    if scoring in FAST_SCORERS and is_classifier(estimator):
        return FAST_SCORERS[scoring]
    return None if scoring is None else get_scorer(scoring)


def _candidates(space: Any, trials: Trials) -> list[Candidate]:
    """Return the candidates of a named space, or those given."""
    if isinstance(space, str):
        check_choice("space", space, SPACES, or_else=" or a list of dictionaries")
        if space == "broad" and trials.classes is None:
            loss = getattr(last_of(trials.estimator), "loss", None)
            return list(number_pool(shape_of(trials), loss))
        return list(SPACES[space](shape_of(trials)))
    given = list(space) if isinstance(space, Iterable) else []
    if not given or not all(isinstance(candidate, dict) for candidate in given):
        named = ", ".join(map(repr, SPACES))
        raise ValueError(f"space must be one of {named}, or a list of dictionaries of settings.")
    return given


def _check_candidates(trials: Trials, candidates: list[Candidate]) -> None:
    """Refuse names of settings that a model does not have, once for each set of names."""
    for candidate in {frozenset(c): c for c in candidates}.values():
        trials.model(candidate)
