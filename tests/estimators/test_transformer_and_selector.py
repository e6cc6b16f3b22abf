"""What SFPTransformer and SFPSelector promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine, make_friedman1
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier, SFPClusterer, SFPRegressor, SFPSelector, SFPTransformer
from sfplearn.core import CLASSIFICATION_LOSSES
from sfplearn.estimators.delegate import task_of
from sfplearn.estimators.losses import find_loss
from sfplearn.estimators.selector import significant_features

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
NUMBERS = X[:, 0] + 0.1 * X[:, 1] ** 2


@pytest.mark.parametrize(
    ("y", "kind"), [(Y, SFPClassifier), (NUMBERS, SFPRegressor), (None, SFPClusterer)]
)
def test_the_task_follows_the_labels(y, kind):
    for outer in (SFPTransformer, SFPSelector):
        inner = outer(3, gamma=0.2, lam=2.0, random_state=0).fit(X, y).estimator_
        assert type(inner) is kind
        assert (inner.gamma, inner.lam, inner.n_clusters) == (0.2, 2.0, 3)


def test_settings_that_are_not_given_are_those_of_the_task():
    """But for refine, which would move clusters from where rows are."""
    plain = {"lam": 1.0, "init": "k-means++", "refine": 0}
    for y, task in ((Y, SFPClassifier(3, **plain)), (NUMBERS, SFPRegressor(3, refine=0))):
        task.set_params(random_state=0).fit(X, y)
        for outer in (SFPTransformer, SFPSelector):
            inner = outer(3, random_state=0).fit(X, y).estimator_
            assert inner.get_params() == task.get_params()
            assert (inner.cluster_centers_ == task.cluster_centers_).all()


def test_clusters_are_those_of_a_classifier_that_does_not_refine():
    task = SFPClassifier(3, refine=0, random_state=0).fit(X, Y)
    for outer in (SFPTransformer, SFPSelector):
        inner = outer(3, random_state=0).fit(X, Y).estimator_
        assert not hasattr(inner, "refine_path_")
        for name in ("alpha_", "gamma_", "lam_", "cluster_centers_", "feature_weights_"):
            assert_allclose(getattr(inner, name), getattr(task, name), rtol=0, err_msg=name)


def test_labels_may_be_missing():
    partly = np.where(np.arange(len(Y)) % 2, Y, -1)
    assert SFPSelector(3, unlabeled=-1).fit(X, partly).estimator_.classes_.tolist() == [0, 1, 2]
    numbers = np.where(np.arange(len(Y)) % 2, NUMBERS, np.nan)
    assert type(SFPTransformer(3).fit(X, numbers).estimator_) is SFPRegressor


def test_many_whole_numbers_are_numbers_and_few_are_classes():
    assert task_of(np.arange(200.0)) == task_of(np.arange(200)) == "regression"
    assert task_of(np.arange(1000) % 50) == task_of(np.arange(20) % 10) == "classification"
    assert task_of(np.array(["a", "b"] * 50)) == "classification"


def test_whole_numbers_can_be_told_to_be_numbers():
    model = SFPTransformer(3, task="regression", random_state=0).fit(X, Y)
    assert type(model.estimator_) is SFPRegressor


def test_outputs_are_those_of_the_inner_estimator():
    distances = SFPTransformer(3, random_state=0).fit(X, Y)
    assert_allclose(distances.transform(X), distances.estimator_.transform(X))
    shares = SFPTransformer(3, output="memberships", random_state=0).fit(X, Y)
    assert_allclose(shares.transform(X).sum(axis=1), 1)


@pytest.mark.parametrize("loss", CLASSIFICATION_LOSSES)
def test_training_distances_may_include_labels(loss):
    """The paper's D: d_ij = ||x_i - v_j||_w^2 + alpha l(y_i, z_j)."""
    model = SFPTransformer(4, loss=loss, with_labels=True, random_state=0)
    labelled = model.fit_transform(X, Y)
    inner = model.estimator_
    plain = inner.transform(X)
    cost = find_loss(loss, "classes").cost(np.arange(3), inner.prototypes_)
    assert_allclose(labelled, np.maximum(plain + inner.alpha_ * cost[:, Y].T, 0), atol=1e-9)
    assert_allclose(model.transform(X), plain)


