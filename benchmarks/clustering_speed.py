"""Time of fuzzy clustering, beside scikit-fuzzy's cmeans and scikit-learn's KMeans.

    pip install ".[bench]" && python benchmarks/clustering_speed.py [--repeats 3]

All do the same number of iterations on the same rows: SFPClusterer from random rows, cmeans
from random memberships, KMeans from random rows. Whole fits, and the time of an iteration from
fits of many and of few. In one run, in turns; the best of several is taken, and ratios count.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.cluster import KMeans

from sfplearn import SFPClusterer

SHAPES = [(20_000, 20, 20), (2_000, 10, 5), (100_000, 10, 50)]
FEW, MANY = 1, 21
# What cmeans takes over what we take, for the first shape.
BAR = 10.0


def seconds(run: Callable[[int], object], iterations: int) -> float:
    start = time.perf_counter()
    run(iterations)
    return time.perf_counter() - start


def runners(X: np.ndarray, k: int) -> dict[str, Callable[[int], object]]:
    import skfuzzy

    def ours(iterations: int) -> object:
        model = SFPClusterer(k, init="random", n_init=1, max_iter=iterations, tol=0, random_state=0)
        return model.fit(X)

    def cmeans(iterations: int) -> object:
        return skfuzzy.cmeans(X.T, k, m=2.0, error=0.0, maxiter=iterations, seed=0)

    def kmeans(iterations: int) -> object:
        model = KMeans(k, init="random", n_init=1, max_iter=iterations, tol=0, random_state=0)
        return model.fit(X)

    return {"SFPClusterer": ours, "scikit-fuzzy cmeans": cmeans, "KMeans": kmeans}


def measure(shape: tuple[int, int, int], repeats: int) -> None:
    n, p, k = shape
    random = np.random.default_rng(0)
    X = (
        random.standard_normal((n, p))
        + 3 * random.standard_normal((k, p))[random.integers(0, k, n)]
    )
    run = runners(X, k)
    whole = dict.fromkeys(run, np.inf)
    short = dict.fromkeys(run, np.inf)
    for _ in range(repeats):
        for name in run:
            whole[name] = min(whole[name], seconds(run[name], MANY))
            short[name] = min(short[name], seconds(run[name], FEW))
    print(f"\nn = {n}, p = {p}, k = {k}: {MANY} iterations, and one of them")
    for name in run:
        one = {each: (whole[each] - short[each]) / (MANY - FEW) for each in run}
        print(
            f"  {name:20} {1e3 * whole[name]:9.1f} ms {whole[name] / whole['SFPClusterer']:7.1f} x"
            f" {1e3 * one[name]:9.2f} ms {one[name] / one['SFPClusterer']:7.1f} x"
        )
    if shape == SHAPES[0]:
        ratio = whole["scikit-fuzzy cmeans"] / whole["SFPClusterer"]
        print(
            f"  bar: cmeans takes at least {BAR:g} times as long: {'yes' if ratio >= BAR else 'NO'}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for shape in SHAPES:
            measure(shape, options.repeats)


if __name__ == "__main__":
    main()
