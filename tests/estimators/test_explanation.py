"""Explanations: sums of contributions are distances, memberships mix what clusters say."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor, open_rows
from sfplearn.estimators.explanation import sayings

WINE, GROWER = load_wine(return_X_y=True)
WINE = StandardScaler().fit_transform(WINE)
DIABETES, PROGRESS = load_diabetes(return_X_y=True)
DIABETES = StandardScaler().fit_transform(DIABETES)

MODELS = {
    "classifier": SFPClassifier(5, random_state=0),
    "unrefined": SFPClassifier(5, refine=0, random_state=0),
    "shared weights": SFPClassifier(5, divergence="shared_weights", random_state=0),
    "Gaussians": SFPClassifier(5, divergence="diagonal_gaussian", refine=0, random_state=0),
    "hinge": SFPClassifier(5, loss="hinge", random_state=0),
    "linear experts": SFPClassifier(2, expert="linear", random_state=0),
    "clusterer": SFPClusterer(5, random_state=0),
}


def fitted(name):
    return MODELS[name].fit(WINE, GROWER)


@pytest.mark.parametrize("name", MODELS)
def test_contributions_sum_to_the_distances_of_transform(name):
    model = fitted(name)
    why = model.explain(WINE[:20])
    expected = np.take_along_axis(model.transform(WINE[:20]), why.clusters, axis=1)
    np.testing.assert_allclose(why.contributions.sum(axis=2), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(why.distances, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_clusters_come_with_their_memberships_strongest_first(name):
    model = fitted(name)
    why = model.explain(WINE[:20], n_clusters=2)
    u = model.memberships(WINE[:20])
    assert why.clusters.shape == (20, 2)
    np.testing.assert_allclose(why.memberships[:, 0], u.max(axis=1))
    np.testing.assert_allclose(np.take_along_axis(u, why.clusters, axis=1), why.memberships)
    np.testing.assert_array_equal(why.prediction, model.predict(WINE[:20]))


def test_memberships_mix_what_clusters_say_into_probabilities():
    model = fitted("classifier")
    why = model.explain(WINE, n_clusters=5)
    mixed = np.einsum("nc,ncm->nm", why.memberships, why.says)
    np.testing.assert_allclose(mixed, model.predict_proba(WINE), atol=1e-6)
    np.testing.assert_allclose(why.says[0], model.prototypes_[why.clusters[0]], atol=1e-6)


def test_memberships_mix_what_clusters_say_into_numbers():
    model = SFPRegressor(6, random_state=0).fit(DIABETES, PROGRESS)
    why = model.explain(DIABETES[:30], n_clusters=6)
    mixed = np.sum(why.memberships * why.says[:, :, 0], axis=1)
    np.testing.assert_allclose(mixed, model.predict(DIABETES[:30]), rtol=1e-6)


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"linear experts"}))
def test_clusters_say_alone_what_they_say_of_any_row(name):
    model = fitted(name)
    why = model.explain(WINE[:1], n_clusters=5)
    np.testing.assert_allclose(sayings(model)[why.clusters[0]], why.says[0], atol=1e-6)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "huber"])
def test_clusters_say_numbers_in_the_units_of_the_labels(loss):
    model = SFPRegressor(4, loss=loss, random_state=0).fit(DIABETES, PROGRESS)
    why = model.explain(DIABETES[:1], n_clusters=4)
    np.testing.assert_allclose(sayings(model)[why.clusters[0]], why.says[0], rtol=1e-6)


def test_losses_without_probabilities_vote():
    says = fitted("hinge").explain(WINE[:5]).says
    np.testing.assert_array_equal(np.sort(says, axis=2)[0, 0], [0.0, 0.0, 1.0])


def test_pulls_sum_to_how_much_farther_the_other_clusters_are():
    model = fitted("unrefined")
    why = model.explain(WINE[:5], n_clusters=5)
    d, mass = model.transform(WINE[:5]), model.cluster_mass_
    for row in range(5):
        for rank, j in enumerate(why.clusters[row]):
            others = np.delete(np.arange(5), j)
            mean = np.average(d[row, others], weights=mass[others])
            assert why.pulls[row, rank].sum() == pytest.approx(mean - d[row, j])


def test_one_cluster_pulls_nowhere():
    why = SFPClusterer(1).fit(WINE).explain(WINE[:2])
    assert why.clusters.shape == (2, 1)
    assert not why.pulls.any()


@pytest.mark.parametrize("name", ["classifier", "unrefined", "Gaussians"])
def test_missing_cells_contribute_as_their_distance_does(name):
    X = WINE.copy()
    X[::3, 2] = np.nan
    settings = {"allow_nan": True, "refine": 0 if name == "Gaussians" else MODELS[name].refine}
    model = MODELS[name].__class__(**{**MODELS[name].get_params(), **settings}).fit(X, GROWER)
    why = model.explain(X[:9])
    expected = np.take_along_axis(model.transform(X[:9]), why.clusters, axis=1)
    np.testing.assert_allclose(why.distances, expected, rtol=1e-7, atol=1e-7)


def test_a_planted_feature_draws_rows():
    random = np.random.default_rng(0)
    y = np.repeat(["left", "right"], 100)
    X = random.standard_normal((200, 6))
    X[:, 3] = np.where(y == "left", -3, 3) + 0.3 * X[:, 3]
    model = SFPClassifier(2, refine=0, random_state=0).fit(X, y)
    why = model.explain(X[:10], n_clusters=1)
    assert (why.pulls[:, 0].argmax(axis=1) == 3).all()


def test_the_table_is_plain_and_print_reads_well():
    frame = pd.DataFrame(WINE, columns=load_wine().feature_names)
    model = SFPClassifier(4, random_state=0).fit(frame, np.array(["a", "b", "c"])[GROWER])
    why = model.explain(frame[:2])
    table = why.table(1, features=2)
    assert [set(each) for each in table] == [
        {"cluster", "membership", "says", "distance", "features"}
    ] * 3
    assert json.loads(json.dumps(table)) == table
    assert len(table[0]["features"]) == 2
    assert table[0]["says"].keys() == {"a", "b", "c"}
    assert table[0]["features"][0]["feature"] in frame.columns
    assert "row 1: a" in str(why)
    assert "which says a" in str(why)
    assert len(why) == 2


def test_sparse_rows_are_explained_as_dense_ones():
    X = np.maximum(WINE, 0)
    model = SFPClassifier(4, refine=0, random_state=0).fit(X, GROWER)
    dense, sparse = model.explain(X[:3]), model.explain(sp.csr_array(X[:3]))
    np.testing.assert_allclose(sparse.pulls, dense.pulls, atol=1e-9)


def test_what_cannot_be_explained_says_so():
    kernel = SFPClassifier(2, divergence="kernel", random_state=0).fit(WINE, GROWER)
    with pytest.raises(ValueError, match="not made of features"):
        kernel.explain(WINE[:1])
    with pytest.raises(NotFittedError):
        SFPClassifier().explain(WINE[:1])
    model = fitted("unrefined")
    with pytest.raises(ValueError, match="in memory"):
        model.explain(open_rows([(WINE, GROWER)]))
    with pytest.raises(ValueError, match="n_clusters must be"):
        model.explain(WINE[:1], n_clusters=0)
    with pytest.raises(ValueError, match="features must be"):
        model.explain(WINE[:1]).table(0, features=-1)
