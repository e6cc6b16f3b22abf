"""Weights of rows reach the steps of a pipeline, routed or not."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

from sfplearn import SFPClassifier, SFPSearchCV, WeighFeatures
from sfplearn.tuning.pool import even_columns

RANDOM = np.random.default_rng(0)
Y = np.tile([0, 1], 40)
X = RANDOM.standard_normal((80, 4)) + Y[:, None]
WEIGHT = RANDOM.integers(0, 3, 80).astype(float)

PREPARES = {
    "nothing": None,
    "weighted": WeighFeatures(SFPClassifier(2, random_state=0)),
    "made of weighted steps": even_columns(),
    "alone": KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf"),
}


def found(estimator, prepare, routes):
    """Return the probabilities of a search with weights."""
    candidate = {"n_clusters": 2} | ({} if prepare is None else {"prepare": prepare})
    with sklearn.config_context(enable_metadata_routing=routes):
        model = estimator(routes)
        search = SFPSearchCV(model, [candidate], ensemble=1, cv=3, random_state=0)
        return search.fit(X, Y, sample_weight=WEIGHT).predict_proba(X)


def bare(routes):
    return SFPClassifier(random_state=0)


def piped(routes):
    scale, model = StandardScaler(), SFPClassifier(random_state=0)
    if routes:
        scale.set_fit_request(sample_weight=False)
        model.set_fit_request(sample_weight=True)
    return make_pipeline(scale, model)


@pytest.mark.parametrize("prepare", PREPARES.values(), ids=PREPARES)
@pytest.mark.parametrize("estimator", [bare, piped])
def test_weights_do_the_same_where_they_are_routed(estimator, prepare):
    plain = found(estimator, prepare, routes=False)
    assert_array_equal(found(estimator, prepare, routes=True), plain)


@pytest.mark.parametrize("routes", [False, True])
def test_weights_reach_what_prepares_rows(routes):
    prepare = PREPARES["weighted"]
    weighted = found(bare, prepare, routes)
    alone = found(piped, prepare, routes)
    with sklearn.config_context(enable_metadata_routing=routes):
        candidate = {"n_clusters": 2, "prepare": prepare}
        search = SFPSearchCV(bare(routes), [candidate], ensemble=1, cv=3, random_state=0)
        plain = search.fit(X, Y).predict_proba(X)
    assert np.abs(weighted - plain).max() > 1e-3
    assert np.abs(alone - plain).max() > 1e-3
