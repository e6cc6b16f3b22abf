"""What a model file says about itself: a stranger may have written it, so its shape is checked."""

from pathlib import Path
from typing import Any

from sfplearn.cli.columns import CATEGORY, DATE, FEATURE, LEFT_OUT, NUMBER, TARGET, WEIGHT
from sfplearn.cli.target import CLASSIFICATION, REGRESSION

# What tells that sfp wrote it.
NEEDED = ("schema", "target", "task", "source")

# Shapes: a type or a value, one of several in a tuple, all of a list, all keys of a dictionary;
# keys that end in a question mark may be absent. Nothing is one of none.
NOTHING = ()
MEASURED = (int, float, None)
COLUMN: dict[str, Any] = {
    "name": str,
    "kind": (NUMBER, DATE, CATEGORY),
    "role": (FEATURE, TARGET, WEIGHT, LEFT_OUT),
    "missing": int,
    "why": str,
    "has_commas": bool,
    "are_truths": bool,
    "mark?": str,
    "code_width?": int,
    "placeholders?": bool,
    "thousands?": bool,
}
SCORE = {"mean": MEASURED, "deviation": MEASURED}
SCORES = {"measures": [str], "rows": int, "folds": int, "models": list, "notes?": [str]}
SAYS = ({"mix": [{"label": str, "share": (int, float)}]}, {"numbers": [MEASURED]})
CARD = {
    "cluster": int,
    "share": (int, float),
    "says": SAYS,
    "columns": [{"name": str, "value": str, "all": str}],
}
CLUSTERS = ({"cards": [CARD], "left_out": int}, {"cards": [NOTHING], "why_none": str})
ABOUT: dict[str, Any] = {
    "schema": [COLUMN],
    "target": str,
    "task": (CLASSIFICATION, REGRESSION),
    "source": str,
    "rows": int,
    "missing_words?": [str],
    "versions?": dict,
    "search?": dict,
    "clusters?": CLUSTERS,
}


def is_ours(about: Any) -> bool:
    """Tell whether sfp, or somebody who would be taken for it, wrote this."""
    return isinstance(about, dict) and all(key in about for key in NEEDED)


def check_about(about: dict[str, Any], path: Path) -> None:
    """Refuse what no sfp wrote; all that is read of it later is looked at here."""
    right = fits(about, ABOUT) and scores_fit(about.get("scores"))
    if not right or [each["role"] for each in about["schema"]].count(TARGET) != 1:
        raise ValueError(
            f"{path} is damaged: what it says about its columns and scores cannot be read; "
            "fit the model again."
        )


def fits(value: Any, shape: Any) -> bool:
    """Tell whether a value has a shape.

    >>> fits({"a": [1, 2]}, {"a": [int], "b?": str}), fits({"a": ["x"]}, {"a": [int]})
    (True, False)
    """
    if isinstance(shape, tuple):
        return any(fits(value, each) for each in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            (key.endswith("?") and key[:-1] not in value)
            or (key.rstrip("?") in value and fits(value[key.rstrip("?")], each))
            for key, each in shape.items()
        )
    return isinstance(value, shape) if isinstance(shape, type) else bool(value == shape)


def scores_fit(scores: Any) -> bool:
    """Tell whether scores, if there are any, have all that is printed of them."""
    if scores is None or fits(scores, {"models": [NOTHING], "why_none": str}):
        return True
    if not fits(scores, SCORES):
        return False
    first, *rest = scores["measures"] or [""]
    row = {"name": str, "seconds": (int, float), **dict.fromkeys((first, *rest), SCORE)}
    return len(rest) == 1 and fits(scores["models"], [row])
