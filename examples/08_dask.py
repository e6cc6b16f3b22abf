"""Rows in Dask: a data frame of many partitions goes straight into the estimator.

    python examples/08_dask.py

Needs `pip install "sfplearn[dask]"`. The cluster here is two processes on this machine; a client
of any other cluster, or none, which means threads, does as well, and nothing else changes.
"""

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import delayed
from dask.distributed import Client, LocalCluster

from sfplearn import SFPRegressor

FEATURES = ["area", "rooms", "age"]


@delayed
def draw(seed: int, n: int = 5000) -> pd.DataFrame:
    """Draw houses: of new ones the area counts, of old ones their age."""
    random = np.random.default_rng(seed)
    area, rooms, age = random.standard_normal((3, n))
    price = np.where(age < 0, 3.0 * area, 5.0 - 2.0 * age) + 0.2 * random.standard_normal(n)
    return pd.DataFrame({"area": area, "rooms": rooms, "age": age, "price": price})


def main() -> None:
    with LocalCluster(2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        houses = dd.from_delayed([draw(seed) for seed in range(8)]).persist()
        model = SFPRegressor(20, random_state=0).fit(houses[FEATURES], houses["price"])
        lazy = model.predict(houses[FEATURES])
        print(f"predictions are lazy: {lazy}")
        error = float(abs(lazy - houses["price"].values).mean().compute())
    spread = float(np.std(model.prototypes_))
    print(f"mean error of a price: {error:.2f}; prices of clusters vary by {spread:.2f}")
    for name, weight in zip(model.feature_names_in_, model.feature_importances_, strict=True):
        print(f"  {name:6} {weight:.2f}")


if __name__ == "__main__":
    main()
