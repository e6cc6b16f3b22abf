"""sfplearn: Supervised Fuzzy Partitioning, a supervised k-means that a person can read."""

from importlib.metadata import version

from sfplearn.estimators import SFPClassifier

__version__ = version("sfplearn")

__all__ = ["SFPClassifier", "__version__"]
