"""What heat maps of weights and lines of prototypes show."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose

from sfplearn import SFPClassifier
from sfplearn.plots import FeatureWeightsDisplay, PrototypesDisplay
from sfplearn.plots.palette import COLOURS
from sfplearn.plots.reading import means_of
from tests.plots import models
from tests.plots.models import NAMES, ROWS, SCALED, X, legend, texts, ticks


def said(model):
    return model.prototypes_.argmax(axis=1)


def test_the_heat_map_is_the_weights_in_the_order_of_its_names():
    model = models.classifier()
    display = FeatureWeightsDisplay.from_estimator(model, feature_names=NAMES)
    columns = [NAMES.index(name) for name in ticks(display.ax_.xaxis)]
    rows = [int(name.split(":")[0]) for name in ticks(display.ax_.yaxis)]
    drawn = display.ax_.images[0].get_array()
    assert_allclose(drawn, model.feature_weights_[np.ix_(rows, columns)])
    assert (np.diff(model.feature_importances_[columns]) <= 0).all()
    assert (np.diff(said(model)[rows]) >= 0).all()
    for code in range(3):
        own = [row for row in rows if said(model)[row] == code]
        assert (np.diff(model.cluster_mass_[own]) <= 0).all()


def test_names_tell_the_label_mix_and_squares_its_colour():
    model = models.refined()
    display = FeatureWeightsDisplay.from_estimator(model)
    names = ticks(display.ax_.yaxis)
    squares = display.ax_.collections[0].get_facecolors()[:, :3]
    for name, square in zip(names, squares, strict=True):
        cluster = int(name.split(":")[0])
        code = said(model)[cluster]
        share = model.prototypes_[cluster, code]
        assert f"{model.classes_[code]} ({100 * share:.0f} %)" in name
        assert_allclose(square, to_rgb(COLOURS[code]))


def test_few_weights_are_written_into_their_cells():
    display = FeatureWeightsDisplay.from_estimator(models.classifier())
    written = [float(f"0{text}") for text in texts(display.ax_)]
    assert_allclose(written, display.weights.ravel(), atol=0.005)


def test_wide_tables_show_the_most_important_features_and_tell_their_share():
    random = np.random.default_rng(0)
    wide = random.standard_normal((40, 300))
    names = [f"a long name of feature {i} of a table" for i in range(300)]
    model = SFPClassifier(2, refine=0, lam=0.05, random_state=0).fit(wide, wide[:, 7] > 0)
    display = FeatureWeightsDisplay.from_estimator(model, n_features=25, feature_names=names)
    assert display.features[0] == names[model.feature_importances_.argmax()]
    assert display.weights.shape == (2, 25)
    shown = np.argsort(-model.feature_importances_, kind="stable")[:25]
    share = 100 * model.feature_importances_[shown].sum()
    assert f"25 most important of 300 features: {share:.0f} %" in display.ax_.get_xlabel()
    assert all(len(name) <= 22 and "…" in name for name in ticks(display.ax_.xaxis))
    assert not texts(display.ax_)


def test_lines_are_the_centres_in_the_colours_of_their_classes():
    model = models.classifier()
    display = PrototypesDisplay.from_estimator(model, feature_names=NAMES)
    columns = [NAMES.index(name) for name in ticks(display.ax_.xaxis)]
    lines = display.ax_.lines
    by_mass = np.argsort(-model.cluster_mass_, kind="stable")
    assert len(lines) == 5
    for line, cluster in zip(lines, by_mass, strict=True):
        assert_allclose(line.get_ydata(), model.cluster_centers_[cluster, columns])
        assert_allclose(line.get_color(), to_rgb(COLOURS[said(model)[cluster]]))
    assert (np.diff([line.get_linewidth() for line in lines]) <= 0).all()
    assert legend(display.ax_) == model.classes_.tolist()
    assert display.ax_.get_ylabel() == "centre"


def test_markers_are_as_large_as_weights():
    model = models.classifier()
    display = PrototypesDisplay.from_estimator(model, feature_names=NAMES)
    by_mass = np.argsort(-model.cluster_mass_, kind="stable")
    columns = [NAMES.index(name) for name in display.features]
    markers = [c for c in display.ax_.collections if len(c.get_offsets()) == 4]
    for cluster, drawn in zip(by_mass, markers[-5:], strict=True):
        weights = model.feature_weights_[cluster, columns]
        assert_allclose(drawn.get_sizes() / drawn.get_sizes().sum(), weights / weights.sum())


def test_with_rows_lines_are_means_of_rows_in_standard_deviations():
    display = PrototypesDisplay.from_estimator(models.pipeline(), X, feature_names=NAMES)
    means = means_of(X, models.pipeline()[-1].memberships(SCALED))
    columns = [NAMES.index(name) for name in display.features]
    assert_allclose(display.values, ((means - X.mean(axis=0)) / X.std(axis=0))[:, columns])


def test_every_cluster_is_numbered_once():
    display = PrototypesDisplay.from_estimator(models.classifier(), X)
    assert sorted(int(n) for text in texts(display.ax_) for n in text.split(", ")) == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_numbers_of_regressors_have_a_scale_instead_of_a_legend():
    display = PrototypesDisplay.from_estimator(models.regressor(), ROWS)
    assert display.ax_.get_legend() is None
    assert [ax.get_ylabel() for ax in display.figure_.axes[1:]] == ["what the cluster says"]


@pytest.mark.parametrize("display", [FeatureWeightsDisplay, PrototypesDisplay])
def test_a_number_of_features_is_a_whole_number(display):
    with pytest.raises(ValueError, match="n_features"):
        display.from_estimator(models.classifier(), n_features=0)


@pytest.mark.parametrize("k", [2, 20])
def test_few_and_many_clusters_and_ten_classes_are_drawn(k):
    random = np.random.default_rng(1)
    rows = random.standard_normal((120, 5))
    model = SFPClassifier(k, gamma=0.02, refine=0, random_state=0).fit(rows, np.arange(120) % 10)
    display = FeatureWeightsDisplay.from_estimator(model)
    assert len(ticks(display.ax_.yaxis)) == k
    assert len(PrototypesDisplay.from_estimator(model, rows).ax_.lines) == k
