"""The loops: where a fit starts, how it descends and goes on, how it follows a stream.

They see rows through the three verbs of a source and never know where rows live.
"""

from sfplearn.fitting.alike import join_alike
from sfplearn.fitting.checkpoint import Checkpoint
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
from sfplearn.fitting.stream import FORGOTTEN, moved, renew, spread_of, stream
from sfplearn.fitting.watch import Watch

__all__ = [
    "BEYOND_PRECISION",
    "FORGOTTEN",
    "STARTS",
    "Checkpoint",
    "Spread",
    "Watch",
    "descend",
    "descend_best",
    "initial_params",
    "join_alike",
    "measure",
    "moved",
    "params_from_centers",
    "params_from_rows",
    "refine",
    "renew",
    "reseed",
    "spread_of",
    "start_rows",
    "stream",
    "with_honest_labels",
]
