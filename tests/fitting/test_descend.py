"""Descents stop when told, keep the best of several, revive clusters, and speak up."""

from functools import partial

import numpy as np
import pytest

from sfplearn.core import LogLoss, Objective, Prototype, WeightedEuclidean, params_at
from sfplearn.data import as_source
from sfplearn.fitting import descend, descend_best, measure, reseed
from tests.conftest import three_blobs

OBJECTIVE = Objective(WeightedEuclidean(5.0), Prototype(LogLoss(), 3), 1.0, 0.1)


@pytest.fixture
def source():
    return as_source(*three_blobs(), n_clusters=4)


def assert_same_params(one, other):
    np.testing.assert_array_equal(one.divergence.v, other.divergence.v)
    np.testing.assert_array_equal(one.divergence.w, other.divergence.w)
    np.testing.assert_array_equal(one.expert.z, other.expert.z)


def start(source, chosen=(0, 1, 2, 3)):
    return params_at(OBJECTIVE, source.rows.take(list(chosen)))


def test_without_tolerance_the_number_of_passes_is_exact(source):
    _, trace = descend(OBJECTIVE, source, start(source), max_iter=7)
    assert len(trace.values) == 7
    assert not trace.converged


def test_with_tolerance_it_stops_early(source):
    _, trace = descend(OBJECTIVE, source, start(source), max_iter=500, tol=1e-6)
    assert trace.converged
    assert len(trace.values) < 500
    assert trace.values[-2] - trace.values[-1] <= 1e-6


def test_a_descent_in_two_legs_is_the_same_descent(source):
    whole, trace = descend(OBJECTIVE, source, start(source), max_iter=8)
    half, first = descend(OBJECTIVE, source, start(source), max_iter=3)
    rest, second = descend(OBJECTIVE, source, half, max_iter=5)
    assert first.values + second.values == trace.values
    np.testing.assert_array_equal(rest.divergence.v, whole.divergence.v)


def test_the_best_of_several_is_kept(source):
    starts = [start(source, chosen) for chosen in ((0, 4, 8, 12), (0, 1, 2, 3), (5, 9, 13, 17))]
    makers = [partial(lambda params: params, params) for params in starts]
    _, best = descend_best(OBJECTIVE, source, makers, max_iter=30)
    ends = [descend(OBJECTIVE, source, params, max_iter=30)[1].values[-1] for params in starts]
    assert best.values[-1] == min(ends)
    assert len(set(np.round(ends, 6))) > 1


def test_dead_clusters_are_placed_anew(source):
    random = np.random.default_rng(0)
    params = start(source)
    v = params.divergence.v.copy()
    v[3] = 1e3
    lost = params._replace(divergence=params.divergence._replace(v=v))
    stay, trace = descend(OBJECTIVE, source, lost, max_iter=20)
    assert trace.stats.mass[3] == 0
    once, _ = descend(
        OBJECTIVE, source, lost, max_iter=1, reseed=lambda *_: pytest.fail("no pass follows")
    )
    np.testing.assert_array_equal(once.divergence.v[3], 1e3)
    np.testing.assert_array_equal(stay.divergence.v[3], 1e3)
    _, revived = descend(
        OBJECTIVE, source, lost, max_iter=20,
        reseed=lambda params, dead, number: reseed(OBJECTIVE, source.rows, random, params, dead),
    )  # fmt: skip
    assert revived.stats.mass.min() > 1
    assert revived.values[-1] < trace.values[-1]


def test_a_rise_of_the_objective_warns(source):
    class Broken(WeightedEuclidean):
        def update(self, sums, params=None):
            return super().update(sums)._replace(v=np.zeros_like(sums.first) + 5.0)

    broken = OBJECTIVE._replace(divergence=Broken(5.0))
    with pytest.warns(RuntimeWarning, match="rose by .* in pass 2"):
        descend(broken, source, start(source), max_iter=2)


def test_an_objective_beyond_precision_is_refused(source):
    far = source.rows._replace(X=1e200 * source.rows.X)
    with pytest.raises(ValueError, match="beyond the precision"), np.errstate(all="ignore"):
        descend(OBJECTIVE, as_source(far.X, far.y), start(source), max_iter=3)


class Onlooker:
    """Notes what it is told, and stops after so many steps of a name."""

    def __init__(self, seen, **enough):
        self.seen, self.enough = seen, enough
        self.done = 0

    def begin(self, name, most=0):
        self.name = name
        self.seen.append((name, most))

    def within(self):
        return Onlooker(self.seen, **self.enough)

    def end(self, reached):
        self.seen.append(reached())
        self.done += 1
        return self.done == self.enough.get(self.name)


def test_every_pass_is_seen_as_if_the_descent_ended_there(source):
    seen = []
    descend(OBJECTIVE, source, start(source), max_iter=4, watch=Onlooker(seen))
    assert seen[::2] == [("pass", 0)] * 4
    for passes, (params, trace) in enumerate(seen[1::2], start=1):
        alone, path = descend(OBJECTIVE, source, start(source), max_iter=passes)
        assert_same_params(params, alone)
        assert trace.values == path.values


def test_who_looks_on_may_end_a_descent(source):
    watch = Onlooker([], **{"pass": 3})
    end, trace = descend(OBJECTIVE, source, start(source), max_iter=9, tol=1e-12, watch=watch)
    alone, path = descend(OBJECTIVE, source, start(source), max_iter=3)
    assert trace.values == path.values
    assert trace.stopped
    assert not trace.converged
    assert_same_params(end, alone)


def test_who_looks_on_may_do_without_further_starts(source):
    chosen = ((0, 4, 8, 12), (0, 1, 2, 3), (5, 9, 13, 17))
    makers, seen = [partial(start, source, each) for each in chosen], []
    watch = Onlooker(seen, descent=2)
    _, best = descend_best(OBJECTIVE, source, makers, max_iter=5, watch=watch)
    told = [name for name, _ in seen if isinstance(name, str)]
    assert told == 2 * ["descent", *["pass"] * 5]
    _, two = descend_best(OBJECTIVE, source, makers[:2], max_iter=5)
    assert best.values == two.values


def test_spread_is_weighted_and_exact_far_from_zero():
    random = np.random.default_rng(0)
    X, weight = random.standard_normal((500, 3)), random.integers(1, 4, 500).astype(float)
    spread = measure(as_source(X + 1e8, None, weight))
    repeated = np.repeat(X, weight.astype(int), axis=0)
    assert spread.weight == weight.sum()
    assert spread.variance == pytest.approx(repeated.var(axis=0).mean(), rel=1e-6)
    np.testing.assert_allclose(spread.origin - 1e8, repeated.mean(axis=0), atol=1e-6)


def test_constant_data_have_unit_spread():
    assert measure(as_source(np.full((5, 2), 3.0))).variance == 1.0
