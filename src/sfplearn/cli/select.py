"""`sfp select`: the columns that matter to any cluster (the paper's section 4.3)."""

from pathlib import Path
from typing import Any

from sfplearn import SFPSelector
from sfplearn.cli.cells import cells_of
from sfplearn.cli.columns import FEATURE
from sfplearn.cli.fit import Learning, Read, facts, read_table
from sfplearn.cli.output import check_output
from sfplearn.cli.preparation import make_preparation, owners_of
from sfplearn.cli.progress import stage
from sfplearn.cli.show import Screen, place_of, show_read, show_selected
from sfplearn.cli.survey import may_have_commas
from sfplearn.cli.tables import TableFile
from sfplearn.cli.training import threads_for
from sfplearn.cli.writers import writing

# Few clusters select few columns: one for each class, and so many for numbers.
CLUSTERS_OF_NUMBERS = 4

ENDINGS = (".csv", ".tsv")


def run_select(
    wanted: Learning, output: Path | None, screen: Screen, *, threshold: float, lam: float
) -> dict[str, Any]:
    """Find the significant columns of a table, and perhaps write a table of these alone."""
    if output is not None:
        check_output(output, ENDINGS, (wanted.table,))
    read = read_table(wanted, screen)
    result = facts(read, len(read.rows.y))
    show_read(screen, result)
    with stage(screen.err, "Selecting", known=False):
        result["columns"] = selected(read, threshold, lam)
    show_selected(screen, result["columns"], threshold)
    if output is not None:
        names = [column["name"] for column in result["columns"] if column["selected"]]
        with stage(screen.err, f"Writing {output.name}") as step:
            write_columns(read.found.table, [*names, wanted.target], output, step)
        result["output"] = str(output)
        screen.say(f"\nThese columns and the target were written to [bold]{place_of(output)}[/].")
    screen.finish(result)
    return result


def selected(read: Read, threshold: float, lam: float) -> list[dict[str, Any]]:
    """Return all features with their weight, heaviest first, and whether they matter."""
    prepare = make_preparation(read.columns)
    X = prepare.fit_transform(read.rows.X)
    classes = len(read.target.counts) or CLUSTERS_OF_NUMBERS
    selector = SFPSelector(
        read.wanted.clusters or min(classes, len(X)),
        threshold=threshold,
        lam=lam,
        task=read.target.task,
        loss=read.wanted.loss,
        random_state=read.wanted.seed,
    )
    with threads_for(len(X)):
        selector.fit(X, read.rows.y, sample_weight=read.rows.weight)
    mass = selector.estimator_.cluster_mass_
    weights = mass @ selector.feature_weights_ / mass.sum()
    owners, support = owners_of(prepare), selector.get_support()
    names = [column.name for column in read.columns if column.role == FEATURE]
    total, chosen = dict.fromkeys(names, 0.0), dict.fromkeys(names, False)
    for owner, weight, matters in zip(owners, weights, support, strict=True):
        total[owner] += float(weight)
        chosen[owner] |= bool(matters)
    heaviest = sorted(names, key=lambda name: -total[name])
    return [{"name": name, "weight": total[name], "selected": chosen[name]} for name in heaviest]


def write_columns(table: TableFile, names: list[str], output: Path, step: Any) -> None:
    """Write some columns of a table as they are, but for text that looks like a formula."""
    # Between commas, decimal ones would be read as text.
    with writing(output, ";" if may_have_commas(table) else ",") as writer:
        writer.begin(names)
        for batch in table.blocks():
            writer.write({name: cells_of(batch, name) for name in names})
            step(table.share)
