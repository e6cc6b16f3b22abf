"""Rows without labels."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_blobs
from sklearn.metrics import log_loss

from sfplearn import SFPClassifier
from sfplearn.core import CLASSIFICATION_LOSSES
from tests.conftest import three_blobs

X, Y = three_blobs(90)
KNOWN = np.arange(90) % 3 == 0
TEXT = [str(label) for label in np.array(["a", "b", "c"])[Y]]


def fit(y, X=X, **settings):
    return SFPClassifier(**({"n_clusters": 4, "random_state": 0} | settings)).fit(X, y)


def test_minus_one_is_an_ordinary_class_unless_said_otherwise():
    assert fit(np.where(KNOWN, Y, -1)).classes_.tolist() == [-1, 0, 1, 2]
    assert fit(np.where(KNOWN, Y, -1), unlabeled=-1).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("y", "unlabeled"),
    [
        (np.where(KNOWN, Y, -1), -1),
        (np.where(KNOWN, Y, np.nan), np.nan),
        (np.where(KNOWN, np.array(["a", "b", "c"])[Y], "?"), "?"),
        (np.where(KNOWN, np.array(["a", "b", "c"])[Y], None), np.nan),
        (pd.Series(np.where(KNOWN, Y, np.nan)).astype("Int64"), pd.NA),
        (pd.Series(np.where(KNOWN, np.array(["a", "b", "c"])[Y], None)), np.nan),
        ([label if known else np.nan for label, known in zip(TEXT, KNOWN, strict=True)], np.nan),
        ([int(y) if known else -1 for y, known in zip(Y, KNOWN, strict=True)], -1),
        ([int(y) if known else None for y, known in zip(Y, KNOWN, strict=True)], np.nan),
    ],
    ids=["-1", "NaN", "text", "None", "NA", "series", "list of text", "list", "list with None"],
)
def test_any_mark_will_do(y, unlabeled):
    model = fit(y, unlabeled=unlabeled)
    plain = fit(np.where(KNOWN, Y, -1), unlabeled=-1)
    assert len(model.classes_) == 3
    assert_allclose(model.cluster_centers_, plain.cluster_centers_)
    assert_allclose(model.prototypes_, plain.prototypes_)


@pytest.mark.parametrize("loss", CLASSIFICATION_LOSSES)
def test_all_losses_take_them(loss):
    model = fit(np.where(KNOWN, Y, -1), unlabeled=-1, loss=loss, n_clusters=12)
    assert model.cluster_mass_.sum() == pytest.approx(90)
    assert np.diff(model.objective_path_).max() <= 1e-9
    assert model.score(X, Y) > 0.7


def test_they_add_no_label_sums():
    """With one cluster, prototypes are the frequencies of the labelled rows alone."""
    model = fit(np.where(KNOWN, Y, -1), unlabeled=-1, n_clusters=1)
    assert_allclose(model.prototypes_[0], np.bincount(Y[KNOWN]) / KNOWN.sum(), atol=1e-3)
    assert_allclose(model.cluster_centers_[0], X.mean(axis=0), atol=1e-12)


def test_labels_are_honest_where_some_are_missing():
    settings = {"unlabeled": -1, "loss": "log_loss"}
    model = fit(np.where(KNOWN, Y, -1), **settings)
    sums = model.memberships(X[KNOWN]).T @ np.eye(3)[Y[KNOWN]] + 0.01
    assert_allclose(model.prototypes_, sums / sums.sum(axis=1, keepdims=True), atol=1e-9)
    plain, honest = fit(Y, refine=0), fit(Y, refine=0, honest=True)
    assert_allclose(plain.prototypes_, fit(Y, refine=0, honest=False).prototypes_)
    refined = fit(Y, gamma=0.1, lam=1.0, init="k-means++")
    assert_allclose(refined.refine_path_[0], log_loss(Y, honest.predict_proba(X)))


def test_a_function_as_start_sees_the_labels_as_given():
    def init(X, y, n_clusters, random_state):
        assert (y == -1).sum() == 60
        return np.flatnonzero(y >= 0)[:n_clusters]

    fit(np.where(KNOWN, Y, -1), unlabeled=-1, init=init)


@pytest.mark.parametrize("init", ["k-means++", "rows"])
def test_clusters_that_start_without_a_label_do_not_keep_labels_away(init):
    """With heavy labels a prototype that says nothing would never meet a labelled row."""
    data, group = make_blobs(600, centers=6, n_features=4, cluster_std=0.5, random_state=0)
    partly = np.where(np.arange(600) % 10, -1, group % 3)
    start = [np.flatnonzero((group == g) & (partly < 0))[0] for g in range(6)]
    settings = {"n_clusters": 6, "alpha": 100.0, "unlabeled": -1, "honest": False, "n_init": 5}
    model = fit(partly, data, init=start if init == "rows" else init, **settings)
    assert model.score(data, group % 3) > 0.95


def test_class_weights_leave_them_alone():
    model = fit(np.where(KNOWN, Y, -1), unlabeled=-1, class_weight={0: 5, 1: 1, 2: 1})
    expected = 90 + 4 * (Y[KNOWN] == 0).sum()
    assert model.cluster_mass_.sum() == pytest.approx(expected)
    balanced = fit(np.where(KNOWN, Y, -1), unlabeled=-1, class_weight="balanced")
    assert balanced.cluster_mass_.sum() == pytest.approx(90)


def accuracies(seed):
    """Accuracy with 40 labels of 800 rows: of a fit to these alone, and to all rows."""
    data, y = make_blobs(1200, centers=5, n_features=8, cluster_std=5.0, random_state=seed)
    known = np.random.default_rng(seed).permutation(800)[:40]
    partly = np.full(800, -1)
    partly[known] = y[known]
    settings = {"n_clusters": "auto", "unlabeled": -1}
    alone = fit(y[known], data[known], **settings).score(data[800:], y[800:])
    return alone, fit(partly, data[:800], **settings).score(data[800:], y[800:])


def test_five_percent_of_the_labels_with_the_rest_beat_them_alone():
    alone, together = np.mean([accuracies(seed) for seed in range(8)], axis=0)
    assert together > alone + 0.03
