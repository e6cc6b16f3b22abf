"""Time of a pass on a Dask cluster of two processes, beside the pass in memory with two threads.

    pip install ".[dask]" && python benchmarks/distribution.py [--rows 2000000] [--repeats 3]

Both see the same n x 20 rows, k = 50 (bar: at most 1.3 times). Rows are persisted on the workers
first. What travels in a pass, parameters to each worker and sums from each partition, is printed,
for these rows and for a tenth of them: it depends on the number of partitions, not of rows.
"""

import argparse
import time
import warnings
from functools import partial

import cloudpickle
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster, wait

from sfplearn import SFPClassifier
from sfplearn.core import (
    LogLoss,
    Objective,
    Prototype,
    Rows,
    WeightedEuclidean,
    merge,
    params_at,
)
from sfplearn.core.objective import summarizer
from sfplearn.estimators.classes import labelled_table

P, K, CLASSES, PARTITIONS = 20, 50, 3, 16
FEW, MANY = 1, 9
BAR = 1.3


def rows(n):
    random = np.random.default_rng(0)
    group = random.integers(K, size=n)
    centers = 2.0 * random.standard_normal((K, P))
    return centers[group] + random.standard_normal((n, P)), group % CLASSES


def seconds(X, y, passes):
    init = np.random.default_rng(1).standard_normal((K, P))
    began = time.perf_counter()
    SFPClassifier(K, init=init, max_iter=passes, tol=0, refine=0, n_jobs=2).fit(X, y)
    return time.perf_counter() - began


def traffic(n):
    """Return the bytes of what goes out to a worker and comes back from a partition in a pass."""
    X, y = rows(n)
    size = -(-n // PARTITIONS)
    lazy = da.from_array(X, chunks=(size, P)), da.from_array(y, chunks=size)
    source = labelled_table(SFPClassifier(K), *lazy, None)[0].source(K)
    objective = Objective(WeightedEuclidean(1.0), Prototype(LogLoss(), CLASSES), 1.0, 0.1)
    function = summarizer(objective, params_at(objective, Rows.of(X[:K], y[:K])))
    out = cloudpickle.dumps(partial(source._reduce, function, merge))
    return len(out), len(cloudpickle.dumps(source.map_reduce(function, merge)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = rows(options.rows)
    size = -(-options.rows // PARTITIONS)
    memory, cluster = np.full(2, np.inf), np.full(2, np.inf)
    with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as workers, Client(workers):
        lazy = [da.from_array(X, chunks=(size, P)), da.from_array(y, chunks=size)]
        lazy = [each.persist() for each in lazy]
        wait(lazy)
        for _ in range(options.repeats):
            for place, passes in enumerate((FEW, MANY)):
                memory[place] = min(memory[place], seconds(X, y, passes))
                cluster[place] = min(cluster[place], seconds(*lazy, passes))
    here, there = ((times[1] - times[0]) / (MANY - FEW) for times in (memory, cluster))
    print(f"{options.rows} x {P}, k = {K}, {PARTITIONS} partitions")
    print(f"a pass: in memory {here:.3f} s, Dask {there:.3f} s: {there / here:.2f}, bar {BAR}")
    for n in (options.rows, options.rows // 10):
        out, back = traffic(n)
        print(f"{n} rows: {out / 1024:.1f} KB to a worker, {back / 1024:.1f} KB from a partition")


if __name__ == "__main__":
    main()
