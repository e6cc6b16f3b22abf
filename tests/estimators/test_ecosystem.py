"""Good manners inside scikit-learn, with data frames, and on disk."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import skops.io
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectFromModel
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def model(wine):
    return make_pipeline(StandardScaler(), SFPClassifier(6, random_state=0)).fit(*wine)


def test_grid_search_over_a_pipeline(wine):
    X, y = wine
    pipeline = make_pipeline(StandardScaler(), SFPClassifier(random_state=0))
    grid = {"sfpclassifier__n_clusters": [3, 9], "sfpclassifier__loss": ["log_loss", "hinge"]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9


def test_clone_keeps_parameters_only(model):
    copy = clone(model[-1])
    assert copy.get_params() == model[-1].get_params()
    assert not hasattr(copy, "cluster_centers_")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_set_output_gives_named_frames(wine, kind):
    X, y = wine
    model = SFPClassifier(3, random_state=0).set_output(transform=kind)
    frame = model.fit(X, y).transform(X)
    assert list(frame.columns) == ["sfpclassifier0", "sfpclassifier1", "sfpclassifier2"]
    assert frame.shape == (178, 3)


@pytest.mark.parametrize("convert", [lambda X: X, pl.from_pandas, pa.Table.from_pandas])
def test_data_frames_of_any_library(wine, convert):
    X, y = wine
    here = SFPClassifier(5, random_state=0).fit(X.to_numpy(), y)
    frame = convert(X)
    there = SFPClassifier(5, random_state=0).fit(frame, y)
    np.testing.assert_array_equal(there.predict(frame), here.predict(X.to_numpy()))


def test_weights_are_routed(wine):
    X, y = wine
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    with config_context(enable_metadata_routing=True):
        classifier = SFPClassifier(5, random_state=0).set_fit_request(sample_weight=True)
        scorer = get_scorer("accuracy").set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), classifier)
        routed = pipeline.fit(X, y, sample_weight=weight)[-1]
        weights = {"sample_weight": weight}
        cross_validate(pipeline, X, y, params=weights, scoring=scorer, cv=3, error_score="raise")
    direct = SFPClassifier(5, random_state=0)
    direct.fit(StandardScaler().fit_transform(X), y, sample_weight=weight)
    np.testing.assert_allclose(routed.cluster_centers_, direct.cluster_centers_)


def test_features_are_selected_by_importance(wine, model):
    X, _ = wine
    selector = SelectFromModel(model[-1], prefit=True, max_features=4, threshold=-np.inf)
    assert selector.transform(model[0].transform(X)).shape == (178, 4)


def test_pickled_models_predict_the_same(wine, model):
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(wine[0]), model.predict_proba(wine[0]))


@pytest.mark.parametrize("refine", [0, "auto"])
def test_skops_files_hold_one_type_of_ours(wine, refine):
    classifier = SFPClassifier(6, refine=refine, random_state=0)
    model = make_pipeline(StandardScaler(), classifier).fit(*wine)
    stored = skops.io.dumps(model)
    ours = skops.io.get_untrusted_types(data=stored)
    assert ours == ["sfplearn.estimators.classifier.SFPClassifier"]
    copy = skops.io.loads(stored, trusted=ours)
    np.testing.assert_array_equal(copy.predict_proba(wine[0]), model.predict_proba(wine[0]))


def test_names_of_frames_are_remembered(wine):
    X, y = wine
    frame = pd.DataFrame(X)
    model = SFPClassifier(3, random_state=0).fit(frame, y)
    assert model.feature_names_in_.tolist() == list(X.columns)
