"""Clusters that coincide answer as one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier
from sfplearn.core.simplex import softmin
from sfplearn.core.terms import Quadratic
from sfplearn.fitting import join_alike

GAMMA = 0.5


def random_form(seed, k, p=3):
    random = np.random.default_rng(seed)
    form = Quadratic(
        bias=random.standard_normal(k),
        weights=random.uniform(0.1, 1.0, (k, p)),
        centers=random.standard_normal((k, p)),
    )
    return form, random.dirichlet(np.ones(3), k)


def predictions(form, z, rows):
    distances = np.sum(form.weights * (rows[:, None] - form.centers) ** 2, axis=2) + form.bias
    u, _ = softmin(distances, GAMMA)
    return u @ z


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_repeated_clusters_are_joined_without_a_change_of_predictions(seed, copies):
    form, z = random_form(seed, 4)
    random = np.random.default_rng(seed)
    repeated = Quadratic(
        bias=random.standard_normal(len(copies)),
        weights=form.weights[copies],
        centers=form.centers[copies],
    )
    joined, fewer = join_alike(repeated, z[copies], GAMMA)
    rows = random.standard_normal((20, 3))
    assert len(fewer) == len(set(copies))
    before, after = predictions(repeated, z[copies], rows), predictions(joined, fewer, rows)
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-12)


def test_clusters_that_differ_in_one_respect_stay_apart():
    form, z = random_form(0, 1)
    twice = Quadratic(*(np.repeat(part, 2, axis=0) for part in form[:3]))
    for field, moved in (("weights", twice.weights), ("centers", twice.centers)):
        other = moved.copy()
        other[1] *= 1.5
        joined, _ = join_alike(twice._replace(**{field: other}), np.repeat(z, 2, axis=0), GAMMA)
        assert len(joined.centers) == 2
    joined, _ = join_alike(twice, np.array([[1.0, 0.0], [0.0, 1.0]]), GAMMA)
    assert len(joined.centers) == 2
    assert len(join_alike(twice, np.repeat(z, 2, axis=0), GAMMA)[1]) == 1


def test_biases_far_apart_leave_numbers():
    form, z = random_form(1, 3)
    far = form._replace(bias=np.array([0.0, 2000.0, 5000.0]) * GAMMA)
    joined, kept = join_alike(far, z, GAMMA)
    np.testing.assert_array_equal(joined.bias, far.bias)
    np.testing.assert_allclose(joined.centers, far.centers)
    np.testing.assert_allclose(kept, z)


def test_a_feature_that_only_one_of_two_looks_at_keeps_them_apart():
    form, z = random_form(2, 1, p=2)
    twice = Quadratic(*(np.repeat(part, 2, axis=0) for part in form[:3]))
    blind = twice._replace(weights=np.array([[1.0, 1e-12], [1.0, 0.0]]))
    joined, _ = join_alike(blind, np.repeat(z, 2, axis=0), GAMMA)
    assert np.isfinite(joined.centers).all()
    blind = twice._replace(weights=np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert len(join_alike(blind, np.repeat(z, 2, axis=0), GAMMA)[1]) == 2


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_a_default_model_has_fewer_clusters_and_says_the_same(load):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = SFPClassifier(random_state=0).fit(X, y)
    k = 4 * len(model.classes_)
    asked = SFPClassifier(k, random_state=0).fit(X, y)
    assert len(asked.cluster_centers_) == k
    assert len(model.cluster_centers_) < k
    np.testing.assert_allclose(model.predict_proba(X), asked.predict_proba(X), atol=1e-3)
