"""Time of one iteration of fit, beside the four matrix products it contains.

    python benchmarks/pass_speed.py [--threads 2] [--repeats 5]

An iteration is a pass and an update: the difference between a fit of 11 passes and a fit of 1,
over 10. The floor is the bare cost of the products of the pass, 2 of (n, p) by (p, k) and 2 of
(k, n) by (n, p), in float64 by NumPy with the same number of threads. Everything is measured in
one run, in turns, and the best of several is taken; ratios are what counts. Beside it: time an
iteration of scikit-learn's KMeans and GaussianMixture (diagonal) on the same rows, a whole small
fit in units of KNeighborsClassifier(), and whole large fits, starts included, in units of KMeans.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from sfplearn import SFPClassifier
from sfplearn.core import kernel

# (n, p, k, classes) and the ratio to the floor that we hold ourselves to.
BARS = {
    (200_000, 20, 50, 5): 0.6,
    (1_000_000, 10, 10, 2): 0.9,
    (100_000, 100, 100, 10): 0.75,
    (20_000, 784, 100, 10): 1.0,
    (181, 12_533, 2, 2): 1.5,
    (800, 10, 400, 3): 2.5,
    (100, 16, 20, 7): 15.0,
}
FEW, MANY = 1, 11
# BLAS threads spin for a while after a call and would disturb what is timed next.
QUIET_SECONDS = 0.1


def best_of(repeats: int, run: Callable[[], object]) -> float:
    """Return the shortest of several times, after a pause."""
    time.sleep(QUIET_SECONDS)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def iteration(fit: Callable[[int], object], repeats: int) -> float:
    """Return the time of an iteration, from fits of many and of few."""
    many = best_of(repeats, lambda: fit(MANY))
    few = best_of(repeats, lambda: fit(FEW))
    return (many - few) / (MANY - FEW)


def floor(X: np.ndarray, k: int, repeats: int) -> float:
    """Return the time of the four bare products."""
    random = np.random.default_rng(0)
    squares = X * X
    W, V = random.random((2, k, X.shape[1]))
    U = random.random((len(X), k))

    def products() -> None:
        squares @ W.T, X @ V.T, U.T @ X, U.T @ squares

    return best_of(repeats, products)


def sfp_iteration(X: np.ndarray, y: np.ndarray, k: int, threads: int, repeats: int) -> float:
    start = np.arange(k) * (len(X) // k)

    def fit(passes: int) -> object:
        model = SFPClassifier(k, init=start, max_iter=passes, tol=0, refine=0, n_jobs=threads)
        return model.fit(X, y)

    return iteration(fit, repeats)


def kmeans_iteration(X: np.ndarray, k: int, repeats: int) -> float:
    start = X[np.arange(k) * (len(X) // k)]
    return iteration(
        lambda steps: KMeans(k, init=start, n_init=1, max_iter=steps, tol=0).fit(X), repeats
    )


def mixture_iteration(X: np.ndarray, k: int, repeats: int) -> float:
    start = X[np.arange(k) * (len(X) // k)]

    def fit(steps: int) -> object:
        model = GaussianMixture(
            k, covariance_type="diag", means_init=start, init_params="random_from_data",
            max_iter=steps, tol=0, random_state=0,
        )  # fmt: skip
        return model.fit(X)

    return iteration(fit, repeats)


def measure(shape: tuple[int, int, int, int], threads: int, repeats: int) -> None:
    """Measure one shape in rounds, so that all meet the same state of the machine."""
    n, p, k, classes = shape
    random = np.random.default_rng(0)
    X, y = random.standard_normal((n, p)), random.integers(0, classes, n)
    single = X.astype(np.float32)
    rounds = 3
    inner = repeats if n * p * k > 1e7 else 20 * repeats
    base = ours = ours_single = np.inf
    for _ in range(rounds):
        base = min(base, floor(X, k, inner))
        ours = min(ours, sfp_iteration(X, y, k, threads, inner))
        ours_single = min(ours_single, sfp_iteration(single, y, k, threads, inner))
    slow = n * p * k > 1e8
    peers = [
        kmeans_iteration(X, k, 1 if slow else repeats),
        mixture_iteration(X, k, 1 if slow else repeats),
    ]
    print(
        f"{shape!s:>24} {1e3 * base:9.3f} {1e3 * ours:9.3f} {ours / base:7.2f} {BARS[shape]:6.2f}"
        f" {'yes' if ours <= BARS[shape] * base else 'NO':>4} {ours / ours_single:8.2f}"
        f" {peers[0] / ours:8.1f} {peers[1] / ours:8.1f}",
        flush=True,
    )


def whole_small_fit(repeats: int) -> None:
    """Ten passes with validation and start, in units of a nearest-neighbour classifier."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((100, 16)), random.integers(0, 7, 100)
    knn = best_of(20 * repeats, lambda: KNeighborsClassifier().fit(X, y).predict(X))
    for init in ("random", "k-means++", "stratified"):
        settings = {"n_init": 1, "max_iter": 10, "tol": 0, "refine": 0, "random_state": 0}
        model = SFPClassifier(20, init=init, **settings)
        ours = best_of(20 * repeats, partial(model.fit, X, y))
        print(
            f"fit of ten passes, 100 x 16, k = 20, {init}: {1e3 * ours:.2f} ms, "
            f"{ours / knn:.1f} times KNeighborsClassifier().fit().predict()"
        )


def whole_large_fits(repeats: int) -> None:
    """Ten passes from the default start, beside ten iterations of KMeans from its own."""
    for n, p, k, classes in list(BARS)[:4]:
        random = np.random.default_rng(0)
        X, y = random.standard_normal((n, p)), random.integers(0, classes, n)
        ours = SFPClassifier(k, max_iter=10, tol=0, refine=0, random_state=0)
        peer = KMeans(k, n_init=1, max_iter=10, tol=0, random_state=0)
        ratio = best_of(repeats, partial(ours.fit, X, y)) / best_of(repeats, partial(peer.fit, X))
        print(
            f"fit of ten passes, {(n, p, k, classes)}: {ratio:.2f} times KMeans of ten iterations"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"engine: {kernel.ENGINE}, threads: {options.threads}, times in ms\n")
    print(
        f"{'n, p, k, classes':>24} {'floor':>9} {'SFP':>9} {'ratio':>7} {'bar':>6} {'met':>4}"
        f" {'float32':>8} {'KMeans':>8} {'mixture':>8}"
    )
    print(f"{'':>62} {'faster by':>8} {'slower by':>14}")
    with threadpool_limits(options.threads):
        for shape in BARS:
            measure(shape, options.threads, options.repeats)
        print()
        whole_small_fit(options.repeats)
        whole_large_fits(options.repeats)


if __name__ == "__main__":
    main()
