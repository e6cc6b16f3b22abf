"""What a report is about: the fitted model, what comes before it, and how columns are named."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sfplearn.data import find_store
from sfplearn.estimators import SFPClassifier, SFPRegressor
from sfplearn.estimators.kernels import is_kernel
from sfplearn.estimators.labels import find_unlabelled
from sfplearn.report.columns import names_of, shape_of
from sfplearn.tuning import Committee

COMMITTEE = (
    "Several models answer together here, so there are no clusters and no features that can be "
    "read; search for one model that can: ensemble=None, or sfp tune without --ensemble."
)
KERNEL = (
    "Distances of this model are those of a kernel, so there are no clusters and no features "
    'that can be read; fit with divergence="weighted_euclidean" for a model that can.'
)


@dataclass(frozen=True)
class Subject:
    """A fitted model and what comes before it."""

    given: Any
    """What was handed in; it predicts."""
    model: Any
    """The SFP model, or the committee, at its end."""
    steps: tuple[Any, ...]
    """Fitted transformers that come before the model."""
    was_searched: bool
    """Whether settings were searched for."""

    @property
    def is_classifier(self) -> bool:
        """Whether labels are classes."""
        return bool(is_classifier(self.model))

    @property
    def why_unreadable(self) -> str | None:
        """One sentence if there is nothing to read in the model, else None."""
        if isinstance(self.model, Committee):
            return COMMITTEE
        return KERNEL if is_kernel(self.model) else None

    @property
    def can_refit(self) -> bool:
        """Whether the model can be fitted anew, without some rows."""
        return not isinstance(self.model, Committee)

    def ending_in(self, model: Any) -> Pipeline:
        """Return a pipeline that prepares rows for another model as for this one."""
        named = [(f"step{i}", step) for i, step in enumerate(self.steps)]
        return Pipeline([*named, ("model", model)])

    def prepared(self, X: Any) -> Any:
        """Return rows as the model takes them."""
        for step in self.steps:
            X = step.transform(X)
        unnamed = not hasattr(self.model, "feature_names_in_") and hasattr(X, "to_numpy")
        return X.to_numpy() if unnamed else X

    def names_out(self, X: Any, width: int) -> list[str]:
        """Return the names of the features that the model takes."""
        names: Any = names_of(X, shape_of(X)[1])
        for step in self.steps:
            try:
                known = hasattr(step, "feature_names_in_")  # the table may have others besides
                names = step.get_feature_names_out(None if known else names)
            except (AttributeError, ValueError):
                names = names if len(names) == width else []
        names = [str(name) for name in names]
        return names if len(names) == width else [f"feature {i}" for i in range(width)]


def subject_of(estimator: Any) -> Subject:
    """Find the model in an estimator, through searches and pipelines.

    >>> from sfplearn import SFPClassifier
    >>> subject_of(SFPClassifier(1).fit([[0.0], [1.0]], ["a", "b"])).was_searched
    False
    """
    steps: list[Any] = []
    model, was_searched = estimator, False
    while isinstance(model, Pipeline) or hasattr(model, "best_estimator_"):
        if isinstance(model, Pipeline):
            steps += [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
            model = model.steps[-1][1]
        else:
            model, was_searched = model.best_estimator_, True
    if not isinstance(model, SFPClassifier | SFPRegressor | Committee):
        raise TypeError(
            "Report takes a fitted SFPClassifier, SFPRegressor or SFPSearchCV, alone or at the "
            f"end of a Pipeline; got {type(model).__name__}."
        )
    if not isinstance(model, Committee):  # which are fitted by nature
        check_is_fitted(model)
    return Subject(estimator, model, tuple(steps), was_searched)


def traced(steps: tuple[Any, ...], outputs: list[str], columns: list[str]) -> list[int]:
    """Return the raw column that each feature of the model was made of, -1 where none is known.

    The parts of a ColumnTransformer have few columns each, so that `sex_m` can be told from the
    category m of `sex`; else names alone must tell.
    """
    flat = _flat(steps)
    if not flat or not isinstance(flat[0], ColumnTransformer) or not _keep_names(flat, outputs):
        return sources_of(outputs, columns)
    fitted = [str(name) for name in getattr(flat[0], "feature_names_in_", columns)]
    # A table without the names of the fit has its columns in the same order.
    where = columns if set(fitted) & set(columns) else fitted
    found = [-1] * len(outputs)
    for name, part, chosen in flat[0].transformers_:
        place = flat[0].output_indices_[name]
        if part == "drop" or not outputs[place]:
            continue
        own = _named(chosen, fitted)
        bare = [output.removeprefix(f"{name}__") for output in outputs[place]]
        sources = [0] * len(bare) if len(own) == 1 else sources_of(bare, own)
        found[place] = [where.index(own[i]) if i >= 0 else -1 for i in sources]
    return found


def _flat(steps: Iterable[Any]) -> list[Any]:
    """Return steps one after the other, those of pipelines among them."""
    parts = (
        _flat(s for _, s in step.steps) if isinstance(step, Pipeline) else [step] for step in steps
    )
    return [step for part in parts for step in part if step not in (None, "passthrough")]


def _keep_names(steps: list[Any], outputs: list[str]) -> bool:
    """Tell whether the steps after the first leave features, and their names, as they are."""
    if len(steps) == 1:
        return True
    try:
        return [str(name) for name in steps[0].get_feature_names_out()] == outputs
    except (AttributeError, ValueError):  # some part does not name what it makes
        return False


def _named(chosen: Any, columns: list[str]) -> list[str]:
    """Return the names of chosen columns, however they were chosen."""
    if isinstance(chosen, str):
        return [chosen]
    if isinstance(chosen, slice):
        first, last = chosen.start, chosen.stop
        if isinstance(first, str) or isinstance(last, str):  # of names, both ends are in
            first = columns.index(first) if isinstance(first, str) else first
            last = columns.index(last) + 1 if isinstance(last, str) else last
        return columns[slice(first, last, chosen.step)]
    listed = np.atleast_1d(np.asarray(chosen, dtype=object)).tolist()
    if listed and all(isinstance(each, bool | np.bool_) for each in listed):
        return [name for name, taken in zip(columns, listed, strict=True) if taken]
    return [each if isinstance(each, str) else columns[each] for each in listed]


def sources_of(outputs: list[str], columns: list[str]) -> list[int]:
    """Return the raw column that each feature of the model was made of, -1 where none is known.

    Transformers name features after columns: `num__age`, `sex_male`, `cat__sex_male`.

    >>> sources_of(["num__age", "cat__sex_m", "cat__sex_f", "pca0"], ["age", "sex"])
    [0, 1, 1, -1]
    """
    places = {name: i for i, name in enumerate(columns)}
    longest = sorted(places, key=len, reverse=True) if set(outputs) - set(columns) else []

    def source(name: str) -> int:
        for candidate in (name, name.partition("__")[2]):
            if candidate in places:
                return places[candidate]
        for candidate in (name, name.partition("__")[2]):
            for column in longest:
                if candidate.startswith(f"{column}_"):
                    return places[column]
        return -1

    return [source(name) for name in outputs]


def check_data(subject: Subject, X: Any, y: Any, weight: Any) -> tuple[NDArray[Any], Any, Any]:
    """Return labels as a flat array, weights, and which rows have a label."""
    if find_store(X) is not None:
        raise TypeError("Report needs rows in memory; read some of them and hand these in.")
    n, _ = shape_of(X)
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] > 1:
        raise ValueError("Report shows models of one output; make a model for each column of y.")
    y = y.ravel()
    if len(y) != n or n == 0:
        raise ValueError(f"X and y must have as many rows, at least one; got {n} and {len(y)}.")
    if weight is not None:
        weight = np.asarray(weight, dtype=np.float64)
        if weight.shape != (n,) or not (weight >= 0).all() or not weight.any():
            raise ValueError("sample_weight must hold a number of at least 0 for each row.")
    _, unlabelled = find_unlabelled(y, getattr(subject.model, "unlabeled", None))
    labelled = np.ones(n, bool) if unlabelled is None else ~unlabelled
    return y, weight, labelled
