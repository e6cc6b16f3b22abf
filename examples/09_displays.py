"""What a fitted model looks like: four of the displays in sfplearn.plots.

    python examples/09_displays.py [picture.png]

Wines of three growers: where clusters lie, what each looks at, which rows each has, and why one
wine is taken for what it is. Every display takes `ax=`, so that pictures go side by side.
"""

import sys

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier
from sfplearn.plots import (
    DecisionRegionsDisplay,
    ExplanationDisplay,
    FeatureWeightsDisplay,
    MembershipMapDisplay,
)

# A wine between two growers.
ROW = 83


def main(path: str) -> None:
    wine = load_wine()
    X, y = wine.data, wine.target_names[wine.target]
    model = make_pipeline(StandardScaler(), SFPClassifier(random_state=0)).fit(X, y)
    names = {"feature_names": wine.feature_names}

    figure = plt.figure(figsize=(13, 9.5), layout="constrained")
    parts = figure.subfigures(2, 2, width_ratios=[1, 1.1], hspace=0.04)
    (first, second), (third, fourth) = [[part.subplots() for part in row] for row in parts]
    MembershipMapDisplay.from_estimator(model, X, y, ax=first)
    DecisionRegionsDisplay.from_estimator(model, X, y, ax=second, **names)
    FeatureWeightsDisplay.from_estimator(model, ax=third, n_features=8, **names)
    why = ExplanationDisplay.from_estimator(model, X, ROW, n_features=4, ax=fourth, **names)
    figure.savefig(path, dpi=100)
    for each in why.explanation.table(ROW):
        drew = ", ".join(feature["feature"] for feature in each["features"])
        print(f"{each['membership']:.0%} in cluster {each['cluster']}, by {drew}")
    print(f"picture in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "displays.png")
