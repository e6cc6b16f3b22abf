"""The compiled pass equals the NumPy one on every shape it cuts differently."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfplearn.core import Rows
from sfplearn.core.kernel import Coefficients, reference
from tests.core.blocks import assert_same, block

fused = pytest.importorskip("sfplearn.core.kernel.fused")


# Below, at and above the size of a vector, a tile (64 or 128 rows), a panel (128 or 256 columns)
# and the padding that keeps rows of 64 clusters off the same cache set.
SHAPES = [
    (1, 1, 1, 1),
    (63, 3, 2, 2),
    (64, 4, 4, 3),
    (65, 127, 5, 2),
    (129, 128, 12, 2),
    (128, 257, 20, 2),
    (50, 129, 13, 4),
    (300, 300, 64, 3),
    (193, 7, 67, 30),
    (10, 1000, 3, 2),
]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-12), (np.float32, 2e-5)])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_fused_equals_reference(shape, dtype, rtol, order):
    rows, coefficients = block(*shape, dtype, order)
    exact = rows._replace(X=rows.X.astype(np.float64))
    expected = reference.summarize(exact, coefficients)
    assert_same(fused.summarize(rows, coefficients), expected, rtol)
    u = fused.memberships(rows, coefficients)
    assert u.dtype == dtype
    np.testing.assert_allclose(
        u, reference.memberships(exact, coefficients), rtol=10 * rtol, atol=rtol
    )
    given = np.random.default_rng(0).standard_normal(u.shape).astype(dtype)
    expected = reference.gather(exact, coefficients, given.astype(np.float64))
    assert_same(fused.gather(rows, coefficients, given), expected, rtol)
    expected = reference.costs(exact, coefficients)
    np.testing.assert_allclose(fused.costs(rows, coefficients), expected, rtol=rtol, atol=10 * rtol)


def test_strided_and_read_only_rows_are_read_in_place():
    rows, coefficients = block(60, 8, 3, 2)
    wide = np.repeat(np.repeat(rows.X, 2, axis=0), 3, axis=1)
    wide.setflags(write=False)
    strided = fused.summarize(rows._replace(X=wide[::2, ::3]), coefficients)
    assert_same(strided, fused.summarize(rows, coefficients), 1e-14)


@given(st.floats(1e-250, 1e8), st.floats(-700, 700))
def test_memberships_survive_any_temperature_and_offset(gamma, offset):
    rows, c = block(20, 3, 4, 2)
    u = fused.memberships(rows, Coefficients(c.linear, c.square, c.table + offset, gamma))
    np.testing.assert_allclose(u.sum(axis=1), 1.0, rtol=1e-12)
    assert (u >= 0).all()


def test_exponential_is_accurate_to_rounding():
    """Costs c and 0 give memberships 1 / (1 + exp(-c)) and its complement."""
    cost = np.concatenate([np.linspace(0, 50, 2001), np.geomspace(1e-12, 700, 2001)])
    one, zero = np.array([[1.0], [0.0]]), np.zeros((2, 1))
    u = fused.memberships(Rows.of(cost[:, None]), Coefficients(one, zero, zero, gamma=1.0))
    np.testing.assert_allclose(u[:, 0], np.exp(-cost) / (1 + np.exp(-cost)), rtol=1e-15)


def test_logarithm_is_accurate_to_rounding():
    """The free energy of two costs 0 and c is -ln(1 + exp(-c))."""
    for cost in np.concatenate([[0.0], np.geomspace(1e-8, 36, 50)]):
        one, zero = np.array([[1.0], [0.0]]), np.zeros((2, 1))
        coefficients = Coefficients(one, zero, zero, gamma=1.0)
        energy = fused.summarize(Rows.of(np.array([[cost]])), coefficients)[3]
        assert energy == pytest.approx(-np.log1p(np.exp(-cost)), rel=1e-14, abs=2e-16)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 100, 5000])
def test_free_energy_of_equal_costs_is_the_logarithm_of_k(k):
    zero = np.zeros((k, 1))
    energy = fused.summarize(Rows.of(np.zeros((1, 1))), Coefficients(zero, zero, zero, gamma=1.0))[
        3
    ]
    assert energy == pytest.approx(-np.log(k), rel=1e-15, abs=0)


# What a process prints that was asked to use a build: its name, and sums that it found.
ASKED = """
import numpy as np
from sfplearn.core.kernel import fused
from tests.core.blocks import block

print(fused.INSTRUCTIONS)
for dtype in (np.float64, np.float32):
    first, second, labels, energy = fused.summarize(*block(300, 13, 21, 3, dtype))
    print(energy, first.sum(), second.sum(), labels.sum())
"""


@pytest.mark.parametrize("name", ["baseline", "AVX2", "AVX-512", "unheard-of"])
def test_builds_can_be_asked_for_by_name_and_agree(name):
    answer = subprocess.run(
        [sys.executable, "-c", ASKED],
        env={**os.environ, "SFPLEARN_INSTRUCTIONS": name, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    build, *sums = answer.stdout.splitlines()
    # A processor may lack what is asked for; then it gets its best, as if nothing were asked.
    assert build == name or (build in ("baseline", "AVX2", "AVX-512") and name != "baseline")
    for line, dtype, rtol in zip(sums, (np.float64, np.float32), (1e-12, 1e-4), strict=True):
        rows, coefficients = block(300, 13, 21, 3, dtype)
        exact = rows._replace(X=rows.X.astype(np.float64))
        first, second, labels, energy = reference.summarize(exact, coefficients)
        expected = [energy, first.sum(), second.sum(), labels.sum()]
        np.testing.assert_allclose(np.array(line.split(), float), expected, rtol=rtol)
