"""The types that a saved model may hold: nothing else is ever made of a file.

skops itself knows the harmless ones of Python, NumPy, SciPy and scikit-learn. To these come our
own, and a few that settings of ours may hold. `tests/persist` saves models of all kinds, so a
new class that they hold is missed there.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import model_selection

# Our own, by name: files name them so, and `tuning` is not below this layer.
OWN = frozenset(
    {
        "sfplearn.core.losses.labels.CostMatrix",
        "sfplearn.core.losses.labels.Hinge",
        "sfplearn.core.losses.labels.LogLoss",
        "sfplearn.core.losses.labels.Logistic",
        "sfplearn.core.losses.labels.Ordinal",
        "sfplearn.core.losses.labels.SquaredHinge",
        "sfplearn.core.losses.labels.ZeroOne",
        "sfplearn.core.losses.numbers.AbsoluteError",
        "sfplearn.core.losses.numbers.Huber",
        "sfplearn.core.losses.numbers.Poisson",
        "sfplearn.core.losses.numbers.Quantile",
        "sfplearn.core.losses.numbers.SquaredError",
        "sfplearn.estimators.classifier.SFPClassifier",
        "sfplearn.estimators.clusterer.SFPClusterer",
        "sfplearn.estimators.dates.DaysSince1970",
        "sfplearn.estimators.gaps.FillCategories",
        "sfplearn.estimators.regressor.SFPRegressor",
        "sfplearn.estimators.selector.SFPSelector",
        "sfplearn.estimators.tails.TameTails",
        "sfplearn.estimators.targets.Standard",
        "sfplearn.estimators.transformer.SFPTransformer",
        "sfplearn.estimators.weighing.WeighFeatures",
        "sfplearn.tuning.committee.Committee",
        "sfplearn.tuning.committee.FoldModels",
        "sfplearn.tuning.pool.strength_of_ranks",
        "sfplearn.tuning.search.SFPSearchCV",
    }
)

# What `cv` of a search may be: scikit-learn's own folds, which hold numbers only.
FOLDS = (
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "PredefinedSplit",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
)


class UnsafeModelError(ValueError):
    """A model holds types that are not known to be harmless.

    Examples
    --------
    >>> from sfplearn import SFPClusterer, save_model
    >>> from sfplearn.persist import UnsafeModelError
    >>> model = SFPClusterer(1, init=lambda X, y, **settings: [0]).fit([[0], [1]])
    >>> try:
    ...     path = save_model(model, "model.skops")
    ... except UnsafeModelError as error:
    ...     print("a function cannot be saved")
    a function cannot be saved
    """


def trusted_types() -> list[str]:
    """Return the names of the types that a model may hold besides those skops knows.

    >>> "sfplearn.estimators.classifier.SFPClassifier" in trusted_types()
    True
    """
    folds = [getattr(model_selection, name) for name in FOLDS]
    # Imputers and encoders keep the dtype of columns; a checkpoint may be named by a Path.
    others = [np.dtype, type(Path())]
    return sorted({*OWN, *(f"{kind.__module__}.{kind.__name__}" for kind in (*folds, *others))})


def strangers(data: bytes) -> list[str]:
    """Return the types in a skops archive that are not trusted; nothing is made of it."""
    return sorted(set(skops().get_untrusted_types(data=data)) - set(trusted_types()))


def skops() -> Any:
    """Return the library that writes and reads models, if it is installed."""
    try:
        return import_module("skops.io")
    except ImportError:
        raise ImportError(
            'Models are saved and loaded by skops: pip install "sfplearn[skops]"'
        ) from None
