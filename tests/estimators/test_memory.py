"""Memory: the n x k matrix never exists."""

import subprocess
import sys

import pytest

pytest.importorskip("sfplearn.core.kernel.fused")

# ru_maxrss would count what the parent of a process had.
PEAK = """
def peak():
    with open("/proc/self/status") as file:
        return int(file.read().split("VmHWM:")[1].split()[0])
"""

FIT = """
import numpy as np
from sfplearn import SFPClassifier

random = np.random.default_rng(0)
X = random.standard_normal((1_000_000, 10))
y = random.integers(0, 3, 1_000_000)
SFPClassifier(3, max_iter=1, tol=0, random_state=0).fit(X[:1000], y[:1000])
before = peak()
model = SFPClassifier(200, max_iter=2, tol=0, random_state=0).fit(X, y)
{then}
print((peak() - before) / 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("then", ["", "model.predict(X)"], ids=["fit", "fit and predict"])
def test_a_million_rows_and_200_clusters_take_little_above_the_data(then):
    """A membership matrix would take 1.6 GB."""
    code = PEAK + FIT.format(then=then)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(run.stdout) <= 150


STORED = """
import numpy as np
from sfplearn import SFPClassifier, open_rows

base = np.random.default_rng(0).standard_normal((100_000, 20))
y = base[:, 0] > 0

def blocks():
    for number in range(40):
        yield base + 0.01 * number, y

SFPClassifier(3, max_iter=1, tol=0, random_state=0).fit(open_rows([(base[:1000], y[:1000])]))
before = peak()
rows = open_rows(blocks)
model = SFPClassifier(50, max_iter=2, tol=0, n_jobs=2, random_state=0).fit(rows)
model.predict(rows)
print((peak() - before) / 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_rows_that_are_read_block_by_block_are_never_all_in_memory():
    """All of them would take 640 MB, and their predictions take 4."""
    run = subprocess.run(
        [sys.executable, "-c", PEAK + STORED], capture_output=True, text=True, check=True
    )
    assert float(run.stdout) <= 250
