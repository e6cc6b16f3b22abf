"""Time of one pass and of one iteration with each loss, beside log-loss.

    python benchmarks/loss_speed.py [--rows 200000] [--repeats 5]

The pass knows no loss, so all losses of classes should cost what log-loss does. An iteration
adds the update, in which a loss without a closed form searches for its prototypes. Losses of
numbers have up to 1024 labels, or targets that join the features. Missing cells take a pass of
their own. All in one run, in turns; the best of several is taken, and ratios are what counts.
"""

import argparse
import time
from collections.abc import Callable
from functools import reduce

import numpy as np

from sfplearn import CostMatrix, SFPClassifier, SFPRegressor
from sfplearn.core import (
    CLASSIFICATION_LOSSES,
    REGRESSION_LOSSES,
    FunctionLoss,
    Objective,
    Prototype,
    Rows,
    WeightedEuclidean,
    merge,
    params_at,
)
from sfplearn.core.objective import summarizer

P, K, CLASSES = 20, 50, 5
FEW, MANY = 1, 11
BAR = 1.1


def brier(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return the squared distance of a mix of labels to each label, as a user would write it."""
    return (z**2).sum(axis=1, keepdims=True) - 2 * z[:, y] + 1


def log_cosh(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return a smooth absolute error, as a user would write it."""
    r = np.abs(y - z)
    return r + np.log1p(np.exp(-2 * r))


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def iteration(model: SFPClassifier | SFPRegressor, X: np.ndarray, y: np.ndarray) -> float:
    """Return the time of an iteration, from fits of many and of few."""
    many, few = (seconds(lambda n=n: model.set_params(max_iter=n).fit(X, y)) for n in (MANY, FEW))
    return (many - few) / (MANY - FEW)


def one_pass(loss: object, X: np.ndarray, y: np.ndarray) -> Callable[[], object]:
    """Return a pass over all rows in blocks, in this thread."""
    if isinstance(loss, str):
        loss = CLASSIFICATION_LOSSES[loss]()
    expert = Prototype(FunctionLoss(loss) if loss is brier else loss, CLASSES)
    objective = Objective(WeightedEuclidean(1000.0), expert, 1.0, 0.1)
    params = params_at(objective, Rows.of(X[:K], y[:K]))
    blocks = [Rows.of(X[i : i + 8192], y[i : i + 8192]) for i in range(0, len(X), 8192)]
    summarize = summarizer(objective, params)
    return lambda: reduce(merge, map(summarize, blocks))


def report(name: str, best: dict[str, float], base: str, bar: float | None) -> None:
    for loss, spent in best.items():
        ratio = spent / best[base]
        held = "" if bar is None else f"  {'yes' if ratio <= bar else 'NO'}"
        print(f"{name:28} {loss:28} {1e3 * spent:9.2f} ms {ratio:6.2f}{held}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    random = np.random.default_rng(0)
    X = random.standard_normal((options.rows, P))
    y = random.integers(0, CLASSES, options.rows)
    losses = {**dict.fromkeys(CLASSIFICATION_LOSSES), "CostMatrix": None, "a function": brier}
    losses = {name: loss or name for name, loss in losses.items()}
    losses["CostMatrix"] = CostMatrix(1 - np.eye(CLASSES))
    start = np.arange(K)

    print(f"n = {options.rows}, p = {P}, k = {K}; ratio to the first line of each kind")
    passes = {name: one_pass(loss, X, y) for name, loss in losses.items()}
    rounds = [{name: seconds(run) for name, run in passes.items()} for _ in range(options.repeats)]
    report("pass", least(rounds), "log_loss", BAR)

    models = {
        name: SFPClassifier(K, loss=loss, init=start, tol=0, refine=0)
        for name, loss in losses.items()
    }
    report("iteration", timed(models, X, y, options.repeats), "log_loss", None)

    numbers = np.exp(X[:, 0] / 3)
    kinds = {**dict.fromkeys(REGRESSION_LOSSES), "a function": log_cosh}
    models = {
        name: SFPRegressor(K, loss=loss or name, init=start, tol=0, refine=0)
        for name, loss in kinds.items()
    }
    report("iteration, numbers", timed(models, X, numbers, options.repeats), "squared_error", None)

    holes = np.where(random.random(X.shape) < 0.2, np.nan, X)
    plain = SFPClassifier(K, init=start, tol=0, refine=0)
    allowed = SFPClassifier(K, init=start, tol=0, refine=0, allow_nan=True)
    cases = {
        "complete": (plain, X),
        "complete, NaN allowed": (allowed, X),
        "20 % NaN": (allowed, holes),
    }
    rounds = [
        {name: iteration(model, data, y) for name, (model, data) in cases.items()}
        for _ in range(options.repeats)
    ]
    report("iteration, missing cells", least(rounds), "complete", None)


def timed(models: dict, X: np.ndarray, y: np.ndarray, repeats: int) -> dict[str, float]:
    return least(
        [{name: iteration(model, X, y) for name, model in models.items()} for _ in range(repeats)]
    )


def least(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(each[name] for each in rounds) for name in rounds[0]}


if __name__ == "__main__":
    main()
