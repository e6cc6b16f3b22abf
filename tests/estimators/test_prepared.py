"""Fits that share rows end where they would alone."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier
from sfplearn.estimators.prepared import NewRows, PreparedRows

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
PLAIN = {"random_state": 0, "refine": 0, "max_iter": 4, "tol": 0}
KERNEL = {**PLAIN, "divergence": "kernel", "n_landmarks": 20, "gamma": 0.1}

SETTINGS = [
    {**KERNEL, "kernel": kernel, "kernel_params": params, "expert": expert, "n_clusters": k}
    for (kernel, params), (expert, k) in product(
        [("rbf", {"gamma": 0.1}), ("rbf", {"gamma": 0.01}), ("laplacian", {"gamma": 0.1})],
        [("linear", 1), ("constant", 6)],
    )
]
SETTINGS += [{**KERNEL, "n_landmarks": 40}, {**KERNEL, "random_state": 1}, {**PLAIN, "gamma": 0.1}]


def both(settings, prepared):
    alone = SFPClassifier(**settings).fit(X, Y)
    shared = prepared.fit(SFPClassifier(**settings))
    return alone.predict_proba(X), NewRows(shared, X).probabilities(shared)


def test_fits_of_prepared_rows_end_where_they_would_alone():
    prepared = PreparedRows(SFPClassifier(), X, Y, None)
    for settings in (*SETTINGS, *SETTINGS[::-1]):
        assert_array_equal(*both(settings, prepared))


@pytest.mark.parametrize(
    "unnamed",
    [
        {"kernel": lambda a, b: np.exp(-0.1 * ((a[:, None] - b) ** 2).sum(axis=2))},
        {"kernel_params": {"gamma": np.array(0.05)}},
        {"kernel_params": [("gamma", 0.05)]},
        {"warm_start": True},
    ],
)
def test_kernels_without_a_name_are_not_taken_for_others(unnamed):
    prepared = PreparedRows(SFPClassifier(), X, Y, None)
    for settings in (KERNEL, {**KERNEL, **unnamed}, KERNEL, {**KERNEL, **unnamed}):
        assert_array_equal(*both(settings, prepared))


def test_one_kernel_is_remembered_at_a_time():
    prepared = PreparedRows(SFPClassifier(), X, Y, None)
    for settings in SETTINGS[:6]:
        prepared.fit(SFPClassifier(**settings))
    space, known = prepared.table.shared["kernel"]
    assert space[0] == "laplacian"
    assert sum(len(features) for _, features in known["features",]._known.values()) == len(X)
    assert len(prepared.table.shared) == 1
