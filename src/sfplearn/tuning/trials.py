"""Cross-validation of many candidates over folds that are prepared once."""

import time
import warnings
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from sfplearn.estimators import SFPClassifier
from sfplearn.estimators.labels import find_unlabelled
from sfplearn.estimators.prepared import NewRows, PreparedRows
from sfplearn.tuning.calibrate import log_loss
from sfplearn.tuning.committee import over_all
from sfplearn.tuning.space import Candidate

Array = NDArray[np.float64]


class Outcome(NamedTuple):
    """How a candidate did."""

    scores: list[float]
    """Its score on each fold; NaN where it failed."""
    fit_seconds: list[float]
    """Time of each fit."""
    score_seconds: list[float]
    """Time of each prediction and score."""
    probabilities: Array | None
    """Class probabilities of rows by models that were not trained on them, (n, classes)."""
    models: list[Any]
    """The fitted models, if they are to be kept."""
    error: str = ""
    """What went wrong first."""
    is_short: bool = False
    """Whether models were given a few passes only."""


class Trials:
    """Rows, folds and a scorer: all that candidates are tried on.

    Bare classifiers share validated rows; pipelines and regressors are fitted as they are.
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
        self.classes: NDArray[Any] | None = None
        self.codes: NDArray[Any] = np.zeros(len(y), int)
        if is_classifier(estimator):
            labelled = ~without_label(estimator, y)
            self.classes = np.unique(y[labelled])
            self.codes[labelled] = np.searchsorted(self.classes, y[labelled])
        self._held: dict[tuple[Any, ...], tuple[PreparedRows, NewRows]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_held": {}}

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(np.shape(self.X)[1])

    @property
    def weight(self) -> Array:
        """How much each row counts."""
        if self.sample_weight is None:
            return np.ones(len(self.y))
        return np.asarray(self.sample_weight, np.float64)

    def tested(self) -> NDArray[np.bool_]:
        """Tell which rows are tested in some fold."""
        tested = np.zeros(len(self.y), bool)
        for _, test in self.folds:
            tested[test] = True
        return tested

    def model(self, candidate: Candidate) -> Any:
        """Return an unfitted model with the settings of a candidate, behind what it prepares."""
        model = clone(self.estimator)
        known, last = model.get_params(), _last_step(model)
        settings = {n: v for n, v in candidate.items() if n != "prepare"}
        model.set_params(**{n if n in known else last + n: v for n, v in settings.items()})
        prepare = candidate.get("prepare")
        if prepare is None:
            return model
        steps = model.steps if isinstance(model, Pipeline) else [("sfp", model)]
        return Pipeline([("prepare", clone(prepare)), *steps])

    def run(self, candidate: Candidate) -> Outcome:
        """Fit a candidate on the training rows of each fold and score it on the others."""
        scores, fits, tests, models = [], [], [], []
        total = None if self.classes is None else np.zeros((len(self.y), len(self.classes)))
        seen = np.zeros(len(self.y))
        unfitted = self.model(candidate)
        for fold, (_, test) in enumerate(self.folds):
            begin = time.perf_counter()
            try:
                model = self._fit(copy(unfitted) if is_bare(unfitted) else clone(unfitted), fold)
                fitted = time.perf_counter()
                found = self._probabilities(model, fold)
                scores.append(self._score(model, found, test))
            except Exception as failure:
                return self._failed(failure)
            if total is not None and found is not None:
                total[test] += found
                seen[test] += 1
            if self.keeps_models:
                models.append(model)
            fits.append(fitted - begin)
            tests.append(time.perf_counter() - fitted)
        if total is not None and seen.any():
            total = total / np.maximum(seen, 1)[:, None]
        return Outcome(scores, fits, tests, total if seen.any() else None, models)

    def _failed(self, failure: Exception) -> Outcome:
        nothing = [np.nan] * len(self.folds)
        error = f"{type(failure).__name__}: {failure}"
        return Outcome(nothing, nothing, nothing, None, [], error)

    def _fit(self, model: Any, fold: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            if is_bare(model):
                return self._prepared(model, fold)[0].fit(model)
            return self.refit(model, self.folds[fold][0])

    def refit(self, model: Any, rows: NDArray[Any] | None = None) -> Any:
        """Fit a model to some rows, or to all."""
        X, y = (self.X, self.y) if rows is None else (take(self.X, rows), self.y[rows])
        more = {}
        if self.sample_weight is not None:
            weight = self.weight if rows is None else self.weight[rows]
            more = {f"{_last_step(model)}sample_weight": weight}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Bins whose width are too small")
            return model.fit(X, y, **more)

    def _probabilities(self, model: Any, fold: int) -> Array | None:
        if self.classes is None or not hasattr(model, "predict_proba"):
            return None
        if is_bare(model):
            found = self._prepared(model, fold)[1].probabilities(model)
        else:
            found = model.predict_proba(take(self.X, self.folds[fold][1]))
        return over_all(np.asarray(found, np.float64), model.classes_, self.classes)

    def _score(self, model: Any, found: Array | None, test: NDArray[Any]) -> float:
        score = self._score_of(model, found, test)
        if not np.isfinite(score):
            raise ValueError(f"the score is {score}, on {len(test)} rows")
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

    def _prepared(self, model: Any, fold: int) -> tuple[PreparedRows, NewRows]:
        """Return training and test rows of a fold, validated when they are first asked for."""
        key = fold, repr(model.class_weight), repr(model.unlabeled), model.allow_nan
        if key not in self._held:
            train, test = self.folds[fold]
            weight = None if self.sample_weight is None else self.weight[train]
            like: Any = clone(model)
            rows = PreparedRows(like, take(self.X, train), self.y[train], weight)
            self._held[key] = rows, NewRows(like, take(self.X, test))
        return self._held[key]


def is_bare(model: Any) -> bool:
    """Tell whether a model takes rows as they are, so that it can share what is known of them."""
    return type(model) is SFPClassifier


def without_label(estimator: Any, y: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which rows have no label, if the last step of an estimator knows of such."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    _, unlabelled = find_unlabelled(y, getattr(last, "unlabeled", None))
    return np.zeros(len(y), bool) if unlabelled is None else unlabelled


def take(X: Any, rows: NDArray[Any]) -> Any:
    """Return some rows of a table of any kind."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "__array__") or sp.issparse(X) else [X[i] for i in rows]


def _last_step(estimator: Any) -> str:
    """Return how settings of the last step of a pipeline begin."""
    return f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
