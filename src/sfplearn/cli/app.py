"""Sub-commands of `sfp`: options and help. Their work is imported late: help must be quick."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfplearn.cli.errors import Commands

if TYPE_CHECKING:
    from sfplearn.cli.fit import Learning

app = typer.Typer(
    name="sfp",
    cls=Commands,
    help="Supervised Fuzzy Partitioning: a supervised k-means that a person can read.",
    epilog="Begin with: sfp demo, or: sfp fit TABLE.csv --target COLUMN",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

COLUMNS, MODEL, ADDED, OUTPUT = "Columns", "Model", "Columns to add", "Output"


class Task(StrEnum):
    """What there is to predict."""

    classification = "classification"
    regression = "regression"


Table = Annotated[
    Path, typer.Argument(metavar="TABLE", help="CSV, TSV (also .gz), Parquet or Arrow file.")
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="File that sfp fit wrote.")]
TargetOption = Annotated[
    str, typer.Option("--target", "-t", metavar="COLUMN", help="What to predict.")
]
TaskOption = Annotated[
    Task | None,
    typer.Option(
        metavar="TASK",
        help="classification or regression; recognised if not given.",
        rich_help_panel=COLUMNS,
    ),
]
WeightOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="How often a row counts in the model; scaling counts each once.",
        rich_help_panel=COLUMNS,
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Leave it out. Repeatable.", rich_help_panel=COLUMNS),
]
KeepOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Keep what would be left out. Repeatable.",
        rich_help_panel=COLUMNS,
    ),
]
MissingOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WORD",
        help="One more word for a missing value. Repeatable.",
        rich_help_panel=COLUMNS,
    ),
]
LossOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="log_loss, logistic, hinge; squared_error, absolute_error, huber; ...",
        rich_help_panel=MODEL,
    ),
]
ClustersOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="K",
        help="A few for each class, or 8 for numbers, if not given.",
        rich_help_panel=MODEL,
    ),
]
SeedOption = Annotated[
    int, typer.Option(min=0, metavar="N", help="Seed of all that is random.", rich_help_panel=MODEL)
]
ScoreOption = Annotated[
    bool, typer.Option("--no-score", help="Skip the comparison.", rich_help_panel=OUTPUT)
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors.", rich_help_panel=OUTPUT)
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object.", rich_help_panel=OUTPUT)
]


def output_option(what: str) -> typer.models.OptionInfo:
    """Return the option that names a file to write."""
    info: typer.models.OptionInfo = typer.Option(
        "--output", "-o", metavar="FILE", help=what, rich_help_panel=OUTPUT
    )
    return info


def learning(
    named: tuple[Path, str, Task | None, str | None],
    lists: tuple[list[str] | None, list[str] | None, list[str] | None],
    **more: Any,
) -> "Learning":
    """Return what is to be learned: names, then lists of columns and of words for missing cells."""
    from sfplearn.cli.fit import Learning

    drop, keep, missing = (tuple(names or ()) for names in lists)
    return Learning(*named, drop, keep, missing, **more)


@app.command(epilog="Example: sfp fit customers.csv --target churn -o churn.skops")
def fit(
    table: Table,
    target: TargetOption,
    task: TaskOption = None,
    weight: WeightOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    missing: MissingOption = None,
    tune: Annotated[
        bool, typer.Option("--tune", help="Search settings, as sfp tune.", rich_help_panel=MODEL)
    ] = False,
    loss: LossOption = None,
    clusters: ClustersOption = None,
    seed: SeedOption = 0,
    output: Annotated[Path | None, output_option("Model file; TABLE.skops if not given.")] = None,
    no_score: ScoreOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Learn to predict a column of a table; write a model file."""
    from sfplearn.cli.fit import run_fit
    from sfplearn.cli.show import Screen

    if tune and clusters is not None:
        raise ValueError("--tune chooses the number of clusters; leave --clusters out.")
    wanted = learning(
        (table, target, task, weight),
        (drop, keep, missing),
        loss=loss,
        clusters=clusters,
        seed=seed,
        score=not no_score,
    )
    screen = Screen(quiet=quiet, as_json=as_json)
    if tune:
        from sfplearn.cli.tune import run_tune

        run_tune(wanted, output, screen)
    else:
        run_fit(wanted, output, screen)


