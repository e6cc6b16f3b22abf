"""Missing cells in every estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor, SFPSelector, SFPTransformer
from sfplearn.core import CLASSIFICATION_LOSSES, REGRESSION_LOSSES
from tests.conftest import three_blobs
from tests.core.test_masked import with_holes

X, Y = three_blobs(120)
HOLES = with_holes(X, 0.25, 0)
NOTHING = np.full((1, X.shape[1]), np.nan)

ESTIMATORS = {
    **{loss: (SFPClassifier(4, loss=loss), Y) for loss in CLASSIFICATION_LOSSES},
    **{loss: (SFPRegressor(4, loss=loss), X[:, 0] - X.min()) for loss in REGRESSION_LOSSES},
    "outputs": (SFPRegressor(4), X[:, :2]),
    "clusterer": (SFPClusterer(4), None),
}


@pytest.fixture(params=ESTIMATORS)
def model(request):
    estimator, y = ESTIMATORS[request.param]
    estimator = type(estimator)(**estimator.get_params())
    return estimator.set_params(allow_nan=True, random_state=0).fit(HOLES, y)


def assert_finite(model, names):
    for name in names:
        assert np.isfinite(getattr(model, name)).all(), name


def test_fit_and_predict(model):
    names = ("cluster_centers_", "feature_weights_", "objective_path_", "feature_importances_")
    assert_finite(model, names)
    assert_allclose(model.feature_weights_.sum(axis=1), 1)
    assert_allclose(model.memberships(HOLES).sum(axis=1), 1)
    assert np.isfinite(model.transform(HOLES)).all()
    assert np.isfinite(model.predict(HOLES)).all()
    assert np.isfinite(model.predict(X)).all()


def test_the_objective_falls(model):
    path = model.objective_path_
    assert path[-1] < path[0]
    assert np.diff(path).max() <= 1e-6 * np.abs(path).max()


@pytest.mark.parametrize("lam", [1, 0.1, 0.01])
@pytest.mark.parametrize("share", [0.2, 0.5])
def test_the_objective_falls_however_few_features_count(lam, share):
    """Steps of weights are shortened where they would lead up; few features make them long."""
    data, y = load_wine(return_X_y=True)
    holes = with_holes(StandardScaler().fit_transform(data), share, 0)
    path = SFPClassifier(allow_nan=True, lam=lam, random_state=0).fit(holes, y).objective_path_
    assert np.diff(path).max() <= 1e-9 * np.abs(path).max()


def test_a_row_of_only_nan_gets_the_prior(model):
    prior = model.cluster_mass_ / model.cluster_mass_.sum()
    assert_allclose(model.memberships(NOTHING)[0], prior)
    d = model.transform(NOTHING)[0]
    assert_allclose(np.exp(-d / model.gamma_) / np.exp(-d / model.gamma_).sum(), prior)


def test_the_prior_of_labels_is_their_frequency():
    model = SFPClassifier(4, allow_nan=True, random_state=0).fit(HOLES, Y)
    assert_allclose(model.predict_proba(NOTHING)[0], np.bincount(Y) / len(Y), atol=0.01)
    regressor = SFPRegressor(4, allow_nan=True, random_state=0).fit(HOLES, X[:, 0])
    assert regressor.predict(NOTHING)[0] == pytest.approx(X[:, 0].mean(), abs=0.01)


def test_rows_of_only_nan_do_not_shape_the_prior():
    data = np.append(np.zeros(10), np.ones(90))[:, None]
    y = data[:, 0].astype(int)
    empty = np.vstack([data, np.full((100, 1), np.nan)])
    settings = {"n_clusters": 2, "allow_nan": True, "gamma": 0.01, "random_state": 0}
    model = SFPClassifier(**settings).fit(empty, np.append(y, np.zeros(100, int)))
    assert_allclose(np.sort(model.cluster_mass_), [10, 90])
    clusters = SFPClusterer(**settings).fit(empty)
    assert (clusters.labels_ == clusters.predict(empty)).all()
    with pytest.raises(ValueError, match="nothing but NaN"):
        SFPClusterer(1, allow_nan=True).fit(NOTHING)


def test_complete_rows_are_fitted_as_without_asking():
    plain = SFPClassifier(4, random_state=0).fit(X, Y)
    asked = SFPClassifier(4, random_state=0, allow_nan=True).fit(X, Y)
    assert (asked.cluster_centers_ == plain.cluster_centers_).all()


@pytest.mark.parametrize("refine", [0, "auto"])
def test_rows_and_columns_of_only_nan_do_no_harm(refine):
    holes = np.vstack([HOLES, NOTHING])
    holes = np.column_stack([holes, np.full(len(holes), np.nan)])
    settings = {"allow_nan": True, "refine": refine, "random_state": 0}
    model = SFPClassifier(4, **settings).fit(holes, np.append(Y, 0))
    assert_finite(model, ("cluster_centers_", "feature_weights_", "prototypes_"))
    # A refinement works with logarithms: nothing is then the least number that has one.
    assert (model.feature_weights_[:, -1] <= (1e-190 if refine else 0)).all()
    assert model.score(holes[:-1], Y) > 0.7


def test_weights_equal_repetition_and_order_does_not_matter():
    times = np.random.default_rng(0).integers(0, 3, len(X))
    order = np.random.default_rng(0).permutation(times.sum())
    index = np.repeat(np.arange(len(X)), times)[order]
    weighted = SFPClassifier(allow_nan=True, random_state=0).fit(HOLES, Y, times)
    repeated = SFPClassifier(allow_nan=True, random_state=0).fit(HOLES[index], Y[index])
    assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("init", ["k-means++", "random", "stratified", [0, 1, 2, 3]], ids=str)
def test_every_start(init, dtype):
    model = SFPClassifier(4, init=init, allow_nan=True, random_state=0)
    assert model.fit(HOLES.astype(dtype), Y).score(HOLES, Y) > 0.6
    assert model.transform(HOLES.astype(dtype)).dtype == dtype


def test_far_from_zero():
    settings = {"n_clusters": 4, "init": [0, 1, 2, 3], "allow_nan": True}
    here = SFPClassifier(refine=0, **settings).fit(HOLES, Y)
    there = SFPClassifier(refine=0, **settings).fit(HOLES + 1e6, Y)
    assert_allclose(there.cluster_centers_ - 1e6, here.cluster_centers_, atol=1e-6)
    # A refinement makes more of rounding: a millionth of a unit is left of eight digits.
    here, there = (SFPClassifier(**settings).fit(data, Y) for data in (HOLES, HOLES + 1e6))
    assert_allclose(there.predict_proba(HOLES + 1e6), here.predict_proba(HOLES), atol=0.01)


@pytest.mark.parametrize("outer", [SFPTransformer, SFPSelector])
def test_transformer_and_selector(outer):
    model = outer(4, allow_nan=True, random_state=0)
    assert model.fit_transform(HOLES, Y).shape[0] == len(X)


def test_unlabelled_rows_may_miss_cells_too():
    partly = np.where(np.arange(len(Y)) % 3, -1, Y)
    model = SFPClassifier(4, unlabeled=-1, allow_nan=True, random_state=0).fit(HOLES, partly)
    assert model.score(HOLES, Y) > 0.5
    numbers = np.where(partly < 0, np.nan, X[:, 0])
    assert np.isfinite(SFPRegressor(4, allow_nan=True).fit(HOLES, numbers).predict(HOLES)).all()


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_a_fifth_missing_costs_no_more_than_imputing_the_median(load):
    data, y = load(return_X_y=True)
    ours, theirs = [], []
    for seed in range(3):
        holes = with_holes(data, 0.2, seed)
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)
        model = SFPClassifier(random_state=0)
        imputed = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), model)
        direct = make_pipeline(StandardScaler(), SFPClassifier(random_state=0, allow_nan=True))
        theirs.append(cross_val_score(imputed, holes, y, cv=folds).mean())
        ours.append(cross_val_score(direct, holes, y, cv=folds).mean())
    assert np.mean(ours) > np.mean(theirs) - 0.01
