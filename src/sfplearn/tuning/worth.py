"""What candidates are worth to a committee, by what they said of rows they were not trained on."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.tuning.calibrate import fit_temperature, tempered
from sfplearn.tuning.members import worth_of
from sfplearn.tuning.trials import Outcome, Trials

Array = NDArray[np.float64]


class Sayings(NamedTuple):
    """What some candidates said, each as sure as it should be."""

    places: list[int]
    """Which candidates gave probabilities."""
    temperatures: Array
    """What those of each are flattened by."""
    sure: Array
    """Flattened probabilities, of shape (candidates, rows, classes)."""
    codes: NDArray[np.int_]
    """The true classes of these rows."""
    weight: Array
    """How much each row counts."""

    def worth(self) -> Array:
        """Return what each candidate is worth."""
        return worth_of(self.sure, self.codes, self.weight)


def sayings(
    trials: Trials, outcomes: Sequence[Outcome], eligible: NDArray[np.bool_]
) -> Sayings | None:
    """Return what eligible candidates said of the rows that all of them were asked about.

    Rows of a class that models could not know tell nothing about candidates.
    """
    held = {
        i: outcome.probabilities
        for i, outcome in enumerate(outcomes)
        if outcome.probabilities is not None and eligible[i]
    }
    if not held:
        return None
    asked = np.all([outcomes[i].seen > 0 for i in held], axis=0)
    asked = trials.telling(asked)
    codes, weight = trials.codes[asked], trials.weight[asked]
    temperatures = [fit_temperature(p[asked], codes, weight) for p in held.values()]
    sure = [tempered(p[asked], T) for p, T in zip(held.values(), temperatures, strict=True)]
    return Sayings(list(held), np.array(temperatures), np.array(sure), codes, weight)


def worths(trials: Trials, outcomes: Sequence[Outcome], by_score: bool) -> Array:
    """Return what candidates are worth so far; NaN without probabilities where others give some."""
    scores = np.array([outcome.mean_score for outcome in outcomes])
    said = sayings(trials, outcomes, np.ones(len(outcomes), bool))
    if said is None:
        return scores
    worth = np.full(len(outcomes), np.nan)
    worth[said.places] = scores[said.places] if by_score else said.worth()
    return worth
