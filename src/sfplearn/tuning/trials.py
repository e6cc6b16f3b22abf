"""Cross-validation of many candidates over folds that are prepared once."""

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning

from sfplearn.estimators import SFPClassifier
from sfplearn.estimators.base import CONSTANT
from sfplearn.estimators.labels import find_unlabelled
from sfplearn.estimators.prepared import NewRows, PreparedRows
from sfplearn.tuning.calibrate import log_loss
from sfplearn.tuning.candidates import PREPARE, Candidate
from sfplearn.tuning.committee import over_all
from sfplearn.tuning.steps import behind, fit_and_transform, last_of, prefix_of, weights_for

Array = NDArray[np.float64]

Fitted = tuple[Any, Callable[[], Any]]
"""A fitted model, and how to get the probabilities of the test rows."""

# What settings are of which nothing can be changed from within.
PLAIN = (str, int, float, bool, type(None))

# How transformers before a model begin to say that, in a fold, a feature has fewer distinct numbers
# than steps, or one.
NARROW_STEPS = ("Bins whose width are too small", r"Features? .* (is|are) constant")


class Trial(NamedTuple):
    """What is to be tried."""

    candidate: Candidate
    """Settings."""
    folds: range | None = None
    """On which folds; None is all."""


class Outcome(NamedTuple):
    """How a candidate did."""

    scores: list[float]
    """Its score on each fold; NaN where it failed or was not tried."""
    fit_seconds: list[float]
    """Time of each fit, likewise."""
    score_seconds: list[float]
    """Time of each prediction and score, likewise."""
    probabilities: Array | None
    """Class probabilities of rows by models that were not trained on them, (n, classes)."""
    seen: Array
    """How many such models there are of each row."""
    models: list[Any]
    """The fitted models, if they are to be kept."""
    error: str = ""
    """What went wrong first."""
    is_short: bool = False
    """Whether models were given a few passes only, or a few folds."""

    @property
    def mean_score(self) -> float:
        """The mean over the folds that were tried; NaN if it failed."""
        known = [score for score in self.scores if not np.isnan(score)]
        return float(np.mean(known)) if known else np.nan

    def and_of(self, other: "Outcome") -> "Outcome":
        """Return the outcome of these folds and of those of another trial of the candidate."""
        if self.error or other.error:
            return self if self.error else other
        seen, probabilities = self.seen + other.seen, None
        if self.probabilities is not None and other.probabilities is not None:
            total = self.probabilities * self.seen[:, None]
            total += other.probabilities * other.seen[:, None]
            probabilities = total / np.maximum(seen, 1)[:, None]
        return Outcome(
            _either(self.scores, other.scores),
            _either(self.fit_seconds, other.fit_seconds),
            _either(self.score_seconds, other.score_seconds),
            probabilities,
            seen,
            self.models + other.models,
        )


class Prepared(NamedTuple):
    """The rows of a fold as bare classifiers take them."""

    train: PreparedRows
    """Training rows."""
    test: NewRows
    """The others."""
    prepare: Any
    """What candidates put before a model; None is nothing."""
    fitted: Any
    """The same, fitted to the training rows."""


