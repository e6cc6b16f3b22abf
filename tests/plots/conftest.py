"""Pictures are drawn without a screen, coarsely, and closed after each test."""

import matplotlib
import matplotlib.pyplot as plt
import pytest

matplotlib.use("Agg")

COARSE = 40


@pytest.fixture(autouse=True)
def _closed_figures():
    with plt.rc_context({"figure.dpi": COARSE}):
        yield
    plt.close("all")
