"""Fitted models of all kinds, for contract tests."""

from functools import cache, partial

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    StandardScaler,
)

from sfplearn import (
    CostMatrix,
    Huber,
    Quantile,
    SFPClassifier,
    SFPClusterer,
    SFPRegressor,
    SFPSearchCV,
    SFPSelector,
    SFPTransformer,
)
from sfplearn.core import CLASSIFICATION_LOSSES, REGRESSION_LOSSES
from sfplearn.core.divergences import DIVERGENCES
from sfplearn.estimators.dates import DaysSince1970
from sfplearn.estimators.gaps import FillCategories
from sfplearn.estimators.tails import TameTails
from sfplearn.estimators.weighing import WeighFeatures
from sfplearn.tuning import Committee
from sfplearn.tuning.pool import strength_of_ranks
from tests.conftest import three_blobs

X, CODES = three_blobs(60)
NAMES = np.array(["ant", "bee", "cat"])[CODES]
NUMBERS = np.abs(X[:, 0] + 0.1 * X[:, 1])
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(
    kind=NAMES, other=[None if i % 7 == 0 else "x" for i in range(len(X))]
)
WITH_GAPS = np.where(np.arange(X.size).reshape(X.shape) % 11 == 0, np.nan, X)

few = partial(dict, n_clusters=3, max_iter=5, tol=0, random_state=0)


def classifier(X=X, y=CODES, **settings):
    return SFPClassifier(**few(**{"refine": 3, **settings})).fit(X, y)


def regressor(X=X, y=NUMBERS, **settings):
    return SFPRegressor(**few(**settings)).fit(X, y)


def streamed(model, *labels, size=20, **first):
    for start in range(0, len(X), size):
        part = slice(start, start + size)
        model.partial_fit(X[part], *(y[part] for y in labels), **first)
    return model


def mixed_columns(numbers, words, **settings):
    columns = [("numbers", numbers, ["a", "b", "c", "d"]), ("words", words, ["kind", "other"])]
    return ColumnTransformer(columns, **settings)


def searched(y=NAMES, **settings):
    return SFPSearchCV(**{"cv": 2, "random_state": 0, **settings}).fit(X, y)


POOL = [{"n_clusters": k, "max_iter": 3, "tol": 0, "refine": 0} for k in (2, 3)]
ONE_HOT = make_pipeline(
    SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
)
RARE = make_pipeline(
    SimpleImputer(strategy="most_frequent", keep_empty_features=True),
    OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=2, sparse_output=False),
)
RANKS = make_pipeline(SimpleImputer(strategy="constant", fill_value="?"), OrdinalEncoder())
SCALED = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
EVEN = make_pipeline(SimpleImputer(), QuantileTransformer(n_quantiles=10))

