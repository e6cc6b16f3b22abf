"""`sfp info`: versions and the engine, or what a model file says about itself."""

import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from sfplearn.cli.about import check_about, is_ours
from sfplearn.cli.columns import FEATURE
from sfplearn.cli.models import check_exists
from sfplearn.cli.show import Screen, name_of, place_of, plain_sentence, show_clusters, show_scores
from sfplearn.core import kernel
from sfplearn.data.threads import thread_count

PACKAGES = ("sfplearn", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "skops")


def run_info(model: Path | None, screen: Screen) -> None:
    """Print what is installed, or what a model is."""
    if model is None:
        facts = installed()
        screen.out.print(_pairs(facts))
        screen.finish(facts)
        return
    from sfplearn.persist import describe_model

    check_exists(model)
    about = describe_model(model)
    if is_ours(about):
        check_about(about, model)
    show_model(screen, model, about)
    screen.finish({"model": str(model), **about})


def installed() -> dict[str, str]:
    """Return versions, the engine that runs passes, and the number of threads."""
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
        "engine": kernel.ENGINE,
        "threads": str(thread_count(None)),
    }


def _pairs(facts: dict[str, str]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(name_of(name), escape(plain_sentence(value)))
    return table


def show_model(screen: Screen, path: Path, about: dict[str, Any]) -> None:
    """Print what a model file says about itself."""
    screen.say(f"\n[bold]{place_of(path)}[/]")
    if not is_ours(about):
        screen.out.print(_pairs({name: str(value) for name, value in about.items()}))
        screen.say("Not written by sfp fit: use it from Python, by sfplearn.load_model.")
        return
    facts = {
        "predicts": f"{about['target']} ({about['task']})",
        "fitted to": f"{about['rows']:,} rows of {about['source']}",
    }
    made = ", ".join(f"{name} {value}" for name, value in about.get("versions", {}).items())
    screen.out.print(_pairs(facts | {"written by": made}))
    features = [column for column in about["schema"] if column["role"] == FEATURE]
    table = screen.table("column", "holds", right=())
    for column in features:
        table.add_row(name_of(column["name"]), name_of(column["kind"]))
    screen.show(f"The {len(features)} columns it needs", table)
    if about.get("scores"):
        show_scores(screen, about["scores"])
    if "clusters" in about:
        show_clusters(screen, about["clusters"], about["target"])
