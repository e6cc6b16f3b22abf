"""Rows that are validated, measured and sampled once, for many fits with different settings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfplearn.estimators.callbacks import looked_at
from sfplearn.estimators.checks import check_rows
from sfplearn.estimators.classes import labelled_table
from sfplearn.estimators.classifier import SFPClassifier
from sfplearn.estimators.locals import ask
from sfplearn.estimators.table import Table


class PreparedRows:
    """Training rows of classifiers that differ in their settings alone.

    Fits end exactly where fits of the same rows would. What is shared depends on no settings but
    `class_weight`, `unlabeled` and `allow_nan`, which must be those of `estimator`; and on the
    kernel: the last one is remembered (`known_of`).
    """

    def __init__(self, estimator: SFPClassifier, X: Any, y: Any, sample_weight: Any) -> None:
        table, self.classes = labelled_table(estimator, X, y, sample_weight)
        self.table = table._replace(shared={})
        self.given = X, y, sample_weight
        known = ("n_features_in_", "feature_names_in_")
        self.known = {n: getattr(estimator, n) for n in known if hasattr(estimator, n)}

    def fit(self, estimator: SFPClassifier) -> SFPClassifier:
        """Fit a classifier to these rows."""
        with looked_at(estimator, *self.given) as watch:
            for name, value in self.known.items():
                setattr(estimator, name, value)
            estimator._fit_table(self.table, self.classes, watch)
        return estimator


class NewRows:
    """Rows that many classifiers are asked about, validated once."""

    def __init__(self, estimator: SFPClassifier, X: Any) -> None:
        X = check_rows(estimator, X, reset=False)
        self.table = Table(X, None, None, np.ones(X.shape[0]), missing=estimator._misses(X))

    def probabilities(self, estimator: SFPClassifier) -> NDArray[np.float64]:
        """Return the class probabilities of these rows, as `predict_proba` does."""
        return estimator._map_table(self.table, estimator._mixing(ask("probabilities")))
