"""The paper's grids, and that every candidate of every space can be fitted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline

from sfplearn import SFPClassifier
from sfplearn.tuning.candidates import Shape, kind_of
from sfplearn.tuning.pool import broad_pool
from sfplearn.tuning.space import (
    SPACES,
    bounded,
    cluster_counts,
    full_grid,
    reduced_grid,
    unbounded,
)

SHAPE = Shape(n_rows=100, n_features=5, n_classes=4)


@given(st.floats(0.01, 1.0))
def test_bounded_and_unbounded_are_inverse(value):
    assert_allclose(bounded(unbounded(value)), value)


def test_the_grids_have_as_many_candidates_as_the_paper_says():
    assert len(list(full_grid(SHAPE))) == 5000
    assert len(list(reduced_grid(SHAPE))) == 250


def test_the_reduced_grid_is_the_papers():
    grid = list(reduced_grid(SHAPE))
    assert {c["n_clusters"] for c in grid} == {4, 28, 52, 76, 100}
    gammas = sorted({round(bounded(c["gamma"]), 6) for c in grid})
    assert gammas == [0.55, 0.65, 0.75, 0.85, 0.95]
    for candidate in grid:
        assert_allclose(bounded(candidate["alpha"]), bounded(candidate["gamma"]) / 2)
        assert candidate["scale"] is None


@given(st.integers(2, 500), st.integers(2, 30))
def test_numbers_of_clusters_lie_between_classes_and_rows(n, classes):
    counts = cluster_counts(Shape(n, 3, classes))
    assert counts == sorted(set(counts))
    assert counts[0] == min(classes, n)
    assert counts[-1] == n


@pytest.mark.parametrize(
    "shape",
    [
        SHAPE,
        Shape(30, 400, 2),
        Shape(12, 2, 6),
        Shape(320, 3, 2),
        SHAPE._replace(is_dense=False),
        SHAPE._replace(is_complete=False),
        Shape(30, 400, 2, is_dense=False),
        Shape(30, 400, 2, is_complete=False),
    ],
)
def test_all_candidates_of_the_broad_pool_can_be_fitted(shape):
    random = np.random.default_rng(0)
    X = random.standard_normal((shape.n_rows, shape.n_features))
    y = np.arange(shape.n_rows) % shape.n_classes
    gaps = {}
    if not shape.is_complete:
        X[::4, 1], gaps = np.nan, {"allow_nan": True}
    if not shape.is_dense:
        X = csr_array(X)
    pool = list(broad_pool(shape))
    assert 10 <= len(pool) <= 40
    assert len({kind_of(candidate) for candidate in pool}) >= 2
    for candidate in pool:
        steps = [candidate.pop("prepare")] if "prepare" in candidate else []
        model = make_pipeline(*steps, SFPClassifier(random_state=0, **gaps, **candidate)).fit(X, y)
        assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_long_refinements_are_left_to_tables_of_many_rows():
    few, many = (list(broad_pool(SHAPE._replace(n_rows=n))) for n in (399, 400))
    assert max(candidate["refine"] for candidate in few) == 50
    assert max(candidate["refine"] for candidate in many) == 200
    assert len(many) == len(few) + 3


def test_kernels_of_ranks_are_of_a_kind_and_need_dense_rows_without_gaps():
    def kinds(shape):
        return {kind_of(candidate) for candidate in broad_pool(shape)}

    assert kinds(SHAPE) == {"anova", "clusters", "kernel", "linear", "more features", "refined"}
    assert "anova" not in kinds(SHAPE._replace(is_dense=False))
    assert "anova" not in kinds(SHAPE._replace(is_complete=False))


def test_candidates_of_a_space_are_different():
    for space in SPACES.values():
        for shape in (SHAPE, Shape(12, 2, 6), Shape(320, 3, 2)):
            texts = [repr(sorted(candidate.items(), key=str)) for candidate in space(shape)]
            assert len(set(texts)) == len(texts)
