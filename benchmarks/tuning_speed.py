"""Time of a search over 250 candidates, beside one over as many settings of an SVM.

    python benchmarks/tuning_speed.py [--sets sonar ionosphere breast-cancer vowel]

The paper's reduced grid of 250 candidates on 5 folds, by SFPSearchCV, and GridSearchCV over 250
settings of SVC with an RBF kernel, on the same standardised rows and as many processes. Both in
one run, in turns; ratios are what counts. Data are those of the experiments (SFPLEARN_DATA).
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from sfplearn import SFPSearchCV

sys.path.insert(0, str(Path(__file__).parent.parent))
from experiments.datasets import load
from experiments.preprocessing import prepared

SETS = ("sonar", "ionosphere", "breast-cancer", "vowel")
BAR = 1.0


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def searches(n_features: int, jobs: int) -> tuple[SFPSearchCV, GridSearchCV]:
    """Return both searches, of 250 candidates on the same folds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    grid = {"C": np.logspace(-2, 4, 25), "gamma": np.logspace(-2, 2, 10) / n_features}
    ours = SFPSearchCV(space="reduced", ensemble=None, cv=folds, n_jobs=jobs, random_state=0)
    return ours, GridSearchCV(SVC(), grid, cv=folds, n_jobs=jobs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':16}{'SFP':>9}{'SVC':>9}{'ratio':>8}   (bar {BAR})")
    for name in arguments.sets:
        data = load(name)
        every = np.arange(len(data.y))
        X, _ = prepared(data, every, every)
        best = [np.inf, np.inf]
        for _ in range(arguments.repeats):
            pair = searches(X.shape[1], arguments.jobs)
            times = [seconds(partial(search.fit, X, data.y)) for search in pair]
            best = [min(b, t) for b, t in zip(best, times, strict=True)]
        ratio = best[0] / best[1]
        print(f"{name:16}{best[0]:8.1f}s{best[1]:8.1f}s{ratio:8.2f}", flush=True)


if __name__ == "__main__":
    main()
