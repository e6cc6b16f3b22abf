"""Streams that jump, grow, change units, come in odd shapes or in reused buffers."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor, open_rows
from tests.conftest import three_blobs
from tests.estimators.test_stream import feed, many_blobs


def jumping(seed=0, by=40.0, dtype=float):
    """Four crowds that jump after 2500 rows."""
    random = np.random.default_rng(seed)
    crowd = random.integers(4, size=6000)
    X = random.normal(size=(6000, 2)) + np.array([[0, 0], [9, 0], [0, 9], [9, 9.0]])[crowd]
    X[2500:] += by
    return X.astype(dtype), crowd


@pytest.mark.parametrize("size", [1, 2, 100])
def test_forgotten_clusters_are_replaced_whatever_the_size_of_blocks(size):
    X, crowd = jumping()
    model = feed(SFPClassifier(8, half_life=60, random_state=0), X, crowd, size, classes=range(4))
    assert len(model.cluster_centers_) == 8
    assert model.score(X[4000:], crowd[4000:]) > 0.97


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("by", [1e3, 1e5])
def test_rows_that_jump_far_are_followed_in_any_precision(dtype, by):
    X, crowd = jumping(by=by, dtype=dtype)
    model = feed(SFPClassifier(8, half_life=60, random_state=0), X, crowd, 50, classes=range(4))
    assert model.score(X[5000:], crowd[5000:]) > 0.95


@pytest.mark.parametrize(
    "divergence", ["weighted_euclidean", "shared_weights", "diagonal_gaussian"]
)
@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_rows_that_change_their_scale_are_followed(divergence, factor):
    X, crowd = jumping(by=0.0)
    X[2500:] *= factor
    gamma = 1.0 if divergence == "diagonal_gaussian" else 0.1
    model = SFPClassifier(8, divergence=divergence, gamma=gamma, half_life=60, random_state=0)
    feed(model, X, crowd, 50, classes=range(4))
    assert model.score(X[5000:], crowd[5000:]) > 0.95


@pytest.mark.parametrize("size", [1, 20, 200, 1000])
def test_a_half_life_means_the_same_in_blocks_of_any_size(size):
    X, crowd = jumping(by=0.0)
    model = SFPClassifier(8, half_life=20, random_state=0)
    feed(model, X[:3000], crowd[:3000], 100, classes=range(4))
    feed(model, X[3000:4000], 3 - crowd[3000:4000], size)
    assert model.score(X[4000:], 3 - crowd[4000:]) > 0.95


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson"]
)
def test_labels_beyond_the_first_are_learned(loss):
    random = np.random.default_rng(0)
    X = random.normal(size=(5000, 3))
    y = np.maximum(0, np.round(X[:, 0] + 5))
    model = SFPRegressor(8, loss=loss, half_life=200, random_state=0)
    feed(model, X[:2500], y[:2500], 100)
    feed(model, X[2500:], y[2500:] + 100, 100)
    assert model.predict(X).mean() == pytest.approx(105, abs=1.5)


def test_units_of_labels_follow_their_spread():
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 3))
    y = np.where(np.arange(6000) < 2500, 1.0, 1e6 * X[:, 0])
    model = feed(SFPRegressor(10, half_life=300, random_state=0), X, y, 100)
    batch = SFPRegressor(10, random_state=0).fit(X[2500:], y[2500:])
    expected = batch.score(X[2500:], y[2500:])
    assert model.score(X[2500:], y[2500:]) > expected - 0.1


def test_a_reused_buffer_is_no_trap():
    X, y = many_blobs(1500)
    plain = feed(SFPClassifier(6, random_state=0), X, y, 500, classes=range(4))
    buffer, labels = np.empty((500, X.shape[1])), np.empty(500, int)
    model = SFPClassifier(6, random_state=0)
    for first in range(0, 1500, 500):
        buffer[:], labels[:] = X[first : first + 500], y[first : first + 500]
        model.partial_fit(buffer, labels, classes=range(4))
    np.testing.assert_array_equal(model.cluster_centers_, plain.cluster_centers_)


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e3])
def test_nothing_is_forgotten_where_that_was_not_asked_for(weight):
    X, y = make_blobs(4000, 4, centers=4, random_state=0, cluster_std=1.5)
    model = SFPClassifier(8, random_state=0)
    for first in range(0, 4000, 100):
        part = slice(first, first + 100)
        weights = np.full(100, weight)
        model.partial_fit(X[part], y[part], classes=range(4), sample_weight=weights)
    assert model.cluster_mass_.sum() == pytest.approx(4000 * weight)
    assert model.score(X, y) > 0.98


def test_a_large_class_that_comes_late_gets_several_clusters():
    X, blob = make_blobs(9000, 4, centers=8, random_state=3, cluster_std=1.0)
    y = (blob >= 4).astype(int)
    order = np.argsort(y, kind="stable")
    model = feed(SFPClassifier(12, random_state=0), X[order], y[order], 100, classes=[0, 1])
    assert model.score(X[y == 1], y[y == 1]) > 0.9
    assert model.score(X[y == 0], y[y == 0]) > 0.9


def test_an_interrupted_call_leaves_nothing_behind(monkeypatch):
    X, _ = many_blobs(3000)
    model = feed(SFPClusterer(4, random_state=0), X)
    before = pickle.dumps(model)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SFPClusterer, "predict", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[:100])
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"loss": "hinge"}, "needs the loss of the first call, 'log_loss'; got 'hinge'"),
        ({"divergence": "shared_weights"}, "needs the divergence of the first call"),
        ({"half_life": 5, "divergence": "kernel"}, "needs another divergence than 'kernel'"),
        ({"class_weight": "balanced"}, "needs all rows at once; give a dictionary"),
    ],
)
def test_settings_that_change_on_the_way_are_refused(change, message):
    X, y = three_blobs(200)
    model = feed(SFPClassifier(3, random_state=0), X, y).set_params(**change)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, y)


def test_fits_of_linear_experts_are_not_gone_on_from():
    X, y = three_blobs(200)
    model = SFPClassifier(2, expert="linear").fit(X, y).set_params(expert="constant")
    with pytest.raises(ValueError, match="cannot go on from linear experts"):
        model.partial_fit(X, y)


def test_shapes_and_kinds_that_fit_takes_are_taken():
    X, y = three_blobs(200)
    for k in (np.int64(5), 5):
        one = SFPClassifier(k, random_state=0)
        for i in range(20):
            one.partial_fit(X[[i]], y[[i]][:, None], classes=[0, 1, 2])
    SFPClassifier(4, init=X[:4]).partial_fit(X[:2], [0, 1], classes=[0, 1, 2]).partial_fit(X, y)
    mixed = SFPClassifier(4, random_state=0).partial_fit(X, y)
    mixed.partial_fit(sp.csr_array(X), y).partial_fit(X, y)
    flat = SFPRegressor(4, random_state=0).partial_fit(X, X[:, 0]).partial_fit(X, X[:, [0]])
    assert flat.predict(X).shape == (200,)
    with pytest.raises(ValueError, match="y has 2 outputs, and had 1 in the first call"):
        flat.partial_fit(X, X[:, :2])
    with pytest.raises(ValueError, match="one label for each row"):
        mixed.partial_fit(X, 5)
    with pytest.raises(ValueError, match="No row with a weight has a label"):
        SFPRegressor(4, loss="huber").partial_fit(X, np.full(200, np.nan))


def test_rows_of_which_nothing_is_known_are_passed_over():
    X, y = three_blobs(200)
    model = feed(SFPClassifier(4, allow_nan=True, random_state=0), X, y)
    before = model.cluster_centers_
    nothing = np.full((1, X.shape[1]), np.nan)
    model.partial_fit(nothing, [0])
    np.testing.assert_array_equal(model.cluster_centers_, before)
    model.partial_fit(X, y, sample_weight=np.zeros(200))
    np.testing.assert_array_equal(model.cluster_centers_, before)
    with pytest.raises(ValueError, match="No row has a weight and a known cell"):
        SFPClassifier(4, allow_nan=True).partial_fit(nothing, [0], classes=[0, 1])


@pytest.mark.parametrize("kind", [list, np.array, lambda y: np.array(y, dtype=object)])
def test_rows_without_labels_are_recognised_in_any_container(kind):
    X, y = many_blobs(3000)
    words = np.array(["a", "b", "c", "d"])[y]
    words[::3] = "?"
    model = SFPClassifier(10, unlabeled="?", random_state=0)
    for first in range(0, 3000, 300):
        part = slice(first, first + 300)
        model.partial_fit(X[part], kind(words[part].tolist()), classes=["a", "b", "c", "d"])
    labelled = model._stream["sums"][5].sum()
    assert labelled == pytest.approx(2000, abs=1)


def test_sparse_rows_after_dense_ones_are_the_same_rows():
    X, y = many_blobs(4000)
    X = X + 50.0
    here, there = (SFPClassifier(10, random_state=0).fit(X[:3000], y[:3000]) for _ in range(2))
    feed(here, X[3000:], y[3000:])
    feed(there, sp.csr_array(X[3000:]), y[3000:])
    np.testing.assert_allclose(there.cluster_centers_, here.cluster_centers_, atol=1e-6)
    for model in (here, there):
        feed(model, X[:1000], y[:1000])
    assert there.score(X, y) == pytest.approx(here.score(X, y), abs=0.01)


def test_clusters_are_born_in_streams_with_missing_cells():
    X, crowd = jumping()
    X[::7, 0] = np.nan
    model = SFPClassifier(8, half_life=60, allow_nan=True, random_state=0)
    feed(model, X, crowd, 50, classes=range(5))
    clean, labels = jumping(by=80.0, seed=1)
    feed(model, clean[3000:], labels[3000:] + 1, 50)
    assert model.score(clean[5000:], labels[5000:] + 1) > 0.95


def test_an_automatic_number_of_clusters_is_kept():
    X, crowd = jumping()
    model = feed(SFPClassifier(half_life=60, random_state=0), X[:2400], crowd[:2400])
    before = len(model.cluster_centers_)
    feed(model, X[2400:], crowd[2400:])
    assert len(model.cluster_centers_) == before


def test_units_of_labels_that_were_constant_are_small_if_labels_are():
    random = np.random.default_rng(0)
    X = random.normal(size=(6000, 3))
    y = np.where(np.arange(6000) < 2500, 0.0, 1e-3 * X[:, 0])
    model = feed(SFPRegressor(10, half_life=300, random_state=0), X, y, 100)
    assert model.score(X[2500:], y[2500:]) > 0.85


def test_rows_elsewhere_are_no_stream():
    X, y = three_blobs(60)
    with pytest.raises(ValueError, match="partial_fit takes rows in memory; call it for each"):
        SFPClassifier(3).partial_fit(open_rows([(X, y)]), y)
