"""Laws and manners of SFPClassifier."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPRegressor
from sfplearn.core import CLASSIFICATION_LOSSES, LogLoss
from tests.conftest import three_blobs

FITTED = ["cluster_centers_", "feature_weights_", "prototypes_", "cluster_mass_", "objective_path_"]

# Laws of the descent are stated without a refinement; those that outlive one, by default too.
EITHER_WAY = pytest.mark.parametrize("refine", [0, "auto"], ids=["descended", "refined"])


def fit(X, y, sample_weight=None, **settings):
    given = {"n_clusters": 5, "max_iter": 10, "tol": 0, "random_state": 0, "refine": 0}
    return SFPClassifier(**(given | settings)).fit(X, y, sample_weight)


def assert_same_fit(left, right, atol=1e-7):
    for name in FITTED:
        assert_allclose(getattr(left, name), getattr(right, name), atol=atol, err_msg=name)


def assert_same_answers(left, right, X, there=None, atol=1e-3):
    """L-BFGS makes rounding larger: of refined models, risk and probabilities are compared."""
    assert left.refine_path_[-1] == pytest.approx(right.refine_path_[-1], abs=atol)
    assert_allclose(
        left.predict_proba(X if there is None else there), right.predict_proba(X), atol=atol
    )


@EITHER_WAY
@pytest.mark.parametrize("n_jobs", [2, 4])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_result_is_bitwise_equal_for_any_number_of_threads(n_jobs, dtype, refine):
    X, y = three_blobs(40_000, 8)
    X, settings = X.astype(dtype), {"n_clusters": 12, "refine": refine}
    alone, together = fit(X, y, n_jobs=1, **settings), fit(X, y, n_jobs=n_jobs, **settings)
    for name in FITTED:
        assert_array_equal(getattr(alone, name), getattr(together, name), err_msg=name)
    assert_array_equal(alone.predict_proba(X), together.predict_proba(X))


@pytest.mark.parametrize("init", ["k-means++", "random", "stratified"])
@given(times=st.lists(st.integers(0, 3), min_size=40, max_size=40), seed=st.integers(0, 100))
@settings(max_examples=15)
def test_weights_equal_repetition_and_order_does_not_matter(init, times, seed):
    X, y = three_blobs(40, seed=seed)
    times[:8] = [1] * 8
    shuffled = np.random.default_rng(seed).permutation(np.repeat(np.arange(40), times))
    times = np.array(times, float)
    weighted = fit(X, y, times, init=init)
    assert_same_fit(weighted, fit(X[shuffled], y[shuffled], init=init))
    # Few steps, before rounding has grown.
    refined = fit(X, y, times, init=init, refine=10)
    again = fit(X[shuffled], y[shuffled], init=init, refine=10)
    assert_same_answers(again, refined, X)


@EITHER_WAY
@pytest.mark.parametrize("init", ["k-means++", "random", "stratified"])
def test_binary_rows_may_come_in_any_order_and_number(init, refine):
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (300, 9)).astype(float), random.integers(0, 2, 300)
    settings = {"init": init, "n_clusters": "auto", "n_init": 1, "max_iter": 3, "refine": refine}
    whole = fit(X, y, **settings)
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(np.repeat(np.arange(300), 2))
        halves = np.full(600, 0.5)
        again = fit(X[order], y[order], halves, **settings)
        assert_same_answers(again, whole, X) if refine else assert_same_fit(again, whole)


def test_weights_equal_repetition_beyond_the_size_of_a_sample():
    X, y = three_blobs(1500, 8)
    twice = fit(np.repeat(X, 2, axis=0), np.repeat(y, 2), n_clusters=6, max_iter=3)
    assert_same_fit(fit(X, y, np.full(1500, 2.0), n_clusters=6, max_iter=3), twice)
    refined = SFPClassifier(random_state=0).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    again = SFPClassifier(random_state=0).fit(X, y, np.full(1500, 2.0))
    assert_same_answers(again, refined, X)


@given(shift=st.floats(-1e3, 1e3), factor=st.floats(1e-3, 1e3))
@settings(max_examples=15)
def test_shift_and_global_scale_do_not_matter(shift, factor):
    X, y = three_blobs(60)
    here, there = fit(X, y), fit(factor * X + shift, y)
    assert_allclose(there.feature_weights_, here.feature_weights_, atol=1e-5)
    assert_allclose(there.prototypes_, here.prototypes_, atol=1e-5)
    assert_allclose(
        there.cluster_centers_, factor * here.cluster_centers_ + shift, atol=1e-4 * factor
    )
    refined, moved = fit(X, y, refine="auto"), fit(factor * X + shift, y, refine="auto")
    # Rows a million deviations from zero have lost six digits before any fit.
    assert_same_answers(moved, refined, X, factor * X + shift, atol=5e-3)


@given(seed=st.integers(0, 100))
@settings(max_examples=15)
def test_features_and_clusters_may_be_permuted(seed):
    X, y = three_blobs(60)
    features = np.random.default_rng(seed).permutation(4)
    clusters = np.random.default_rng(seed).permutation(6)
    start = np.arange(0, 60, 10)
    here = fit(X, y, n_clusters=6, init=start)
    there = fit(X[:, features], y, n_clusters=6, init=start[clusters])
    assert_allclose(there.cluster_centers_, here.cluster_centers_[clusters][:, features], atol=1e-8)
    assert_allclose(there.feature_weights_, here.feature_weights_[clusters][:, features], atol=1e-8)
    assert_allclose(there.prototypes_, here.prototypes_[clusters], atol=1e-8)
    refined = fit(X, y, n_clusters=6, init=start, refine="auto")
    again = fit(X[:, features], y, n_clusters=6, init=start[clusters], refine="auto")
    assert_same_answers(again, refined, X, X[:, features])


def test_weights_may_be_scaled():
    X, y = three_blobs(80)
    weight = np.random.default_rng(0).random(80) + 0.5
    exact = {"loss": LogLoss(smoothing=1e-12)}
    here, there = fit(X, y, weight, **exact), fit(X, y, 100 * weight, **exact)
    assert_allclose(there.cluster_centers_, here.cluster_centers_, atol=1e-7)
    assert_allclose(there.feature_weights_, here.feature_weights_, atol=1e-7)


def test_float32_is_close_to_float64_and_stays_float32():
    X, y = three_blobs(300)
    start = np.arange(5)
    single = fit(X.astype(np.float32), y, init=start)
    assert_same_fit(single, fit(X, y, init=start), atol=2e-3)
    assert_is_single(single, X)


@pytest.mark.parametrize("init", ["auto", np.arange(5)], ids=["auto", "rows"])
def test_a_refinement_of_float32_answers_as_one_of_float64(init):
    X, y = three_blobs(300)
    single = fit(X.astype(np.float32), y, init=init, refine="auto")
    double = fit(X, y, init=init, refine="auto")
    assert_same_answers(single, double, X, atol=0.03)
    assert single.refine_path_[-1] == pytest.approx(double.refine_path_[-1], abs=1e-3)
    assert np.mean(single.predict(X) == double.predict(X)) > 0.99
    assert_is_single(single, X)


def assert_is_single(single, X):
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    assert single.memberships(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("loss", CLASSIFICATION_LOSSES)
def test_objective_never_rises(loss):
    X, y = load_wine(return_X_y=True)
    path = fit(StandardScaler().fit_transform(X), y, loss=loss, max_iter=40).objective_path_
    assert np.diff(path).max() <= 1e-10 * np.abs(path).max()
    assert len(path) == 40


@pytest.mark.parametrize("convert", [np.asfortranarray, sp.csr_array, sp.csc_array, sp.csr_matrix])
def test_containers_give_the_same_model(convert):
    X, y = three_blobs(100)
    X[np.abs(X) < 0.3] = 0
    dense, other = fit(X, y), fit(convert(X), y)
    assert_same_fit(dense, other)
    assert_allclose(other.predict_proba(convert(X)), dense.predict_proba(X), atol=1e-9)
    assert_allclose(other.transform(convert(X)), dense.transform(X), atol=1e-9)
    refined, again = fit(X, y, refine="auto"), fit(convert(X), y, refine="auto")
    assert_same_answers(again, refined, X, convert(X))


@EITHER_WAY
def test_memory_maps_are_read_in_place(tmp_path, refine):
    X, y = three_blobs(100)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert_same_fit(fit(mapped, y, refine=refine), fit(X, y, refine=refine))


def test_accuracy_on_standardised_data_without_tuning():
    for load in (load_iris, load_wine, load_breast_cancer):
        X, y = load(return_X_y=True)
        models = [make_pipeline(StandardScaler(), SFPClassifier(random_state=s)) for s in range(3)]
        scores = [cross_val_score(model, X, y).mean() for model in models]
        assert np.mean(scores) >= 0.94, load.__name__


def test_defaults_mean_the_same_at_any_number_of_rows():
    """Feature weights must not collapse as rows are added, as the literal lam makes them."""
    spread = {}
    for n in (200, 20_000):
        model = SFPClassifier(6, random_state=0).fit(*three_blobs(n))
        spread[n] = np.sort(model.feature_weights_.max(axis=1))
    assert spread[20_000].max() < 0.9
    assert_allclose(spread[200].mean(), spread[20_000].mean(), atol=0.15)


@EITHER_WAY
def test_attributes_are_what_they_say(refine):
    X, y = load_digits(return_X_y=True)
    model = fit(X, y, n_clusters=30, refine=refine)
    assert model.cluster_centers_.shape == model.feature_weights_.shape == (30, 64)
    assert model.prototypes_.shape == (30, 10)
    assert_allclose(model.feature_weights_.sum(axis=1), 1)
    assert_allclose(model.prototypes_.sum(axis=1), 1)
    assert model.cluster_mass_.sum() == pytest.approx(len(y))
    importances = np.average(model.feature_weights_, axis=0, weights=model.cluster_mass_)
    assert_allclose(model.feature_importances_, importances)
    assert model.n_iter_ == len(model.objective_path_) == 10
    assert model.n_features_in_ == 64


@EITHER_WAY
def test_predictions_hang_together(refine):
    X, y = load_iris(return_X_y=True)
    for loss in CLASSIFICATION_LOSSES:
        model = fit(X, y, loss=loss, n_clusters=9, refine=refine)
        scores = model.decision_function(X)
        assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
        assert_allclose(model.memberships(X).sum(axis=1), 1)
        assert hasattr(model, "predict_proba") == CLASSIFICATION_LOSSES[loss].gives_probabilities
        if CLASSIFICATION_LOSSES[loss].gives_probabilities:
            assert_allclose(np.log(model.predict_proba(X)), scores, atol=1e-9)


def test_transform_is_the_weighted_distance():
    X, y = three_blobs(50)
    model = fit(X, y)
    gap = X[:, None] - model.cluster_centers_
    expected = (model.feature_weights_ * gap**2).sum(axis=2)
    assert_allclose(model.transform(X), expected, atol=1e-9)


def test_transform_of_a_refined_model_is_scaled_as_its_clusters_are():
    X, y = three_blobs(50)
    model = fit(X, y, refine="auto")
    gap = X[:, None] - model.cluster_centers_
    weights = model.cluster_scales_[:, None] * model.feature_weights_
    assert_allclose(model.transform(X), (weights * gap**2).sum(axis=2), atol=1e-9)


@EITHER_WAY
@pytest.mark.parametrize(
    "labels", [["no", "yes"], [False, True], [-1, 1], [10, 20], [2.0, 5.0]], ids=str
)
def test_labels_of_any_kind(labels, refine):
    X, y = three_blobs(80)
    named = np.array(labels)[np.minimum(y, 1)]
    model = fit(X, named, refine=refine)
    assert_array_equal(model.classes_, np.unique(named))
    assert set(model.predict(X)) <= set(labels)
    plain = fit(X, np.minimum(y, 1), refine=refine)
    assert_array_equal(model.predict(X) == model.classes_[1], plain.predict(X) == 1)
    assert model.decision_function(X).shape == (80,)


def test_row_indices_are_the_start_of_the_paper():
    X, y = three_blobs(60)
    model = fit(X, y, n_clusters=3, init=[3, 10, 20], max_iter=1)
    other = fit(
        X, y, n_clusters=3, init=lambda X, y, n_clusters, random_state: [3, 10, 20], max_iter=1
    )
    assert_same_fit(model, other, atol=0)


def test_centres_may_be_given():
    X, y = three_blobs(60)
    given_centers = fit(X, y, n_clusters=3, init=X[[3, 10, 20]])
    by_function = fit(
        X, y, n_clusters=3, init=lambda X, y, n_clusters, random_state: X[[3, 10, 20]]
    )
    assert_same_fit(given_centers, by_function, atol=0)


@EITHER_WAY
def test_warm_start_continues(refine):
    X, y = three_blobs(100)
    settings = {"refine": refine}
    whole = fit(X, y, max_iter=12, **settings)
    legs = fit(X, y, max_iter=5, **settings)
    legs.set_params(warm_start=True, max_iter=7).fit(X, y)
    assert_allclose(legs.cluster_centers_, whole.cluster_centers_, atol=1e-10)
    assert legs.n_iter_ == 7


def test_more_starts_end_no_higher():
    X, y = three_blobs(100)
    ends = [fit(X, y, init="random", n_init=n, max_iter=30).objective_path_[-1] for n in (1, 5, 20)]
    assert ends[0] >= ends[1] >= ends[2]


def test_convergence_is_reported():
    X, y = three_blobs(200)
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        SFPClassifier(5, max_iter=2, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SFPClassifier(5, random_state=0).fit(X, y)
        SFPClassifier(5, max_iter=2, tol=0, random_state=0).fit(X, y)


@EITHER_WAY
def test_balanced_classes_count_weights(refine):
    X, y = three_blobs(80)
    times, settings = 1 + np.arange(80) % 3, {"class_weight": "balanced", "refine": refine}
    repeated = fit(np.repeat(X, times, axis=0), np.repeat(y, times), **settings)
    weighted = fit(X, y, times.astype(float), **settings)
    assert_same_answers(weighted, repeated, X) if refine else assert_same_fit(weighted, repeated)


def test_a_changed_loss_waits_for_the_next_fit():
    X, y = three_blobs(60)
    model = fit(X, y, loss="hinge")
    before = model.predict(X)
    model.set_params(loss="log_loss")
    assert not hasattr(model, "predict_proba")
    assert_array_equal(model.predict(X), before)
    model.fit(X, y)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_functions_are_asked_for_every_start():
    X, y = three_blobs(60)
    seen = []

    def init(X, y, n_clusters, random_state):
        seen.append(random_state.randint(60, size=n_clusters))
        return seen[-1]

    fit(X, y, init=init, n_init=3)
    assert len({tuple(chosen) for chosen in seen}) == 3


def test_balanced_classes_equal_weights():
    X, y = three_blobs(80)
    weight = len(y) / (3 * np.bincount(y))
    balanced = fit(X, y, class_weight="balanced")
    assert_same_fit(balanced, fit(X, y, weight[y]))
    assert_same_fit(balanced, fit(X, y, class_weight=dict(enumerate(weight))))
    refined = fit(X, y, class_weight="balanced", refine="auto")
    assert_same_answers(fit(X, y, weight[y], refine="auto"), refined, X)


def test_verbose_prints_every_pass(capsys):
    fit(*three_blobs(30), verbose=1, max_iter=3)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("[SFPClassifier] pass 1: objective ")


@pytest.mark.parametrize("refine", [0, 20])
def test_losses_may_be_objects(refine):
    X, y = three_blobs(60)
    given = fit(X, y, loss=LogLoss(), refine=refine)
    assert_same_fit(given, fit(X, y, loss="log_loss", refine=refine), atol=0)


@pytest.mark.parametrize("values", [2, 3, 5])
def test_few_distinct_rows_are_told_apart_by_default(values):
    rows = np.arange(1000) % values
    y = rows % 2
    assert SFPClassifier(random_state=0).fit(rows[:, None] * 1.0, y).score(rows[:, None], y) == 1.0


def test_many_classes_of_few_rows_are_told_apart_by_default():
    random = np.random.default_rng(0)
    centers = 10 * random.standard_normal((60, 5))
    y = np.repeat(np.arange(60), 3)
    X = centers[y] + 0.1 * random.standard_normal((180, 5))
    new = centers[y] + 0.1 * random.standard_normal((180, 5))
    assert SFPClassifier(random_state=0).fit(X, y).score(new, y) > 0.95


def test_constant_features_of_the_literal_objective_are_warned_of():
    X, Y = three_blobs(60)
    constant = np.c_[X, np.ones(len(X))]
    with pytest.warns(UserWarning, match=r"Constant features \(1 here\).*VarianceThreshold"):
        SFPClassifier(3, scale=None, random_state=0).fit(constant, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        SFPClassifier(3, random_state=0).fit(constant, Y)
        SFPClassifier(3, scale=None, divergence="kernel", random_state=0).fit(constant, Y)


@pytest.mark.parametrize("share", [1e-3, 0.5, "1 in all"])
@pytest.mark.parametrize(
    ("model", "answer"), [(SFPClassifier, "predict_proba"), (SFPRegressor, "predict")]
)
def test_weights_below_1_count_by_their_ratios(model, answer, share):
    X, Y = three_blobs(60)
    ratios = np.random.default_rng(0).integers(1, 4, 60)
    ratios = ratios / ratios.mean()

    def fit(weight):
        return getattr(model(random_state=0).fit(X, Y, weight), answer)(X)

    small = ratios / 60 if share == "1 in all" else share * ratios
    assert_allclose(fit(small), fit(ratios), atol=1e-5)
    assert_allclose(fit(np.full(60, small[0])), fit(None), atol=1e-5)
