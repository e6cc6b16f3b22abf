"""Memory: the n x k matrix never exists."""

import subprocess
import sys

import pytest

pytest.importorskip("sfplearn.core.kernel.fused")

FIT = """
import resource
import numpy as np
from sfplearn import SFPClassifier

random = np.random.default_rng(0)
X = random.standard_normal((1_000_000, 10))
y = random.integers(0, 3, 1_000_000)
SFPClassifier(3, max_iter=1, tol=0, random_state=0).fit(X[:1000], y[:1000])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = SFPClassifier(200, max_iter=2, tol=0, random_state=0).fit(X, y)
{then}
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads ru_maxrss in kilobytes")
@pytest.mark.parametrize("then", ["", "model.predict(X)"], ids=["fit", "fit and predict"])
def test_a_million_rows_and_200_clusters_take_little_above_the_data(then):
    """A membership matrix would take 1.6 GB."""
    code = FIT.format(then=then)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(run.stdout) <= 150
