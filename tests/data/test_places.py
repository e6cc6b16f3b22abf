"""Where rows live does not change the answer: one contract for all places."""

import numpy as np
import pytest
from sklearn.base import clone

from sfplearn import (
    Quantile,
    SFPClassifier,
    SFPClusterer,
    SFPRegressor,
    SFPSelector,
    SFPTransformer,
)
from tests.data.places import NAMES, PLACES, in_blocks, in_dask_frame, in_memory, in_parquet, table

FRAME = table()

# A loss, a geometry, an expert of each kind; seeded starts unless centres are given.
MODELS = {
    "classifier": ("label", SFPClassifier(7, refine=0, random_state=0)),
    "automatic": ("label", SFPClassifier(refine=0, random_state=0)),
    "from centres": ("label", SFPClassifier(3, init=FRAME[NAMES].to_numpy()[:3], refine=0)),
    "balanced": ("label", SFPClassifier(5, class_weight="balanced", refine=0, random_state=0)),
    "hinge": ("label", SFPClassifier(5, loss="hinge", refine=0, random_state=0)),
    "refined": ("label", SFPClassifier(3, refine=3, random_state=0)),
    "kernel": (
        "label",
        SFPClassifier(3, divergence="kernel", n_landmarks=20, refine=0, random_state=0),
    ),
    "gaussian": (
        "label",
        SFPClassifier(3, divergence="diagonal_gaussian", refine=0, random_state=0),
    ),
    "shared": ("label", SFPClassifier(3, divergence="shared_weights", refine=0, random_state=0)),
    "logistic lines": ("label", SFPClassifier(2, expert="linear", max_iter=5, tol=0, refine=0)),
    "regressor": ("number", SFPRegressor(6, refine=0, random_state=0)),
    "median": ("number", SFPRegressor(6, loss="absolute_error", refine=0, random_state=0)),
    "refined numbers": ("number", SFPRegressor(3, refine=3, random_state=0)),
    "quantiles": ("number", SFPRegressor(6, loss=Quantile([0.1, 0.9]), random_state=0)),
    "lines": ("number", SFPRegressor(2, expert="linear", random_state=0)),
}
ATTRIBUTES = ("cluster_centers_", "feature_weights_", "prototypes_", "cluster_mass_")


def assert_same(here, there):
    for name in ATTRIBUTES:
        np.testing.assert_allclose(
            getattr(there, name), getattr(here, name), rtol=1e-9, atol=1e-9, err_msg=name
        )
    assert there.n_iter_ == here.n_iter_
    assert there.n_features_in_ == here.n_features_in_


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["classifier", "regressor", "automatic"])
def test_parameters_agree_wherever_rows_live(tmp_path, place, name):
    target, model = MODELS[name]
    here = model.fit(*in_memory(FRAME, target, tmp_path))
    kept = {each: getattr(here, each) for each in (*ATTRIBUTES, "n_iter_", "n_features_in_")}
    there = clone(model).fit(*PLACES[place](FRAME, target, tmp_path))
    for each, value in kept.items():
        np.testing.assert_allclose(getattr(there, each), value, rtol=1e-9, atol=1e-9, err_msg=each)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "task",
    [(SFPClassifier, "label", "predict_proba"), (SFPRegressor, "number", "predict")],
    ids=["classes", "numbers"],
)
def test_refined_models_answer_alike_wherever_rows_live(tmp_path, place, task):
    """L-BFGS makes rounding larger: risk and answers agree rather than parameters."""
    kind, target, answer = task
    X, y, weight = in_memory(FRAME, target, tmp_path)
    here = kind(random_state=0).fit(X, y, weight)
    there = kind(random_state=0).fit(*PLACES[place](FRAME, target, tmp_path))
    assert there.refine_path_[-1] == pytest.approx(here.refine_path_[-1], abs=1e-6)
    answers = (getattr(model, answer)(X) for model in (there, here))
    np.testing.assert_allclose(*answers, atol=1e-5)
    assert len(there.cluster_centers_) == len(here.cluster_centers_)
    assert there.n_iter_ == here.n_iter_
    assert there.n_features_in_ == here.n_features_in_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("place", [in_blocks, in_parquet, in_dask_frame])
@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_agrees(tmp_path, place, name):
    target, model = MODELS[name]
    model.set_params(random_state=0)
    there = clone(model).fit(*place(FRAME, target, tmp_path))
    assert_same(model.fit(*in_memory(FRAME, target, tmp_path)), there)


@pytest.mark.parametrize("place", PLACES)
def test_predictions_agree_wherever_rows_live(tmp_path, place):
    X, y, weight = in_memory(FRAME, "label", tmp_path)
    model = SFPClassifier(7, random_state=0).fit(X, y, weight)
    rows = PLACES[place](FRAME, "label", tmp_path)[0]
    for method in ("predict", "predict_proba", "decision_function", "memberships", "transform"):
        there = np.asarray(getattr(model, method)(rows))
        if there.dtype.kind == "f":
            np.testing.assert_allclose(there, getattr(model, method)(X), atol=1e-12)
        else:
            np.testing.assert_array_equal(there, getattr(model, method)(X))


