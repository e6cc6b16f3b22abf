"""sfplearn: Supervised Fuzzy Partitioning, a supervised k-means that a person can read."""

from importlib.metadata import version

from sfplearn.core import CostMatrix, Huber, Loss, Quantile
from sfplearn.data import open_rows
from sfplearn.estimators import (
    SFPClassifier,
    SFPClusterer,
    SFPRegressor,
    SFPSelector,
    SFPTransformer,
)
from sfplearn.tuning import SFPSearchCV

__version__ = version("sfplearn")

__all__ = [
    "CostMatrix",
    "Huber",
    "Loss",
    "Quantile",
    "SFPClassifier",
    "SFPClusterer",
    "SFPRegressor",
    "SFPSearchCV",
    "SFPSelector",
    "SFPTransformer",
    "__version__",
    "open_rows",
]
