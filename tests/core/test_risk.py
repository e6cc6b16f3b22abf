"""The risk of predictions and its slopes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfplearn.core import Means, Prototype, Rows
from sfplearn.core.losses.domain import DOMAINS
from sfplearn.core.risk import Fields, add, risk_summarizer, slopes
from tests.conftest import three_blobs
from tests.core.losses import EVERY_LOSS
from tests.core.test_masked import with_holes

K, P, GAMMA, STEP = 4, 3, 0.5, 1e-6


def problem(name, seed=0, holes=0.0):
    """Fields off the kinks of losses that have some, rows with labels, and who reads them."""
    random = np.random.default_rng(seed)
    X, y = three_blobs(40, P, seed)
    about = {"weight": random.random(40), "missing": holes > 0}
    X = with_holes(X, holes, seed)
    if name == "means":
        rows, expert = Rows.of(X, np.zeros(40), targets=random.random((40, 2)), **about), Means(2)
        z = random.standard_normal((K, 2))
    else:
        loss, labels = EVERY_LOSS[name]
        rows, expert = Rows.of(X, y, **about), Prototype(loss, labels)
        z = loss.prototype(labels, random.gamma(1.0, size=(K, len(labels))) + 0.1)
        z = z + 0.01 * random.random(z.shape)
    fields = Fields(
        v=random.standard_normal((K, P)),
        log_w=0.3 * random.standard_normal((K, P)),
        b=0.1 * random.standard_normal(K),
        z=z,
    )
    return fields, expert, rows


@pytest.mark.parametrize("holes", [0.0, 0.3], ids=["complete", "missing"])
@pytest.mark.parametrize("name", [*EVERY_LOSS, "means"])
def test_slopes_are_central_differences(name, holes):
    fields, expert, rows = problem(name, holes=holes)

    def risk(fields):
        return risk_summarizer(fields, expert, GAMMA, True)(rows).risk

    found = slopes(fields, risk_summarizer(fields, expert, GAMMA, True)(rows))
    for part in Fields._fields:
        values = getattr(fields, part)
        for index in np.ndindex(values.shape):
            step = np.zeros_like(values)
            step[index] = STEP
            up, down = (risk(fields._replace(**{part: values + s * step})) for s in (1, -1))
            expected = (up - down) / (2 * STEP)
            assert getattr(found, part)[index] == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_slopes_of_sums_over_observed_cells():
    """As for Gaussians, whose distances are not averaged where cells are missing."""
    fields, expert, rows = problem("log_loss", holes=0.3)

    def risk(fields):
        return risk_summarizer(fields, expert, GAMMA, False)(rows).risk

    found = slopes(fields, risk_summarizer(fields, expert, GAMMA, False)(rows))
    step = np.zeros_like(fields.log_w)
    step[1, 2] = STEP
    up, down = (risk(fields._replace(log_w=fields.log_w + s * step)) for s in (1, -1))
    assert found.log_w[1, 2] == pytest.approx((up - down) / (2 * STEP), rel=1e-5)


@given(st.sampled_from([*EVERY_LOSS, "means"]), st.integers(1, 39), st.sampled_from([0.0, 0.3]))
def test_blocks_add(name, cut, holes):
    fields, expert, rows = problem(name, holes=holes)
    summarize = risk_summarizer(fields, expert, GAMMA, True)
    together = add(summarize(rows.take(slice(0, cut))), summarize(rows.take(slice(cut, 40))))
    for part, whole in zip(together, summarize(rows), strict=True):
        np.testing.assert_allclose(part, whole, atol=1e-9)


def test_unlabelled_rows_have_no_risk():
    fields, expert, rows = problem("log_loss")
    nothing = rows._replace(y=np.full(40, -1, np.int32))
    sums = risk_summarizer(fields, expert, GAMMA, True)(nothing)
    assert sums.risk == sums.weight == 0
    assert not any(part.any() for part in slopes(fields, sums))


@pytest.mark.parametrize("name", DOMAINS)
def test_domains_keep_prototypes_inside(name):
    domain = DOMAINS[name]
    t = np.random.default_rng(0).standard_normal((5, 3))
    z = domain.enter(t)
    np.testing.assert_allclose(domain.enter(domain.leave(z)), z, atol=2e-3)
    assert {
        "real": True,
        "balanced": np.allclose(z.sum(axis=1), 0),
        "positive": (z > 0).all(),
        "simplex": np.allclose(z.sum(axis=1), 1) and (z > 0).all(),
    }[name]


@pytest.mark.parametrize("name", DOMAINS)
def test_slopes_of_domains_are_central_differences(name):
    domain, random = DOMAINS[name], np.random.default_rng(0)
    t, along = random.standard_normal((2, 3)), random.standard_normal((2, 3))
    found = domain.slope(domain.enter(t), along)
    for index in np.ndindex(t.shape):
        step = np.zeros_like(t)
        step[index] = STEP
        change = np.sum(along * (domain.enter(t + step) - domain.enter(t - step)))
        assert found[index] == pytest.approx(change / (2 * STEP), abs=1e-6)
