"""All losses, each with labels that suit it, for contract tests."""

import numpy as np

from sfplearn.core import CLASSIFICATION_LOSSES, REGRESSION_LOSSES, CostMatrix, FunctionLoss, Loss
from sfplearn.core.losses import Quantile

CODES = np.arange(4)
NUMBERS = np.array([0.0, 0.5, 1.0, 2.5, 2.75, 4.0, 9.0])
COSTS = np.array([[0, 1, 2, 3], [4, 0, 1, 1], [2, 9, 0, 1], [1, 1, 5, 0]])


class Brier(Loss):
    """A user's loss of classes, with nothing but a cost."""

    def cost(self, y, z):
        return ((z[:, None] - np.eye(z.shape[1])[y]) ** 2).sum(axis=2)


class Scores(Loss):
    """A user's loss whose prototypes are any numbers."""

    domain = "real"

    def cost(self, y, z):
        return (
            np.log(np.exp(z).sum(axis=1, keepdims=True)) - z[:, y] + 0.01 * (z**2).sum(1)[:, None]
        )


def log_cosh(y, z):
    """A user's loss of numbers, as a function."""
    r = np.abs(y - z)
    return r + np.log1p(np.exp(-2 * r)) - np.log(2)


EVERY_LOSS = {
    **{name: (loss(), CODES) for name, loss in CLASSIFICATION_LOSSES.items()},
    "cost_matrix": (CostMatrix(COSTS), CODES),
    "Brier": (Brier(), CODES),
    "scores": (Scores(), CODES),
    **{name: (loss(), NUMBERS) for name, loss in REGRESSION_LOSSES.items()},
    "quantiles": (Quantile([0.1, 0.5, 0.8]), NUMBERS),
    "log_cosh": (FunctionLoss(log_cosh), NUMBERS),
}
