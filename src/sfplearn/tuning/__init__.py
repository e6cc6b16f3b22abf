"""Hyperparameters: where to search, how to choose, and models that answer together.

SFPSearchCV ──> plan ──> running ──> trials      folds prepared once, candidates on each
└──> space                    the paper's grids, and ours
└──> conclude ──> choose ──> smooth  best, mean of the best, best after LOESS
├─> worth ──> members   the best few, or greedy selection
├─> opinion             what each of them counts
├─> committee           models that answer together
└─> calibrate           temperature
"""

from sfplearn.tuning.committee import Committee
from sfplearn.tuning.search import SFPSearchCV
from sfplearn.tuning.space import bounded, unbounded

__all__ = ["Committee", "SFPSearchCV", "bounded", "unbounded"]
