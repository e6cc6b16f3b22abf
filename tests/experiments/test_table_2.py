"""The data sets as the paper describes them, and what leaks."""

import numpy as np
import pandas as pd
import pytest

from experiments.datasets import GENES, LEAKS, UCI, Dataset
from experiments.reported import CHARACTERISTICS
from experiments.reproduced.table_2 import FAST, characteristics, describe, kind_of, leaking
from experiments.running import run
from tests.conftest import needs_data


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return run("table-2", tmp_path_factory.mktemp("results"), fast=True, jobs=1)


@needs_data
def test_tables_are_as_described_but_for_the_classes_of_soybean(found):
    rows = {line.split(" | ")[0][2:]: line for line in describe(found).splitlines() if "|" in line}
    assert rows["soybean"].endswith("| classes |")
    assert all(rows[name].endswith("| none |") for name in FAST if name != "soybean")


@needs_data
def test_the_ten_leaking_columns_are_found():
    of = characteristics("cardiotocography")
    assert (of["features"], of["leaking"]) == (35, len(LEAKS))


@needs_data
def test_no_column_of_other_tables_is_said_to_leak(found):
    assert {of["leaking"] for of in found["sets"].values()} == {0}


def test_all_24_sets_are_described():
    assert list(CHARACTERISTICS) == [*UCI, *GENES]


def table_of(**columns):
    nominal = [name for name, values in columns.items() if isinstance(values[0], str)]
    y = np.array(["a", "b", "b", "c"])
    return Dataset("some", pd.DataFrame(columns), y, nominal)


def test_kinds_of_features():
    assert kind_of(table_of(x=[1.0, 2.0, 3.0, 4.0])) == "continuous"
    assert kind_of(table_of(x=[1.0, 2.0, 3.0, 4.0], g=list("uvuv"))) == "mixed"
    assert kind_of(table_of(g=list("uvuv"))) == "binary"
    assert kind_of(table_of(g=list("uvwu"))) == "categorical"


def test_a_column_leaks_if_it_is_a_class():
    assert leaking(table_of(x=[0, 1, 1, 0], z=[0, 1, 0, 0])) == 1
