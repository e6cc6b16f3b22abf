"""The 24 data sets of the paper: 20 of UCI, 4 of gene expression, raw as they were published.

`SFPLEARN_DATA` names a folder with MANIFEST.json and a CSV file for each; without it they are
fetched from OpenML by scikit-learn, into its cache.
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import fetch_openml

# Names as in the paper's tables, with the number of each data set at OpenML.
UCI = {
    "abalone": 183,
    "australian": 40981,
    "breast-cancer": 15,
    "cardiotocography": 1466,
    "cleveland": None,
    "diabetes": 37,
    "ecoli": 39,
    "hepatitis": 55,
    "ionosphere": 59,
    "iris": 61,
    "lymphography": 10,
    "parkinsons": 1488,
    "sonar": 40,
    "soybean": 42,
    "spect": 336,
    "tic-tac-toe": 50,
    "transfusion": 1464,
    "vowel": 307,
    "wine": 187,
    "zoo": 62,
}
GENES = {"colon": None, "leukemia": 1104, "lung": None, "lymphoma": 1101}

# The last ten columns of cardiotocography are its target, one-hot. The paper kept them.
LEAKS = ("A", "B", "C", "D", "E", "AD", "DE", "LD", "FS", "SUSP")
LEAKING = "cardiotocography-leaking"

NAMES = [*UCI, LEAKING, *GENES]


class Dataset(NamedTuple):
    """A table as it was published."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    nominal: list[str]
    """Columns of categories; the others are numbers."""


def load(name: str) -> Dataset:
    """Return a data set by its name; cardiotocography without its leaking columns."""
    base = "cardiotocography" if name == LEAKING else name
    folder = os.environ.get("SFPLEARN_DATA")
    found = _from_folder(Path(folder), base) if folder else _from_openml(base)
    if name == "cardiotocography":
        return found._replace(X=found.X.drop(columns=list(LEAKS), errors="ignore"))
    return found._replace(name=name)


def _from_folder(folder: Path, name: str) -> Dataset:
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    if name not in manifest:
        raise KeyError(f"No data set {name!r} in {folder}; there are {', '.join(manifest)}.")
    nominal = manifest[name]["nominal"]
    types = {**dict.fromkeys(nominal, "string"), "target": "string"}
    table = pd.read_csv(folder / manifest[name]["file"], dtype=types)
    return _dataset(name, table.drop(columns="target"), table["target"], nominal)


def _from_openml(name: str) -> Dataset:
    number = {**UCI, **GENES}.get(name)
    if number is None:
        raise LookupError(
            f"{name!r} is not at OpenML as the paper used it: put {name}.csv, last column "
            "'target', and MANIFEST.json into a folder and name it in SFPLEARN_DATA."
        )
    try:
        X, y = fetch_openml(data_id=number, return_X_y=True, as_frame=True, parser="auto")
    except OSError as error:
        raise LookupError(
            f"{name!r} cannot be fetched from OpenML (data_id={number}): {error}. Connect, or name "
            "a folder that has it in SFPLEARN_DATA."
        ) from error
    nominal = [column for column in X if not pd.api.types.is_numeric_dtype(X[column])]
    return _dataset(name, X, y, nominal)


def _dataset(name: str, X: pd.DataFrame, y: pd.Series, nominal: list[str]) -> Dataset:
    """Categories become objects with NaN where they are missing, as scikit-learn takes them."""
    X = X.copy()
    for column in nominal:
        X[column] = X[column].astype(object).where(X[column].notna(), np.nan)
    return Dataset(name, X, np.asarray(y.astype(str), dtype=object).astype(str), nominal)