class Trials:
    """Rows, folds and a scorer: all that candidates are tried on.

    Bare classifiers share validated rows, and what is put before them shares its fits; pipelines
    and regressors are fitted as they are.
    `scorer` is "accuracy", "log_loss", or a scorer of scikit-learn.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        folds: list[tuple[NDArray[Any], NDArray[Any]]],
        scorer: Any,
        keeps_models: bool = False,
    ) -> None:
        self.estimator = estimator
        self.X, self.y, self.sample_weight = X, y, sample_weight
        self.folds = folds
        self.scorer = scorer
        self.keeps_models = keeps_models
        self._unfitted = clone(estimator)
        known = estimator.get_params()
        self._known = set(known)
        self._is_plain = is_bare(estimator) and all(isinstance(v, PLAIN) for v in known.values())
        self.classes, self.codes = _coded(estimator, y)
        self._held: dict[tuple[Any, ...], Prepared] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": {}}

    @property
    def weight(self) -> Array:
        """How much each row counts."""
        if self.sample_weight is None:
            return np.ones(len(self.y))
        return np.asarray(self.sample_weight, np.float64)

    def telling(self, asked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which rows that models were asked about they could know: not their class alone.

        All of them, where folds are such that nothing could be known.
        """
        known, labelled = np.zeros(len(self.y), bool), ~without_label(self.estimator, self.y)
        for train, test in self.folds:
            known[test] |= np.isin(self.codes[test], self.codes[train[labelled[train]]])
        return asked & known if (asked & known).any() else asked

    def model(self, candidate: Candidate) -> Any:
        """Return an unfitted model with the settings of a candidate, behind what it prepares."""
        model, prepare = self._model(candidate), candidate.get(PREPARE)
        return model if prepare is None else behind(clone(prepare), model)

    def _model(self, candidate: Candidate) -> Any:
        settings = {n: v for n, v in candidate.items() if n != PREPARE}
        # A clone looks at every setting, which takes time in large grids; a copy shares them.
        shares = self._is_plain and not any("__" in name for name in settings)
        model = copy(self._unfitted) if shares else clone(self._unfitted)
        last = prefix_of(model)
        model.set_params(**{n if n in self._known else last + n: v for n, v in settings.items()})
        return model

    def run(self, trial: Trial) -> Outcome:
        """Fit a candidate on the training rows of some folds and score it on the others."""
        folds = range(len(self.folds)) if trial.folds is None else trial.folds
        model, prepare = self._model(trial.candidate), trial.candidate.get(PREPARE)
        total = self._one(model, folds[0], prepare)
        for fold in folds[1:]:
            if total.error:
                break
            total = total.and_of(self._one(model, fold, prepare))
        return total

    def _one(self, unfitted: Any, fold: int, prepare: Any) -> Outcome:
        """Return the outcome of one fold."""
        fit = self._fit_bare if is_bare(self.estimator) else self._fit
        test, begin = self.folds[fold][1], time.perf_counter()
        scores, fits, tests = np.full((3, len(self.folds)), np.nan)
        try:
            model, answer = fit(unfitted, fold, prepare)
            fitted = time.perf_counter()
            found = self._probabilities(model, answer)
            scores[fold] = self._score(model, found, test)
        except Exception as failure:
            return self._failed(failure)
        fits[fold], tests[fold] = fitted - begin, time.perf_counter() - fitted
        seen, probabilities = np.zeros(len(self.y)), None
        if found is not None:
            seen[test], probabilities = 1.0, np.zeros((len(self.y), found.shape[1]))
            probabilities[test] = found
        known = scores.tolist(), fits.tolist(), tests.tolist(), probabilities, seen
        return Outcome(*known, [model] if self.keeps_models else [])

    def _failed(self, failure: Exception) -> Outcome:
        nothing = [np.nan] * len(self.folds)
        error = f"{type(failure).__name__}: {failure}"
        return Outcome(nothing, nothing, nothing, None, np.zeros(len(self.y)), [], error)

    def _fit(self, model: Any, fold: int, prepare: Any) -> Fitted:
        """Fit a model as it is."""
        train, test = self.folds[fold]
        whole = clone(model) if prepare is None else behind(clone(prepare), clone(model))
        self.refit(whole, train)
        return whole, lambda: whole.predict_proba(take(self.X, test))

    def _fit_bare(self, model: Any, fold: int, prepare: Any) -> Fitted:
        """Fit a classifier to rows that are prepared once."""
        rows = self._prepared(model, fold, prepare)
        with _in_silence():
            bare = rows.train.fit(copy(model))
        whole = bare if prepare is None else behind(rows.fitted, bare)
        return whole, lambda: rows.test.probabilities(bare)

    def refit(self, model: Any, rows: NDArray[Any] | None = None, *, silent: bool = False) -> Any:
        """Fit a model to some rows, or to all: users hear if that ends early, unless silent."""
        X, y = (self.X, self.y) if rows is None else (take(self.X, rows), self.y[rows])
        part = rows is not None
        with _in_silence(early=silent or part, constant=part):
            return model.fit(X, y, **weights_for(model, self._weight_of(rows)))

    def _weight_of(self, rows: NDArray[Any] | None) -> Array | None:
        """Return the weights of some rows, or of all, if there are any."""
        if self.sample_weight is None:
            return None
        return self.weight if rows is None else self.weight[rows]

    def _probabilities(self, model: Any, answer: Callable[[], Any]) -> Array | None:
        if self.classes is None or not hasattr(model, "predict_proba"):
            return None
        found = over_all(np.asarray(answer(), np.float64), model.classes_, self.classes)
        if not np.isfinite(found).all():
            raise ValueError("some probabilities are not numbers")
        return found

    def _score(self, model: Any, found: Array | None, test: NDArray[Any]) -> float:
        score = self._score_of(model, found, test)
        if not np.isfinite(score):
            raise ValueError(
                f"the score is {score} on the {len(test)} test rows of a fold; ask for fewer "
                "folds, or another scorer"
            )
        return score

    def _score_of(self, model: Any, found: Array | None, test: NDArray[Any]) -> float:
        codes, weight = self.codes[test], self.weight[test]
        if callable(self.scorer):
            return float(self.scorer(model, take(self.X, test), self.y[test]))
        if self.classes is None:
            return float(model.score(take(self.X, test), self.y[test]))
        if not weight.any():
            raise ValueError("the test rows of a fold weigh nothing")
        if self.scorer == "log_loss":
            if found is None:
                raise ValueError("log-loss needs a loss that gives probabilities")
            return -float(log_loss(found, codes, weight))
        if found is None:
            right = model.predict(take(self.X, test)) == self.y[test]
        else:
            right = found.argmax(axis=1) == codes
        return float(np.average(right, weights=weight))

    def _prepared(self, model: Any, fold: int, prepare: Any) -> Prepared:
        """Return training and test rows of a fold, validated when they are first asked for."""
        settings = repr(model.class_weight), repr(model.unlabeled), model.allow_nan
        key = fold, prepare is None, *settings  # of all that candidates prepare, the last is held
        held = self._held.get(key)
        if held is None or held.prepare is not prepare:
            held = self._held[key] = self._prepare(model, fold, prepare)
        return held

    def _prepare(self, model: Any, fold: int, prepare: Any) -> Prepared:
        train, test = self.folds[fold]
        weight, fitted = self._weight_of(train), None
        rows, new = take(self.X, train), take(self.X, test)
        if prepare is not None:
            fitted = clone(prepare)
            with _in_silence():
                rows = fit_and_transform(fitted, rows, self.y[train], weight)
            new = fitted.transform(new)
        like: Any = clone(model)
        known = PreparedRows(like, rows, self.y[train], weight)
        return Prepared(known, NewRows(like, new), prepare, fitted)


