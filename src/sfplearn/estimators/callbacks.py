"""Callbacks of scikit-learn 1.9 and later: who looks on at a fit, and may stop it.

A fit is a tree of tasks: a descent from each start, made of passes, then a refinement, made of
iterations. Callbacks that ask for it see the estimator as if the fit had ended with a task. With
an older scikit-learn nobody looks on.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from typing import Any

from sfplearn.estimators.checks import unchanged_on_error

try:
    from sklearn.callback import (
        CallbackContext,
        CallbackSupportMixin,
        FitCallback,
        with_callbacks,
    )
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Supports no callbacks."""

        def _init_callback_context(self, **_: Any) -> "Nobody":
            return Nobody()

    class CallbackContext:  # type: ignore[no-redef]
        """Is never met."""

    FitCallback = CallbackContext

    def with_callbacks(method: Any) -> Any:
        """Return a method as it is."""
        return method


Reached = Callable[[], Any]
Keep = Callable[..., Any]

# Where an estimator that fits another finds who looks on; taken at once.
LENT = "_lent_watch"


class TellsCallbacks(CallbackSupportMixin):
    """An estimator with callbacks, which `set_callbacks` sets."""


class Nobody:
    """A context of tasks that nobody looks on at."""

    def subcontext(self, **_: Any) -> "Nobody":
        """Return the context of a task within."""
        return self

    def call_on_fit_task_begin(self, **_: Any) -> "Nobody":
        """Tell nobody."""
        return self

    def call_on_fit_task_end(self, **_: Any) -> bool:
        """Tell nobody, who does not want to stop."""
        return False

    def propagate_callback_context(self, _: Any) -> AbstractContextManager[None]:
        """Hand nobody on."""
        return nullcontext()


class TaskWatch:
    """Tells callbacks of the steps of a loop: a `Watch` of `fitting`."""

    def __init__(self, estimator: Any, told: dict[str, Any], context: Any) -> None:
        self.estimator = estimator
        self.told = told
        self.context = context
        self.keep: Keep | None = None
        """Sets the attributes of a fit that ended where a step did; None if nothing can."""
        self.wrap: Callable[[], dict[str, Any]] = dict
        """Returns attributes of `estimator` where `keep` sets those of another."""
        self.say: Callable[[str, Reached], None] | None = None
        """Prints how a step of some name ended."""
        self.stopped = False
        """Whether a callback asked to end this loop."""
        self._name, self._step = "", None

    def begin(self, name: str, most: int = 0) -> None:
        """Tell that a step begins, unless one is under way."""
        if self._step is None:
            self._name = name
            step = self.context.subcontext(task_name=name, max_subtasks=most)
            self._step = step.call_on_fit_task_begin(estimator=self.estimator, **self.told)

    def within(self, keep: Keep | None = None) -> "TaskWatch":
        """Return who looks on at the steps within, which may reach something else to keep."""
        inner = TaskWatch(self.estimator, self.told, self._step)
        inner.keep, inner.wrap, inner.say = keep or self.keep, self.wrap, self.say
        return inner

    def end(self, reached: Reached, keep: Keep | None = None) -> bool:
        """Tell where a step ended; what is kept is worked out only for callbacks that ask."""
        keep = keep or self.keep
        if self.say is not None:
            self.say(self._name, reached)

        def attributes() -> dict[str, Any]:
            keep(*reached())  # type: ignore[misc]
            return self.wrap()

        step: Any = self._step
        self._step = None
        self.stopped = step.call_on_fit_task_end(
            estimator=self.estimator,
            reconstruction_attributes=attributes if keep is not None else None,
            **self.told,
        )
        return self.stopped

    def close(self, reached: Reached) -> None:
        """Tell of a step that came to nothing, if one is under way."""
        if self._step is not None:
            self.end(reached)


class FitWatch(TaskWatch):
    """Tells callbacks of a fit."""

    predicts = True
    """Whether the estimator can predict when it is fitted."""

    def open(self, most: int) -> None:
        """Tell that a fit begins, of at most so many steps."""
        if self.context is None:
            context = self.estimator._init_callback_context(max_subtasks=most)
            self.context = context.call_on_fit_task_begin(estimator=self.estimator, **self.told)

    def reserve(self, name: str, model: Any) -> Any:
        """Return a step for the fit of a model like this, which must not hold callbacks of ours."""
        step = self.context.subcontext(task_name=name)
        with step.propagate_callback_context(model):
            return step

    @contextmanager
    def handed(self, step: Any, model: Any) -> Iterator[None]:
        """Let callbacks look on at the fit of a model, in a step that was reserved for it."""
        with step.propagate_callback_context(model):
            step.call_on_fit_task_begin(estimator=self.estimator, **self.told)
            yield
        step.call_on_fit_task_end(estimator=self.estimator, **self.told)

    def finish(self) -> None:
        """Tell that the estimator is fitted, if its fit has been told of."""
        if self.context is not None:
            self.context.call_on_fit_task_end(
                estimator=self.estimator,
                reconstruction_attributes={} if self.predicts else None,
                **self.told,
            )


@contextmanager
def looked_at(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Iterator[FitWatch]:
    """Let the callbacks of an estimator look on at its fit; if it fails, it stays as it was."""
    lent = vars(estimator).pop(LENT, None)
    with unchanged_on_error(estimator):
        if lent is not None:
            yield lent
            return
        weight = None if sample_weight is None else {"sample_weight": sample_weight}
        watch = FitWatch(estimator, {"X": X, "y": y, "metadata": weight}, None)
        try:
            yield watch
            watch.finish()
        finally:  # while the estimator still knows who looks on
            tear_down(estimator)


def unseen(estimator: Any) -> FitWatch:
    """Return the watch of a fit that callbacks are not told of."""
    return FitWatch(estimator, {}, Nobody())


def lend(watch: FitWatch, inner: Any, wrap: Callable[[], dict[str, Any]]) -> Any:
    """Let who looks on at an estimator look on at the next fit of one inside it."""
    watch.wrap = wrap
    setattr(inner, LENT, watch)
    return inner


def without_callbacks(estimator: Any) -> Any:
    """Return a copy of an estimator that knows of no callbacks, to be sent away."""
    bare = copy(estimator)
    for name, value in vars(estimator).items():
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, CallbackContext | FitCallback):
            del vars(bare)[name]
    return bare


@with_callbacks
def tear_down(estimator: Any) -> None:
    """Tell callbacks that the fit is over, however it ended."""
