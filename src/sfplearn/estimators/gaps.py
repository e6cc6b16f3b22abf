"""Gaps among categories, whatever a data frame calls them."""

from typing import Any, Self

import numpy as np
from sklearn.impute import SimpleImputer


class FillCategories(SimpleImputer):
    """Fill gaps among categories: None, NaN and pandas' NA alike.

    A data frame has no value for a word in one of three ways, which depends on where it came
    from and on the version of pandas. SimpleImputer takes one of them for a gap and the others
    for words, or fails.

    Parameters are those of scikit-learn's SimpleImputer.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from sfplearn.estimators.gaps import FillCategories
    >>> words = pd.DataFrame({"word": ["a", None, np.nan, pd.NA]}, dtype=object)
    >>> FillCategories(strategy="most_frequent").fit_transform(words).ravel().tolist()
    ['a', 'a', 'a', 'a']
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what gaps are filled with.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            Columns of categories.
        y : None
            Not used.

        Returns
        -------
        self : FillCategories
            The transformer.
        """
        return super().fit(with_nan(X), y)

    def transform(self, X: Any) -> Any:
        """Fill gaps.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
            Columns of categories.

        Returns
        -------
        filled : ndarray or data frame of shape (n_samples, n_features)
            Columns without gaps.
        """
        return super().transform(with_nan(X))


def with_nan(X: Any) -> Any:
    """Return a data frame whose gaps are all NaN; what is none passes.

    >>> with_nan([["a"]])
    [['a']]
    """
    return X.astype(object).where(X.notna(), np.nan) if hasattr(X, "notna") else X
