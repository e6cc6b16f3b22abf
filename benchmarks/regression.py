"""Error and time of regression, beside scikit-learn's regressors, all tuned by nested search.

    python benchmarks/regression.py [--candidates 30] [--folds 5] [--seed 0]

Data: scikit-learn's embedded regression sets and generated ones. Every model is tuned inside
each outer training fold by the same number of random candidates and 3 inner folds; no choice
sees a test fold. RMSE is in units of the labels' standard deviation, mean and standard deviation
over outer folds; time is that of search and refit, and of one refit and prediction.

"SFP" is SFPRegressor(refine=0), "SFP, refined" the same with its refinement. "SFP + ridge" is
SFPTransformer of memberships before Ridge: the same clusters read by a linear model, which may undo
the smoothing of mixed prototypes.
"""

import argparse
import time
import warnings
from collections.abc import Iterator

import numpy as np
import scipy
import sklearn
from scipy.stats import loguniform, randint
from sklearn.base import clone
from sklearn.datasets import (
    load_diabetes,
    load_linnerud,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_regression,
    make_sparse_uncorrelated,
)
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, RandomizedSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from sfplearn import SFPRegressor, SFPTransformer, __version__

ROWS = 400


def data_sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    yield "diabetes", *load_diabetes(return_X_y=True)
    X, y = load_linnerud(return_X_y=True)
    yield "linnerud, weight", X, y[:, 0]
    yield "friedman1", *make_friedman1(ROWS, noise=1.0, random_state=0)
    yield "friedman2", *make_friedman2(ROWS, noise=125.0, random_state=0)
    yield "friedman3", *make_friedman3(ROWS, noise=0.1, random_state=0)
    yield "linear", *make_regression(ROWS, 10, n_informative=5, noise=50.0, random_state=0)
    yield "sparse linear", *make_sparse_uncorrelated(ROWS, 10, random_state=0)


def models(n: int, seed: int) -> dict[str, tuple[object, dict]]:
    """Return each model and where its candidates are drawn from, for n training rows."""
    sfp = {
        "n_clusters": np.unique(np.geomspace(1, max(3, n // 3), 20).astype(int)),
        "alpha": loguniform(1, 100),
        "gamma": loguniform(0.05, 1),
        "lam": loguniform(0.3, 10),
    }
    features = {f"sfptransformer__{name}": space for name, space in sfp.items()}
    neighbours = {"n_neighbors": randint(1, min(n // 2, 30)), "weights": ["uniform", "distance"]}
    return {
        "SFP": (
            SFPRegressor(gamma=0.3, refine=0, random_state=seed),
            named("sfpregressor", sfp),
        ),
        "SFP, refined": (
            SFPRegressor(gamma=0.3, random_state=seed),
            named("sfpregressor", sfp | {"refine_pull": loguniform(1e-2, 10)}),
        ),
        "SFP + ridge": (
            make_pipeline(
                SFPTransformer(output="memberships", task="regression", random_state=seed), Ridge()
            ),
            features
            | named("sfptransformer", {"gamma": loguniform(0.1, 3), "lam": loguniform(0.05, 10)})
            | {"ridge__alpha": loguniform(1e-4, 10)},
        ),
        "KNN": (KNeighborsRegressor(), named("kneighborsregressor", neighbours)),
        "SVR": (SVR(), {"svr__C": loguniform(0.1, 1000), "svr__gamma": loguniform(1e-3, 1)}),
        "RandomForest": (
            RandomForestRegressor(n_estimators=200, random_state=seed),
            named("randomforestregressor", {
                "max_features": [0.3, 0.6, 1.0], "min_samples_leaf": randint(1, 8),
            }),
        ),
        "HistGradientBoosting": (
            HistGradientBoostingRegressor(random_state=seed),
            named("histgradientboostingregressor", {
                "learning_rate": loguniform(0.02, 0.3), "max_leaf_nodes": randint(3, 32),
                "min_samples_leaf": randint(2, 30), "l2_regularization": loguniform(1e-3, 10),
                "max_iter": randint(50, 300),
            }),
        ),
    }  # fmt: skip


def named(step: str, spaces: dict) -> dict:
    return {f"{step}__{name}": space for name, space in spaces.items()}


def evaluate(X: np.ndarray, y: np.ndarray, options: argparse.Namespace) -> dict[str, np.ndarray]:
    """Return RMSE, seconds of search and seconds of refit and prediction, by model and fold."""
    folds = KFold(options.folds, shuffle=True, random_state=options.seed)
    y = (y - y.mean()) / y.std()
    results: dict[str, list] = {}
    for train, test in folds.split(X):
        for name, (model, spaces) in models(2 * len(train) // 3, options.seed).items():
            steps = model if hasattr(model, "steps") else make_pipeline(model)
            steps = make_pipeline(StandardScaler(), *(step for _, step in steps.steps))
            search = RandomizedSearchCV(
                steps, spaces, n_iter=options.candidates, random_state=options.seed,
                scoring="neg_root_mean_squared_error", n_jobs=options.jobs,
                cv=KFold(3, shuffle=True, random_state=options.seed),
            )  # fmt: skip
            start = time.perf_counter()
            search.fit(X[train], y[train])
            searched = time.perf_counter() - start
            start = time.perf_counter()
            predicted = clone(search.best_estimator_).fit(X[train], y[train]).predict(X[test])
            refitted = time.perf_counter() - start
            error = np.sqrt(np.mean((predicted - y[test]) ** 2))
            results.setdefault(name, []).append((error, searched, refitted))
    return {name: np.array(values) for name, values in results.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--candidates", type=int, default=30)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(
        f"sfplearn {__version__}, scikit-learn {sklearn.__version__}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}; {options}"
    )
    for name, X, y in data_sets():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = evaluate(X, y, options)
        print(f"\n{name} ({X.shape[0]} x {X.shape[1]}): RMSE, search, refit and predict")
        order = sorted(results, key=lambda each: results[each][:, 0].mean())
        for model in order:
            error, searched, refitted = results[model].T
            print(
                f"  {model:22} {error.mean():.3f} ± {error.std():.3f} {searched.mean():8.1f} s "
                f"{1e3 * refitted.mean():8.1f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
