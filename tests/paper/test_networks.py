"""The paper's section on RBF networks and kernel regression, tried on numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sfplearn import SFPClassifier, SFPRegressor
from tests.conftest import three_blobs


def normalised_rbf(X, v, w, gamma):
    """phi_j(x) = exp(-||x - v_j||_w^2 / gamma) / sum_j' exp(-||x - v_j'||_w'^2 / gamma)."""
    basis = np.empty((len(X), len(v)))
    for j in range(len(v)):
        basis[:, j] = np.exp(-(w[j] * (X - v[j]) ** 2).sum(axis=1) / gamma)
    return basis / basis.sum(axis=1, keepdims=True)


def test_sfp_with_logistic_loss_is_a_normalised_rbf_network():
    """y(x) = sign(sum_j z_j phi_j(x)), with scalar prototypes z = z_2 - z_1."""
    X, y = three_blobs(150)
    y = np.minimum(y, 1)
    model = SFPClassifier(6, loss="logistic", refine=0, random_state=0).fit(X, y)
    new = np.random.default_rng(1).standard_normal((200, X.shape[1]))
    phi = normalised_rbf(new, model.cluster_centers_, model.feature_weights_, model.gamma_)
    z = model.prototypes_[:, 1] - model.prototypes_[:, 0]
    assert_allclose(model.decision_function(new), phi @ z, atol=1e-9)
    assert model.predict(new).tolist() == (phi @ z > 0).astype(int).tolist()


def test_sfp_with_squared_error_is_a_normalised_rbf_network():
    X, _ = three_blobs(150)
    model = SFPRegressor(6, refine=0, random_state=0).fit(X, X[:, 0] ** 2)
    phi = normalised_rbf(X, model.cluster_centers_, model.feature_weights_, model.gamma_)
    assert_allclose(model.predict(X), phi @ model.prototypes_[:, 0], atol=1e-9)


@pytest.mark.parametrize("gamma", [0.01, 0.003])
def test_a_cluster_a_row_is_nadaraya_watson_regression(gamma):
    """k = n, small gamma, even weights: y(x) = sum_i y_i K(x, x_i) / sum_i K(x, x_i)."""
    random = np.random.default_rng(0)
    X = np.sort(random.uniform(-1, 1, (40, 1)), axis=0)
    X += 0.02 * np.arange(40)[:, None]  # apart, so that each row keeps its own cluster
    y = np.sin(3 * X[:, 0])
    settings = {"alpha": 1.0, "gamma": gamma, "lam": 1e9, "scale": None, "max_iter": 3, "tol": 0}
    model = SFPRegressor(40, init=np.arange(40), **settings).fit(X, y)
    new = np.linspace(-0.9, 1.5, 50)[:, None]
    kernel = np.exp(-((new - X.T) ** 2) / gamma)
    watson = (kernel @ y) / kernel.sum(axis=1)
    assert np.abs(model.predict(new) - watson).max() < 30 * gamma


def test_nadaraya_watson_is_the_limit():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (30, 2))
    y = X[:, 0] * X[:, 1]
    gaps = []
    for gamma in (1e-2, 1e-3, 1e-4):
        settings = {
            "alpha": 1.0,
            "gamma": gamma,
            "lam": 1e9,
            "scale": None,
            "max_iter": 2,
            "tol": 0,
        }
        model = SFPRegressor(30, init=np.arange(30), **settings).fit(X, y)
        distance = ((X[:, None] - X) ** 2).mean(axis=2)  # even weights are 1 / p
        kernel = np.exp(-distance / gamma)
        gaps.append(np.abs(model.predict(X) - kernel @ y / kernel.sum(axis=1)).max())
    assert gaps[2] < gaps[1] < gaps[0]
    assert gaps[2] < 1e-4
