"""What a candidate of a search is: settings, the shape that suits them, and their kind."""

from typing import Any, NamedTuple

from sklearn.pipeline import FeatureUnion, Pipeline

Candidate = dict[str, Any]
"""Settings of a model by name."""

# The setting that is put before a model.
PREPARE = "prepare"


class Shape(NamedTuple):
    """What a grid depends on."""

    n_rows: int
    """Rows that a model is trained on inside the cross-validation."""
    n_features: int
    """Columns."""
    n_classes: int
    """Classes M; 2 for numbers, which have none."""
    is_dense: bool = True
    """Whether rows are dense."""
    is_complete: bool = True
    """Whether no cell is missing."""
    is_labelled: bool = True
    """Whether no label is missing, so that what comes before a model may look at labels."""


def kind_of(candidate: Candidate) -> str:
    """Name the kind of model that a candidate is: those of one kind err alike.

    >>> kind_of({"divergence": "kernel"}), kind_of({"n_clusters": 3, "refine": 0})
    ('kernel', 'clusters')
    """
    settings = {name.split("__")[-1]: value for name, value in candidate.items()}
    if _adds_features(settings.get(PREPARE)):
        return "more features"
    if settings.get("divergence") == "kernel":
        return "anova" if settings.get("kernel") == "anova" else "kernel"
    if settings.get("expert") == "linear":
        return "linear"
    return "refined" if settings.get("refine", True) else "clusters"


def _adds_features(prepare: Any) -> bool:
    """Tell whether rows get features that they did not have."""
    steps = [step for _, step in prepare.steps] if isinstance(prepare, Pipeline) else [prepare]
    return any(isinstance(step, FeatureUnion) for step in steps)
