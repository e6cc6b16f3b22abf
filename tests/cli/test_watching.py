"""Bars that follow a fit: shares that rise to all."""

import io

import numpy as np
import pytest
from rich.console import Console
from sklearn.datasets import load_iris

from sfplearn import SFPClassifier, SFPRegressor, SFPSearchCV
from sfplearn.cli.watching import Teller, followed

pytest.importorskip("sklearn.callback")

X, Y = load_iris(return_X_y=True)
GRID = [{"n_clusters": k, "gamma": g, "refine": 0} for k in (3, 4, 5) for g in (0.1, 0.2)]


def shares(model, y, within=""):
    told = []
    model.set_callbacks(Teller(told.append, within))
    model.fit(X, y)
    return np.array(told)


@pytest.mark.parametrize(
    "model",
    [
        SFPClassifier(4, refine=0, random_state=0),
        SFPClassifier(random_state=0),
        SFPClassifier(4, n_init=3, refine=10, random_state=0),
        SFPRegressor(4, refine=10, random_state=0),
    ],
)
def test_shares_of_a_fit_rise_to_all(model):
    found = shares(model, Y)
    assert (np.diff(found) >= 0).all()
    assert found[-1] == 1.0
    assert ((found > 0) & (found < 1)).sum() >= 3


@pytest.mark.parametrize("ensemble", [None, 2])
def test_shares_of_a_search_are_those_of_its_trials(ensemble):
    search = SFPSearchCV(space=GRID, ensemble=ensemble, cv=2, random_state=0)
    found = shares(search, Y, "search")
    np.testing.assert_allclose(found[:6], np.arange(1, 7) / 6)
    assert (found[6:] == 1.0).all()


def test_who_looked_on_is_gone_after_the_fit():
    quiet = Console(file=io.StringIO(), stderr=True)
    model = SFPClassifier(3, random_state=0)
    with pytest.raises(ValueError, match="is more than"), followed(quiet, "Fitting", model):
        model.set_params(n_clusters=1000).fit(X, Y)
    assert not getattr(model, "_skl_callbacks", ())


def test_a_bar_tells_the_time_left_on_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    shown = Terminal()
    console = Console(file=shown, force_terminal=True, width=80)
    model = SFPClassifier(4, n_init=5, random_state=0)
    with followed(console, "Fitting", model):
        model.fit(X, Y)
    assert "Fitting" in shown.getvalue()
    assert " %" in shown.getvalue()
    assert "0:00:0" in shown.getvalue()
