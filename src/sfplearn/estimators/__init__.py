"""What users call: scikit-learn estimators, a thin shell over the core."""

from sfplearn.estimators.classifier import SFPClassifier
from sfplearn.estimators.clusterer import SFPClusterer
from sfplearn.estimators.regressor import SFPRegressor
from sfplearn.estimators.selector import SFPSelector
from sfplearn.estimators.tails import TameTails
from sfplearn.estimators.transformer import SFPTransformer
from sfplearn.estimators.weighing import WeighFeatures

__all__ = [
    "SFPClassifier",
    "SFPClusterer",
    "SFPRegressor",
    "SFPSelector",
    "SFPTransformer",
    "TameTails",
    "WeighFeatures",
]
