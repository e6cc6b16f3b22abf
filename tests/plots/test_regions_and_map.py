"""What decision regions and maps of memberships show."""

import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Ellipse
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA

from sfplearn import SFPClassifier, SFPClusterer
from sfplearn.plots import DecisionRegionsDisplay, MembershipMapDisplay
from sfplearn.plots.palette import COLOURS, UNKNOWN, colours
from sfplearn.plots.reading import means_of
from tests.plots import models
from tests.plots.models import CODES, NAMES, NUMBERS, ROWS, SCALED, X, Y, legend, texts


def regions(model, *data, **settings):
    return DecisionRegionsDisplay.from_estimator(model, *data, grid_resolution=15, **settings)


def ellipses(display):
    return [patch for patch in display.ax_.patches if isinstance(patch, Ellipse)]


def test_regions_are_what_the_model_predicts_with_other_features_at_their_mean():
    model = models.classifier()
    display = regions(model, SCALED, Y, features=(2, 3))
    points = np.tile(SCALED.mean(axis=0), (225, 1))
    points[:, 2], points[:, 3] = display.xx0.ravel(), display.xx1.ravel()
    assert (model.classes_[display.response.ravel()] == model.predict(points)).all()
    image = display.ax_.images[0].get_array()
    tones = np.array([to_rgb(colour) for colour in COLOURS[:3]])
    assert_allclose(image[..., :3], tones[display.response])
    assert display.ax_.get_title(loc="left") == "2 other features at the mean of the rows"
    assert legend(display.ax_) == model.classes_.tolist()


def test_ellipses_lie_at_centres_and_their_areas_are_masses():
    model = models.classifier()
    display = regions(model, SCALED, Y, features=("petal width (cm)", 0), feature_names=NAMES)
    drawn = ellipses(display)
    by_mass = np.argsort(-model.cluster_mass_, kind="stable")
    assert_allclose([e.get_center() for e in drawn], model.cluster_centers_[by_mass][:, [3, 0]])
    areas = np.array([e.get_width() * e.get_height() for e in drawn])
    assert_allclose(areas / areas.sum(), np.sort(model.cluster_mass_)[::-1] / len(Y))
    tones = [to_rgb(COLOURS[code]) for code in model.prototypes_[by_mass].argmax(axis=1)]
    assert_allclose([e.get_facecolor()[:3] for e in drawn], tones)
    assert display.ax_.get_xlabel() == "petal width (cm)"
    assert display.ax_.get_ylabel() == NAMES[0]


def test_points_of_an_ellipse_are_equally_far_from_its_centre():
    model = models.classifier()
    lengths = regions(model, SCALED, features=(0, 2)).axes_lengths
    weights = model.feature_weights_[:, [0, 2]]
    distances = weights * (lengths / 2) ** 2
    assert_allclose(distances[:, 0], distances[:, 1])
    assert np.ptp(weights) > 0.01


def test_by_default_the_two_most_important_features_are_shown():
    display = regions(models.classifier(), SCALED, feature_names=NAMES)
    first = np.argsort(-models.classifier().feature_importances_)[:2]
    assert set(display.feature_names) == {NAMES[i] for i in first}


def test_rows_have_the_colours_of_their_labels():
    labels = np.where(np.arange(len(Y)) < 10, "?", Y)
    display = regions(models.classifier(), SCALED, labels, features=(0, 1))
    drawn = {
        tuple(np.round(c.get_facecolors()[0, :3], 6)): len(c.get_offsets())
        for c in display.ax_.collections
    }
    known = np.bincount(CODES[10:], minlength=3)
    expected = {to_rgb(COLOURS[m]): known[m] for m in range(3)} | {to_rgb(UNKNOWN): 10}
    assert drawn == {tuple(np.round(key, 6)): n for key, n in expected.items()}


def test_numbers_of_regressors_have_one_scale_for_regions_and_rows():
    display = regions(models.regressor(), ROWS, NUMBERS)
    image, points = display.ax_.images[0], display.ax_.collections[0]
    assert_allclose(points.get_array(), NUMBERS)
    assert (image.norm.vmin, image.norm.vmax) == (points.norm.vmin, points.norm.vmax)
    assert_allclose(image.get_array(), display.response)
    assert display.figure_.axes[1].get_ylabel() == "prediction"


def test_regions_of_clusterers_are_their_clusters():
    model = models.clusterer()
    display = regions(model, SCALED, features=(0, 1))
    assert set(np.unique(display.response)) <= set(range(4))
    assert sorted(int(n) for text in texts(display.ax_) for n in text.split(", ")) == [0, 1, 2, 3]


