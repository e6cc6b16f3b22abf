"""What displays read: names, what clusters say, and shared pieces of drawing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

from sfplearn import Quantile, SFPClassifier, SFPClusterer, SFPRegressor
from sfplearn.plots.canvas import listed, near_groups, shorten, spread_out
from sfplearn.plots.palette import COLOURS, colours, ink
from sfplearn.plots.reading import Clusters, codes_of, means_of, read
from sfplearn.plots.smoothing import smoothed
from tests.plots import models
from tests.plots.models import NAMES, NUMBERS, ROWS, SCALED, X, Y


def test_names_are_those_given_else_those_of_the_rows_else_numbers():
    assert read(models.classifier()).names.tolist() == ["x0", "x1", "x2", "x3"]
    assert read(models.classifier(), NAMES).names.tolist() == NAMES
    framed = SFPClusterer(2, random_state=0).fit(pd.DataFrame(X, columns=NAMES))
    assert read(framed).names.tolist() == NAMES
    with pytest.raises(ValueError, match="3 names for 4 features"):
        read(framed, ["a", "b", "c"])


def test_names_of_a_pipeline_are_those_its_steps_make():
    model = SFPClassifier(3, refine=0, random_state=0)
    piped = make_pipeline(PolynomialFeatures(2), StandardScaler(), model).fit(X, Y)
    assert read(piped).names[:3].tolist() == ["1", "x0", "x1"]
    assert read(piped, NAMES).names[1] == NAMES[0]
    assert read(make_pipeline(PCA(2), model).fit(X, Y)).names.tolist() == ["pca0", "pca1"]
    silent = make_pipeline(FunctionTransformer(np.sqrt), model).fit(X, Y)
    assert read(silent).names.tolist() == ["x0", "x1", "x2", "x3"]


def test_a_feature_is_found_by_name_or_place():
    reading = read(models.classifier(), NAMES)
    assert reading.position(NAMES[2]) == reading.position(2) == reading.position(-2) == 2
    for missing in ("petals", 4, -5):
        with pytest.raises(ValueError, match="There is no feature"):
            reading.position(missing)


@pytest.mark.parametrize("loss", ["log_loss", "logistic", "hinge", "zero_one", "ordinal"])
def test_a_cluster_says_what_a_row_that_is_its_own_is_told(loss):
    labels = np.searchsorted(np.unique(Y), Y)
    model = SFPClassifier(4, loss=loss, refine=0, random_state=0).fit(SCALED, labels)
    clusters = read(model).clusters()
    why = model.explain(SCALED[:1], n_clusters=4)
    assert_allclose(clusters.says[why.clusters[0]], why.says[0], atol=1e-9)
    assert_allclose(clusters.says.sum(axis=1), 1.0)


def test_linear_experts_speak_at_their_centres():
    model = SFPClassifier(2, expert="linear", refine=0, random_state=0).fit(SCALED, Y)
    assert_allclose(read(model).clusters().says, model.prototypes_)


def test_numbers_are_said_as_numbers_and_clusters_say_nothing():
    assert_allclose(
        read(models.regressor()).clusters().said(), models.regressor()[-1].prototypes_.T[0]
    )
    several = SFPRegressor(3, loss=Quantile([0.1, 0.9]), random_state=0).fit(ROWS, NUMBERS)
    assert read(several).clusters().says.shape == (3, 2)
    assert read(models.clusterer()).clusters().said().tolist() == [0, 1, 2, 3]


def test_clusters_are_ordered_by_what_they_say_then_by_mass():
    says = np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4]])
    clusters = Clusters(says, np.array([1.0, 2.0, 3.0, 4.0]), np.array(["no", "yes"]))
    assert clusters.order().tolist() == [3, 1, 2, 0]
    assert clusters.name(0) == "0: yes (90 %), no (10 %)"
    numbers = Clusters(np.array([[5.0], [1.5]]), np.ones(2), None)
    assert numbers.order().tolist() == [1, 0]
    assert numbers.name(1) == "1: 1.5"
    silent = Clusters(np.zeros((2, 0)), np.array([1.0, 3.0]), None)
    assert silent.order().tolist() == [1, 0]
    assert silent.name(1) == "1: 75 % of rows"


def test_means_of_clusters_leave_out_missing_cells():
    rows = np.array([[1.0, np.nan], [3.0, 4.0]])
    u = np.array([[1.0, 0.5], [0.0, 0.5]])
    assert_allclose(means_of(rows, u), [[1.0, 0.0], [2.0, 4.0]])


def test_unknown_labels_have_no_code():
    assert codes_of([1, 3, 2], np.array([1, 2])).tolist() == [0, -1, 1]


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=12), st.floats(0.1, 10))
def test_labels_that_are_spread_out_keep_their_order_and_distance(heights, least):
    placed = spread_out(np.array(heights), least)
    order = np.argsort(heights, kind="stable")
    assert (np.diff(placed[order]) >= least * (1 - 1e-6) - 1e-9).all()
    assert_allclose(np.mean(placed), np.mean(heights), atol=1e-6)


@given(st.text(max_size=60), st.integers(6, 30))
def test_a_shortened_name_fits_and_keeps_both_ends(name, letters):
    cut = shorten(name, letters)
    assert len(cut) <= letters
    assert cut == name if len(name) <= letters else "…" in cut
    assert name.startswith(cut.split("…")[0]) or "…" in name


def test_labels_of_points_that_coincide_are_one():
    points = np.array([[0.0, 0.0], [0.001, 0.0], [1.0, 1.0], [0.0, 0.001]])
    assert near_groups(points) == [[0, 1, 3], [2]]
    assert listed(["3", "1", "2", "7", "8"]) == "1–3, 7, 8"
    assert listed(["a", "b"]) == "a, b"


def test_twenty_colours_differ():
    found = colours(20)
    gaps = np.abs(found[:, None] - found).sum(axis=2) + 10 * np.eye(20)
    black = COLOURS.index("#000000")
    gaps[black, black + 10] = gaps[black + 10, black] = 10  # black has nothing darker
    assert gaps.min() > 0.1


def test_ink_can_be_read_on_its_ground():
    assert ink(colours(8)[7]) == "black"
    assert ink(colours(1)[0]) == "white"


@given(st.floats(-3, 3), st.floats(-3, 3), st.integers(0, 1000))
def test_smoothing_keeps_straight_lines(slope, level, seed):
    random = np.random.default_rng(seed)
    x = np.sort(random.uniform(0, 1, 12)) + np.arange(12) * 0.01
    at = np.linspace(x.min(), x.max(), 7)
    assert_allclose(smoothed(x, level + slope * x, at), level + slope * at, atol=1e-6)
