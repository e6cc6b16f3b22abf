"""Runs of experiments: resumable, told as they go, kept with what made them; and their page."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import document, running
from experiments.catalogue import FILES, experiment
from experiments.markdown import signed, table
from experiments.running import RESULTS, Progress, Run, run

ROOT = document.FOLDER


def double(number):
    with Path(CALLS[0]).open("a") as file:
        file.write(f"{number}\n")
    if number == 3 and Path(CALLS[1]).exists():
        raise KeyboardInterrupt
    return 2 * number


CALLS = ["", ""]


@pytest.fixture
def calls(tmp_path):
    CALLS[:] = [str(tmp_path / "calls"), str(tmp_path / "stop")]
    return tmp_path / "calls"


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path, calls):
    tasks = [{"number": n} for n in range(5)]
    one = Run("some", tmp_path, jobs=1)
    Path(CALLS[1]).touch()
    with pytest.raises(KeyboardInterrupt):
        one.each(double, tasks)
    Path(CALLS[1]).unlink()
    assert Run("some", tmp_path, jobs=1).each(double, tasks) == [0, 2, 4, 6, 8]
    assert calls.read_text().split() == ["0", "1", "2", "3", "3", "4"]


def test_lines_that_were_cut_off_are_computed_again(tmp_path, calls):
    one = Run("some", tmp_path, jobs=1)
    one.each(double, [{"number": 1}, {"number": 2}])
    one.partial.write_text(one.partial.read_text()[:-4])
    assert one.each(double, [{"number": 1}, {"number": 2}]) == [2, 4]
    assert calls.read_text().split() == ["1", "2", "2"]


def test_small_runs_and_whole_runs_do_not_share_what_is_done(tmp_path):
    assert Run("some", tmp_path).partial != Run("some", tmp_path, fast=True).partial


def test_progress_tells_the_time_left(capsys, monkeypatch):
    monkeypatch.setattr(running, "QUIET", -1.0)
    progress = Progress("some", 2)
    progress.step()
    progress.step()
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"some: 1 of 2, about \d+ s left", lines[0])
    assert lines[1].startswith("some: 2 of 2, about 0 s left")


def test_the_list_names_every_experiment():
    command = [sys.executable, "-m", "experiments", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert [line.split()[0] for line in listed.splitlines()] == list(FILES)


def test_every_experiment_has_what_a_run_needs():
    for name in FILES:
        one = experiment(name)
        assert one.TITLE
        assert callable(one.compute)
        assert callable(one.describe)


@pytest.mark.parametrize("name", FILES)
def test_results_name_their_settings_and_versions(name):
    found = json.loads((RESULTS / f"{name}.json").read_text())
    assert found["name"] == name
    assert not found["fast"]
    assert found["settings"]
    assert {"python", "sfplearn", "numpy", "scikit-learn"} <= set(found["made_with"])
    has_picture = (RESULTS / f"{name}.png").exists()
    assert has_picture == hasattr(experiment(name), "draw")


def test_pages_are_what_the_results_say():
    """If this fails: python -m experiments document."""
    for name, text in document.pages().items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, name


def test_the_readme_has_the_table_of_the_comparison():
    """If this fails, copy the first table of ACCURACY.md."""
    report = document.comparison()
    assert report.standing(report.compared) in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_tables_of_the_page_put_ours_beside_the_papers(name):
    head = [cell for line in _described(name).splitlines() if "|:--|" in line for cell in [line]]
    assert head
    text = _described(name)
    assert all(word in text for word in ("paper", "ours", "difference"))


def _described(name):
    return experiment(name).describe(json.loads((RESULTS / f"{name}.json").read_text()))


def test_results_are_plain_json(tmp_path, monkeypatch):
    """What is drawn and described must not depend on whether it was just computed."""
    found = {"settings": {"seed": 0}, "pairs": [(1, 2)]}
    fake = type("Fake", (), {"TITLE": "some", "compute": staticmethod(lambda this: found)})
    monkeypatch.setattr(running, "experiment", lambda name: fake)
    assert run("some", tmp_path)["pairs"] == [[1, 2]]


def test_markdown():
    assert table(["", "ours"], [["a", 1]]).splitlines()[1] == "|:--|--:|"
    assert signed(-0.04) == "0.0"
    assert signed(1.25, 2) == "+1.25"
