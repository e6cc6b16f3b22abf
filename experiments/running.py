"""One run of an experiment: resumable, with its progress shown, kept as JSON and as a picture."""

import hashlib
import inspect
import json
import platform
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from experiments.catalogue import experiment

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("sfplearn", "numpy", "scipy", "scikit-learn", "scikit-misc")

# Seconds between two lines of progress where output is not a terminal.
QUIET = 20.0


class Run:
    """What an experiment may ask of the run it is part of.

    `fast` asks for a small version of the same computation, `known` for no more folds of a
    comparison than are on record; `jobs` is the number of processes.
    """

    def __init__(
        self, name: str, folder: Path, *, fast: bool = False, known: bool = False, jobs: int = -1
    ) -> None:
        self.name, self.folder, self.jobs = name, folder, jobs
        self.fast, self.known = fast, known

    @property
    def partial(self) -> Path:
        """Where results of tasks are kept until all are done."""
        return self.folder / f"{self.name}{'-fast' if self.fast else ''}.partial.jsonl"

    def each(self, function: Callable[..., Any], tasks: Iterable[dict[str, Any]]) -> list[Any]:
        """Return `function(**task)` of each task, side by side.

        Tasks and what comes out must be plain values: what is known is read back from disk, so
        that a run which was stopped goes on where it was.
        """
        tasks = list(tasks)
        known, keys = self._known(), [_key(function, task) for task in tasks]
        todo = [(key, task) for key, task in zip(keys, tasks, strict=True) if key not in known]
        progress = Progress(self.name, len(todo))
        self.folder.mkdir(parents=True, exist_ok=True)
        parallel = Parallel(n_jobs=self.jobs, return_as="generator")
        with self.partial.open("a") as file:
            results = parallel(delayed(function)(**task) for _, task in todo)
            for (key, _), result in zip(todo, results, strict=True):
                known[key] = result
                file.write(json.dumps([key, result]) + "\n")
                file.flush()
                progress.step()
        return [known[key] for key in keys]

    def _known(self) -> dict[str, Any]:
        lines = self.partial.read_text().splitlines() if self.partial.exists() else []
        return dict(_whole(lines))


def _key(function: Callable[..., Any], task: dict[str, Any]) -> str:
    """Name a task: what other code has found under its name does not count."""
    code = hashlib.sha256(Path(inspect.getfile(function)).read_bytes()).hexdigest()[:8]
    return f"{function.__name__} {code} {json.dumps(task, sort_keys=True)}"


def _whole(lines: list[str]) -> Iterable[tuple[str, Any]]:
    """Yield lines that were written to their end."""
    for line in lines:
        try:
            key, result = json.loads(line)
        except ValueError:
            continue
        yield key, result


class Progress:
    """How many tasks are done, and about how long the others take."""

    def __init__(self, name: str, total: int) -> None:
        self.name, self.total, self.done = name, total, 0
        self.begin = self.said = time.monotonic()

    def step(self) -> None:
        """Say that one more task is done."""
        self.done += 1
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if not terminal and now - self.said < QUIET:
            return
        self.said = now
        left = (now - self.begin) / self.done * (self.total - self.done)
        text = f"{self.name}: {self.done} of {self.total}, about {left:.0f} s left"
        last = self.done == self.total
        print(text, end="\n" if last or not terminal else "\r", file=sys.stderr, flush=True)


def run(name: str, folder: Path = RESULTS, *, fast: bool = False, **how: Any) -> dict[str, Any]:
    """Compute an experiment, write `name.json` and draw `name.png`; return what was found."""
    one, this = experiment(name), Run(name, folder, fast=fast, **how)
    begin = time.perf_counter()
    found = {"name": name, "title": one.TITLE, "fast": fast, "known": this.known}
    found |= one.compute(this)
    found |= {"seconds": round(time.perf_counter() - begin, 1), "made_with": _versions()}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(found, indent=1, allow_nan=False) + "\n")
    this.partial.unlink(missing_ok=True)
    # What is drawn and described is what anyone reads from disk.
    found = json.loads(path.read_text())
    draw(name, found, folder)
    return found


def draw(name: str, found: dict[str, Any], folder: Path = RESULTS) -> None:
    """Draw what was found, if an experiment has a picture."""
    one = experiment(name)
    if hasattr(one, "draw"):
        figure = one.draw(found)
        figure.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None})


def _versions() -> dict[str, str]:
    installed = {distribution.name for distribution in distributions()}
    versions = {package: version(package) for package in PACKAGES if package in installed}
    return {"python": platform.python_version(), **versions}
