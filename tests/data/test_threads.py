"""Threads: as many as BLAS may use, and BLAS held to one meanwhile."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from sfplearn import SFPClassifier, SFPSearchCV
from sfplearn.data.threads import thread_count

X = np.random.default_rng(0).standard_normal((60, 3))
Y = (X[:, 0] > 0).astype(int)


def blas_threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


@pytest.fixture
def three_threads():
    """Let BLAS use some, whatever the machine has."""
    with threadpool_limits(3, user_api="blas"):
        yield


class Seen:
    """A start that notes how many threads BLAS has, and may fail."""

    def __init__(self, error=None):
        self.error, self.threads = error, []

    def __call__(self, X, y, n_clusters, random_state):
        self.threads.append(blas_threads())
        if self.error:
            raise self.error
        return X[:n_clusters]


@pytest.mark.usefixtures("three_threads")
def test_default_threads_are_those_of_blas():
    assert thread_count(None) == 3
    with threadpool_limits(1, user_api="blas"):
        assert thread_count(None) == 1
    assert thread_count(2) == 2


@pytest.mark.usefixtures("three_threads")
def test_blas_has_one_thread_during_a_fit_and_its_own_after_it():
    seen = Seen()
    SFPClassifier(2, init=seen, refine=0).fit(X, Y)
    assert seen.threads
    assert all(threads == {1} for threads in seen.threads)
    assert blas_threads() == {3}


@pytest.mark.usefixtures("three_threads")
def test_a_fit_that_fails_lets_go():
    with pytest.raises(RuntimeError, match="no start"):
        SFPClassifier(2, init=Seen(RuntimeError("no start"))).fit(X, Y)
    assert blas_threads() == {3}


@pytest.mark.usefixtures("three_threads")
def test_searches_use_one_thread_throughout():
    seen = []

    def scorer(model, X, y):
        seen.append(blas_threads())
        return model.score(X, y)

    SFPSearchCV(space=[{"n_clusters": 2}], ensemble=None, scoring=scorer, cv=2).fit(X, Y)
    assert seen == [{1}, {1}]
    assert blas_threads() == {3}


def test_fits_that_overlap_leave_threads_as_they_were():
    before = blas_threads()
    with ThreadPoolExecutor(4) as pool:
        scores = pool.map(lambda seed: SFPClassifier(random_state=seed).fit(X, Y), range(20))
    assert len(list(scores)) == 20
    assert blas_threads() == before
