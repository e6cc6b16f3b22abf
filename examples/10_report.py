"""A page about a model, to show to colleagues: one file that opens without a network.

    python examples/10_report.py [page.html]

docs/report.png is the top of this page in a browser, 1280 pixels wide.
"""

import sys

from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sfplearn import SFPClassifier
from sfplearn.report import Report


def main(path: str) -> None:
    wine = load_wine(as_frame=True)
    X, y = wine.data, wine.target.map("grower {}".format)
    model = make_pipeline(StandardScaler(), SFPClassifier(random_state=0)).fit(X, y)
    report = Report(model, X, y, source="wine.csv")
    report.save(path)
    print(report.to_dict()["score"]["verdict"])
    print(f"page in {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "wine.html")
