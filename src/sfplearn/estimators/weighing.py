"""Features scaled by how much they matter to labels: a metric for whatever measures distances."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from sfplearn.estimators.checks import check_number, check_rows
from sfplearn.estimators.classifier import SFPClassifier
from sfplearn.estimators.delegate import hold, task_of
from sfplearn.estimators.regressor import SFPRegressor

# Iterations of a refinement of numbers; classifiers know by themselves.
ITERATIONS = 50


class WeighFeatures(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale features by how much they matter to labels, as clusters of SFP have learned it.

    Clusters learn which features tell labels apart. Kernels, nearest neighbours and whatever else
    measures distances count all features alike; behind this transformer they count those that
    matter. Scales are 1 on average, so that settings of what follows keep their meaning.

    Features should be on comparable scales: put a StandardScaler before it.

    Parameters
    ----------
    estimator : SFPClassifier, SFPRegressor or None, default=None
        What learns the importances of features; None is the one that suits the labels, refined.
    power : float, default=1.0
        What importances are raised to: 0 leaves rows as they are, 0.5 makes squared distances
        those that clusters measure on average, more favours the features that matter most.

    Attributes
    ----------
    estimator_ : SFPClassifier or SFPRegressor
        The fitted clusters.
    scales_ : ndarray of shape (n_features,)
        What each feature is multiplied by.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where X had any.

    Examples
    --------
    >>> import numpy as np
    >>> from sfplearn import WeighFeatures
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> WeighFeatures().fit(X, X[:, 1] > 0).scales_.argmax()
    np.int64(1)
    """

    def __init__(self, estimator: Any = None, *, power: float = 1.0) -> None:
        self.estimator = estimator
        self.power = power

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = bool(self.allow_nan)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def allow_nan(self) -> bool:
        """Whether cells may be missing, which the clusters say."""
        return bool(getattr(self.estimator, "allow_nan", False))

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> "WeighFeatures":
        """Learn how much features matter.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels: classes or numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts.

        Returns
        -------
        self : WeighFeatures
            Itself. If fit fails, it stays as it was.
        """
        power = check_number("power", self.power, least=0)
        if y is None:
            raise ValueError("WeighFeatures requires y to be passed, but the target y is None.")
        inner = self._inner(y).fit(X, y, sample_weight=sample_weight)
        if not hasattr(inner, "feature_importances_"):
            raise ValueError(
                f"{inner} does not tell importances of features; take a divergence that weighs "
                "them, such as 'shared_weights'."
            )
        hold(self, inner)
        self.scales_ = scales_of(inner.feature_importances_, power)
        return self

    def transform(self, X: Any) -> Any:
        """Return rows whose features are scaled.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scaled : ndarray or sparse matrix of shape (n_samples, n_features)
            Rows.
        """
        check_is_fitted(self)
        X = check_rows(self, X, reset=False)
        scales = self.scales_.astype(X.dtype)
        return X.multiply(scales).tocsr() if hasattr(X, "tocsr") else X * scales

    def _inner(self, y: Any) -> Any:
        if self.estimator is not None:
            return clone(self.estimator)
        if task_of(y) == "classification":
            return SFPClassifier(divergence="shared_weights", random_state=0)
        return SFPRegressor(divergence="shared_weights", refine=ITERATIONS, random_state=0)


def scales_of(importances: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Return importances to a power, 1 on average; 1 where none is told apart.

    >>> scales_of(np.array([0.25, 0.75]), 1.0).tolist()
    [0.5, 1.5]
    """
    most = importances.max()
    raised = (importances / most) ** power if most > 0 else np.ones_like(importances)
    return raised / raised.mean()
