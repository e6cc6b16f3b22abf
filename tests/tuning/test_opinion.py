"""One answer of several members: shares, biases and a temperature from rows not trained on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sfplearn.tuning.calibrate import HOTTEST, log_loss, tempered
from sfplearn.tuning.opinion import Opinion, fit_opinion, pooled

N, M = 400, 3
CODES = np.random.default_rng(0).integers(0, M, N)
ONES = np.ones(N)
EQUAL = np.full(3, 1 / 3)


def guesses(skill, seed):
    """Probabilities that favour the true class as much as skill says."""
    noise = np.random.default_rng(seed).standard_normal((N, M))
    return tempered(np.exp(noise + skill * np.eye(M)[CODES]), 1.0)


SAID = np.array([guesses(skill, seed) for seed, skill in enumerate((2.0, 1.0, 0.5))])


def loss(said, opinion):
    return log_loss(pooled(said, opinion), CODES, ONES)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-1, 3), min_size=1, max_size=6), st.integers(0, 99))
def test_rows_are_no_less_likely_than_under_the_shares_it_starts_from(skills, seed):
    said = np.array([guesses(skill, seed + i) for i, skill in enumerate(skills)])
    start = np.random.default_rng(seed).dirichlet(np.ones(len(skills)))
    found = fit_opinion(said, CODES, ONES, start)
    assert_allclose(found.shares.sum(), 1.0)
    assert (found.shares >= 0).all()
    assert loss(said, found) <= loss(said, Opinion(start, np.zeros(M), 1.0)) + 1e-9


def test_who_knows_more_gets_more():
    shares = fit_opinion(SAID, CODES, ONES, EQUAL).shares
    assert shares[0] > shares[1] > shares[2]


def test_who_is_wrong_gets_nothing():
    said = np.array([guesses(2.0, 1), guesses(1.0, 2), guesses(-2.0, 3)])
    assert fit_opinion(said, CODES, ONES, EQUAL).shares[2] == 0.0


def test_few_rows_leave_shares_where_they_were():
    few = fit_opinion(SAID[:, :5], CODES[:5], ONES[:5], EQUAL)
    assert_allclose(few.shares, EQUAL, atol=0.05)
    assert_allclose(few.biases, 0.0, atol=0.3)


def test_what_made_the_labels_is_found_again():
    random = np.random.default_rng(1)
    said = tempered(np.exp(random.standard_normal((2, 50_000, M))), 1.0)
    made = Opinion(np.array([0.7, 0.3]), np.array([0.4, 0.0, -0.4]), 0.5)
    truth = pooled(said, made)
    codes = (truth.cumsum(axis=1) < random.random((len(truth), 1))).sum(axis=1)
    found = fit_opinion(said, codes, np.ones(len(codes)), np.array([0.5, 0.5]))
    assert_allclose(found.shares, made.shares, atol=0.03)
    assert_allclose(found.biases - found.biases.mean(), made.biases, atol=0.03)
    assert_allclose(found.temperature, made.temperature, rtol=0.05)


def test_members_that_know_nothing_keep_their_shares_and_say_little():
    random = np.random.default_rng(2)
    said = tempered(np.exp(3 * random.standard_normal((2, 20_000, M))), 1.0)
    codes, start = random.integers(0, M, 20_000), np.array([0.6, 0.4])
    found = fit_opinion(said, codes, np.ones(len(codes)), start)
    assert_allclose(found.shares, start)
    assert found.temperature == pytest.approx(np.exp(HOTTEST))


def test_weights_of_rows_equal_repetition():
    weight = np.random.default_rng(3).integers(0, 3, N)
    again = np.repeat(np.arange(N), weight)
    by_weight = fit_opinion(SAID, CODES, weight.astype(float), EQUAL)
    by_rows = fit_opinion(SAID[:, again], CODES[again], np.ones(len(again)), EQUAL)
    assert_allclose(by_weight.shares, by_rows.shares, atol=1e-4)
    assert_allclose(by_weight.biases, by_rows.biases, atol=1e-4)


def test_the_order_of_members_and_classes_does_not_matter():
    found = fit_opinion(SAID, CODES, ONES, EQUAL)
    turned = fit_opinion(SAID[::-1, :, ::-1], M - 1 - CODES, ONES, EQUAL)
    assert_allclose(turned.shares[::-1], found.shares, atol=1e-4)
    assert_allclose(turned.biases[::-1], found.biases, atol=1e-4)


def test_one_member_is_calibrated():
    sure = tempered(SAID[:1], 0.3)
    found = fit_opinion(sure, CODES, ONES, np.ones(1))
    assert found.shares.tolist() == [1.0]
    assert loss(sure, found) < log_loss(sure[0], CODES, ONES)


def test_what_one_holds_impossible_others_can_save():
    never = np.where(np.arange(M) == 0, 0.0, 0.5) * np.ones((1, M))
    always = np.array([[0.98, 0.01, 0.01]])
    opinion = Opinion(np.array([0.1, 0.9]), np.zeros(M), 1.0)
    mixed = pooled(np.array([never, always]), opinion)
    assert mixed.argmax() == 0


@pytest.mark.parametrize("absent", [0, 1, 2])
def test_a_class_that_no_row_has_is_neither_favoured_nor_ruled_out(absent):
    there = np.not_equal(CODES, absent)
    for codes, weight, rows in (
        (CODES[there], ONES[there], there),
        (CODES, 1.0 * there, np.ones(N, bool)),
    ):
        found = fit_opinion(SAID[:, rows], codes, weight, EQUAL)
        assert found.biases[absent] == 0.0
        assert np.mean(pooled(SAID[:, ~there], found).argmax(axis=1) == absent) > 0.8
