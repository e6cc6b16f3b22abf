"""How a model was fitted: the path of the objective, settings and versions."""

import platform
from importlib.metadata import version
from typing import Any

import numpy as np
import sklearn

from sfplearn.report.words import number, plain, shortened

# Points of a path that are drawn at most, and letters of a setting that are shown.
PATH_POINTS, SETTING_LENGTH = 200, 100


def training_section(model: Any) -> dict[str, Any]:
    """Return the path of a fit and its settings, as far as the model has them."""
    return {
        "objective": path_of(model, "objective_path_", first=1),
        "refinement": path_of(model, "refine_path_", first=0),
        "passes": int(model.n_iter_) if hasattr(model, "n_iter_") else None,
        "strengths": {
            name: plain(getattr(model, f"{name}_"))
            for name in ("alpha", "gamma", "lam")
            if hasattr(model, f"{name}_")
        },
        "settings": settings_of(model),
    }


def path_of(model: Any, name: str, first: int) -> list[list[float | None]]:
    """Return points (step, value) of a path, thinned out if it is long."""
    path = np.asarray(getattr(model, name, []), dtype=np.float64)
    if not len(path):
        return []
    steps = np.unique(np.linspace(0, len(path) - 1, PATH_POINTS).astype(int))
    return [[int(step) + first, plain(path[step])] for step in steps]


def settings_of(model: Any) -> list[dict[str, Any]]:
    """Return the settings of a model, those that differ from the default first.

    >>> from sfplearn import SFPClassifier
    >>> settings_of(SFPClassifier(gamma=0.2))[0]
    {'name': 'gamma', 'value': '0.2', 'default': "'auto'", 'changed': True}
    """
    if hasattr(model, "members"):
        models = {type(m).__name__ for member in model.members for m in models_of(member)}
        return [_setting("members", ", ".join(sorted(models)))]
    defaults = type(model)().get_params(deep=False)
    found = [
        _setting(name, value, defaults[name])
        for name, value in model.get_params(deep=False).items()
    ]
    return sorted(found, key=lambda setting: not setting["changed"])


def models_of(member: Any) -> list[Any]:
    """Return the models of a member of a committee: one, or those of its folds."""
    return list(getattr(member, "members", [member]))


def _setting(name: str, value: Any, default: Any = None) -> dict[str, Any]:
    shown, usual = _shown(value), _shown(default)
    return {"name": name, "value": shown, "default": usual, "changed": shown != usual}


def _shown(value: Any) -> str:
    is_float = isinstance(value, float) and np.isfinite(value)
    return number(value) if is_float else shortened(repr(value), SETTING_LENGTH)


def versions() -> dict[str, str]:
    """Return the versions of what made the model."""
    return {
        "sfplearn": version("sfplearn"),
        "scikit-learn": sklearn.__version__,
        "NumPy": np.__version__,
        "Python": platform.python_version(),
    }
