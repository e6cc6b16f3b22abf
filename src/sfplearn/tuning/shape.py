"""The shape of the rows that a model will be given, which tells what candidates suit them."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from sfplearn.tuning.candidates import Shape
from sfplearn.tuning.steps import last_of
from sfplearn.tuning.trials import Trials, take, without_label


def shape_of(trials: Trials) -> Shape:
    """Return the shape of what reaches the last step of an estimator."""
    rows = _reaching(trials)
    return Shape(
        n_rows=min(int(np.count_nonzero(trials.weight[train])) for train, _ in trials.folds),
        n_features=int(np.shape(rows)[1]),
        n_classes=2 if trials.classes is None else len(trials.classes),
        is_dense=not sp.issparse(rows),
        is_complete=not getattr(last_of(trials.estimator), "allow_nan", False),
        is_labelled=not without_label(trials.estimator, trials.y).any(),
    )


def _reaching(trials: Trials) -> Any:
    """Return rows as earlier steps of a pipeline leave them: the training rows of the first fold.

    Text has no columns before it is taken apart, and categories have fewer.
    """
    estimator, train = trials.estimator, trials.folds[0][0]
    if not isinstance(estimator, Pipeline) or len(estimator.steps) == 1:
        return trials.X
    return clone(estimator[:-1]).fit_transform(take(trials.X, train), trials.y[train])
