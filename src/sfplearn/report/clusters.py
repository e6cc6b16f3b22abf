"""What a model learned: its clusters, and the features that matter to them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfplearn.estimators.explanation import sayings
from sfplearn.report.features import Features, typical
from sfplearn.report.subject import Subject
from sfplearn.report.words import plain

Array = NDArray[np.float64]

# Clusters, features of each, and features in all that a page shows; the others are counted.
CLUSTERS_SHOWN, CARD_FEATURES, HEAT_FEATURES, LISTED_FEATURES = 30, 6, 24, 100

# Classes of a label mix that are told.
CLASSES_TOLD = 5


class Truth(NamedTuple):
    """The labels of rows."""

    codes: NDArray[Any]
    """Codes of classes, or numbers; whatever for rows without a label."""
    labelled: NDArray[np.bool_]
    """Which rows have one."""
    names: list[str] | None
    """Names of classes; None for numbers."""

    def take(self, rows: NDArray[np.intp]) -> "Truth":
        """Return the labels of some rows."""
        return self._replace(codes=self.codes[rows], labelled=self.labelled[rows])


def describe(
    subject: Subject, features: Features, u: Array, weight: Array, truth: Truth
) -> dict[str, Any]:
    """Return the largest clusters as cards, the heat map and the features overall.

    Clusters that say numbers are in the order of these, others by size.
    """
    says = sayings(subject.model)
    weights = features.gather(np.asarray(subject.model.feature_weights_))
    importances = features.gather(np.asarray(subject.model.feature_importances_))
    rows = u * weight[:, None]
    order = np.argsort(-rows.sum(axis=0), kind="stable")
    shown = order[:CLUSTERS_SHOWN].tolist()
    if truth.names is None:
        shown.sort(key=lambda j: says[j, says.shape[1] // 2])
    first = np.argsort(-importances, kind="stable")
    cards = [
        {
            "cluster": j,
            "share": plain(rows[:, j].sum() / weight.sum()),
            "says": saying(says[j], truth.names),
            "rows_are": labels_of(rows[:, j], truth),
            "features": card_features(features, weights[j], rows[:, j], weight),
        }
        for j in shown
    ]
    return {
        "cards": cards,
        "left_out": len(order) - len(cards),
        "heat": heat_map(features, weights, rows, weight, first[:HEAT_FEATURES], shown),
        "most_important": first.tolist(),
        **listed(features, importances),
    }


def saying(said: Array, labels: list[str] | None) -> dict[str, Any]:
    """Return what a cluster says as plain values: shares of the likeliest classes, or numbers.

    >>> saying(np.array([0.25, 0.75]), ["no", "yes"])["mix"][0]
    {'class': 1, 'label': 'yes', 'share': 0.75}
    """
    if labels is None:
        return {"numbers": [plain(value) for value in said]}
    order = np.argsort(-said, kind="stable")
    told, rest = order[:CLASSES_TOLD], order[CLASSES_TOLD:]
    mix = [{"class": int(m), "label": labels[m], "share": plain(said[m])} for m in told]
    return {"mix": mix, "rest": plain(said[rest].sum())}


def labels_of(rows: Array, truth: Truth) -> dict[str, Any] | None:
    """Return the labels of the rows of a cluster as plain values: shares of classes, or a mean.

    None if it has no row with a label.
    """
    rows, codes = rows[truth.labelled], truth.codes[truth.labelled]
    if not rows.sum() > 0:
        return None
    if truth.names is None:
        return saying(np.array([np.average(codes, weights=rows)]), None)
    shares = np.bincount(codes, rows, minlength=len(truth.names)) / rows.sum()
    return saying(shares, truth.names)


def card_features(
    features: Features, weights: Array, rows: Array, total: Array
) -> list[dict[str, Any]]:
    """Return the features that weigh most in a cluster, with their typical values."""
    return [
        {
            "feature": features.names[j],
            "weight": plain(weights[j]),
            "prepared": features.is_prepared(j),
            **typical(features.column(j), rows, total),
        }
        for j in np.argsort(-weights, kind="stable")[:CARD_FEATURES].tolist()
    ]


def heat_map(
    features: Features, weights: Array, rows: Array, total: Array, first: Any, shown: Any
) -> dict[str, Any]:
    """Return weight and typical value of the most important features in each cluster."""
    chosen = first.tolist()
    cells = [
        [
            {
                "weight": plain(weights[cluster, j]),
                **typical(features.column(j), rows[:, cluster], total),
            }
            for j in chosen
        ]
        for cluster in shown
    ]
    names = [features.names[j] for j in chosen]
    left_out = len(features.names) - len(chosen)
    return {
        "features": names,
        "clusters": shown,
        "heaviest": plain(weights[np.ix_(shown, chosen)].max()),
        "left_out": left_out,
        "cells": cells,
    }


def listed(features: Features, importances: Array) -> dict[str, Any]:
    """Return features by importance, the first of them by name."""
    order = np.argsort(-importances, kind="stable")
    shown = order[:LISTED_FEATURES].tolist()
    return {
        "features": [
            {"name": features.names[j], "importance": plain(importances[j])} for j in shown
        ],
        "features_left_out": len(order) - len(shown),
    }
