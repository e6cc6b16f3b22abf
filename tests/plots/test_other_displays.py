"""What paths, searches, significant features, confusions and explanations show."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from sfplearn import SFPClassifier, SFPSearchCV, SFPSelector
from sfplearn.plots import (
    ClusterClassesDisplay,
    ExplanationDisplay,
    HyperparameterDisplay,
    ObjectiveDisplay,
    SignificantFeaturesDisplay,
)
from sfplearn.plots.palette import AGAINST, FOR
from tests.plots import models
from tests.plots.models import NAMES, NUMBERS, ROWS, SCALED, X, Y, legend, texts, ticks


def test_the_objective_of_each_pass_is_drawn():
    model = models.classifier()
    display = ObjectiveDisplay.from_estimator(model)
    (line,) = display.ax_.lines
    assert_allclose(line.get_ydata(), model.objective_path_)
    assert line.get_xdata().tolist() == list(range(1, model.n_iter_ + 1))
    assert display.ax_.get_xlabel() == "pass"


def test_a_refinement_has_a_panel_of_its_own():
    model = models.refined()
    _, second = ObjectiveDisplay.from_estimator(model).axes_[0]
    assert_allclose(second.lines[0].get_ydata(), model.refine_path_)
    assert second.lines[0].get_xdata()[0] == 0
    assert second.get_title(loc="left") == "Refinement"


def test_axes_that_cannot_be_shared_out_are_refused():
    free = plt.figure().add_axes((0.1, 0.1, 0.8, 0.8))
    with pytest.raises(ValueError, match="must be a subplot"):
        ObjectiveDisplay.from_estimator(models.refined(), ax=free)


def test_a_stream_without_passes_is_refused():
    rows = np.random.default_rng(0).standard_normal((600, 1))
    stream = SFPClassifier(2, random_state=0)
    for _ in range(5):
        stream.partial_fit(rows, rows[:, 0] > 0)
    with pytest.raises(ValueError, match="no passes"):
        ObjectiveDisplay.from_estimator(stream)


def test_scores_of_all_candidates_are_drawn_and_the_choice_is_marked():
    search = models.search()
    display = HyperparameterDisplay.from_search(search, "gamma")
    points, ring = display.ax_.collections
    table = search.cv_results_
    drawn = np.asarray(points.get_offsets())
    expected = np.array([table["param_gamma"], table["mean_test_score"]], dtype=float).T
    assert_allclose(drawn, expected)
    assert_allclose(ring.get_offsets()[0], expected[search.best_index_])
    assert display.ax_.get_xscale() == "log"
    assert legend(display.ax_) == ["smooth", "candidate", "chosen"]
    curve = display.ax_.lines[0].get_xydata()
    assert_allclose(curve[[0, -1], 0], [0.01, 1.0])


def test_two_values_have_no_curve_and_a_plain_axis():
    display = HyperparameterDisplay.from_search(models.search(), "n_clusters")
    assert not display.ax_.lines
    assert display.ax_.get_xscale() == "linear"


def test_without_a_name_the_hyperparameter_of_most_numbers_is_drawn():
    assert HyperparameterDisplay.from_search(models.search()).parameter == "gamma"


def test_candidates_without_a_number_are_left_out_and_names_are_categories():
    grid = [{"n_clusters": 3, "gamma": g, "loss": loss, "refine": 0}
            for g, loss in (("auto", "log_loss"), (0.1, "log_loss"), (0.2, "hinge"))]  # fmt: skip
    search = SFPSearchCV(space=grid, cv=2, ensemble=None, random_state=0).fit(SCALED, Y)
    assert HyperparameterDisplay.from_search(search, "gamma").values.tolist() == [0.1, 0.2]
    display = HyperparameterDisplay.from_search(search, "loss")
    assert ticks(display.ax_.xaxis) == ["log_loss", "hinge"]
    assert display.ax_.collections[0].get_offsets()[:, 0].tolist() == [0, 0, 1]


def test_searches_of_scikit_learn_over_pipelines_are_drawn():
    grid = {"sfpclassifier__gamma": [0.05, 0.1, 0.5]}
    search = GridSearchCV(clone(models.pipeline()), grid, cv=2).fit(X, Y)
    display = HyperparameterDisplay.from_search(search, "gamma")
    assert display.parameter == "sfpclassifier__gamma"
    assert_allclose(display.scores, search.cv_results_["mean_test_score"])


def test_wrong_searches_are_refused():
    with pytest.raises(ValueError, match="no hyperparameter 'delta'; it has 'n_clusters'"):
        HyperparameterDisplay.from_search(models.search(), "delta")
    with pytest.raises(NotFittedError):
        HyperparameterDisplay.from_search(SFPSearchCV())


def test_features_are_counted_as_the_selector_keeps_them():
    model = SFPClassifier(3, alpha=1.0, gamma=0.1, refine=0, init="k-means++", random_state=0)
    display = SignificantFeaturesDisplay.from_estimator(model, SCALED, Y, lams=[5.0, 0.02])
    for lam, count in zip(display.lams, display.counts, strict=True):
        fitted = clone(model).set_params(lam=lam).fit(SCALED, Y)
        selector = SFPSelector(3, alpha=1.0, gamma=0.1, lam=lam, random_state=0).fit(SCALED, Y)
        assert_allclose(selector.feature_weights_, fitted.feature_weights_)
        assert count == selector.get_support().sum()
    assert display.counts[0] < display.counts[1]
    assert_allclose(display.ax_.lines[0].get_ydata(), display.counts / 4)
    assert display.ax_.get_xscale() == "log"
    assert not hasattr(model, "cluster_centers_")


def test_scores_of_a_cross_validation_have_a_panel_of_their_own():
    display = SignificantFeaturesDisplay.from_estimator(
        models.pipeline(), X, Y, lams=[0.1, 1.0], cv=3
    )
    (_,), (below,) = display.axes_
    model = clone(models.pipeline()).set_params(sfpclassifier__lam=0.1)
    assert_allclose(below.lines[0].get_ydata()[0], cross_val_score(model, X, Y, cv=3).mean())
    assert "3 folds" in below.get_ylabel()


def test_wrong_strengths_are_refused():
    for wrong in ({"lams": []}, {"lams": [-1.0]}, {"threshold": 2.0}):
        with pytest.raises(ValueError):
            SignificantFeaturesDisplay.from_estimator(models.classifier(), SCALED, Y, **wrong)


def test_counts_are_sums_of_memberships_and_shares_those_of_rows():
    model = models.classifier()
    display = ClusterClassesDisplay.from_estimator(model, SCALED, Y)
    u = model.memberships(SCALED)
    expected = np.array([u[label == Y].sum(axis=0) for label in model.classes_]).T
    assert_allclose(display.counts, expected)
    rows = [int(text) for text in ticks(display.ax_.yaxis)]
    assert_allclose(display.ax_.images[0].get_array(), expected[rows])
    assert ticks(display.ax_.xaxis) == model.classes_.tolist()
    shares = expected / expected.sum(axis=1, keepdims=True)
    written = {(round(t.get_position()[1]), round(t.get_position()[0])): t.get_text()
               for t in display.ax_.texts}  # fmt: skip
    for place, text in written.items():
        cluster, code = rows[place[0]], place[1]
        share, count = shares[cluster, code], expected[cluster, code]
        assert text == f"{100 * share:.0f} %  ({count:.1f})"
    assert len(written) == (shares >= 0.005).sum()


def test_clusters_of_any_model_meet_classes_but_not_numbers():
    display = ClusterClassesDisplay.from_estimator(models.clusterer(), SCALED, Y)
    assert display.classes.tolist() == np.unique(Y).tolist()
    with pytest.raises(ValueError, match="numbers, not classes"):
        ClusterClassesDisplay.from_estimator(models.regressor(), ROWS, NUMBERS + 0.5)
    with pytest.raises(ValueError, match="labels for"):
        ClusterClassesDisplay.from_estimator(models.classifier(), SCALED, Y[:-1])


def test_an_explanation_shows_memberships_split_by_label_mixes():
    model = models.refined()
    display = ExplanationDisplay.from_estimator(model, SCALED, row=40, feature_names=NAMES)
    why = model.explain(SCALED)
    for rank, ax in enumerate(display.axes_[:, 0]):
        _, *parts = [bar.get_width() for bar in ax.patches]
        assert_allclose(parts, why.memberships[40, rank] * why.says[40, rank])
        assert texts(ax)[0].startswith(f"cluster {why.clusters[40, rank]}: membership")
    assert display.axes_[0, 0].get_title(loc="left") == f"Row 40: predicted {why.prediction[40]}"


def test_an_explanation_shows_the_strongest_pulls_and_their_signs():
    why = models.classifier().explain(SCALED)
    display = ExplanationDisplay.from_explanation(why, row=60, n_features=3)
    for rank, ax in enumerate(display.axes_[:, 1]):
        pulls = why.pulls[60, rank]
        strongest = pulls[np.argsort(-np.abs(pulls))[:3]]
        assert_allclose([bar.get_width() for bar in ax.patches], np.sort(strongest)[::-1])
        signs = [FOR if bar.get_width() > 0 else AGAINST for bar in ax.patches]
        drawn = [plt.matplotlib.colors.to_hex(bar.get_facecolor()) for bar in ax.patches]
        assert drawn == [sign.lower() for sign in signs]
        low, high = ax.get_xlim()
        assert low <= 0 <= high
        assert low <= pulls.min(initial=0, where=np.isin(pulls, strongest))
        assert high >= strongest.max()
        first = int(np.argsort(-pulls)[0])
        if pulls[first] in strongest:
            assert ticks(ax.yaxis)[0] == f"x{first} = {SCALED[60, first]:.3g}"


def test_explanations_of_numbers_and_clusters_say_what_is_predicted():
    model = models.regressor()
    display = ExplanationDisplay.from_estimator(model, ROWS, row=-1)
    assert display.axes_[0, 0].get_title(loc="left").endswith(f"{model.predict(ROWS)[-1]:.4g}")
    found = models.clusterer().predict(SCALED)[0]
    display = ExplanationDisplay.from_estimator(models.clusterer(), SCALED)
    assert display.axes_[0, 0].get_title(loc="left") == f"Row 0: in cluster {found}"


def test_rows_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="no row 75"):
        ExplanationDisplay.from_estimator(models.classifier(), SCALED, row=75)
