"""Nested cross-validation of SFP and its peers, on the same folds.

A task is one fold of one repeat of one data set: its training rows are prepared once, and each
method that has no record of it yet is fitted and asked about the test rows, which no choice
has seen.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from experiments.datasets import load
from experiments.peers import PEERS, UNTUNED
from experiments.preprocessing import prepared
from experiments.records import Records
from experiments.report import Report
from experiments.sfp import SFP

METHODS = {**PEERS, **UNTUNED, **SFP}
KEY = ("data", "repeat", "fold", "method")
RESULTS = Path(__file__).parent / "results" / "accuracy"

# Data sets with fewer rows are repeated more often, since their accuracy varies more.
SMALL = 400
SMALL_REPEATS, REPEATS = 20, 5
FOLDS = 5


class Task(NamedTuple):
    """A fold, and the methods that are still to be measured on it."""

    data: str
    repeat: int
    fold: int
    methods: tuple[str, ...]


def tasks(records: Records, repeats: dict[str, int], methods: list[str]) -> Iterator[Task]:
    """Name what is still to be done, first repeats first, so that a run can stop anywhere."""
    done = records.keys()
    for repeat in range(max(repeats.values())):
        for name, wanted in repeats.items():
            for fold in range(FOLDS if repeat < wanted else 0):
                left = tuple(m for m in methods if (name, repeat, fold, m) not in done)
                if left:
                    yield Task(name, repeat, fold, left)


def usual_repeats(name: str) -> int:
    """Return how often the folds of a data set are drawn anew, unless users say otherwise."""
    return SMALL_REPEATS if len(load(name).y) < SMALL else REPEATS


def main(arguments: argparse.Namespace) -> None:
    """Measure what is still unknown, and print what is known."""
    methods = arguments.methods or list(METHODS)
    records = Records(arguments.results, KEY)
    if not arguments.report:
        wanted = {name: arguments.repeats or usual_repeats(name) for name in arguments.sets}
        measure_all(records, wanted, methods, arguments.jobs)
    print(Report(records.all(), methods))


def measure_all(records: Records, repeats: dict[str, int], methods: list[str], jobs: int) -> None:
    """Measure tasks side by side, writing each record as soon as it is known."""
    todo = list(tasks(records, repeats, methods))
    begin = time.monotonic()
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for done, found in enumerate(parallel(delayed(_measured)(task) for task in todo), 1):
        records.add(found)
        left = (time.monotonic() - begin) / done * (len(todo) - done) / 60
        one = found[0]
        print(
            f"[{done}/{len(todo)}] {one['data']}, repeat {one['repeat']}, fold {one['fold']}: "
            + ", ".join(f"{r['method']} {100 * r['accuracy']:.1f}" for r in found)
            + f" (about {left:.0f} min left)",
            flush=True,
        )


def _measured(task: Task) -> list[dict[str, Any]]:
    return list(measure(task))


def measure(task: Task) -> Iterator[dict[str, Any]]:
    """Fit the methods of a task to training rows and yield how well each does on test rows."""
    data = load(task.data)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=task.repeat)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        train, test = list(folds.split(data.X, data.y))[task.fold]
        rows = prepared(data, train, test)
        for method in task.methods:
            found = _measure(method, *rows, data.y[train], data.y[test], task.repeat)
            where = {"data": task.data, "repeat": task.repeat, "fold": task.fold}
            yield {**where, "method": method, **found}


def _measure(
    method: str, rows: np.ndarray, new: np.ndarray, y: np.ndarray, truth: np.ndarray, seed: int
) -> dict[str, Any]:
    begin, busy = time.perf_counter(), time.process_time()
    model = METHODS[method](*rows.shape, seed).fit(rows, y)
    fitted, busy = time.perf_counter(), time.process_time() - busy
    predicted = model.predict(new)
    end = time.perf_counter()
    found = {
        "accuracy": round(float(accuracy_score(truth, predicted)), 5),
        "fit_seconds": round(fitted - begin, 3),
        "fit_processor_seconds": round(busy, 3),
        "predict_seconds": round(end - fitted, 4),
    }
    classes = np.unique(y)
    if len(classes) == 2:
        positive = truth == classes[1]
        found["auc"] = round(float(roc_auc_score(positive, _scores(model, new))), 5)
        found["hits"] = [
            int(np.sum(positive & (predicted == classes[1]))), int(positive.sum()),
            int(np.sum(~positive & (predicted == classes[0]))), int((~positive).sum()),
        ]  # fmt: skip
    return found


def _scores(model: Any, rows: np.ndarray) -> np.ndarray:
    if hasattr(model, "predict_proba"):
        return model.predict_proba(rows)[:, 1]
    return model.decision_function(rows)
