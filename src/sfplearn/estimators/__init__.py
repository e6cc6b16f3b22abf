"""What users call: scikit-learn estimators, a thin shell over the core."""

from sfplearn.estimators.classifier import SFPClassifier

__all__ = ["SFPClassifier"]
