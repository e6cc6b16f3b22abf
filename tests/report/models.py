"""Small fitted models and their tables, for tests of reports."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sfplearn import SFPClassifier, SFPRegressor
from tests.conftest import three_blobs

HOSTILE = "</script><img src=x onerror=alert(1)>&\"'"


def classes(n=90, p=4, names=("red", "green", "blue"), **settings):
    """Return a classifier of three classes on a data frame, and its table."""
    X, codes = three_blobs(n, p)
    table = pd.DataFrame(10 + 3 * X, columns=[f"column {j}" for j in range(p)])
    y = np.array(names)[codes]
    model = make_pipeline(StandardScaler(), SFPClassifier(4, **{"refine": 0, **settings}))
    return model.set_params(sfpclassifier__random_state=0).fit(table, y), table, y


def numbers(n=80, **settings):
    """Return a regressor on an array, and its table."""
    X, _ = three_blobs(n)
    y = 100 + 10 * X[:, 0] + X[:, 1]
    return SFPRegressor(5, random_state=0, **settings).fit(X, y), X, y


def passengers(n=160):
    """Return a classifier behind imputers, a scaler and one-hot columns, and a table of text."""
    random = np.random.default_rng(0)
    sex = random.choice(["male", "female"], n)
    port = random.choice(["Southampton", "Cherbourg"], n).astype(object)
    table = pd.DataFrame({"sex": sex, "sex_code": random.normal(size=n), "port": port})
    table["age"] = random.gamma(6, 5, n)
    y = np.where((sex == "female") ^ (random.random(n) < 0.2), "survived", "died")
    table.loc[random.random(n) < 0.2, "age"] = np.nan
    table.loc[random.random(n) < 0.1, "port"] = None
    scaled = make_pipeline(SimpleImputer(), StandardScaler())
    coded = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
    prepare = ColumnTransformer(
        [("num", scaled, ["age", "sex_code"]), ("cat", coded, ["sex", "port"])]
    )
    model = make_pipeline(prepare, SFPClassifier(4, refine=0, random_state=0))
    return model.fit(table, y), table, y
