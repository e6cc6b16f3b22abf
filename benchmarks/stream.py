"""Learning from streams: one pass against the batch solution, and drift against four peers.

    pip install ".[bench]" && python benchmarks/stream.py [--rows 20000] [--seeds 3]

Stationary: accuracy on held-out rows of a fit to all rows, and of one pass of partial_fit over
them in blocks (bar: within 2 points), with rows a second. Drift: labels of rows that are tested
first and learned from afterwards (prequential accuracy). Boundaries rotate: `xor` is a
checkerboard of four fields, `wheel` six clouds of three classes on a circle, `line` a straight
line. SFP has the same settings everywhere, chosen on streams like these, which is an advantage
over its peers, who have their defaults: SGDClassifier as it comes, river's KNN (a
window of 1000 rows); the vote is that of the nearest of 20 centres of MiniBatchKMeans; the
batch model is SFP and knows the first 2000 rows, which do not count.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier

BLOCK = 50
TURNS_A_ROW = 1e-4
CLUSTERS, HALF_LIFE = 20, 200
KNOWN = 2000


def cover(n, seed):
    """Rows like those of covertype: ten numbers and two one-hot groups, seven uneven classes."""
    fixed, random = np.random.default_rng(7), np.random.default_rng(seed)
    centers = 1.5 * fixed.standard_normal((60, 10))
    labels = fixed.choice(7, 60, p=[0.36, 0.45, 0.06, 0.02, 0.03, 0.03, 0.05])
    group = random.integers(60, size=n)
    numbers = centers[group] + random.standard_normal((n, 10))
    area = np.eye(4)[(labels[group] + random.integers(3, size=n)) % 4]
    soil = np.eye(40)[(group + random.integers(8, size=n)) % 40]
    return np.hstack([numbers, area, soil]), labels[group]


def digits(n, seed):
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(X))
    return X[order], y[order]


def angle(n, speed):
    return 2 * np.pi * speed * TURNS_A_ROW * np.arange(n)


def line(n, seed):
    X = np.random.default_rng(seed).standard_normal((n, 2))
    a = angle(n, 1)
    return X, (np.cos(a) * X[:, 0] + np.sin(a) * X[:, 1] > 0).astype(int)


def xor(n, seed):
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    a = angle(n, 1)
    one = np.cos(a) * X[:, 0] + np.sin(a) * X[:, 1]
    other = np.cos(a) * X[:, 1] - np.sin(a) * X[:, 0]
    return X, ((one > 0) ^ (other > 0)).astype(int)


def wheel(n, seed):
    random = np.random.default_rng(seed)
    cloud = random.integers(6, size=n)
    a = angle(n, 1) + 2 * np.pi * cloud / 6
    middle = 2 * np.column_stack([np.cos(a), np.sin(a)])
    return middle + 0.6 * random.standard_normal((n, 2)), cloud % 3


class Vote:
    """The majority of labels at the nearest centre."""

    def __init__(self, seed):
        self.centers = MiniBatchKMeans(CLUSTERS, n_init=1, random_state=seed)
        self.votes = np.zeros((CLUSTERS, 3))

    def partial_fit(self, X, y, classes=None):
        np.add.at(self.votes, (self.centers.partial_fit(X).labels_, y), 1)
        return self

    def predict(self, X):
        return self.votes[self.centers.predict(X)].argmax(axis=1)


class River:
    """river's KNN, row by row."""

    def __init__(self):
        from river.neighbors import KNNClassifier

        self.model = KNNClassifier()

    def partial_fit(self, X, y, classes=None):
        for x, label in zip(X, y, strict=True):
            self.model.learn_one(dict(enumerate(x)), int(label))
        return self

    def predict(self, X):
        return np.array([self.model.predict_one(dict(enumerate(x))) for x in X])


class Frozen:
    """A fit to the first rows that learns nothing more."""

    def __init__(self, model):
        self.model = model

    def partial_fit(self, X, y, classes=None):
        return self

    def predict(self, X):
        return self.model.predict(X)


def stationary(name, make, k, n, seed):
    X, y = make(n, seed)
    held = len(X) // 4
    scaler = StandardScaler().fit(X[held:])
    X = scaler.transform(X)
    batch = SFPClassifier(k, random_state=seed).fit(X[held:], y[held:])
    model, began = SFPClassifier(k, random_state=seed), time.perf_counter()
    for first in range(held, len(X), BLOCK):
        part = slice(first, first + BLOCK)
        model.partial_fit(X[part], y[part], classes=np.unique(y))
    rate = (len(X) - held) / (time.perf_counter() - began)
    return batch.score(X[:held], y[:held]), model.score(X[:held], y[:held]), rate


def prequential(model, X, y):
    """Return the share of right answers to rows before they are learned from, and rows a second."""
    model.partial_fit(X[:BLOCK], y[:BLOCK], classes=np.unique(y))
    right, began = 0, time.perf_counter()
    for first in range(BLOCK, len(X), BLOCK):
        part = slice(first, first + BLOCK)
        predicted = model.predict(X[part])
        if first >= KNOWN:
            right += int(np.sum(predicted == y[part]))
        model.partial_fit(X[part], y[part])
    return right / (len(X) - KNOWN), (len(X) - BLOCK) / (time.perf_counter() - began)


def drift(make, n, seed):
    X, y = make(n, seed)
    batch = SFPClassifier(CLUSTERS, random_state=seed).fit(X[:KNOWN], y[:KNOWN])
    models = {
        "SFP": SFPClassifier(CLUSTERS, half_life=HALF_LIFE, random_state=seed),
        "batch SFP": Frozen(batch),
        "SGD": SGDClassifier(random_state=seed),
        "k-means vote": Vote(seed),
        "river KNN": River(),
    }
    return {name: prequential(model, X, y) for name, model in models.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"stationary, blocks of {BLOCK}: accuracy of batch and of one pass, rows a second")
    for name, make, k in (("cover", cover, 100), ("digits", digits, 40)):
        runs = [stationary(name, make, k, 3 * options.rows, seed) for seed in range(options.seeds)]
        batch, once, rate = np.mean(runs, axis=0)
        verdict = "yes" if once >= batch - 0.02 else "NO"
        print(f"  {name:8} {batch:.3f} {once:.3f} {rate:9,.0f}   within 2 points: {verdict}")
    print(f"drift, {options.rows} rows, blocks of {BLOCK}: prequential accuracy, rows a second")
    for name, make in (("xor", xor), ("wheel", wheel), ("line", line)):
        runs = [drift(make, options.rows, seed) for seed in range(options.seeds)]
        means = {each: np.mean([run[each] for run in runs], axis=0) for each in runs[0]}
        print(f"  {name}")
        for each, (accuracy, rate) in sorted(means.items(), key=lambda item: -item[1][0]):
            print(f"    {each:14} {accuracy:.3f} {rate:9,.0f}")


if __name__ == "__main__":
    main()
