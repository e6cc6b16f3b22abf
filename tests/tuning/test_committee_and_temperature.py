"""Ensembles of what is known of rows not trained on, and their temperature."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sfplearn import SFPClassifier
from sfplearn.tuning.calibrate import fit_temperature, log_loss, tempered
from sfplearn.tuning.committee import Committee, FoldModels, over_all
from sfplearn.tuning.members import best_members, greedy_members, worth_of

RANDOM = np.random.default_rng(0)
N, M = 200, 3
CODES = RANDOM.integers(0, M, N)
ONES = np.ones(N)


def guesses(skill, seed):
    """Probabilities that favour the true class as much as skill says."""
    noise = np.random.default_rng(seed).standard_normal((N, M))
    return tempered(np.exp(noise + skill * np.eye(M)[CODES]), 1.0)


def accuracy(p):
    return np.mean(p.argmax(axis=1) == CODES)


def greedy(pool, weight=ONES):
    return greedy_members(np.array(pool), CODES, weight, random=np.random.default_rng(0))


def best(pool, weight=ONES):
    kinds = [str(place) for place in range(len(pool))]
    return best_members(worth_of(np.array(pool), CODES, weight), kinds, 3)


both = pytest.mark.parametrize("choose", [best, greedy])


@both
def test_weights_sum_to_one_and_bad_candidates_get_little(choose):
    weights = choose([guesses(2.0, 1), guesses(2.0, 2), guesses(2.0, 3), guesses(-2.0, 4)])
    assert_allclose(weights.sum(), 1.0)
    assert weights[3] < 0.1


@both
def test_several_that_err_differently_are_better_than_the_best_of_them(choose):
    pool = [guesses(1.0, seed) for seed in range(12)]
    mixed = np.tensordot(choose(pool), np.array(pool), 1)
    assert accuracy(mixed) > max(accuracy(p) for p in pool)


@both
def test_rows_without_weight_do_not_count(choose):
    pool = [guesses(1.0, seed) for seed in range(6)]
    half = np.arange(N) < N // 2
    spoiled = [np.where(half[:, None], p, 1 - p) for p in pool]
    assert_allclose(choose(pool, weight=1.0 * half), choose(spoiled, weight=1.0 * half))


@both
def test_a_single_candidate_gets_everything(choose):
    assert_allclose(choose([guesses(1.0, 0)]), [1.0])


@given(st.floats(0.5, 5.0))
def test_temperature_keeps_the_order_and_undoes_itself(temperature):
    p = guesses(1.0, 0)
    there = tempered(p, temperature)
    assert_allclose(there.sum(axis=1), 1.0)
    assert np.array_equal(there.argmax(axis=1), p.argmax(axis=1))
    assert_allclose(tempered(there, 1.0 / temperature), p, atol=1e-4)


def test_the_fitted_temperature_is_the_one_that_was_applied():
    truth = np.exp(RANDOM.standard_normal((20_000, M)))
    truth /= truth.sum(axis=1, keepdims=True)
    codes = (truth.cumsum(axis=1) < RANDOM.random((len(truth), 1))).sum(axis=1)
    sure = tempered(truth, 0.4)
    found = fit_temperature(sure, codes, np.ones(len(codes)))
    assert_allclose(found, 2.5, rtol=0.1)
    assert log_loss(tempered(sure, found), codes, np.ones(len(codes))) < log_loss(
        sure, codes, np.ones(len(codes))
    )


def test_weights_of_rows_equal_repetition():
    p, weight = guesses(1.0, 0), RANDOM.integers(0, 3, N).astype(float)
    again = np.repeat(np.arange(N), weight.astype(int))
    assert_allclose(
        log_loss(p, CODES, weight), log_loss(p[again], CODES[again], np.ones(len(again)))
    )


X = np.arange(12.0)[:, None]


def of_three():
    return SFPClassifier(3, random_state=0).fit(X, np.repeat(["a", "b", "c"], 4))


def of_two():
    return SFPClassifier(2, random_state=0).fit(X[4:], np.repeat(["b", "c"], 4))


def test_models_of_folds_may_know_some_classes_only():
    three, two = of_three(), of_two()
    both = FoldModels([three, two], ["a", "b", "c"])
    of_all = over_all(two.predict_proba(X), two.classes_, both.classes_)
    assert_allclose(both.predict_proba(X), (three.predict_proba(X) + of_all) / 2, atol=1e-6)
    assert both.n_features_in_ == 1
    assert_allclose(both.feature_importances_, [1.0])


def test_models_of_folds_are_as_sure_as_their_temperature_says():
    member = of_three()
    warm = FoldModels([member, member], member.classes_, 3.0)
    assert_allclose(warm.predict_proba(X), tempered(member.predict_proba(X), 3.0))


def test_a_committee_averages_logarithms():
    one, other = of_three(), SFPClassifier(6, random_state=1).fit(X, np.repeat(["a", "b", "c"], 4))
    mixed = Committee([one, other], [0.25, 0.75], one.classes_).predict_proba(X)
    expected = one.predict_proba(X) ** 0.25 * other.predict_proba(X) ** 0.75
    assert_allclose(mixed, expected / expected.sum(axis=1, keepdims=True), atol=1e-6)


def test_a_committee_of_some_that_do_not_know_a_class_can_still_predict_it():
    both = Committee([of_three(), of_two()], [0.95, 0.05], ["a", "b", "c"])
    assert_allclose(both.predict_proba(X).sum(axis=1), 1.0)
    assert both.predict(X[:1]) == ["a"]


def test_biases_favour_classes():
    member = of_three()
    biased = Committee([member], [1.0], member.classes_, [0.0, 9.0, 0.0])
    assert set(biased.predict(X)) == {"b"}
    assert_allclose(biased.feature_importances_, [1.0])


def test_the_best_few_count_the_same():
    pool = [guesses(skill, seed) for seed, skill in enumerate((0.0, 3.0, 1.0, 2.0, -1.0))]
    assert_allclose(best(pool), np.array([0, 1, 1, 1, 0]) / 3)


def test_few_rows_that_are_all_right_do_not_make_sure():
    sure = fit_temperature(np.tile([[0.7, 0.3]], (10, 1)), np.zeros(10, int), np.ones(10))
    assert tempered(np.array([[0.7, 0.3]]), sure)[0, 0] < 0.95


@given(
    worth=st.lists(st.floats(0, 1), min_size=1, max_size=12, unique=True),
    seed=st.integers(0, 99),
    count=st.integers(1, 6),
)
def test_at_most_half_of_a_committee_are_of_one_kind_while_there_are_others(worth, seed, count):
    kinds = np.random.default_rng(seed).choice(list("abc"), len(worth))
    chosen = best_members(np.array(worth), list(kinds), count) > 0
    assert chosen.sum() == min(count, len(worth))
    most = max(2, count // 2)
    for kind in "abc":
        of_it = kinds == kind
        if np.sum(chosen & of_it) > most:  # there was nobody else to take
            others = [min(most, np.sum(kinds == other)) for other in "abc" if other != kind]
            assert np.sum(chosen & ~of_it) >= sum(others)
        best = np.argsort(-np.where(of_it, worth, -1.0))[: np.sum(chosen & of_it)]
        assert chosen[best].all()  # of each kind the best


def test_one_kind_alone_fills_a_committee():
    assert np.count_nonzero(best_members(np.arange(6.0), ["a"] * 6, 4)) == 4
