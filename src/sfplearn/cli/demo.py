"""`sfp demo`: what the package does, on a data set that comes with scikit-learn."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sfplearn import SFPClassifier

# Few enough clusters to read, two for each class.
CLUSTERS = 6
FEATURES_SHOWN = 3
BAR_WIDTH = 10


def run_demo(console: Console, seed: int) -> None:
    """Cross-validate three classifiers, then fit and describe ours."""
    data = load_wine()
    X, y = data.data, data.target
    rows, columns = X.shape
    console.print(
        f"\n[bold]Wine[/]: {rows} wines from {len(data.target_names)} growers, "
        f"described by {columns} measurements.\n"
    )
    console.print(scores_table(X, y, seed, console))
    model = contestants(seed)["SFP"].fit(X, y)
    console.print()
    bar = "#" if console.options.ascii_only else "█"
    console.print(clusters_table(model, data.feature_names, data.target_names, bar))
    console.print(
        "\nA cluster says what its wines are, and which measurements they agree on: the weight "
        "in the cluster's distance, and where its centre lies, in standard deviations from the "
        "mean of all wines."
    )


def contestants(seed: int) -> dict[str, Pipeline]:
    """Return the classifiers to compare, untuned."""
    models: dict[str, BaseEstimator] = {
        "SFP": SFPClassifier(CLUSTERS, random_state=seed),
        "random forest": RandomForestClassifier(random_state=seed),
        "SVM (RBF)": SVC(random_state=seed),
    }
    return {name: make_pipeline(StandardScaler(), model) for name, model in models.items()}


def scores_table(X: Any, y: Any, seed: int, console: Console) -> Table:
    """Cross-validate the contestants on the same folds."""
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=seed)
    table = Table(title="Cross-validated (4 x 5 folds)", title_justify="left")
    table.add_column("classifier")
    table.add_column("accuracy", justify="right")
    table.add_column("fit", justify="right")
    plus_minus = "+-" if console.options.ascii_only else "±"
    models = contestants(seed).items()
    for name, model in track(models, "Cross-validating", console=console, transient=True):
        result = cross_validate(model, X, y, cv=folds)
        score, seconds = result["test_score"], np.median(result["fit_time"])
        table.add_row(
            name, f"{score.mean():.1%} {plus_minus} {score.std():.1%}", f"{1000 * seconds:.0f} ms"
        )
    return table


def clusters_table(model: Pipeline, features: Any, classes: Any, bar: str) -> Table:
    """Describe the clusters of a fitted pipeline, heaviest first."""
    sfp = model[-1]
    table = Table(title=f"What {len(sfp.cluster_mass_)} clusters learned", title_justify="left")
    table.add_column("wines", justify="right")  # rounded sums of memberships
    table.add_column("label mix")
    table.add_column("most telling features: weight, centre")
    for j in np.argsort(-sfp.cluster_mass_):
        table.add_row(
            f"{sfp.cluster_mass_[j]:.0f}",
            label_mix(sfp.prototypes_[j], classes, bar),
            "\n".join(telling_features(sfp.feature_weights_[j], sfp.cluster_centers_[j], features)),
            end_section=True,
        )
    return table


def label_mix(prototype: Any, classes: Any, bar: str) -> str:
    """Return a bar and a share for every class with at least a percent."""
    lines = [
        f"{escape(str(classes[m]))} [green]{bar * round(BAR_WIDTH * prototype[m])}[/] "
        f"{prototype[m]:.0%}"
        for m in np.argsort(-prototype)
        if prototype[m] >= 0.01
    ]
    return "\n".join(lines)


def telling_features(weights: Any, center: Any, names: Any) -> Iterator[str]:
    """Yield the features of largest weight, each with its weight and centre."""
    for feature in np.argsort(-weights)[:FEATURES_SHOWN]:
        yield f"{escape(names[feature])}: {weights[feature]:.0%}, {center[feature]:+.1f} sd"
