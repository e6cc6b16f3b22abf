"""The loops: where a fit starts and how it descends.

They see rows through the three verbs of a source and never know where rows live.
"""

from sfplearn.fitting.descend import BEYOND_PRECISION, descend, descend_best
from sfplearn.fitting.refine import refine
from sfplearn.fitting.scale import Spread, measure
from sfplearn.fitting.start import (
    STARTS,
    initial_params,
    params_from_centers,
    params_from_rows,
    reseed,
    start_rows,
    with_honest_labels,
)

__all__ = [
    "BEYOND_PRECISION",
    "STARTS",
    "Spread",
    "descend",
    "descend_best",
    "initial_params",
    "measure",
    "params_from_centers",
    "params_from_rows",
    "refine",
    "reseed",
    "start_rows",
    "with_honest_labels",
]
