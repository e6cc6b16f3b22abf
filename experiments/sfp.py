"""SFP as it takes part in comparisons: as in the paper, by default, one model, and at its best."""

from typing import Any

from experiments.peers import Method
from sfplearn import SFPClassifier, SFPSearchCV


def _as_in_the_paper(n: int, p: int, seed: int) -> Any:
    """Search the reduced grid of 250 on 5 folds, after LOESS: literal objective, random starts."""
    return SFPSearchCV(space="reduced", strategy="loess", random_state=seed)


def _by_default(n: int, p: int, seed: int) -> Any:
    """Set nothing at all."""
    return SFPClassifier(random_state=seed)


def _one_model(n: int, p: int, seed: int) -> Any:
    """Keep the best of the broad pool alone."""
    return SFPSearchCV(ensemble=None, random_state=seed)


def _at_its_best(n: int, p: int, seed: int) -> Any:
    """Let a committee of the broad pool answer."""
    return SFPSearchCV(random_state=seed)


SFP: dict[str, Method] = {
    "SFP as in the paper": _as_in_the_paper,
    "SFP default": _by_default,
    "SFP one model": _one_model,
    "SFP best": _at_its_best,
}