def _either(one: list[float], other: list[float]) -> list[float]:
    """Return what is known from one of two."""
    return [b if np.isnan(a) else a for a, b in zip(one, other, strict=True)]


@contextmanager
def _in_silence(early: bool = True, constant: bool = True) -> Iterator[None]:
    """Do not tell of steps that fall together, nor of models that end early or constant columns."""
    with warnings.catch_warnings():
        for text in (*NARROW_STEPS, *([CONSTANT] if constant else [])):
            warnings.filterwarnings("ignore", text)
        if early:
            warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def is_bare(model: Any) -> bool:
    """Tell whether a model takes rows as they are, so that it can share what is known of them."""
    return type(model) is SFPClassifier


def without_label(estimator: Any, y: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which rows have no label, if the last step of an estimator knows of such."""
    _, unlabelled = find_unlabelled(y, getattr(last_of(estimator), "unlabeled", None))
    return np.zeros(len(y), bool) if unlabelled is None else unlabelled


def _coded(estimator: Any, y: NDArray[Any]) -> tuple[NDArray[Any] | None, NDArray[Any]]:
    """Return the classes, if there are any, and the place of each row's among them."""
    codes = np.zeros(len(y), int)
    if not is_classifier(estimator):
        return None, codes
    labelled = ~without_label(estimator, y)
    classes, codes[labelled] = np.unique(y[labelled], return_inverse=True)
    return classes, codes


def take(X: Any, rows: NDArray[Any]) -> Any:
    """Return some rows of a table of any kind."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "__array__") or sp.issparse(X) else [X[i] for i in rows]
