"""The paper's section on mixtures of experts, tried on numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp
from sklearn.mixture import GaussianMixture

from sfplearn import SFPClusterer
from sfplearn.core import (
    DiagonalGaussian,
    LogLoss,
    Objective,
    Params,
    Prototype,
    Rows,
    Silent,
    WeightedEuclidean,
    memberships,
    params_at,
    summarize,
    update,
    value,
)
from sfplearn.core.divergences import Balls, Gaussians
from sfplearn.core.experts import Prototypes
from tests.conftest import three_blobs

SMOOTHING = 1e-12


def log_normal(X, v, variance):
    """ln N(x; v_j, diag variance_j), (n, k)."""
    deviation = (X[:, None] - v) ** 2 / variance
    return -0.5 * (deviation + np.log(2 * np.pi * variance)).sum(axis=2)


def em(X, y, share, v, variance, z, iterations):
    """EM for the generative mixture of experts p(x, y) = sum_j pi_j N(x; v_j, s_j) z_jy."""
    n, labels = len(X), np.eye(z.shape[1])
    for _ in range(iterations):
        joint = np.log(share) + log_normal(X, v, variance) + np.log(z)[:, y].T
        r = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        mass = r.sum(axis=0)
        share = mass / n
        v = r.T @ X / mass[:, None]
        variance = np.stack([r[:, j] @ (X - v[j]) ** 2 / mass[j] for j in range(len(v))])
        z = r.T @ labels[y] / mass[:, None]
    return share, v, variance, z


def start(k=4):
    X, y = three_blobs(200, 3)
    random = np.random.default_rng(0)
    share = random.dirichlet(np.full(k, 5.0))
    v, variance = X[:k].copy(), random.gamma(4.0, 0.25, size=(k, 3))
    z = random.dirichlet(np.full(3, 3.0), size=k)
    return X, y, share, v, variance, z


def test_theorem_2_descent_is_em_for_generative_mixtures_of_experts():
    X, y, share, v, variance, z = start()
    expert = Prototype(LogLoss(SMOOTHING), 3)
    objective = Objective(DiagonalGaussian(floor=1e-12), expert, alpha=1.0, gamma=1.0)
    params = Params(Gaussians(v, variance, share), Prototypes(z))
    for _ in range(12):
        params = update(objective, params, summarize(objective, params, Rows.of(X, y)))
    expected = em(X, y, share, v, variance, z, 12)
    assert_allclose(params.divergence.share, expected[0], atol=1e-9)
    assert_allclose(params.divergence.v, expected[1], atol=1e-9)
    assert_allclose(params.divergence.variance, expected[2], atol=1e-9)
    assert_allclose(params.expert.z, expected[3], atol=1e-9)


def test_the_objective_is_minus_the_log_likelihood():
    X, y, share, v, variance, z = start()
    objective = Objective(DiagonalGaussian(1e-12), Prototype(LogLoss(SMOOTHING), 3), 1.0, 1.0)
    params = Params(Gaussians(v, variance, share), Prototypes(z))
    joint = np.log(share) + log_normal(X, v, variance) + np.log(z)[:, y].T
    here = value(objective, params, summarize(objective, params, Rows.of(X, y)))
    assert here == pytest.approx(-logsumexp(joint, axis=1).sum(), rel=1e-9)


def gaussian_mixture(X, share, v, variance, iterations):
    """scikit-learn's mixture after some iterations from a given start."""
    peer = GaussianMixture(
        len(v), covariance_type="diag", weights_init=share, means_init=v,
        precisions_init=1 / variance, reg_covar=0.0, tol=0.0, max_iter=iterations,
    )  # fmt: skip
    return peer.fit(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_labels_it_is_the_gaussian_mixture_of_scikit_learn():
    X, _, share, v, variance, _ = start()
    peer = gaussian_mixture(X, share, v, variance, 10)
    objective = Objective(DiagonalGaussian(floor=1e-12), Silent(), alpha=0.0, gamma=1.0)
    params = Params(Gaussians(v, variance, share), Prototypes(np.zeros((4, 0))))
    for _ in range(10):
        params = update(objective, params, summarize(objective, params, Rows.of(X)))
    assert_allclose(params.divergence.share, peer.weights_, atol=1e-6)
    assert_allclose(params.divergence.v, peer.means_, atol=1e-6)
    assert_allclose(params.divergence.variance, peer.covariances_, atol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_densities_and_criteria_are_those_of_scikit_learn():
    X = three_blobs(200, 3)[0]
    settings = {"divergence": "diagonal_gaussian", "gamma": 1.0, "max_iter": 20, "tol": 0}
    model = SFPClusterer(4, random_state=0, **settings).fit(X)
    peer = gaussian_mixture(X, model.cluster_shares_, model.cluster_centers_, model.covariances_, 1)
    peer.weights_, peer.means_ = model.cluster_shares_, model.cluster_centers_
    peer.covariances_ = model.covariances_
    peer.precisions_cholesky_ = 1 / np.sqrt(model.covariances_)
    assert_allclose(model.score_samples(X), peer.score_samples(X))
    assert_allclose(model.memberships(X), peer.predict_proba(X), atol=1e-9)
    assert model.bic(X) == pytest.approx(peer.bic(X))
    assert model.aic(X) == pytest.approx(peer.aic(X))
    ours, theirs = model.sample(20_000, random_state=0)[0], peer.sample(20_000)[0]
    assert_allclose(ours.mean(axis=0), theirs.mean(axis=0), atol=0.05)
    assert_allclose(np.cov(ours.T), np.cov(theirs.T), atol=0.1)


def test_gme_with_the_settings_of_the_paper_is_sfp_plus_a_term_of_log_weights():
    """Multiplied by gamma, up to constants: gamma J = SFP(alpha = gamma) - gamma/2 sum u ln w.

    The paper prints the extra term without its factor gamma.
    """
    X, y, _, v, _, z = start()
    random = np.random.default_rng(1)
    gamma, lam, k, p = 0.7, 3.0, 4, 3
    w = random.dirichlet(np.full(p, 3.0), size=k)
    share = np.full(k, 1 / k)
    generative = Objective(DiagonalGaussian(1e-12), Prototype(LogLoss(SMOOTHING), 3), 1.0, 1.0)
    params = Params(Gaussians(v, gamma / 2 / w, share), Prototypes(z))
    u = memberships(generative, params, Rows.of(X, y))
    entropy = np.sum(u * np.log(u))
    loss = -np.log(z)[:, y].T
    joint = -np.log(share) - log_normal(X, v, gamma / 2 / w)
    penalty = lam / gamma * np.sum(w * np.log(w))
    J = np.sum(u * joint) + np.sum(u * loss) + entropy + penalty

    distance = np.stack([((X - v[j]) ** 2) @ w[j] for j in range(k)], axis=1)
    sfp = np.sum(u * distance) + gamma * np.sum(u * loss) + gamma * entropy
    sfp += lam * np.sum(w * np.log(w))
    extra = -gamma / 2 * np.sum(u * np.log(w).sum(axis=1))
    constant = len(X) * (np.log(k) + p / 2 * np.log(np.pi * gamma))
    assert gamma * J == pytest.approx(sfp + extra + gamma * constant)

    plain = Objective(WeightedEuclidean(lam), Prototype(LogLoss(SMOOTHING), 3), gamma, gamma)
    best = Params(Balls(v, w), Prototypes(z))
    assert value(plain, best, summarize(plain, best, Rows.of(X, y))) <= sfp + 1e-9


def test_a_start_is_as_wide_as_all_rows():
    X = three_blobs(50, 2)[0]
    objective = Objective(DiagonalGaussian(1e-6, X.var(axis=0)), Silent(), 0.0, 1.0)
    params = params_at(objective, Rows.of(X[:3]))
    assert_allclose(params.divergence.variance, np.tile(X.var(axis=0), (3, 1)))
