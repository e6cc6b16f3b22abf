"""Time of a fit of diagonal Gaussians, beside scikit-learn's GaussianMixture.

    python benchmarks/gaussian_speed.py [--repeats 3]

SFPClusterer(divergence="diagonal_gaussian", gamma=1) and GaussianMixture(covariance_type="diag")
make the same number of iterations from the same means: whole fits, validation and results
included. In one run, in turns; the best of several is taken, and ratios are what counts.
"""

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.mixture import GaussianMixture

from sfplearn import SFPClusterer

# Rows, features, clusters.
SHAPES = [
    (2_000, 10, 5),
    (20_000, 20, 20),
    (200_000, 20, 50),
    (1_000_000, 10, 10),
    (50_000, 100, 30),
]
ITERATIONS = 10
BAR = 5.0


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure(shape: tuple[int, int, int], repeats: int) -> None:
    n, p, k = shape
    random = np.random.default_rng(0)
    centers = 3 * random.standard_normal((k, p))
    X = centers[random.integers(0, k, n)] + random.standard_normal((n, p))
    start = X[:k]

    def ours() -> object:
        model = SFPClusterer(
            k, divergence="diagonal_gaussian", gamma=1.0, init=start, max_iter=ITERATIONS, tol=0
        )
        return model.fit(X)

    def theirs() -> object:
        model = GaussianMixture(
            k, covariance_type="diag", means_init=start, weights_init=np.full(k, 1 / k),
            precisions_init=np.tile(1 / X.var(axis=0), (k, 1)), max_iter=ITERATIONS, tol=0,
        )  # fmt: skip
        return model.fit(X)

    best = {ours: np.inf, theirs: np.inf}
    for _ in range(repeats):
        for run in best:
            best[run] = min(best[run], seconds(run))
    ratio = best[theirs] / best[ours]
    print(
        f"{shape!s:>22} {1e3 * best[ours]:10.1f} ms {1e3 * best[theirs]:10.1f} ms {ratio:7.1f} x"
        f"  {'yes' if ratio >= BAR else 'NO'}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    print(f"{ITERATIONS} iterations; bar: GaussianMixture takes at least {BAR:g} times as long")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for shape in SHAPES:
            measure(shape, options.repeats)


if __name__ == "__main__":
    main()
