"""Streams: close to the batch solution, at constant cost, forgetting what was."""

import pickle
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
from sklearn.base import clone
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_diabetes, load_digits, make_blobs
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor
from sfplearn.estimators.refinement import forget_refinement
from sfplearn.estimators.streaming import YOUNG_ROWS
from tests.conftest import three_blobs


def feed(model, X, y=None, size=50, **settings):
    """Let a model see rows in blocks."""
    for first in range(0, X.shape[0], size):
        part = slice(first, first + size)
        model.partial_fit(X[part], None if y is None else y[part], **settings)
    return model


def many_blobs(n=12_000, seed=0):
    X, group = make_blobs(n, n_features=6, centers=15, cluster_std=2.5, random_state=seed)
    return StandardScaler().fit_transform(X), group % 4


def rotating(n, seed=0, turns=1.0):
    """A checkerboard of four fields that turns."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    a = 2 * np.pi * turns * np.arange(n) / n
    one = np.cos(a) * X[:, 0] + np.sin(a) * X[:, 1]
    other = np.cos(a) * X[:, 1] - np.sin(a) * X[:, 0]
    return X, ((one > 0) ^ (other > 0)).astype(int)


def prequential(model, X, y, size=50):
    model.partial_fit(X[:size], y[:size], classes=[0, 1])
    right = []
    for first in range(size, len(X), size):
        part = slice(first, first + size)
        right.append(model.predict(X[part]) == y[part])
        model.partial_fit(X[part], y[part])
    return np.mean(np.concatenate(right))


@pytest.mark.parametrize("size", [7, 100, 12_000])
def test_one_pass_over_a_stationary_stream_comes_near_the_batch_solution(size):
    X, y = many_blobs()
    train, test = slice(2000, None), slice(0, 2000)
    batch = SFPClassifier(30, refine=0, random_state=0).fit(X[train], y[train])
    online = feed(SFPClassifier(30, random_state=0), X[train], y[train], size, classes=range(4))
    assert online.score(X[test], y[test]) >= batch.score(X[test], y[test]) - 0.02


def test_one_pass_over_digits_comes_near_the_batch_solution():
    X, y = load_digits(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    scores = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(X))
        train, test = order[:1300], order[1300:]
        batch = SFPClassifier(40, refine=0, random_state=seed).fit(X[train], y[train])
        online = feed(SFPClassifier(40, random_state=seed), X[train], y[train], 100)
        scores.append([batch.score(X[test], y[test]), online.score(X[test], y[test])])
    batch, online = np.mean(scores, axis=0)
    assert online >= batch - 0.02


def test_more_rows_of_a_stationary_stream_come_nearer_to_the_batch_solution():
    """That of all rows, from where the stream ended."""
    X, _ = many_blobs(40_000)
    early = feed(SFPClusterer(5, random_state=0), X[:3_000], size=500)
    late = feed(SFPClusterer(5, random_state=0), X, size=500)
    batch = SFPClusterer(5, init=late.cluster_centers_, tol=1e-9, max_iter=500).fit(X)
    gaps = [np.abs(batch.cluster_centers_ - each.cluster_centers_).max() for each in (early, late)]
    assert gaps[1] < gaps[0] / 2
    assert gaps[1] < 0.05


def test_a_rotating_boundary_is_followed():
    X, y = rotating(8000)
    online = prequential(SFPClassifier(20, half_life=200, random_state=0), X, y)
    batch = SFPClassifier(20, random_state=0).fit(X[:2000], y[:2000]).score(X[2000:], y[2000:])
    linear = prequential(SGDClassifier(random_state=0), X, y)
    unforgetting = prequential(SFPClassifier(20, random_state=0), X, y)
    assert online > 0.85
    assert online > max(batch, linear, unforgetting) + 0.1


def test_clusters_follow_a_moving_crowd():
    random = np.random.default_rng(0)
    drift = np.linspace(0, 500, 10_000)[:, None]
    X = np.where(np.arange(10_000)[:, None] % 2, 10.0, -10.0) + drift
    X = X + random.standard_normal((10_000, 2))
    here = feed(SFPClusterer(2, half_life=30, random_state=0), X).cluster_centers_
    np.testing.assert_allclose(np.sort(here[:, 0]), [490, 510], atol=6)
    followed = MiniBatchKMeans(2, random_state=0, n_init=3)
    feed(followed, X)
    assert np.abs(np.sort(followed.cluster_centers_[:, 0]) - [490, 510]).max() > 6


def test_the_cost_of_a_row_is_constant_for_ever():
    """Memory is; time is compared after ten times as many rows, when it would show."""
    X, y = three_blobs(200)
    model = SFPClassifier(8, half_life=1000, random_state=0)
    feed(model, np.tile(X, (25, 1)), np.tile(y, 25), 200, classes=[0, 1, 2])

    def seconds():
        times = []
        for _ in range(20):
            began = time.process_time()
            model.partial_fit(X, y)
            times.append(time.process_time() - began)
        return min(times)

    size, early = len(pickle.dumps(model)), seconds()
    feed(model, np.tile(X, (300, 1)), np.tile(y, 300), 200)
    assert len(pickle.dumps(model)) == pytest.approx(size, abs=20)
    assert size < 20_000
    assert seconds() < 3 * early


def test_a_class_that_comes_late_is_learned_if_it_was_announced():
    X, y = make_blobs(6000, centers=4, n_features=3, cluster_std=1.0, random_state=3)
    early, late = y < 3, y == 3
    model = SFPClassifier(6, random_state=0)
    feed(model, X[early], y[early], classes=range(4))
    assert model.predict_proba(X).shape == (6000, 4)
    assert (model.predict(X[late]) != 3).all()
    feed(model, X[late][:60], y[late][:60], 20)
    assert len(model.cluster_centers_) == 6
    assert np.mean(model.predict(X[late]) == 3) > 0.95
    assert np.mean(model.predict(X[early]) == y[early]) > 0.9


def test_a_class_that_was_not_announced_is_refused():
    X, y = three_blobs(60)
    model = feed(SFPClassifier(3, random_state=0), X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="y holds the label 9, which is none of the classes 0, 1"):
        model.partial_fit(X[:2], [0, 9])
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit(X[:2], [0, 1], classes=[0, 1])
    assert pickle.dumps(model) == before


def test_clusters_are_born_while_there_are_fewer_than_asked_for():
    random = np.random.default_rng(0)
    model = feed(SFPClusterer(4, random_state=0), np.zeros((3000, 2)))
    assert len(model.cluster_centers_) == 1
    feed(model, 50.0 + random.standard_normal((1500, 2)))
    assert len(model.cluster_centers_) == 4
    found = np.sort(model.cluster_centers_[:, 0])
    np.testing.assert_allclose(found, [0, 50, 50, 50], atol=2)


def test_one_row_at_a_time_works_from_the_first():
    X, y = three_blobs(300)
    model = SFPClassifier(6, random_state=0)
    for x, label in zip(X, y, strict=True):
        assert model.partial_fit([x], [label], classes=[0, 1, 2]).predict([x]).shape == (1,)
    batch = SFPClassifier(6, refine=0, random_state=0).fit(X, y)
    assert model.score(X, y) > batch.score(X, y) - 0.1


def test_a_stream_goes_on_from_a_fit():
    X, y = many_blobs(6000)
    model = SFPClassifier(20, refine=0, random_state=0).fit(X[:3000], y[:3000])
    before = model.cluster_mass_.sum()
    feed(model, X[3000:], y[3000:])
    assert model.cluster_mass_.sum() == pytest.approx(before + 3000)
    whole = SFPClassifier(20, refine=0, random_state=0).fit(X, y)
    assert model.score(X, y) > whole.score(X, y) - 0.02
    again = model.fit(X[:3000], y[:3000])
    assert again.cluster_mass_.sum() == pytest.approx(3000)


REFINED = ("refine_path_", "cluster_biases_", "cluster_scales_", "_unrefined")


@pytest.mark.parametrize("divergence", ["weighted_euclidean", "shared_weights"])
def test_a_stream_goes_on_from_before_a_refinement(divergence):
    """By default a fit is refined; a stream needs sums of rows, which end with the descent."""
    X, y = many_blobs(4000)
    settings = {"n_clusters": 20, "divergence": divergence, "random_state": 0}
    model = SFPClassifier(**settings).fit(X[:3000], y[:3000])
    strengths = {"alpha": 1.0, "gamma": 1 / len(np.unique(y)), "lam": 1.0, "init": "stratified"}
    plain = SFPClassifier(refine=0, **settings, **strengths).fit(X[:3000], y[:3000])
    assert all(hasattr(model, name) for name in REFINED)
    assert np.abs(model.memberships(X) - plain.memberships(X)).max() > 0.1
    model.partial_fit(X[:1], y[:1], sample_weight=[0.0])  # nothing learned, nothing lost
    assert all(hasattr(model, name) for name in REFINED)
    forget_refinement(model)
    assert not any(hasattr(model, name) for name in REFINED)
    np.testing.assert_allclose(model.memberships(X), plain.memberships(X), atol=1e-12)
    plain.set_params(gamma=0.1, lam=1.0)  # "auto" is that of a descent from now on
    for each in (model, plain):
        feed(each, X[3000:], y[3000:])
    for name in ("cluster_centers_", "feature_weights_", "prototypes_", "cluster_mass_", "gamma_"):
        here, there = getattr(model, name), getattr(plain, name)
        np.testing.assert_allclose(here, there, rtol=1e-9, atol=1e-9, err_msg=name)
    assert model.cluster_mass_.sum() == pytest.approx(4000)
    assert hasattr(model.fit(X[:3000], y[:3000]), "refine_path_")


def test_a_failed_call_keeps_the_refinement():
    X, y = three_blobs(60)
    model = SFPClassifier(3, random_state=0).fit(X, y)
    before, answers = dict(vars(model)), model.predict_proba(X)
    with pytest.raises(ValueError, match="y holds the label 9"):
        model.partial_fit(X[:2], [0, 9])
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(model.predict_proba(X), answers)


def test_weights_are_repetitions():
    X, y = three_blobs(60)
    times = np.arange(60) % 3
    here = SFPClassifier(4, random_state=0).partial_fit(X, y, sample_weight=times)
    there = SFPClassifier(4, random_state=0).partial_fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    np.testing.assert_allclose(here.cluster_centers_, there.cluster_centers_, atol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "squared_error"},
        {"loss": "absolute_error"},
        {"loss": "huber"},
        {"loss": "quantile"},
        {"divergence": "shared_weights"},
        {"divergence": "kernel", "n_landmarks": 30},
        {"half_life": 500},
    ],
    ids=str,
)
def test_numbers_are_learned_from_a_stream(settings):
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    X, y = np.tile(X, (8, 1)), np.tile(y, 8)
    model = feed(SFPRegressor(10, random_state=0, **settings), X, y)
    batch = SFPRegressor(10, refine=0, random_state=0, **settings).fit(X, y)
    r2 = [1 - np.var(y - each.predict(X)) / np.var(y) for each in (model, batch)]
    assert r2[0] > r2[1] - 0.06
    assert len(X) > YOUNG_ROWS


@pytest.mark.parametrize("loss", ["log_loss", "hinge", "logistic", "squared_hinge", "zero_one"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_every_loss_streams(loss, container):
    X, y = many_blobs(4000)
    model = SFPClassifier(20, loss=loss, random_state=0)
    feed(model, container(X), y, 400)
    batch = SFPClassifier(20, loss=loss, refine=0, random_state=0).fit(X, y)
    assert model.score(X, y) > batch.score(X, y) - 0.03


def test_rows_without_labels_and_missing_cells_stream():
    X, y = many_blobs(4000)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    y = np.where(np.arange(4000) % 3, y, -1)
    model = SFPClassifier(20, unlabeled=-1, allow_nan=True, random_state=0)
    feed(model, X, y, 200)
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.score(X[y >= 0], y[y >= 0]) > 0.7


def test_a_failed_call_leaves_the_model_as_it_was():
    X, y = three_blobs(60)
    model = feed(SFPClassifier(3, random_state=0), X, y)
    before = pickle.dumps(model)
    for bad in (X[:, :2], np.full_like(X, np.nan), X[:5]):
        with pytest.raises(ValueError, match=r"features|NaN|labels for"):
            model.partial_fit(bad, y)
    with pytest.raises(ValueError, match="half_life must be a number above 0"):
        clone(model).set_params(half_life=0).partial_fit(X, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    "settings", [{"refine": 3}, {"expert": "linear"}, {"honest": True}], ids=str
)
def test_what_needs_all_rows_has_no_partial_fit(settings):
    assert not hasattr(SFPClassifier(**settings), "partial_fit")


def test_streams_can_be_saved_and_continued():
    X, y = many_blobs(4000)
    here = feed(SFPClassifier(10, random_state=0), X[:3000], y[:3000])
    stored = skops.io.dumps(here)
    types = skops.io.get_untrusted_types(data=stored)
    assert types == ["sfplearn.estimators.classifier.SFPClassifier"]
    there = skops.io.loads(stored, trusted=types)
    for model in (here, there):
        feed(model, X[3000:], y[3000:])
    np.testing.assert_array_equal(here.cluster_centers_, there.cluster_centers_)


def test_streams_are_quiet():
    X, y = three_blobs(300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = feed(SFPClassifier(3, random_state=0), X, y, 10)
    assert model.score(X, y) > 0.5
