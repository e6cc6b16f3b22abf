"""What the documentation shows works, and shows everything public."""

import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
from pathlib import Path

import pytest

import sfplearn
import sfplearn.core
import sfplearn.persist
import sfplearn.plots
import sfplearn.report

ROOT = Path(__file__).parents[1]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(sfplearn.__path__, "sfplearn.")
    if not module.name.endswith(".fused")
]


def public_objects():
    for module in (sfplearn, sfplearn.core, sfplearn.persist, sfplearn.plots, sfplearn.report):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                yield f"{module.__name__}.{name}", thing
    for estimator in (getattr(sfplearn, name) for name in sfplearn.__all__ if "SFP" in name):
        for name, method in inspect.getmembers(estimator, callable):
            if not name.startswith("_") and method.__module__.startswith("sfplearn"):
                yield f"{estimator.__name__}.{name}", method


@pytest.mark.parametrize("name", ["sfplearn", *MODULES])
def test_examples_in_docstrings_are_true(name):
    result = doctest.testmod(
        importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0


@pytest.mark.parametrize(
    ("name", "thing"),
    list(public_objects()),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_everything_public_has_an_example(name, thing):
    assert ">>>" in (inspect.getdoc(thing) or ""), name


def blocks_of_code(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)


@pytest.mark.parametrize(
    "code",
    blocks_of_code("README.md"),
    ids=["first", "reading", "watching", "tasks", "search", "size", "statistics"],
)
def test_code_in_the_readme_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "sklearn.callback" in code:
        pytest.importorskip("sklearn.callback")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue()


@pytest.mark.parametrize("page", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_named_files_exist(page):
    text = (ROOT / page).read_text()
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    files = re.findall(
        r"`((?:core|data|fitting|estimators|tuning|cli|onnx|persist|plots|report|tests|benchmarks|"
        r"experiments)/[\w./]+)",
        text,
    )
    paths = [ROOT / link for link in links]
    paths += [ROOT / ("" if (ROOT / file).exists() else "src/sfplearn") / file for file in files]
    missing = [str(path) for path in paths if not path.exists()]
    assert not missing
    assert paths
