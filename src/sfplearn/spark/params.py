"""Settings of the plain estimators as Params of Spark, named as is usual there."""

# ruff: noqa: N815

import re
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasLabelCol,
    HasMaxIter,
    HasPredictionCol,
    HasSeed,
    HasTol,
    HasWeightCol,
)

P = TypeVar("P", bound=Params)

# Settings of plain estimators that are called otherwise in Spark.
OTHERWISE = {"seed": "random_state"}
# Params cannot be None: where plain estimators take it, "none" stands for it.
NONE = "none"
OR_NONE = ("scale", "classWeight")
# Seeds of Spark may be any whole number, those of NumPy are smaller ones.
SEEDS = 1 << 32


def auto_or(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a converter that lets text such as "auto" pass.

    >>> auto_or(TypeConverters.toInt)("auto"), auto_or(TypeConverters.toInt)(3.0)
    ('auto', 3)
    """
    return lambda value: value if isinstance(value, str) else convert(value)


def to_rows(value: Any) -> list[list[float]]:
    """Return centres as lists, which can be written down.

    >>> to_rows(np.eye(2))
    [[1.0, 0.0], [0.0, 1.0]]
    """
    try:
        centers = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        centers = np.empty(0)
    if centers.ndim != 2:
        raise TypeError(
            "init must be the name of a method, or centres of shape (n_clusters, n_features)."
        )
    return centers.tolist()


def to_scalar(value: Any) -> Any:
    """Return a number of NumPy as one of Python, which can be written down."""
    return value.item() if isinstance(value, np.generic) else value


def _param(name: str, doc: str, convert: Callable[[Any], Any]) -> Any:
    return Param(Params._dummy(), name, doc, typeConverter=convert)


class SFPParams(
    HasFeaturesCol, HasLabelCol, HasWeightCol, HasPredictionCol, HasMaxIter, HasTol, HasSeed
):
    """What both estimators can be told; see SFPClassifier and SFPRegressor for what it means."""

    nClusters = _param("nClusters", "number of clusters, or 'auto'", auto_or(TypeConverters.toInt))
    alpha = _param("alpha", "weight of the labels (>= 0)", auto_or(TypeConverters.toFloat))
    gamma = _param("gamma", "fuzziness of memberships (> 0)", auto_or(TypeConverters.toFloat))
    lam = _param("lam", "evenness of feature weights (> 0)", auto_or(TypeConverters.toFloat))
    loss = _param("loss", "name of the loss of label prototypes", TypeConverters.toString)
    scale = _param(
        "scale", "units of alpha, gamma and lam: 'auto' or 'none'", TypeConverters.toString
    )
    divergence = _param("divergence", "how far rows are from clusters", TypeConverters.toString)
    kernel = _param("kernel", "kernel of divergence='kernel'", TypeConverters.toString)
    kernelParams = _param("kernelParams", "settings of the kernel, by name", dict)
    nLandmarks = _param(
        "nLandmarks",
        "rows that span the space of a kernel, or 'auto'",
        auto_or(TypeConverters.toInt),
    )
    expert = _param(
        "expert", "what clusters say of labels: 'constant' or 'linear'", TypeConverters.toString
    )
    expertPenalty = _param(
        "expertPenalty", "weight of squared slopes of linear experts", TypeConverters.toFloat
    )
    init = _param("init", "name of a start, or centres (lists of numbers)", auto_or(to_rows))
    nInit = _param("nInit", "number of starts, or 'auto'", auto_or(TypeConverters.toInt))
    honest = _param(
        "honest",
        "whether prototypes are estimated once more without help of labels, or 'auto'",
        auto_or(TypeConverters.toBoolean),
    )
    refine = _param("refine", "iterations of L-BFGS, or 'auto'", auto_or(TypeConverters.toInt))
    refinePull = _param(
        "refinePull",
        "how strongly a refinement is pulled back (>= 0), or 'auto'",
        auto_or(TypeConverters.toFloat),
    )
    unlabeled = _param(
        "unlabeled", "label of rows whose label is not known; NaN stands for null", to_scalar
    )
    allowNan = _param("allowNan", "whether features may be missing (NaN)", TypeConverters.toBoolean)
    verbose = _param("verbose", "print the objective of every pass if not 0", TypeConverters.toInt)

    def _start_from(self, plain: Any) -> None:
        """Take the defaults of a plain estimator."""
        known = plain.get_params()
        names = [param.name for param in self.params if plain_name(param.name) in known]
        defaults = {name: known[plain_name(name)] for name in names}
        defaults.update({name: NONE for name in OR_NONE if defaults.get(name, NONE) is None})
        some = {name: value for name, value in defaults.items() if value is not None}
        self._setDefault(**{**some, "seed": 0})

    def _set_all(self, given: dict[str, Any]) -> None:
        """Set Params by name; refuse names that are none."""
        for name in given:
            if not self.hasParam(name):
                known = ", ".join(param.name for param in self.params)
                raise TypeError(f"{type(self).__name__} has no param {name!r}; it has {known}.")
        named = {name: NONE for name in OR_NONE if name in given and given[name] is None}
        self._set(**{**given, **named})

    def _settings(self, known: Any) -> dict[str, Any]:
        """Return the settings among known names of a plain estimator."""
        chosen = {
            plain_name(param.name): value
            for param, value in self.extractParamMap().items()
            if plain_name(param.name) in known
        }
        for name in map(plain_name, OR_NONE):
            if chosen.get(name) == NONE:
                chosen[name] = None
        if not isinstance(chosen["init"], str):
            chosen["init"] = np.array(chosen["init"])
        chosen["random_state"] %= SEEDS
        return chosen


class SFPClassifierParams(SFPParams):
    """What a classifier can be told besides."""

    classWeight = _param(
        "classWeight", "weights of classes: 'balanced' or 'none'", TypeConverters.toString
    )


def plain_name(name: str) -> str:
    """Return what plain estimators call a Param.

    >>> plain_name("nClusters"), plain_name("seed")
    ('n_clusters', 'random_state')
    """
    return OTHERWISE.get(name, re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name))


def with_accessors(cls: type[P]) -> type[P]:
    """Give a class `getName` and `setName` for each of its Params, as is usual in Spark."""
    for name in dir(cls):
        param = getattr(cls, name)
        if isinstance(param, Param):
            title = name[0].upper() + name[1:]
            if not hasattr(cls, f"get{title}"):
                setattr(cls, f"get{title}", _getter(param))
            setattr(cls, f"set{title}", _setter(param))
    return cls


def _getter(param: Any) -> Callable[[Any], Any]:
    def get(self: Any) -> Any:
        return self.getOrDefault(param.name)

    get.__name__ = f"get{param.name[0].upper()}{param.name[1:]}"
    get.__doc__ = f"Return the value of {param.name}: {param.doc}."
    return get


def _setter(param: Any) -> Callable[[Any, Any], Any]:
    def set_(self: Any, value: Any) -> Any:
        own = self.getParam(param.name)
        if value is None and param.name not in OR_NONE:
            self.clear(own)
        else:
            self.set(own, NONE if value is None else value)
        return self

    set_.__name__ = f"set{param.name[0].upper()}{param.name[1:]}"
    set_.__doc__ = f"Set {param.name}: {param.doc}."
    return set_
