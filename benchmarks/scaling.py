"""How the time of a pass grows with rows, features and clusters, each over a factor of 16.

    pip install ".[plots]" && python benchmarks/scaling.py [--repeats 5] [--picture FILE]

The paper says O(n k p). The exponent is the slope of log time over log size, fitted to five
sizes (bar: at most 1.05). Sizes are timed in turns and the least of several passes, with the
update that follows each, counts.
"""

import argparse
import time

import numpy as np

from sfplearn.core import Objective, Rows, Silent, WeightedEuclidean, merge, params_at, update
from sfplearn.core.objective import summarizer
from sfplearn.data import as_source

MIDDLE = {"n": 60_000, "p": 24, "k": 24}
FACTORS = (1, 2, 4, 8, 16)
SIZES = {
    "n": [20_000 * factor for factor in FACTORS],
    "p": [12 * factor for factor in FACTORS],
    "k": [8 * factor for factor in FACTORS],
}
PASSES = 5
BAR = 1.05


def time_of_a_pass(shape):
    """Return the least time of several passes over the same rows, as a fit makes them."""
    random = np.random.default_rng(0)
    X = random.standard_normal((shape["n"], shape["p"]))
    objective = Objective(WeightedEuclidean(float(len(X))), Silent(), 0.0, 0.1)
    params = params_at(objective, Rows.of(X[: shape["k"]]))
    with as_source(X, n_clusters=shape["k"]) as source:
        times = []
        for _ in range(PASSES):
            began = time.perf_counter()
            params = update(
                objective, params, source.map_reduce(summarizer(objective, params), merge)
            )
            times.append(time.perf_counter() - began)
    return min(times)


def measure(repeats):
    """Return the least time of a pass for each size of each kind."""
    times = {name: np.full(len(FACTORS), np.inf) for name in SIZES}
    for _ in range(repeats):
        for name, sizes in SIZES.items():
            for place, size in enumerate(sizes):
                taken = time_of_a_pass({**MIDDLE, name: size})
                times[name][place] = min(times[name][place], taken)
    return times


def exponent(sizes, times):
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def draw(times, path):
    import matplotlib.pyplot as plt

    words = {"n": "rows n", "p": "features p", "k": "clusters k"}
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True, layout="constrained")
    for axis, (name, sizes) in zip(axes, SIZES.items(), strict=True):
        line = times[name][0] * np.array(FACTORS)
        axis.loglog(sizes, 1e3 * line, color="0.75", lw=1.5, label="proportional")
        axis.loglog(sizes, 1e3 * times[name], "o-", color="#0072B2", label="measured")
        axis.set_xlabel(words[name])
        axis.set_title(f"exponent {exponent(sizes, times[name]):.2f}", fontsize=10)
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes], rotation=30, fontsize=8)
        axis.minorticks_off()
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("milliseconds a pass")
    axes[0].set_yticks([3, 10, 30, 100], ["3", "10", "30", "100"])
    axes[0].legend(frameon=False)
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--picture")
    options = parser.parse_args()
    times = measure(options.repeats)
    for name, sizes in SIZES.items():
        others = ", ".join(f"{other} = {size}" for other, size in MIDDLE.items() if other != name)
        shown = "  ".join(f"{1e3 * each:.1f}" for each in times[name])
        slope = exponent(sizes, times[name])
        verdict = "yes" if slope <= BAR else "NO"
        print(
            f"{name} = {sizes} ({others}): {shown} ms; exponent {slope:.3f}, "
            f"at most {BAR}: {verdict}"
        )
    if options.picture:
        draw(times, options.picture)


if __name__ == "__main__":
    main()
