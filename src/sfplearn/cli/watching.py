"""How far a fit has come, for a bar: told by callbacks, where scikit-learn has them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from sfplearn.cli.progress import Step, stage


@contextmanager
def followed(console: Console, words: str, model: Any, within: str = "") -> Iterator[Step]:
    """Show how far the fit of a model, or one task of it, has come.

    Before scikit-learn 1.9, which has no callbacks, show that work goes on.
    """
    tells = hasattr(model, "set_callbacks")
    with stage(console, words, known=tells) as step:
        if tells:
            model.set_callbacks(Teller(step, within))
        try:
            yield step
        finally:
            if tells:
                model.set_callbacks()


class Teller:
    """A callback that tells the share of tasks which are done."""

    def __init__(self, step: Step, within: str = "") -> None:
        self._step, self._within = step, within

    def setup(self, estimator: Any, context: Any) -> None:
        """Do nothing before a fit."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing after it."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing before a task."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Tell how much is done now."""
        self._step(share_done(context, self._within))


def share_done(context: Any, within: str = "") -> float:
    """Return how much is done when a task ends, if a task takes as long as its siblings.

    Loops may end early: what is left is at most what this tells.

    >>> from types import SimpleNamespace as Task
    >>> fit = Task(task_name="fit", task_id=0, max_subtasks=2, parent=None)
    >>> descent = Task(task_name="descent", task_id=1, max_subtasks=10, parent=fit)
    >>> share_done(Task(task_name="pass", task_id=4, max_subtasks=0, parent=descent))
    0.75
    """
    share = 1.0
    while context.parent is not None and context.task_name != within:
        most = context.parent.max_subtasks or context.task_id + 1
        share, context = (context.task_id + share) / most, context.parent
    return share
