"""SFPSearchCV: hyperparameters by cross-validation, then one model or a committee."""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.metrics import get_scorer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from sfplearn.data.threads import one_blas_thread
from sfplearn.estimators.callbacks import TellsCallbacks, looked_at
from sfplearn.tuning.calibrate import tempered
from sfplearn.tuning.conclude import conclude
from sfplearn.tuning.plan import inner_of, make_plan
from sfplearn.tuning.running import count_trials, try_all


def _can(name: str) -> Any:
    """Return a check that what predicts, or will, has a method."""
    return available_if(lambda search: hasattr(search._predictor(), name))


class SFPSearchCV(TellsCallbacks, MetaEstimatorMixin, BaseEstimator):
    """Choose the hyperparameters of SFP by cross-validation, as scikit-learn's searches do.

    By default a broad pool of models is tried, and the best of them answer together.
    `SFPSearchCV(space="reduced", strategy="loess")` is the search of the paper.

    Folds are prepared once for all candidates. Interrupting a fit (Ctrl-C) keeps what is done:
    the choice is made among the candidates tried so far.

    Parameters
    ----------
    estimator : SFPClassifier, SFPRegressor, Pipeline that ends in one, or None, default=None
        What to tune; None is an `SFPClassifier`. Settings of the search replace its own.
    space : {"broad", "reduced", "paper"} or list of dict, default="broad"
        Candidates: models of all kinds that suit small tables; the paper's reduced grid of 250;
        its full grid of 5000; or settings of your own, one dictionary a candidate
        (`sklearn.model_selection.ParameterGrid` makes such lists). The setting `prepare` is a
        transformer to put before the model, after other steps of a pipeline.
    strategy : {"best", "mean", "loess"}, default="best"
        How to choose one: the best score; the mean of each hyperparameter over the `top` share
        of scores; or the best score after smoothing over hyperparameters by LOESS, which
        needs the extra `tuning`.
    top : float, default=0.1
        Share of candidates that "mean" averages.
    ensemble : int, "auto", "greedy" or None, default="auto"
        Most candidates that answer together, the best by `scoring`, or by accuracy and
        log-loss if it is None, at most half of them (or 2) of one kind, as clusters and kernels
        are: the models of their folds, each calibrated, none fitted again. Logarithms of their
        probabilities are averaged, with shares, and biases of classes, that suit rows which
        they were not trained on. "auto" begins with equal shares of the best 4 of the broad pool
        with strategy "best", and lets the best 14 have some, seven or eight of which usually do;
        "greedy" begins with what greedy selection by accuracy and log-loss picks; None, and
        regressors, keep one model. Predictions take as long as those of all models together.
    scoring : str, callable or None, default=None
        Score to choose by; None is that of the estimator. "neg_log_loss" chooses by
        probabilities.
    cv : int, splitter, iterable or None, default=None
        Folds: a number means shuffled folds, stratified for classifiers, at most as many as
        the largest class has rows. None is 5, and 10 for an ensemble on fewer than 1000 rows;
        with a `scoring` of other than accuracy and log-loss, which may need rows of every class
        in every fold, at most as many as the smallest class has rows.
        Rows without a label are always trained on.
    halving : bool or "auto", default="auto"
        Whether to try all candidates a little, and only the best of them in full. To choose one
        model, all get 3 passes, and the best fifth all of theirs; to choose an ensemble, all
        are tried on the first 3 folds of 10, and the best 14 (or 3 for each member) on the
        others. "auto" does so to choose the best one of more than 50, or the best few of more
        than 32.
    refit : bool, default=True
        Whether to keep what predicts: the choice fitted to all rows, or the committee. Without,
        there is no `best_estimator_`.
    n_jobs : int or None, default=None
        Number of processes; each uses one thread. None is 1, -1 all processors.
    verbose : int, default=0
        Show a progress bar if not 0.
    random_state : int, RandomState or None, default=None
        Seed of folds, starts and ensembles.

    Attributes
    ----------
    best_estimator_ : estimator
        What predicts: a model fitted to all rows, or a `Committee` of several.
    best_params_ : dict
        The settings that `strategy` chose, whether or not a committee predicts.
    best_score_ : float
        Their mean score over folds; NaN for "mean", which may lie between candidates.
    best_index_ : int
        Their place in `cv_results_`; -1 for "mean".
    cv_results_ : dict of arrays
        Settings, scores and times of all candidates; `smooth_test_score` for "loess",
        `ensemble_weight` for a committee, `was_halved` for candidates that got few passes or
        folds (the scores of the others are NaN) and can no longer be chosen.
    temperature_ : float
        What `predict_proba` of one model is flattened by, from rows that models were not trained
        on; 1 for a committee, which is calibrated by itself.
    n_splits_ : int
        Number of folds.
    refit_time_ : float
        Seconds of the last fit.
    classes_ : ndarray
        The labels, for classifiers.
    n_features_in_ : int
        Number of features seen in fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfplearn import SFPSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = [{"n_clusters": k, "gamma": g} for k in (3, 6) for g in (0.1, 0.3)]
    >>> search = SFPSearchCV(space=grid, random_state=0).fit(X, y)
    >>> search.best_score_ > 0.9
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        space: Any = "broad",
        *,
        strategy: str = "best",
        top: float = 0.1,
        ensemble: int | str | None = "auto",
        scoring: Any = None,
        cv: Any = None,
        halving: bool | str = "auto",
        refit: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.space = space
        self.strategy = strategy
        self.top = top
        self.ensemble = ensemble
        self.scoring = scoring
        self.cv = cv
        self.halving = halving
        self.refit = refit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = inner_of(self).__sklearn_tags__()
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags.required = True
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, groups: Any = None
    ) -> Self:
        """Try all candidates and fit the choice.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts, in fits and in accuracy and log-loss.
        groups : array-like of shape (n_samples,) or None, default=None
            Groups of rows, for splitters that keep them together.

        Returns
        -------
        self : SFPSearchCV
            The fitted search. If fit fails, it stays as it was.

        Examples
        --------
        >>> from sfplearn import SFPSearchCV
        >>> X, y = [[i] for i in range(20)], ["a"] * 10 + ["b"] * 10
        >>> search = SFPSearchCV(space=[{"n_clusters": 2}], random_state=0)
        >>> search.fit(X, y).predict([[0], [19]]).tolist()
        ['a', 'b']
        """
        with one_blas_thread(), looked_at(self, X, y, sample_weight) as watch:
            plan = make_plan(self, X, y, sample_weight, groups)
            watch.predicts = bool(self.refit)
            watch.open(2 if self.refit else 1)
            watch.begin("search", count_trials(plan.candidates, plan.halving))
            refit = watch.reserve("refit", plan.trials.estimator) if self.refit else None
            outcomes = try_all(
                plan.trials,
                plan.candidates,
                halving=plan.halving,
                n_jobs=self.n_jobs,
                silent=not self.verbose,
                watch=watch.within(),
            )
            watch.end(tuple)
            conclude(self, plan, outcomes, partial(watch.handed, refit))
        return self

    @_can("predict")
    def predict(self, X: Any) -> NDArray[Any]:
        """Return what the choice predicts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.

        Examples
        --------
        >>> from sfplearn import SFPSearchCV
        >>> X, y = [[i] for i in range(20)], ["a"] * 10 + ["b"] * 10
        >>> search = SFPSearchCV(space=[{"n_clusters": 2}, {"n_clusters": 4}], random_state=0)
        >>> search.fit(X, y).predict([[0], [19]]).tolist()
        ['a', 'b']
        """
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    @_can("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return class probabilities, calibrated on rows that models were not trained on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            In the order of `classes_`; the most probable class is that of `predict`.

        Examples
        --------
        >>> from sfplearn import SFPSearchCV
        >>> X, y = [[i] for i in range(20)], ["a"] * 10 + ["b"] * 10
        >>> search = SFPSearchCV(space=[{"n_clusters": 2}, {"n_clusters": 4}], random_state=0)
        >>> search.fit(X, y).predict_proba([[0]])[0, 0] > 0.9
        np.True_
        """
        check_is_fitted(self, "best_estimator_")
        return tempered(self.best_estimator_.predict_proba(X), self.temperature_)

    def score(self, X: Any, y: ArrayLike) -> float:
        """Return the score that candidates were chosen by.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their labels.

        Returns
        -------
        score : float
            By `scoring`, or that of the estimator.

        Examples
        --------
        >>> from sfplearn import SFPSearchCV
        >>> X, y = [[i] for i in range(20)], ["a"] * 10 + ["b"] * 10
        >>> search = SFPSearchCV(space=[{"n_clusters": 2}], random_state=0)
        >>> search.fit(X, y).score([[0], [19]], ["a", "b"])
        1.0
        """
        check_is_fitted(self, "best_estimator_")
        if self.scoring is None:
            return float(self.best_estimator_.score(X, y))
        scorer = self.scoring if callable(self.scoring) else get_scorer(self.scoring)
        return float(scorer(self, X, y))

    def _predictor(self) -> Any:
        return getattr(self, "best_estimator_", inner_of(self))