@pytest.mark.parametrize("weight", [None, np.arange(len(X)) + 1.0])
def test_training_distances_to_numbers(weight):
    model = SFPTransformer(4, with_labels=True, random_state=0)
    labelled = model.fit_transform(X, NUMBERS, sample_weight=weight)
    inner = model.estimator_
    scale = np.sqrt(np.cov(NUMBERS, aweights=weight, bias=True))
    cost = ((NUMBERS[:, None] - inner.prototypes_[:, 0]) / scale) ** 2
    assert_allclose(labelled, inner.transform(X) + inner.alpha_ * cost, atol=1e-9)


def test_a_few_distances_keep_what_matters():
    pipeline = make_pipeline(SFPTransformer(3, random_state=0), LogisticRegression())
    assert cross_val_score(pipeline, X, Y).mean() > 0.94


def test_named_output():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=load_wine().feature_names)
    features = (
        SFPTransformer(3, random_state=0).set_output(transform="pandas").fit_transform(frame, Y)
    )
    assert list(features.columns) == ["sfptransformer0", "sfptransformer1", "sfptransformer2"]
    chosen = SFPSelector(3, lam=0.05, random_state=0).set_output(transform="pandas")
    kept = chosen.fit_transform(frame, Y)
    assert list(kept.columns) == list(chosen.get_feature_names_out())
    assert set(kept.columns) < set(frame.columns)


@given(st.integers(0, 2**20), st.floats(0.05, 1))
def test_significant_features_are_the_fewest_that_reach_the_threshold(seed, threshold):
    """The paper: sum of the r - 1 largest weights < threshold <= sum of the r largest."""
    w = np.random.default_rng(seed).dirichlet(np.full(8, 0.4), size=3)
    for weights, chosen in zip(w, significant_features(w, threshold), strict=True):
        largest = np.sort(weights)[::-1]
        r = int(chosen.sum())
        assert weights[chosen].sum() == pytest.approx(largest[:r].sum())
        assert largest[: r - 1].sum() < threshold
        assert largest[:r].sum() >= threshold - 1e-9


def test_support_is_the_union_over_clusters():
    model = SFPSelector(4, lam=0.05, random_state=0).fit(X, Y)
    expected = significant_features(model.feature_weights_, 0.9).any(axis=0)
    assert model.get_support().tolist() == expected.tolist()
    assert_allclose(model.transform(X), X[:, expected])
    assert model.inverse_transform(model.transform(X)).shape == X.shape


def test_a_higher_threshold_keeps_more():
    def kept(threshold):
        return SFPSelector(4, threshold=threshold, lam=0.05, random_state=0).fit(X, Y).get_support()

    assert kept(0.5).sum() < kept(0.9).sum() <= kept(1.0).sum()
    assert kept(0.9)[kept(0.5)].all()


def test_features_that_tell_classes_apart_are_selected():
    random = np.random.default_rng(0)
    y = np.arange(400) % 2
    data = random.standard_normal((400, 30))
    data[:, :3] += 6 * y[:, None]
    model = SFPSelector(2, lam=0.05, random_state=0)
    support = model.fit(StandardScaler().fit_transform(data), y).get_support()
    assert support.nonzero()[0].tolist() == [0, 1, 2]


def test_constant_features_are_never_selected():
    constant = np.column_stack([X, np.ones(len(X))])
    assert not SFPSelector(3, random_state=0).fit(constant, Y).get_support()[-1]


def test_select_from_model_works_over_importances():
    data, y = make_friedman1(300, 10, random_state=0)
    model = SelectFromModel(SFPRegressor(10, lam=0.1, random_state=0)).fit(data, y)
    assert 0 < model.get_support().sum() < 10