@app.command(epilog="Example: sfp predict churn.skops new.csv --explain -o answers.csv")
def predict(
    model: ModelFile,
    table: Table,
    proba: Annotated[
        bool,
        typer.Option("--proba", help="Add the probability of each class.", rich_help_panel=ADDED),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Add the cluster that decided, what it says, and why.",
            rich_help_panel=ADDED,
        ),
    ] = False,
    copy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Copy a column of TABLE, such as an id. Repeatable.",
            rich_help_panel=ADDED,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_option(
            ".csv, .tsv or .parquet; standard output if not given. In text, cells like a formula "
            "begin with '."
        ),
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Predict each row of a table, however many there are."""
    from sfplearn.cli.predict import run_predict
    from sfplearn.cli.show import Screen

    run_predict(
        model,
        table,
        output,
        Screen(quiet=quiet, as_json=as_json),
        probabilities=proba,
        explain=explain,
        copied=tuple(copy or ()),
    )


@app.command(epilog="Example: sfp report churn.skops customers.csv")
def report(
    model: ModelFile,
    table: Table,
    unseen: Annotated[
        bool, typer.Option("--unseen", help="The model was not fitted to these rows.")
    ] = False,
    seed: SeedOption = 0,
    output: Annotated[Path | None, output_option("Page; MODEL-report.html if not given.")] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a page that shows what a model learned."""
    from sfplearn.cli.report import run_report
    from sfplearn.cli.show import Screen

    screen = Screen(quiet=quiet, as_json=as_json)
    run_report(model, table, output, screen, unseen=unseen, seed=seed)


@app.command(epilog="Example: sfp tune customers.csv --target churn -o churn.skops")
def tune(
    table: Table,
    target: TargetOption,
    task: TaskOption = None,
    weight: WeightOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    missing: MissingOption = None,
    ensemble: Annotated[
        bool,
        typer.Option(
            "--ensemble",
            help="Let several models answer: more accurate, cannot be read.",
            rich_help_panel=MODEL,
        ),
    ] = False,
    loss: LossOption = None,
    seed: SeedOption = 0,
    output: Annotated[Path | None, output_option("Model file; TABLE.skops if not given.")] = None,
    no_score: ScoreOption = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Search the settings that predict best; write a model file."""
    from sfplearn.cli.show import Screen
    from sfplearn.cli.tune import run_tune

    wanted = learning(
        (table, target, task, weight),
        (drop, keep, missing),
        loss=loss,
        seed=seed,
        score=not no_score,
    )
    run_tune(wanted, output, Screen(quiet=quiet, as_json=as_json), ensemble=ensemble)


@app.command(epilog="Example: sfp select customers.csv --target churn -o fewer.csv")
def select(
    table: Table,
    target: TargetOption,
    task: TaskOption = None,
    weight: WeightOption = None,
    drop: DropOption = None,
    keep: KeepOption = None,
    missing: MissingOption = None,
    threshold: Annotated[
        float,
        typer.Option(
            min=0.01, max=1.0, help="Share of the weight that must be kept.", rich_help_panel=MODEL
        ),
    ] = 0.9,
    evenness: Annotated[
        float,
        typer.Option(min=1e-6, help="Small values pick few columns.", rich_help_panel=MODEL),
    ] = 0.05,
    clusters: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="K",
            help="One for each class, or 4 for numbers, if not given.",
            rich_help_panel=MODEL,
        ),
    ] = None,
    seed: SeedOption = 0,
    output: Annotated[
        Path | None,
        output_option("CSV or TSV of the columns that matter; cells like a formula begin with '."),
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find the columns that matter for predicting one of them."""
    from sfplearn.cli.select import run_select
    from sfplearn.cli.show import Screen

    wanted = learning(
        (table, target, task, weight),
        (drop, keep, missing),
        clusters=clusters,
        seed=seed,
    )
    screen = Screen(quiet=quiet, as_json=as_json)
    run_select(wanted, output, screen, threshold=threshold, lam=evenness)


@app.command(epilog="Example: sfp info churn.skops")
def info(
    model: Annotated[
        Path | None, typer.Argument(metavar="[MODEL]", help="File that sfp fit wrote.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Tell versions, or what a model needs, says and is worth."""
    from sfplearn.cli.info import run_info
    from sfplearn.cli.show import Screen

    run_info(model, Screen(as_json=as_json))


@app.command(epilog="Example: sfp demo")
def demo(
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of folds and starts.")] = 0,
    output: Annotated[Path, output_option("Page with a report.")] = Path("sfp-demo-report.html"),
) -> None:
    """Fit a wine data set, and show what was learned."""
    from sfplearn.cli.demo import run_demo
    from sfplearn.cli.show import Screen

    run_demo(Screen(), seed, output)
