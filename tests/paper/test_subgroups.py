"""The paper's three-class example with a class of two subgroups (its figure 2)."""

import numpy as np
import pytest

from sfplearn import SFPClassifier

# Means and standard deviations of the four components; class 3 has the last two.
CENTERS = np.array([[0.0, 0.0], [-12.0, 0.0], [0.0, 8.0], [0.0, -4.0]])
DEVIATIONS = np.array([[15**0.5, 0.05**0.5], [1.0, 1.0], [2.0, 2.0], [1.0, 1.0]])
PROPORTIONS = [0.25, 0.25, 0.5 * 2 / 3, 0.5 / 3]


def draw(n=500, seed=0):
    random = np.random.default_rng(seed)
    component = random.choice(4, size=n, p=PROPORTIONS)
    X = CENTERS[component] + DEVIATIONS[component] * random.standard_normal((n, 2))
    return X, np.minimum(component, 2)


@pytest.fixture(scope="module")
def problem():
    X, y = draw()
    return X, y, X.mean(axis=0), X.std(axis=0)


def fit(problem, k):
    X, y, mean, deviation = problem
    model = SFPClassifier(
        k, alpha=1, gamma=0.05, lam=25, scale=None, init="random", n_init=200, random_state=0
    )
    return model.fit((X - mean) / deviation, y)


def nearest(model, problem, component):
    """Number and distance, in the original units, of the centre nearest to a component."""
    _, _, mean, deviation = problem
    gaps = np.linalg.norm(model.cluster_centers_ * deviation + mean - CENTERS[component], axis=1)
    return int(gaps.argmin()), gaps.min()


@pytest.mark.parametrize("k", [6, 7])
def test_every_class_and_subgroup_gets_a_centre(problem, k):
    model = fit(problem, k)
    for component, reach in enumerate([4.0, 0.5, 2.5, 0.5]):
        cluster, gap = nearest(model, problem, component)
        assert gap < reach, (component, gap)
        assert model.prototypes_[cluster].argmax() == min(component, 2)


def test_weights_show_the_subspace_of_class_1(problem):
    model = fit(problem, 6)
    stretched, _ = nearest(model, problem, 0)
    np.testing.assert_allclose(model.feature_weights_[stretched], [0.1, 0.9], atol=0.1)
    for component in (1, 3):
        round_cluster, _ = nearest(model, problem, component)
        np.testing.assert_allclose(model.feature_weights_[round_cluster], [0.5, 0.5], atol=0.1)
