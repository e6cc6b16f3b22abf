"""What SFPClusterer promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

from sfplearn import SFPClassifier, SFPClusterer

X, Y = make_blobs(300, centers=4, cluster_std=0.6, n_features=3, random_state=2)


def fit(X=X, **settings):
    return SFPClusterer(**({"n_clusters": 4, "random_state": 0} | settings)).fit(X)


def test_clusters_are_found():
    assert adjusted_rand_score(Y, fit().labels_) == 1


def test_crisp_clusters_with_even_weights_are_those_of_k_means():
    peer = KMeans(4, n_init=10, random_state=0).fit(X)
    model = fit(gamma=1e-4, lam=1e6)
    order = np.argsort(model.cluster_centers_[:, 0])
    expected = peer.cluster_centers_[np.argsort(peer.cluster_centers_[:, 0])]
    assert_allclose(model.cluster_centers_[order], expected, atol=1e-3)


def test_labels_are_the_predictions_of_the_training_rows():
    model = fit()
    assert model.labels_.tolist() == model.predict(X).tolist() == model.fit_predict(X).tolist()
    assert model.labels_.tolist() == model.memberships(X).argmax(axis=1).tolist()


def test_it_is_a_classifier_that_ignores_labels():
    blind = SFPClassifier(4, alpha=0, init=[0, 1, 2, 3], refine=0).fit(X, Y)
    model = fit(init=[0, 1, 2, 3])
    assert_allclose(model.cluster_centers_, blind.cluster_centers_)
    assert_allclose(model.feature_weights_, blind.feature_weights_)


def test_indices_are_those_of_the_membership_matrix():
    model = fit(gamma=0.5)
    u, d = model.memberships(X), model.transform(X)
    v, w = model.cluster_centers_, model.feature_weights_
    assert model.partition_coefficient_ == pytest.approx(np.mean(np.sum(u**2, axis=1)))
    entropy = -np.sum(np.where(u > 0, u * np.log(np.maximum(u, 1e-300)), 0), axis=1)
    assert model.partition_entropy_ == pytest.approx(entropy.mean())
    between = [
        np.sum((w[i] + w[j]) / 2 * (v[i] - v[j]) ** 2) for i in range(4) for j in range(4) if i != j
    ]
    compact = np.mean(np.sum(u**2 * d, axis=1))
    assert model.xie_beni_ == pytest.approx(compact / min(between))


def test_indices_at_their_limits():
    crisp, fuzzy = fit(gamma=1e-4), fit(gamma=1e6, max_iter=5, tol=0)
    assert crisp.partition_coefficient_ == pytest.approx(1)
    assert crisp.partition_entropy_ == pytest.approx(0, abs=1e-6)
    assert fuzzy.partition_coefficient_ == pytest.approx(1 / 4, rel=1e-3)
    assert fuzzy.partition_entropy_ == pytest.approx(np.log(4), rel=1e-3)


def test_even_weights_give_the_index_of_xie_and_beni():
    model = fit(lam=1e9)
    u = model.memberships(X)
    d = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    v = model.cluster_centers_
    apart = min(np.sum((v[i] - v[j]) ** 2) for i in range(4) for j in range(i))
    assert model.xie_beni_ == pytest.approx(np.sum(u**2 * d) / (len(X) * apart))


def test_weights_equal_repetition():
    times = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = SFPClusterer(4, random_state=0).fit(X, sample_weight=times)
    repeated = fit(np.repeat(X, times, axis=0))
    assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-9)
    assert weighted.xie_beni_ == pytest.approx(repeated.xie_beni_)


def test_feature_weights_find_the_subspace_of_each_cluster():
    """Two clusters that are tight in different features, as EWKM's papers draw them."""
    random = np.random.default_rng(0)
    first = random.normal([0, 0], [0.1, 2], (200, 2))
    second = random.normal([6, 6], [2, 0.1], (200, 2))
    model = fit(np.vstack([first, second]), n_clusters=2, lam=0.1)
    tight = model.feature_weights_[np.argsort(model.cluster_centers_[:, 0])]
    assert tight[0, 0] > 0.9
    assert tight[1, 1] > 0.9


def test_iris():
    data, species = load_iris(return_X_y=True)
    assert adjusted_rand_score(species, fit(data, n_clusters=3, lam=10.0).labels_) > 0.65


def test_equal_rows_have_no_separation():
    assert fit(np.ones((10, 2)), n_clusters=2).xie_beni_ == np.inf
    assert fit(n_clusters=1).xie_beni_ == np.inf
