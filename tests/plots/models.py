"""Fitted models that tests draw, and every display with what it is made from."""

from functools import cache

import numpy as np
from sklearn.datasets import load_diabetes, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor, SFPSearchCV
from sfplearn.plots import (
    ClusterClassesDisplay,
    DecisionRegionsDisplay,
    ExplanationDisplay,
    FeatureWeightsDisplay,
    HyperparameterDisplay,
    MembershipMapDisplay,
    ObjectiveDisplay,
    PrototypesDisplay,
    SignificantFeaturesDisplay,
)

IRIS = load_iris()
X, CODES = IRIS.data[::2], IRIS.target[::2]
Y = IRIS.target_names[CODES]
NAMES = IRIS.feature_names
SCALED = StandardScaler().fit_transform(X)
DIABETES = load_diabetes()
ROWS, NUMBERS = DIABETES.data[::4], DIABETES.target[::4]


@cache
def classifier():
    return SFPClassifier(5, gamma=0.05, refine=0, random_state=0).fit(SCALED, Y)


@cache
def refined():
    return SFPClassifier(4, refine=8, random_state=0).fit(SCALED, Y)


@cache
def pipeline():
    model = SFPClassifier(5, gamma=0.05, refine=0, random_state=0)
    return make_pipeline(StandardScaler(), model).fit(X, Y)


@cache
def regressor():
    return make_pipeline(StandardScaler(), SFPRegressor(4, random_state=0)).fit(ROWS, NUMBERS)


@cache
def clusterer():
    return SFPClusterer(4, random_state=0).fit(SCALED)


@cache
def kernel():
    settings = {"divergence": "kernel", "n_landmarks": 20, "refine": 0, "random_state": 0}
    return SFPClassifier(4, **settings).fit(SCALED, Y)


@cache
def search():
    grid = [
        {"n_clusters": k, "gamma": gamma, "refine": 0}
        for k in (3, 4)
        for gamma in np.geomspace(0.01, 1.0, 5).tolist()
    ]
    return SFPSearchCV(space=grid, cv=3, ensemble=None, random_state=0).fit(SCALED, Y)


# How each display is made from a model and its rows; a search has its own.
FROM_ESTIMATOR = {
    ClusterClassesDisplay: lambda model, X, y, **to: ClusterClassesDisplay.from_estimator(
        model, X, y, **to
    ),
    DecisionRegionsDisplay: lambda model, X, y, **to: DecisionRegionsDisplay.from_estimator(
        model, X, y, grid_resolution=15, **to
    ),
    ExplanationDisplay: lambda model, X, y, **to: ExplanationDisplay.from_estimator(
        model, X[:4], row=3, **to
    ),
    FeatureWeightsDisplay: lambda model, X, y, **to: FeatureWeightsDisplay.from_estimator(
        model, **to
    ),
    MembershipMapDisplay: lambda model, X, y, **to: MembershipMapDisplay.from_estimator(
        model, X, **to
    ),
    ObjectiveDisplay: lambda model, X, y, **to: ObjectiveDisplay.from_estimator(model, **to),
    PrototypesDisplay: lambda model, X, y, **to: PrototypesDisplay.from_estimator(model, X, **to),
    SignificantFeaturesDisplay: lambda model, X, y, **to: SignificantFeaturesDisplay.from_estimator(
        model, X, y, lams=[0.05, 5.0], **to
    ),
}
DISPLAYS = {
    **FROM_ESTIMATOR,
    HyperparameterDisplay: lambda model, X, y, **to: HyperparameterDisplay.from_search(
        search(), "gamma", **to
    ),
}

# What cannot be drawn of a kernel, which has no weights of features.
BY_FEATURES = (
    ExplanationDisplay,
    FeatureWeightsDisplay,
    PrototypesDisplay,
    SignificantFeaturesDisplay,
)


def texts(ax):
    """Return all that is written into axes."""
    return [text.get_text() for text in ax.texts]


def ticks(axis):
    """Return the labels of an axis."""
    return [tick.get_text() for tick in axis.get_ticklabels()]


def legend(ax):
    """Return the entries of a legend."""
    return [text.get_text() for text in ax.get_legend().get_texts()]