@pytest.mark.parametrize("place", [in_blocks, in_parquet, in_dask_frame])
@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_small_weights_count_by_their_ratios_wherever_rows_live(tmp_path, place, name):
    target, model = MODELS[name]
    small = FRAME.assign(weight=FRAME.weight / FRAME.weight.sum())
    there = clone(model).fit(*place(small, target, tmp_path))
    assert_same(clone(model).fit(*in_memory(small, target, tmp_path)), there)
    distinct = FRAME[FRAME.weight > 0][NAMES].drop_duplicates()
    assert there.cluster_mass_.sum() == pytest.approx(len(distinct))


@pytest.mark.parametrize("place", PLACES)
def test_scores_agree_wherever_rows_live(tmp_path, place):
    X, y, weight = in_memory(FRAME, "number", tmp_path)
    model = SFPRegressor(7, random_state=0).fit(X, y, weight)
    there = model.score(*PLACES[place](FRAME, "number", tmp_path))
    assert there == pytest.approx(model.score(X, y, weight), abs=1e-12)


@pytest.mark.parametrize("place", [in_blocks, in_parquet, in_dask_frame])
def test_clusters_agree_wherever_rows_live(tmp_path, place):
    X, _, weight = in_memory(FRAME, "label", tmp_path)
    here = SFPClusterer(4, random_state=0).fit(X, sample_weight=weight)
    rows, *besides = place(FRAME, "label", tmp_path)
    there = SFPClusterer(4, random_state=0)
    there.fit(rows, sample_weight=besides[1] if besides else None)
    np.testing.assert_allclose(there.cluster_centers_, here.cluster_centers_, atol=1e-9)
    np.testing.assert_array_equal(np.asarray(there.labels_), here.labels_)
    assert there.xie_beni_ == pytest.approx(here.xie_beni_)


@pytest.mark.parametrize("place", [in_blocks, in_parquet, in_dask_frame])
@pytest.mark.parametrize("target", ["label", "number"])
def test_transformer_and_selector_take_rows_from_anywhere(tmp_path, place, target):
    X, y, weight = in_memory(FRAME, target, tmp_path)
    rows = place(FRAME, target, tmp_path)
    here = SFPTransformer(4, random_state=0).fit(X, y, weight)
    there = SFPTransformer(4, random_state=0).fit(*rows)
    np.testing.assert_allclose(np.asarray(there.transform(rows[0])), here.transform(X), atol=1e-9)
    here = SFPSelector(4, lam=0.1, random_state=0).fit(X, y, weight)
    there = SFPSelector(4, lam=0.1, random_state=0).fit(*rows)
    np.testing.assert_array_equal(there.get_support(), here.get_support())


def test_rows_without_labels_and_missing_cells_agree(tmp_path):
    frame = table(seed=1)
    frame.loc[::5, "label"] = "unknown"
    frame.loc[::9, "a"] = np.nan
    settings = {"n_clusters": 5, "unlabeled": "unknown", "allow_nan": True, "random_state": 0}
    here = SFPClassifier(**settings).fit(*in_memory(frame, "label", tmp_path))
    for place in (in_blocks, in_parquet, in_dask_frame):
        there = SFPClassifier(**settings).fit(*place(frame, "label", tmp_path))
        assert there.classes_.tolist() == ["no", "very", "yes"]
        assert_same(here, there)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_single_precision_stays_single(tmp_path):
    frame = table().astype(dict.fromkeys(NAMES, np.float32))
    X, y, weight = in_memory(frame, "label", tmp_path)
    here = SFPClassifier(5, refine=0, random_state=0).fit(X, y, weight)
    rows = in_parquet(frame, "label", tmp_path)
    there = SFPClassifier(5, refine=0, random_state=0).fit(*rows)
    np.testing.assert_allclose(there.cluster_centers_, here.cluster_centers_, atol=1e-4)
    assert there.transform(rows[0]).dtype == np.float32
    here = SFPClassifier(5, random_state=0).fit(X, y, weight)
    there = SFPClassifier(5, random_state=0).fit(*rows)
    # L-BFGS may stop elsewhere in a flat valley, for sums that differ in the seventh digit.
    assert there.refine_path_[-1] == pytest.approx(here.refine_path_[-1], abs=5e-3)
    assert np.mean(there.predict(X) == here.predict(X)) > 0.97
    assert there.transform(rows[0]).dtype == np.float32


def test_the_number_of_threads_does_not_matter_for_files(tmp_path):
    rows = in_parquet(FRAME, "label", tmp_path)[0]
    one, four = (SFPClassifier(5, n_jobs=n, random_state=0).fit(rows) for n in (1, 4))
    np.testing.assert_array_equal(one.cluster_centers_, four.cluster_centers_)


def test_names_of_columns_are_remembered_and_compared(tmp_path):
    rows = in_parquet(FRAME, "label", tmp_path)[0]
    model = SFPClassifier(3, random_state=0).fit(rows)
    assert model.feature_names_in_.tolist() == NAMES
    lazy = in_dask_frame(FRAME, "label", tmp_path)[0].rename(columns={"c": "e"})
    with pytest.raises(ValueError, match=r"^The columns lack 'c'; the model was fitted to 'a',"):
        model.predict(lazy)


def test_integers_of_labels_stay_integers(tmp_path):
    frame = table()
    frame["label"] = (frame.a > 0).astype(int)
    for place in ("in_csv", "in_parquet", "in_npy", "in_dask_frame"):
        model = SFPClassifier(3, random_state=0).fit(*PLACES[place](frame, "label", tmp_path))
        assert model.classes_.dtype.kind == "i", place
        for file in tmp_path.iterdir():
            file.unlink()
