"""The installed command as a process: exit codes, signals, what goes where."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import pytest

from tests.cli.tables import fit, installed, one_line, people, sfp

WITHOUT_TYPER = """
import sys
sys.modules["typer"] = None
from sfplearn.cli import main
main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("process")
    people().to_csv(folder / "people.csv", index=False)
    fit(folder / "people.csv", "buys")
    return folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_json_is_all_there_is_on_standard_output(folder):
    run = installed("fit", "people.csv", "-t", "buys", "-o", "j.skops", "--json", cwd=folder)
    assert run.returncode == 0
    assert run.stderr == ""
    assert run.stdout.count("\n") == 1
    told = json.loads(run.stdout)
    assert told["model"] == "j.skops"
    assert told["scores"]["models"][0]["name"] == "SFP"
    assert told["clusters"]["cards"][0]["columns"][0]["name"]


def test_quiet_says_nothing(folder):
    more = ("-o", folder / "q.skops", "--quiet", "--no-score")
    run = sfp("fit", folder / "people.csv", "-t", "buys", *more)
    assert (run.exit_code, run.stdout, run.stderr) == (0, "", "")
    assert (folder / "q.skops").exists()


def test_without_unicode_and_a_terminal_there_is_plain_ascii(folder):
    encoding = "ascii"
    people().rename(columns={"age": "größe ☂"}).to_csv(folder / "odd.csv", index=False)
    env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    there = {"cwd": folder, "env": env, "encoding": encoding}
    run = installed("fit", "odd.csv", "-t", "buys", "-o", "a.skops", "--no-score", **there)
    assert run.returncode == 0, run.stderr
    assert "\x1b" not in run.stdout + run.stderr
    assert "#" in run.stdout
    assert "█" not in run.stdout
    error = installed("fit", "odd.csv", "-t", "größe ☁", **there)
    assert error.returncode == 2
    assert one_line(error.stderr)


def test_ctrl_c_ends_with_130_and_leaves_nothing(folder):
    people(3000).to_csv(folder / "many.csv", index=False)
    before = names(folder)
    temporary = folder / "temporary"
    temporary.mkdir()
    run = subprocess.Popen(
        ["sfp", "tune", "many.csv", "-t", "buys", "-o", "never.skops"],
        cwd=folder, env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert "many.csv" in run.stdout.readline() + run.stdout.readline()  # the work has begun
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    _, stderr = run.communicate(timeout=60)
    assert run.returncode == 130
    assert one_line(stderr)
    assert names(temporary) == []
    temporary.rmdir()
    assert names(folder) == before


def test_a_file_that_is_being_written_is_gone_after_ctrl_c(folder):
    header, *rows = (folder / "people.csv").read_text().splitlines(keepends=True)
    (folder / "long.csv").write_text(header + "".join(rows * 4000))
    (folder / "out.csv").write_text("before")
    before = names(folder)
    run = subprocess.Popen(
        ["sfp", "predict", "model.skops", "long.csv", "--explain", "-o", "out.csv"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not any(name.endswith(".part.csv") for name in names(folder)):
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    _, stderr = run.communicate(timeout=60)
    assert run.returncode == 130
    assert one_line(stderr)
    assert names(folder) == before
    assert (folder / "out.csv").read_text() == "before"


def test_a_reader_may_leave_early(folder):
    header, *rows = (folder / "people.csv").read_text().splitlines(keepends=True)
    (folder / "long.csv").write_text(header + "".join(rows * 500))
    run = subprocess.Popen(
        ["sfp", "predict", "model.skops", "long.csv"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert run.stdout.readline() == "prediction\n"
    run.stdout.close()
    assert run.wait(timeout=60) == 0
    assert run.stderr.read() == ""


def test_a_model_is_written_even_if_nobody_reads_on(folder):
    command = "sfp fit people.csv -t buys -o unread.skops | head -1; exit ${PIPESTATUS[0]}"
    for more in ("", "--json"):
        shell = ["bash", "-c", command.replace("people.csv", f"people.csv {more}")]
        run = subprocess.run(shell, cwd=folder, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stderr == ""
        assert sfp("info", folder / "unread.skops").exit_code == 0
        (folder / "unread.skops").unlink()


def test_what_is_unexpected_ends_with_1_and_can_be_traced():
    code = "import sfplearn.cli.info as i; i.run_info = 3; import sfplearn.cli as c; c.main()"
    traced = {**os.environ, "SFPLEARN_TRACEBACK": "1"}
    command = [sys.executable, "-c", code, "info"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=traced)
    assert run.returncode == 1
    before, line = run.stderr.rsplit("sfp: ", 1)
    assert "Traceback" in before
    assert line.startswith("unexpected TypeError")


def test_models_that_are_none_are_refused_in_one_line(folder):
    good = (folder / "model.skops").read_bytes()
    (folder / "cut.skops").write_bytes(good[: len(good) // 2])
    (folder / "empty.skops").write_bytes(b"")
    (folder / "text.skops").write_text("hello")
    (folder / "pickle.skops").write_bytes(b"\x80\x04cos\nsystem\n")
    (folder / "renamed.skops").write_bytes((folder / "people.csv").read_bytes())
    with zipfile.ZipFile(folder / "zip.skops", "w") as archive:
        archive.writestr("schema.json", "{}")
    for name in ("cut", "empty", "text", "pickle", "renamed", "zip"):
        run = sfp("predict", folder / f"{name}.skops", folder / "people.csv")
        assert run.exit_code == 2, name
        assert one_line(run.stderr), run.stderr
        assert f"{name}.skops" in run.stderr
        assert run.stdout == ""


def test_without_the_extra_one_line_says_so():
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_TYPER], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert run.stderr == 'sfp needs the extra "cli"; install it with: pip install "sfplearn[cli]"\n'


def test_commands_complete_in_the_shell():
    env = {
        **os.environ,
        "_SFP_COMPLETE": "complete_bash",
        "COMP_WORDS": "sfp fi",
        "COMP_CWORD": "1",
    }
    run = installed(env=env)
    assert "fit" in run.stdout
