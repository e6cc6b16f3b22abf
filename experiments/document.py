"""EXPERIMENTS.md: what was found, beside what the paper reports, from the results on disk."""

import json
from pathlib import Path

from experiments.catalogue import FILES, experiment
from experiments.running import RESULTS

PAGE = Path(__file__).parent.parent / "EXPERIMENTS.md"

HEAD = """\
# The paper, reproduced

Each table and figure of the experiments of *Supervised Fuzzy Partitioning* (Ashtari, Nateghi
Haredasht and Beigy, Pattern Recognition 97, 2020), computed again with this package. No number of
ours is typed by hand: `python -m experiments run NAME` computes a section and
`python -m experiments document` writes this page from `experiments/results`, where settings, seeds
and versions stand beside the numbers. `--fast` runs a small version of anything.

Data come from the folder that `SFPLEARN_DATA` names, or else from OpenML.
"""


def page(results: Path = RESULTS) -> str:
    """Return the page."""
    names = [name for name in FILES if (results / f"{name}.json").exists()]
    contents = [f"- [{experiment(n).TITLE}](#{n}): `python -m experiments run {n}`" for n in names]
    sections = [_section(name, results) for name in names]
    return "\n".join([HEAD, *contents, "", *sections]).rstrip() + "\n"


def _section(name: str, results: Path) -> str:
    one, found = experiment(name), json.loads((results / f"{name}.json").read_text())
    lines = [f'<a id="{name}"></a>', "", f"## {one.TITLE}", "", one.describe(found).strip(), ""]
    if hasattr(one, "draw"):
        lines += [f"![{one.TITLE}](experiments/results/{name}.png)", ""]
    made = ", ".join(f"{package} {number}" for package, number in found["made_with"].items())
    command = f"python -m experiments run {name}{' --known' if found.get('known') else ''}"
    lines += [f"<sub>`{command}`, with {made}</sub>", ""]
    return "\n".join(lines)
