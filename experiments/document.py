"""EXPERIMENTS.md and ACCURACY.md: what was found, from the results on disk."""

import json
from pathlib import Path

from experiments import accuracy
from experiments.catalogue import FILES, experiment
from experiments.records import Records
from experiments.report import Report
from experiments.running import RESULTS

FOLDER = Path(__file__).parent.parent

HEAD = """\
# The paper, reproduced

Each table and figure of the experiments of *Supervised Fuzzy Partitioning* (Ashtari, Nateghi
Haredasht and Beigy, Pattern Recognition 97, 2020), computed again with this package. No number of
ours is typed by hand: `python -m experiments run NAME` computes a section and
`python -m experiments document` writes this page from `experiments/results`, where settings, seeds
and versions stand beside the numbers. `--fast` runs a small version of anything.

Data come from the folder that `SFPLEARN_DATA` names, or else from OpenML.
"""

ACCURACY_HEAD = """\
# Accuracy and time, beside nine classifiers

Nested 5-fold cross-validation on the 24 data sets of the paper: every setting is chosen inside the
training rows of a fold, preparation included (medians and modes for gaps, dummies, unit variance),
and every method meets the same folds: 20 repeats of them on sets below 400 rows, 5 on others, up to
three on the gene sets. Tables compare the folds that all their methods have; the number of the
repeat is the seed of folds and methods.

- `SFP best` is `SFPSearchCV()`, `SFP one model` is `SFPSearchCV(ensemble=None)`, `SFP default` is
  `SFPClassifier()`, `SFP as in the paper` its search of 250 candidates, chosen after LOESS.
- Peers are tuned as `experiments/peers.py` says, but CatBoost, at its defaults, and those called
  untuned.
- Seconds are those that a fit keeps one processor busy, tuning included, on all folds whose times
  are known; methods ran on one thread. Folds were measured on several days, beside other work or
  not: the same fit took up to twice as long on one as on another, so smaller ratios say little.
- Ten columns of cardiotocography are its target; they are left out unless a table says otherwise.
- Errors are standard errors: by folds as if these were independent, which they are not quite; by
  sets as if those stood for others.

`python -m experiments accuracy` measures what is missing, `--report` prints these tables and
`python -m experiments document` writes this page. No number is typed by hand.

"""


def write() -> None:
    """Write all pages."""
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return all pages by the names of their files."""
    return {"EXPERIMENTS.md": paper_page(), "ACCURACY.md": accuracy_page()}


def accuracy_page() -> str:
    """Return what the records of the comparison say."""
    return f"{ACCURACY_HEAD}{comparison()}\n"


def comparison() -> Report:
    """Return the comparison of all methods on record."""
    records = Records(accuracy.RESULTS, accuracy.KEY).all()
    return Report(records, list(accuracy.METHODS))


def paper_page(results: Path = RESULTS) -> str:
    """Return what was found beside what the paper reports."""
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
