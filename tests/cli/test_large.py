"""Tables larger than the sample: read block by block, fitted from the disk."""

import json

import numpy as np
import pandas as pd
import pytest

from sfplearn import load_model
from sfplearn.cli import survey, tables, training
from tests.cli.tables import fit, people, sfp


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks and a sample so small that a small table is a large one."""
    monkeypatch.setattr(tables, "TEXT_BYTES", 1 << 14)
    monkeypatch.setattr(tables, "BLOCK_CELLS", 2000)
    monkeypatch.setattr(training, "BLOCK_CELLS", 4000)
    monkeypatch.setattr(survey, "SAMPLE_ROWS", 300)


@pytest.mark.parametrize(
    ("ending", "target"), [("csv", "buys"), ("csv.gz", "income"), ("parquet", "buys")]
)
def test_the_model_is_fitted_to_all_rows(ending, target, tmp_path, small_blocks):
    table, path = people(900), tmp_path / f"t.{ending}"
    table.to_parquet(path) if ending == "parquet" else table.to_csv(path, index=False)
    other = "income" if target == "buys" else "buys"
    model = tmp_path / "m.skops"
    options = ("-t", target, "-o", model, "--drop", other, "--no-score", "--json")
    told = json.loads(sfp("fit", path, *options).stdout)
    assert told["read"]["rows"] == 900
    assert "300 rows drawn at random" in " ".join(told["read"]["notes"])
    pipeline, _ = load_model(model)
    assert pipeline[-1].cluster_mass_.sum() == pytest.approx(900, rel=1e-3)
    found = sfp("predict", model, path, "-o", tmp_path / "out.csv")
    assert found.exit_code == 0
    answers = pd.read_csv(tmp_path / "out.csv")["prediction"]
    assert len(answers) == 900
    if target == "buys":
        assert np.mean(answers == table["buys"]) > 0.9
    else:
        assert np.corrcoef(answers, table["income"])[0, 1] > 0.5


def test_where_rows_are_does_not_change_what_is_predicted(tmp_path, monkeypatch):
    people(900).to_csv(tmp_path / "t.csv", index=False)
    here = load_model(fit(tmp_path / "t.csv", "buys"))[0]
    monkeypatch.setattr(survey, "SAMPLE_ROWS", 899)
    there = load_model(fit(tmp_path / "t.csv", "buys", model="there.skops"))[0]
    new = people(200, seed=1)
    new["seen"] = (pd.to_datetime(new["seen"]) - pd.Timestamp(0)) / pd.Timedelta(days=1)
    assert np.mean(here.predict(new) == there.predict(new)) > 0.97


def test_weights_and_gaps_in_the_target_reach_the_disk(tmp_path, small_blocks):
    table = people(900).assign(times=2)
    table.loc[::3, "buys"] = None
    table.to_csv(tmp_path / "t.csv", index=False)
    pipeline, _ = load_model(fit(tmp_path / "t.csv", "buys", "--weight", "times"))
    assert pipeline[-1].cluster_mass_.sum() == pytest.approx(1200, rel=1e-3)


def test_a_class_that_the_sample_misses_is_learned(tmp_path, small_blocks):
    table = people(900)
    table.loc[[5, 450], "buys"] = "perhaps"
    table.to_csv(tmp_path / "t.csv", index=False)
    pipeline, _ = load_model(fit(tmp_path / "t.csv", "buys"))
    assert pipeline.classes_.tolist() == ["no", "perhaps", "yes"]


def test_what_a_column_holds_is_decided_by_all_of_it(tmp_path, small_blocks):
    table = people(900).astype({"age": object})
    table.loc[895, "age"] = "n/a"
    table["code"] = [*map(str, np.arange(880) % 5), *["x"] * 20]
    table.to_csv(tmp_path / "t.csv", index=False)
    _, about = load_model(fit(tmp_path / "t.csv", "buys"))
    kinds = {column["name"]: column["kind"] for column in about["schema"]}
    assert (kinds["age"], kinds["code"]) == ("number", "category")
    table.loc[895, "age"] = "old"
    table.to_csv(tmp_path / "t.csv", index=False)
    result = sfp("fit", tmp_path / "t.csv", "-t", "buys", "-o", tmp_path / "m.skops")
    assert result.exit_code == 2
    assert "row 896, column 'age': 'old' is no number" in result.stderr


def test_samples_are_uniform_and_in_order():
    import pyarrow as pa

    counts = np.zeros(60)
    for seed in range(300):
        sample = survey.Sample(20, seed)
        for first in range(0, 60, 7):
            rows = np.arange(first, min(first + 7, 60))
            sample.take(pa.RecordBatch.from_arrays([pa.array(rows)], names=["row"]))
        kept = sample.table().column("row").to_numpy()
        assert len(kept) == 20
        assert (np.diff(kept) > 0).all()
        counts[kept] += 1
    # A hundred draws expected of each row, give or take eight: five times that is no chance.
    assert np.abs(counts - 100).max() < 45


def test_a_disk_that_is_too_small_is_noticed_before(tmp_path, small_blocks, monkeypatch):
    people(900).to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(training, "SPARE", 1 << 60)
    result = sfp("fit", tmp_path / "t.csv", "-t", "buys", "-o", tmp_path / "m.skops")
    assert result.exit_code == 2
    assert "set TMPDIR" in result.stderr
    assert not (tmp_path / "m.skops").exists()
