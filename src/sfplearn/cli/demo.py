"""`sfp demo`: what the package does, on a data set that comes with scikit-learn."""

from pathlib import Path
from typing import Any

from sklearn.datasets import load_wine
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sfplearn import SFPClassifier
from sfplearn.cli.clusters import describe_clusters
from sfplearn.cli.fit import SFP
from sfplearn.cli.output import check_output
from sfplearn.cli.preparation import MODEL, PREPARE
from sfplearn.cli.progress import stage
from sfplearn.cli.report import ENDINGS
from sfplearn.cli.scoring import compare, peers
from sfplearn.cli.show import Screen, place_of, show_clusters, show_scores
from sfplearn.cli.training import threads_for


def run_demo(screen: Screen, seed: int, output: Path) -> None:
    """Cross-validate classifiers, then fit and describe ours, on a page too."""
    page = check_output(output, ENDINGS)
    wine = load_wine(as_frame=True)
    X, growers = wine.data, wine.target_names[wine.target]
    screen.say(
        f"\n[bold]Wine[/]: {len(X)} wines from {len(wine.target_names)} growers, described by "
        f"{X.shape[1]} measurements."
    )
    model = alike(SFPClassifier(random_state=seed))
    with threads_for(len(X)):
        show_scores(screen, scores(model, X, growers, seed, screen))
        model.fit(X, growers)
        show_clusters(screen, describe_clusters(model, X, None, {}, seed), "grower")
        write_page(model, X, growers, page, screen)
    screen.say(
        f"\nThe whole story is in [bold]{place_of(page)}[/]; open it in a browser.\n"
        "Next: sfp fit TABLE.csv --target COLUMN"
    )


def alike(model: Any) -> Pipeline:
    """Return a pipeline like those of tables, for numbers alone."""
    return Pipeline([(PREPARE, StandardScaler().set_output(transform="pandas")), (MODEL, model)])


def scores(model: Pipeline, X: Any, y: Any, seed: int, screen: Screen) -> dict[str, Any]:
    """Cross-validate the model beside its peers and a support vector machine."""
    models = {SFP: model, **peers(model, True, seed), "SVM (RBF)": alike(SVC(random_state=seed))}
    with stage(screen.err, "Comparing") as step:
        return compare(models, X, y, None, has_classes=True, seed=seed, step=step)


def write_page(model: Pipeline, X: Any, y: Any, page: Path, screen: Screen) -> None:
    """Write the report of the model."""
    from sfplearn.report import Report

    with stage(screen.err, "Making the report", known=False):
        Report(model, X, y, source="wine").save(page)
