"""Data and problems that many tests share."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# Fits take milliseconds but the first one loads libraries: deadlines would only flake.
settings.register_profile(
    "sfplearn", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("sfplearn")

needs_data = pytest.mark.skipif(
    "SFPLEARN_DATA" not in os.environ, reason="SFPLEARN_DATA does not name a folder of data sets"
)


def three_blobs(n=90, p=4, seed=0):
    """Three labelled, overlapping clouds, standardised, with two clouds of the same label."""
    random = np.random.default_rng(seed)
    cloud = np.arange(n) % 4
    X = 1.5 * random.standard_normal((4, p))[cloud] + random.standard_normal((n, p))
    return (X - X.mean(axis=0)) / X.std(axis=0), np.minimum(cloud, 2)