# Each makes a fitted model, to be asked about rows of its second entry.
MODELS = {
    **{f"classes {name}": (partial(classifier, loss=name), X) for name in CLASSIFICATION_LOSSES},
    **{
        f"classes {name}()": (partial(classifier, loss=kind()), X)
        for name, kind in CLASSIFICATION_LOSSES.items()
    },
    **{
        f"numbers {name}": (partial(regressor, loss=name, refine=2), X)
        for name, kind in REGRESSION_LOSSES.items()
    },
    **{
        f"numbers {name}()": (partial(regressor, loss=kind()), X)
        for name, kind in REGRESSION_LOSSES.items()
    },
    **{f"classes {name}": (partial(classifier, divergence=name), X) for name in DIVERGENCES},
    **{
        f"classes {name}, not refined": (partial(classifier, divergence=name, refine=0), X)
        for name in DIVERGENCES
    },
    **{f"numbers {name}": (partial(regressor, divergence=name), X) for name in DIVERGENCES},
    "cost matrix": (partial(classifier, loss=CostMatrix(1 - np.eye(3))), X),
    "quantiles": (partial(regressor, loss=Quantile([0.1, 0.5])), X),
    "huber": (partial(regressor, loss=Huber(2.0)), X),
    "linear experts": (partial(classifier, expert="linear", refine=0), X),
    "linear regression": (partial(regressor, expert="linear"), X),
    "two outputs": (partial(regressor, y=X[:, :2]), X),
    "text labels": (partial(classifier, y=NAMES), X),
    "objects as labels": (partial(classifier, y=NAMES.astype(object)), X),
    "single precision": (partial(classifier, X=X.astype(np.float32)), X.astype(np.float32)),
    "sparse rows": (partial(classifier, X=sp.csr_array(X)), sp.csr_array(X)),
    "missing cells": (partial(classifier, X=WITH_GAPS, allow_nan=True, refine=0), WITH_GAPS),
    "names of columns": (partial(classifier, X=FRAME[["a", "b"]]), FRAME[["a", "b"]]),
    "weights of classes": (partial(classifier, class_weight={0: 1.0, 1: 2.0, 2: 1.0}), X),
    "partly labelled": (partial(classifier, y=np.where(X[:, 1] > 1, -1, CODES), unlabeled=-1), X),
    "centres given": (partial(regressor, init=X[:3]), X),
    "a generator": (partial(classifier, random_state=np.random.RandomState(0)), X),
    "clusters": (lambda: SFPClusterer(**few()).fit(X), X),
    "distances": (lambda: SFPTransformer(3, max_iter=5, tol=0, random_state=0).fit(X, NAMES), X),
    "selection": (lambda: SFPSelector(3, max_iter=5, tol=0, random_state=0).fit(X, NUMBERS), X),
    "a stream of classes": (lambda: streamed(SFPClassifier(**few(half_life=100.0)), NAMES), X),
    "a stream of numbers": (lambda: streamed(SFPRegressor(**few(half_life=100.0)), NUMBERS), X),
    "a stream of rows": (lambda: streamed(SFPClusterer(**few())), X),
    "an ensemble": (lambda: searched(space=POOL, ensemble=2), X),
    "a search of one": (lambda: searched(space=POOL, ensemble=None, cv=StratifiedKFold(2)), X),
    "a search of numbers": (lambda: searched(NUMBERS, estimator=SFPRegressor(), space=POOL), X),
    "a committee": (lambda: Committee([classifier(), classifier()], [0.5, 0.5], [0, 1, 2]), X),
    "text columns": (
        lambda: make_pipeline(mixed_columns(SCALED, ONE_HOT), SFPClassifier(**few())).fit(
            FRAME, NAMES
        ),
        FRAME,
    ),
    "rare words, in frames": (
        lambda: make_pipeline(
            mixed_columns(SCALED, RARE, verbose_feature_names_out=False).set_output(
                transform="pandas"
            ),
            SFPClassifier(**few()),
        ).fit(FRAME, NAMES),
        FRAME,
    ),
    "ranks of text": (
        lambda: make_pipeline(mixed_columns(EVEN, RANKS), SFPRegressor(**few())).fit(
            FRAME, NUMBERS
        ),
        FRAME,
    ),
    "gaps among words": (
        lambda: make_pipeline(
            mixed_columns(EVEN, make_pipeline(FillCategories(strategy="most_frequent"), RANKS)),
            SFPClassifier(**few()),
        ).fit(FRAME, NAMES),
        FRAME,
    ),
    "days": (
        lambda: make_pipeline(DaysSince1970(), SFPClassifier(**few())).fit(X, CODES),
        X,
    ),
    "tails": (
        lambda: make_pipeline(TameTails(), SFPClassifier(**few())).fit(X**5, CODES),
        X,
    ),
    "weighed features": (
        lambda: make_pipeline(WeighFeatures(classifier()), SFPClassifier(**few())).fit(X, CODES),
        X,
    ),
    "strongest features": (
        lambda: make_pipeline(SelectKBest(strength_of_ranks, k=2), SFPClassifier(**few())).fit(
            X, CODES
        ),
        X,
    ),
    "a function of NumPy": (
        lambda: make_pipeline(FunctionTransformer(np.arctan), classifier()).fit(X, CODES),
        X,
    ),
    "a search of a pipeline": (
        lambda: searched(
            estimator=make_pipeline(StandardScaler(), SFPClassifier()),
            space=[{f"sfpclassifier__{name}": value for name, value in POOL[0].items()}],
        ),
        X,
    ),
}


@cache
def fitted(kind):
    """Return a model of a kind, which several tests may look at but not change."""
    return MODELS[kind][0]()


def answers(model, rows):
    """Return all that a model says of rows."""
    methods = ("predict", "predict_proba", "decision_function", "memberships", "transform")
    return {name: getattr(model, name)(rows) for name in methods if hasattr(model, name)}
