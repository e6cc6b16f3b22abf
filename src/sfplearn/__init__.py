"""sfplearn: Supervised Fuzzy Partitioning, a supervised k-means that a person can read.

Names are imported when they are first asked for: scikit-learn takes its time, and `sfp --help`
does not need it.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfplearn.core import CostMatrix, Huber, Loss, Quantile
    from sfplearn.data import open_rows
    from sfplearn.estimators import (
        SFPClassifier,
        SFPClusterer,
        SFPRegressor,
        SFPSelector,
        SFPTransformer,
        TameTails,
        WeighFeatures,
    )
    from sfplearn.onnx import to_onnx
    from sfplearn.persist import load_model, save_model
    from sfplearn.tuning import SFPSearchCV

__version__ = version("sfplearn")

__all__ = [
    "CostMatrix",
    "Huber",
    "Loss",
    "Quantile",
    "SFPClassifier",
    "SFPClusterer",
    "SFPRegressor",
    "SFPSearchCV",
    "SFPSelector",
    "SFPTransformer",
    "TameTails",
    "WeighFeatures",
    "__version__",
    "load_model",
    "open_rows",
    "save_model",
    "to_onnx",
]

# Where names are that are not those of estimators, and packages that can be asked for as well.
_HOMES = {
    **dict.fromkeys(("CostMatrix", "Huber", "Loss", "Quantile"), "core"),
    **dict.fromkeys(("load_model", "save_model"), "persist"),
    "open_rows": "data",
    "SFPSearchCV": "tuning",
    "to_onnx": "onnx",
}
_PACKAGES = (
    "core",
    "data",
    "estimators",
    "fitting",
    "onnx",
    "persist",
    "plots",
    "report",
    "tuning",
)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"sfplearn.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'sfplearn' has no attribute {name!r}")
    found = getattr(import_module(f"sfplearn.{_HOMES.get(name, 'estimators')}"), name)
    globals()[name] = found  # asked for once
    return found


def __dir__() -> list[str]:
    return [*__all__, *_PACKAGES]
