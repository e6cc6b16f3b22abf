"""The package computes the paper's algorithm 1, pass for pass."""

import numpy as np
import pytest
import scipy.sparse as sp

from sfplearn import SFPClassifier
from tests.conftest import three_blobs
from tests.paper.algorithm1 import LOSSES, algorithm1, predict

PASSES = 15
START = [0, 1, 2, 3, 7, 10]
SETTINGS = {"alpha": 1.3, "gamma": 0.3, "lam": 9.0}


def fit(X, y, loss, sample_weight=None):
    model = SFPClassifier(
        len(START), **SETTINGS, loss=loss, scale=None, init=START, max_iter=PASSES, tol=0
    )
    return model.fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("loss", LOSSES)
def test_fifteen_passes_equal_the_literal_algorithm(loss, container, weighted):
    X, y = three_blobs(60)
    weight = np.random.default_rng(1).integers(1, 4, len(y)) / 2 if weighted else None
    V, W, Z, U, objective = algorithm1(
        X.tolist(), y.tolist(), START, **SETTINGS, loss=loss, passes=PASSES, weight=weight
    )
    model = fit(container(X), y, loss, weight)
    np.testing.assert_allclose(model.cluster_centers_, V, atol=1e-9)
    np.testing.assert_allclose(model.feature_weights_, W, atol=1e-9)
    np.testing.assert_allclose(model.prototypes_, Z, atol=1e-9)
    np.testing.assert_allclose(model.objective_path_, objective, rtol=1e-9)
    s = np.ones(len(y)) if weight is None else weight
    np.testing.assert_allclose(model.cluster_mass_, s @ np.array(U), atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_predictions_equal_the_literal_test_phase(loss):
    X, y = three_blobs(60)
    V, W, Z, _, _ = algorithm1(X.tolist(), y.tolist(), START, **SETTINGS, loss=loss, passes=PASSES)
    model = fit(X, y, loss)
    new = three_blobs(40, seed=5)[0]
    expected = [predict(x, V, W, Z, SETTINGS["gamma"], loss) for x in new.tolist()]
    assert model.predict(new).tolist() == expected
