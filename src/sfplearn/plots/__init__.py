"""Pictures of fitted models, in the manner of scikit-learn's displays.

Each display computes in `from_estimator` (or `from_search`, `from_explanation`), which also
draws; `plot(ax=...)` draws again elsewhere; `ax_` and `figure_` are what was drawn on.

    reading ──> what a model says       one file for each display
    palette ──> tones ──> colours       canvas ──> axes, names, labels

They need matplotlib: pip install "sfplearn[plots]".
"""

from sfplearn.plots.cluster_classes import ClusterClassesDisplay
from sfplearn.plots.explanation import ExplanationDisplay
from sfplearn.plots.hyperparameter import HyperparameterDisplay
from sfplearn.plots.membership_map import MembershipMapDisplay
from sfplearn.plots.objective import ObjectiveDisplay
from sfplearn.plots.prototypes import PrototypesDisplay
from sfplearn.plots.regions import DecisionRegionsDisplay
from sfplearn.plots.significant import SignificantFeaturesDisplay
from sfplearn.plots.weights import FeatureWeightsDisplay

__all__ = [
    "ClusterClassesDisplay",
    "DecisionRegionsDisplay",
    "ExplanationDisplay",
    "FeatureWeightsDisplay",
    "HyperparameterDisplay",
    "MembershipMapDisplay",
    "ObjectiveDisplay",
    "PrototypesDisplay",
    "SignificantFeaturesDisplay",
]
