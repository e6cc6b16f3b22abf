"""What every display promises, over the registry of all of them."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sfplearn.plots
from sfplearn import SFPClassifier
from sfplearn.plots import SignificantFeaturesDisplay
from tests.plots import models
from tests.plots.models import BY_FEATURES, DISPLAYS, FROM_ESTIMATOR, SCALED, X, Y

all_displays = pytest.mark.parametrize("display", DISPLAYS, ids=lambda kind: kind.__name__)
of_estimators = pytest.mark.parametrize("display", FROM_ESTIMATOR, ids=lambda kind: kind.__name__)


def test_the_registry_holds_every_public_display():
    assert sorted(kind.__name__ for kind in DISPLAYS) == sorted(sfplearn.plots.__all__)


def pixels(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())


def is_drawn(display):
    """Tell whether there is ink, in the figure and in each panel that shows its axes."""
    return bool((pixels(display.figure_) < 200).any()) and all(
        ax.has_data() for ax in display.axes_.flat
    )


@all_displays
def test_making_a_display_draws_it(display):
    made = DISPLAYS[display](models.classifier(), SCALED, Y)
    assert type(made) is display
    assert isinstance(made.ax_, Axes)
    assert isinstance(made.figure_, Figure)
    assert made.ax_.figure is made.figure_
    assert all(ax.figure is made.figure_ for ax in made.axes_.flat)
    assert is_drawn(made)


@all_displays
def test_given_axes_are_used_and_no_figure_is_made(display):
    figure, (left, right) = plt.subplots(1, 2)
    made = DISPLAYS[display](models.refined(), SCALED, Y, ax=right)
    assert made.ax_ is right
    assert made.figure_ is figure
    assert plt.get_fignums() == [figure.number]
    assert not left.has_data()
    assert is_drawn(made)


@all_displays
def test_a_display_can_be_drawn_again_elsewhere(display):
    made = DISPLAYS[display](models.classifier(), SCALED, Y)
    before = pixels(made.figure_).copy()
    assert made.plot() is made
    assert (pixels(made.figure_) == before).all()
    _, ax = plt.subplots()
    assert made.plot(ax=ax).ax_ is ax


@of_estimators
def test_a_pipeline_is_drawn_as_its_last_step_on_prepared_rows(display):
    piped = FROM_ESTIMATOR[display](models.pipeline(), X, Y)
    alone = FROM_ESTIMATOR[display](models.classifier(), SCALED, Y)
    assert (pixels(piped.figure_) == pixels(alone.figure_)).all()


@of_estimators
def test_regressors_and_clusterers_can_be_drawn(display):
    for model, rows, y in (
        (models.regressor(), models.ROWS, models.NUMBERS),
        (models.clusterer(), SCALED, None),
    ):
        if display.__name__ != "ClusterClassesDisplay":
            assert is_drawn(FROM_ESTIMATOR[display](model, rows, y))


@of_estimators
def test_models_that_are_not_fitted_are_refused(display):
    model = SFPClassifier()
    if display is not SignificantFeaturesDisplay:  # which fits clones
        for unfitted in (model, make_pipeline(StandardScaler(), model)):
            with pytest.raises(NotFittedError):
                FROM_ESTIMATOR[display](unfitted, SCALED, Y)


@of_estimators
def test_other_models_are_refused(display):
    other = LogisticRegression().fit(SCALED, Y)
    if display is SignificantFeaturesDisplay:
        other = make_pipeline(models.classifier(), other)
        with pytest.raises((TypeError, ValueError)):
            FROM_ESTIMATOR[display](other, SCALED, Y)
        return
    with pytest.raises(TypeError, match="got LogisticRegression"):
        FROM_ESTIMATOR[display](other, SCALED, Y)


@of_estimators
def test_kernels_are_drawn_unless_weights_of_features_are_needed(display):
    if display in BY_FEATURES:
        with pytest.raises(ValueError, match=f"{display.__name__}.*divergence='kernel'"):
            FROM_ESTIMATOR[display](models.kernel(), SCALED, Y)
    else:
        assert is_drawn(FROM_ESTIMATOR[display](models.kernel(), SCALED, Y))


MISSING = """
import sys
sys.modules["matplotlib"] = None
sys.modules["matplotlib.pyplot"] = None
from sfplearn.plots import {name}
try:
    {name}.{verb}(None{more})
except ImportError as error:
    print(error)
"""


def test_without_matplotlib_displays_import_and_say_what_to_install():
    code = "\n".join(
        MISSING.format(
            name=kind.__name__,
            verb="from_estimator" if hasattr(kind, "from_estimator") else "from_search",
            more={
                "ClusterClassesDisplay": ", None, None",
                "DecisionRegionsDisplay": ", None",
                "ExplanationDisplay": ", None",
                "MembershipMapDisplay": ", None",
                "SignificantFeaturesDisplay": ", None",
            }.get(kind.__name__, ""),
        )
        for kind in DISPLAYS
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == len(DISPLAYS)
    assert all('pip install "sfplearn[plots]"' in line for line in lines)
