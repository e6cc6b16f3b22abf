"""The time of an iteration: how it is measured and told, nothing about how long it is."""

import numpy as np
import pytest

pytest.importorskip("skmisc")

from experiments.reproduced import complexity
from experiments.running import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def found(folder):
    return run("complexity", folder, fast=True, jobs=1)


def test_one_factor_grows_at_a_time(found):
    assert list(found["factors"]) == ["n", "k", "p"]
    for name, one in found["factors"].items():
        assert len(one["milliseconds"]) == len(one["sizes"]) == len(complexity.GROWTH)
        assert (np.diff(one["sizes"]) > 0).all()
        assert one["sizes"][-1] == 16 * one["sizes"][0]
        assert found["settings"]["middle"][name] in one["sizes"]


def test_exponents_are_numbers(found):
    for one in found["factors"].values():
        assert np.isfinite([one["exponent"], one["last"]]).all()


def test_exponents_are_slopes_of_logarithms():
    sizes = [10, 20, 40]
    assert complexity._exponent(sizes, np.array([1.0, 2.0, 4.0])) == 1.0
    assert complexity._exponent(sizes, np.array([1.0, 4.0, 16.0])) == 2.0
    one = complexity._factor(sizes, np.array([1.0, 1.0, 2.0]))
    assert one["last"] == 1.0
    assert one["exponent"] == 0.5


def test_factors_are_compared_with_the_papers_exponent(found):
    text = complexity.describe(found)
    rows = [row for row in text.splitlines() if row.startswith("| ")]
    assert rows[0].startswith("| factor | sizes | paper | ours | difference |")
    assert [row.split("|")[1].strip() for row in rows[1:]] == list(complexity.NAMES.values())


def test_growth_that_differs_is_told():
    def told(n, k, p):
        exponents = zip("nkp", (n, k, p), strict=True)
        return complexity._remarks({name: {"exponent": value} for name, value in exponents})

    (all_as_told,) = told(1.0, 1.05, 0.95)
    assert "rows n and with clusters k and with features p is as the paper says" in all_as_told
    as_told, less, more = told(1.0, 1.5, 0.5)
    assert "rows n is as the paper says" in as_told
    assert "features p is less" in less
    assert "clusters k is more" in more


def test_times_are_drawn_beside_a_line_of_slope_one(found, folder):
    figure = complexity.draw(found)
    assert len(figure.axes) == 3
    for ax, one in zip(figure.axes, found["factors"].values(), strict=True):
        straight, measured = ax.lines
        assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
        assert list(measured.get_ydata()) == one["milliseconds"]
        ratios = straight.get_ydata() / straight.get_xdata()
        np.testing.assert_allclose(ratios, ratios[0])
    assert (folder / "complexity.png").stat().st_size > 10_000