def test_rows_far_out_do_not_shrink_the_picture_and_far_centres_are_told():
    rows = np.vstack([np.random.default_rng(0).standard_normal((300, 2)), [[900.0, 900.0]]])
    model = SFPClusterer(2, init=rows[[0, -1]], random_state=0).fit(rows)
    display = regions(model, rows)
    assert display.xx0.max() < 20
    assert display.ax_.get_title(loc="left") == "1 centre beyond the picture"
    assert texts(display.ax_) == ["0", "1"]


def test_rows_with_names_are_drawn_without_a_warning():
    frame = pd.DataFrame(SCALED, columns=NAMES)
    model = SFPClassifier(3, refine=0, random_state=0).fit(frame, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = regions(model, frame, Y, features=NAMES[:2])
        MembershipMapDisplay.from_estimator(model, frame, Y)
    assert display.feature_names == tuple(NAMES[:2])


def test_regions_of_a_kernel_have_no_ellipses():
    assert not ellipses(regions(models.kernel(), SCALED, Y))


@pytest.mark.parametrize(
    ("features", "message"),
    [((0, 4), "no feature 4"), ((1, 1), "two different"), ((0, 1, 2), "two different"),
     (("petals", 0), "no feature 'petals'")],
)  # fmt: skip
def test_wrong_features_are_refused(features, message):
    with pytest.raises(ValueError, match=message):
        regions(models.classifier(), SCALED, features=features)


def test_one_feature_is_too_few_for_a_plane():
    model = SFPClassifier(3, refine=0, random_state=0).fit(SCALED[:, :1], Y)
    for display in (DecisionRegionsDisplay, MembershipMapDisplay):
        with pytest.raises(ValueError, match="two features"):
            display.from_estimator(model, SCALED[:, :1])


def test_a_map_colours_rows_by_their_strongest_cluster_and_sees_through_weak_ones():
    model = models.classifier()
    display = MembershipMapDisplay.from_estimator(model, SCALED)
    u = model.memberships(SCALED)
    points = display.ax_.collections[0]
    drawn = points.get_facecolors()
    assert_allclose(drawn[:, :3], colours(5)[u.argmax(axis=1)])
    assert_allclose(drawn[:, 3], np.maximum(u.max(axis=1), 0.12))
    pca = PCA(2, svd_solver="full").fit(SCALED)
    assert_allclose(points.get_offsets(), pca.transform(SCALED), atol=1e-9)
    centers = display.ax_.collections[1].get_offsets()
    assert_allclose(centers, pca.transform(means_of(SCALED, u)), atol=1e-9)
    share = f"{100 * pca.explained_variance_ratio_[0]:.0f} %"
    assert share in display.ax_.get_xlabel()


def test_a_map_of_two_features_shows_them_and_classes_as_markers():
    display = MembershipMapDisplay.from_estimator(
        models.pipeline(), X, Y, projection="features", features=(2, "x3")
    )
    own = [SCALED[code == CODES][:, 2:] for code in range(3)]
    for points, expected in zip(display.ax_.collections[:3], own, strict=True):
        assert_allclose(points.get_offsets(), expected)
    assert len({str(c.get_paths()[0].vertices.tolist()) for c in display.ax_.collections[:3]}) == 3
    assert legend(display.ax_) == np.unique(Y).tolist()
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("x2", "x3")


def test_a_map_of_rows_with_missing_cells_is_drawn():
    holes = np.where(np.random.default_rng(0).random(SCALED.shape) < 0.1, np.nan, SCALED)
    model = SFPClassifier(3, refine=0, allow_nan=True, random_state=0).fit(holes, Y)
    assert np.isfinite(MembershipMapDisplay.from_estimator(model, holes).points).all()
    assert np.isfinite(regions(model, holes, Y).axes_lengths).all()


def test_wrong_planes_are_refused():
    for settings in ({"projection": "tsne"}, {"projection": "features", "features": (0, 9)},
                     {"projection": "features", "features": (0,)}):  # fmt: skip
        with pytest.raises(ValueError):
            MembershipMapDisplay.from_estimator(models.classifier(), SCALED, **settings)


@pytest.mark.parametrize("display", [DecisionRegionsDisplay, MembershipMapDisplay])
def test_labels_that_are_fewer_than_rows_are_refused(display):
    with pytest.raises(ValueError, match="74 labels for 75 rows"):
        display.from_estimator(models.classifier(), SCALED, Y[:-1])
