"""The same rows in every place where rows can live: the contract is run over this table."""

import gzip
from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import scipy.sparse as sp
from dask import delayed

from sfplearn import open_rows

NAMES = ["a", "b", "c", "d"]
CUTS = [0, 140, 141, 300, 420]


def table(n=CUTS[-1], seed=0):
    """Rows with labels of every kind and weights; some rows are repeated."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 4)).round(3)
    X[n // 2 :: 7] = X[: len(X[n // 2 :: 7])]
    code = 1 * (X[:, 0] * X[:, 1] > 0) + (X[:, 2] > 1.0)
    frame = pd.DataFrame(X, columns=NAMES)
    frame["label"] = np.array(["no", "yes", "very"])[code]
    frame["number"] = X[:, 0] - X[:, 3] ** 2
    frame["weight"] = random.integers(0, 4, n).astype(float)
    return frame


def parts(frame):
    return [frame.iloc[a:b] for a, b in pairwise(CUTS)]


def in_memory(frame, target, folder):
    return frame[NAMES].to_numpy(), frame[target].to_numpy(), frame.weight.to_numpy()


def in_csr(frame, target, folder):
    X, y, weight = in_memory(frame, target, folder)
    return sp.csr_array(X), y, weight


def in_blocks(frame, target, folder):
    return (open_rows([in_memory(part, target, folder) for part in parts(frame)]),)


def from_a_function(frame, target, folder):
    def read():
        for part in parts(frame):
            yield in_memory(part, target, folder)

    return (open_rows(read),)


def in_sparse_blocks(frame, target, folder):
    return (open_rows([in_csr(part, target, folder) for part in parts(frame)]),)


def in_parquet(frame, target, folder):
    for number, part in enumerate(parts(frame)):
        part.to_parquet(folder / f"{number}.parquet", row_group_size=50)
    return (open_rows(folder / "*.parquet", target=target, weight="weight", columns=NAMES),)


def in_a_dataset(frame, target, folder):
    in_parquet(frame, target, folder)
    dataset = pa.dataset.dataset(folder)
    return (open_rows(dataset, target=target, weight="weight", columns=NAMES),)


def in_csv(frame, target, folder):
    for number, part in enumerate(parts(frame)):
        part.to_csv(folder / f"{number}.csv", index=False, sep=",;"[number % 2])
    return (open_rows(folder, target=target, weight="weight", columns=NAMES),)


def in_gzipped_csv(frame, target, folder):
    with gzip.open(folder / "rows.csv.gz", "wt") as file:
        frame.to_csv(file, index=False)
    return (open_rows(folder / "rows.csv.gz", target=target, weight="weight", columns=NAMES),)


def in_arrow(frame, target, folder):
    for number, part in enumerate(parts(frame)):
        pa.feather.write_feather(pa.Table.from_pandas(part), str(folder / f"{number}.feather"))
    return (open_rows(folder, target=target, weight="weight", columns=NAMES),)


def in_npy(frame, target, folder):
    for number, part in enumerate(parts(frame)):
        for name, array in zip("Xyw", in_memory(part, target, folder), strict=True):
            np.save(folder / f"{name}{number}.npy", np.array(array.tolist()))
    where = {name: folder / f"{name}*.npy" for name in "Xyw"}
    return (open_rows(where["X"], target=where["y"], weight=where["w"]),)


def in_dask_array(frame, target, folder):
    X, y, weight = in_memory(frame, target, folder)
    return (
        da.from_array(X, chunks=(97, 3)),
        da.from_array(np.array(y.tolist()), chunks=150),
        da.from_array(weight, chunks=97),
    )


def in_dask_frame(frame, target, folder):
    some = parts(frame)
    lazy = dd.from_delayed([delayed(part) for part in (some[0], frame[:0], *some[1:])])
    return lazy[NAMES], lazy[target], lazy.weight


def in_dask_array_of_unknown_size(frame, target, folder):
    return tuple(each.values for each in in_dask_frame(frame, target, folder))


PLACES = {
    function.__name__: function
    for function in (
        in_csr,
        in_blocks,
        from_a_function,
        in_sparse_blocks,
        in_parquet,
        in_a_dataset,
        in_csv,
        in_gzipped_csv,
        in_arrow,
        in_npy,
        in_dask_array,
        in_dask_frame,
        in_dask_array_of_unknown_size,
    )
}
