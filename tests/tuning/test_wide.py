"""Searches on tables with more features than rows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPSearchCV
from sfplearn.tuning.candidates import PREPARE, Shape
from sfplearn.tuning.pool import broad_pool, strength_of_ranks

N, P = 60, 450
TELLING = (7, 200, 449)


def table(seed=0):
    """Amounts with heavy tails, of which a few tell the classes; some columns are constant."""
    random = np.random.default_rng(seed)
    y = np.arange(N) % 2
    X = random.standard_normal((N, P))
    X[:, TELLING] += 2.0 * y[:, None]
    X = np.exp(2.0 * X)
    X[:, [3, 4]] = 5.0
    return X, np.array(["no", "yes"])[y]


@pytest.fixture(scope="module")
def found():
    X, y = table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return SFPSearchCV(cv=3, random_state=0).fit(X, y)


def test_few_telling_features_among_many_are_found_in_silence(found):
    X, y = table(seed=1)
    assert found.score(X, y) > 0.85
    kinds = {type(candidate.get(PREPARE)) for candidate in found.cv_results_["params"]}
    assert len(kinds) == 1  # all of them prepare columns


def test_a_committee_tells_importances_of_the_features_it_is_given(found):
    importances = found.best_estimator_.feature_importances_
    assert importances.shape == (P,)
    assert set(np.argsort(-importances)[:3]) == set(TELLING)


def test_ranks_tell_strength_whatever_the_tails():
    X, y = table()
    strength, _ = strength_of_ranks(X, y)
    assert set(np.argsort(-np.nan_to_num(strength))[:3]) == set(TELLING)
    np.testing.assert_allclose(strength, strength_of_ranks(np.log(X), y)[0])
    assert np.isnan(strength[[3, 4]]).all()


def test_a_pipeline_that_wants_names_of_columns_can_be_searched():
    X, y = table()
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(P)])
    columns = ColumnTransformer([("all", StandardScaler(), list(frame.columns))])
    search = SFPSearchCV(make_pipeline(columns, SFPClassifier()), cv=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search.fit(frame, y)
    assert search.score(frame, y) > 0.8


@pytest.mark.parametrize("missing", [-1, np.nan])
def test_labels_that_are_missing_are_no_class(missing):
    X, y = table()
    y = np.where(np.arange(N) % 5 == 0, missing, (y == "yes").astype(float))
    pool = [{"n_clusters": 4, "gamma": g} for g in (0.3, 1.0)]
    search = SFPSearchCV(SFPClassifier(unlabeled=missing), space=pool, cv=3, random_state=0)
    assert search.fit(X[:, TELLING], y).classes_.tolist() == [0, 1]


def test_nothing_looks_at_labels_before_a_model_where_some_are_missing():
    for features in (10, P):
        shape = Shape(N, features, 2, is_labelled=False)
        prepares = [repr(candidate.get(PREPARE)) for candidate in broad_pool(shape)]
        assert not any("WeighFeatures" in text or "SelectKBest" in text for text in prepares)
        assert len(prepares) > 15
