"""The classifiers that SFP is compared with, each tuned by nested cross-validation.

All run on one thread; folds are what runs side by side. Grids are those that guides of the
libraries advise for small tables, cut to what cross-validation can afford: large tables
(above 2000 rows) are tuned on 3 folds, others on 5.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ParameterGrid, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import LabelEncoder
from sklearn.svm import SVC

LARGE = 2000
WIDE = 500

# Where classes have few rows, boosting without a penalty overshoots at the usual rate of 0.1: on
# training rows of abalone LightGBM and HistGradientBoosting had 18 to 20 %, and 28 to 29 with this.
SLOW = 0.03


class OutOfBag(ClassifierMixin, BaseEstimator):
    """A forest whose settings are chosen by its rows out of bag: no fold needed."""

    def __init__(self, forest: Any, grid: dict[str, list[Any]]) -> None:
        self.forest = forest
        self.grid = grid

    def fit(self, X: np.ndarray, y: np.ndarray) -> "OutOfBag":
        """Fit a forest for each setting and keep the one that is best out of bag."""
        fitted = [
            clone(self.forest).set_params(**settings).fit(X, y)
            for settings in ParameterGrid(self.grid)
        ]
        self.best_ = max(fitted, key=lambda forest: forest.oob_score_)
        self.classes_ = self.best_.classes_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the classes of rows."""
        return self.best_.predict(X)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the class probabilities of rows."""
        return self.best_.predict_proba(X)


class Coded(ClassifierMixin, BaseEstimator):
    """A classifier that wants classes to be 0, 1, 2, ..., all of them present."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Coded":
        """Fit to the codes of the classes."""
        self.coder_ = LabelEncoder().fit(y)
        self.classes_ = self.coder_.classes_
        self.classifier_ = clone(self.classifier).fit(X, self.coder_.transform(y))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the classes of rows."""
        return self.classes_[np.ravel(self.classifier_.predict(X)).astype(int)]

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the class probabilities of rows."""
        return self.classifier_.predict_proba(X)


def _searched(estimator: Any, grid: Any, n: int, seed: int, folds: int = 5) -> GridSearchCV:
    inner = StratifiedKFold(3 if n > LARGE else folds, shuffle=True, random_state=seed)
    return GridSearchCV(estimator, grid, cv=inner)


def _neighbors(n: int, p: int, seed: int) -> Any:
    counts = [c for c in (1, 3, 5, 7, 9, 11, 15, 21, 31) if c <= n // 2]
    grid = {"n_neighbors": counts, "weights": ["uniform", "distance"]}
    return _searched(KNeighborsClassifier(), grid, n, seed)


def _svm_linear(n: int, p: int, seed: int) -> Any:
    return _searched(SVC(kernel="linear"), {"C": [0.01, 0.03, 0.1, 0.3, 1, 10]}, n, seed)


def _svm_rbf(n: int, p: int, seed: int) -> Any:
    grid = {"C": [0.5, 2, 8, 32, 128], "gamma": [f / p for f in (0.0625, 0.25, 1, 4)]}
    return _searched(SVC(), grid, n, seed)


def _forest(kind: Any, p: int, seed: int) -> Any:
    forest = kind(300, bootstrap=True, oob_score=True, random_state=seed)
    return OutOfBag(forest, {"max_features": ["sqrt", 1 / 3] if p < WIDE else ["sqrt"]})


def _random_forest(n: int, p: int, seed: int) -> Any:
    return _forest(RandomForestClassifier, p, seed)


def _extra_trees(n: int, p: int, seed: int) -> Any:
    # Trees of the final forest see all rows, as extra trees do.
    trees = _forest(ExtraTreesClassifier, p, seed)
    return _AllRows(trees.forest, trees.grid)


class _AllRows(OutOfBag):
    """Chosen out of bag, then fitted without a bag."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "_AllRows":
        super().fit(X, y)
        self.best_ = clone(self.best_).set_params(bootstrap=False, oob_score=False).fit(X, y)
        return self


def _histogram(n: int, p: int, seed: int) -> Any:
    boosting = HistGradientBoostingClassifier(
        max_iter=100, early_stopping=False, min_samples_leaf=5, random_state=seed
    )
    grid = {"max_leaf_nodes": [4, 16]}
    slow = {"max_leaf_nodes": [4], "learning_rate": [SLOW]}
    return _searched(boosting, _also_slow(grid, slow, p), n, seed, folds=3)


def _lightgbm(n: int, p: int, seed: int) -> Any:
    from lightgbm import LGBMClassifier

    boosting = LGBMClassifier(
        min_child_samples=5, subsample=0.8, subsample_freq=1, colsample_bytree=0.5,
        random_state=seed, n_jobs=1, verbose=-1,
    )  # fmt: skip
    grid = {"n_estimators": [50, 200], "num_leaves": [4, 31]}
    slow = {"n_estimators": [50, 200], "num_leaves": [4], "learning_rate": [SLOW]}
    return _searched(boosting, _also_slow(grid, slow, p), n, seed, folds=3)


def _also_slow(grid: dict[str, list[Any]], slow: dict[str, list[Any]], p: int) -> Any:
    """Return a grid that learns slowly, too, where that can be afforded."""
    return [grid, slow] if p < WIDE else grid


def _xgboost(n: int, p: int, seed: int) -> Any:
    from xgboost import XGBClassifier

    boosting = XGBClassifier(
        subsample=0.8, colsample_bytree=0.5, learning_rate=0.1, random_state=seed, n_jobs=1
    )
    grid = {"classifier__n_estimators": [50, 200], "classifier__max_depth": [2, 6]}
    return _searched(Coded(boosting), grid, n, seed, folds=3)


def _catboost(n: int, p: int, seed: int) -> Any:
    from catboost import CatBoostClassifier

    # Its authors advise its defaults; with thousands of columns trees look at a tenth of them.
    wide = {"iterations": 300, "rsm": 0.1} if p > WIDE else {}
    boosting = CatBoostClassifier(
        random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False, **wide
    )
    return Coded(boosting)


def _as_it_comes(kind: Any, **settings: Any) -> "Method":
    return lambda n, p, seed: kind(**settings)


Method = Callable[[int, int, int], Any]
"""Rows, columns and a seed to a classifier."""

PEERS: dict[str, Method] = {
    "KNN": _neighbors,
    "SVM-linear": _svm_linear,
    "SVM-RBF": _svm_rbf,
    "random forest": _random_forest,
    "extra trees": _extra_trees,
    "HistGradientBoosting": _histogram,
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
}

# For the comparison of what comes without any tuning.
UNTUNED: dict[str, Method] = {
    "KNN untuned": _as_it_comes(KNeighborsClassifier),
    "SVC untuned": _as_it_comes(SVC),
    "LogisticRegression": _as_it_comes(LogisticRegression, max_iter=1000),
}
