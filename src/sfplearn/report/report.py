"""Report: what a fitted model learned, as a page, as a dictionary and as JSON."""

import json
from collections.abc import Collection, Mapping
from copy import deepcopy
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from sfplearn.persist.writing import check_place, whole_file
from sfplearn.report.collect import collect
from sfplearn.report.render import render

# What a notebook shows the page in: styles stay inside, and scripts see nothing else.
IFRAME = (
    '<iframe sandbox="allow-scripts" title="{title}" srcdoc="{page}" '
    'style="width: 100%; height: 720px; border: 0"></iframe>'
)


class Report:
    """Show what a fitted model learned, on one page that opens anywhere.

    The page tells how good the model is on rows it had not seen, what its clusters are in the
    units of the table, how it trained, and what decided about single rows. It is one file
    that needs no network. Making a report fits the model, and others to compare with, to five
    folds; large tables are sampled.

    Parameters
    ----------
    estimator : SFPClassifier, SFPRegressor, SFPSearchCV, or Pipeline that ends in one
        The fitted estimator.
    X : data frame, array-like or sparse matrix of shape (n_samples, n_features)
        Rows, as the estimator takes them: usually those it was fitted to. An index of whole
        numbers numbers the rows of the page.
    y : array-like of shape (n_samples,)
        Their labels.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        How often each row counts.
    title : str or None, default=None
        Title of the page.
    source : str or None, default=None
        Where rows come from, such as the name of a file.
    scores : dict or None, default=None
        Scores of other models to show beside, by their names, in place of a random forest:
        accuracies for classifiers, R^2 for regressors.
    unseen : bool, default=False
        Whether the estimator was not fitted to these rows. It is then scored on them as it is.
    searched : bool, default=False
        Whether settings were chosen with the help of these rows; of an SFPSearchCV this is
        known.
    dates : collection of str, default=()
        Columns whose numbers are days since 1970, to be shown as dates.
    random_state : int, RandomState or None, default=0
        Seed of folds and samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sfplearn import SFPClassifier
    >>> from sfplearn.report import Report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = SFPClassifier(3, refine=0, random_state=0).fit(X, y)
    >>> report = Report(model, X, y, source="iris", scores={})
    >>> report.to_dict()["title"]
    'What SFP learned from iris'
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        title: str | None = None,
        source: str | None = None,
        scores: Mapping[str, float] | None = None,
        unseen: bool = False,
        searched: bool = False,
        dates: Collection[str] = (),
        random_state: Any = 0,
    ) -> None:
        self._content = collect(
            estimator,
            X,
            y,
            sample_weight=sample_weight,
            title=title,
            source=source,
            scores=scores,
            unseen=unseen,
            searched=searched,
            dates=dates,
            random_state=random_state,
        )

    def __repr__(self) -> str:
        return f"Report: {self._content['title']}. {self._content['score']['verdict']}"

    @cached_property
    def html(self) -> str:
        """The page."""
        return render(self._content)

    def _repr_html_(self) -> str:
        title = escape(self._content["title"], quote=True)
        return IFRAME.format(title=title, page=escape(self.html, quote=True))

    def save(self, path: Any) -> Path:
        """Write the page to a file, wholly or not at all.

        Parameters
        ----------
        path : str or path-like
            Where to; a file of that name is replaced.

        Returns
        -------
        path : Path
            Where it is.

        Examples
        --------
        >>> import tempfile
        >>> from sfplearn import SFPRegressor
        >>> from sfplearn.report import Report
        >>> model = SFPRegressor(1).fit([[0.0], [1.0]], [2.0, 4.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(Report(model, [[0.0], [1.0]], [2.0, 4.0]).save(f"{folder}/a.html").name)
        a.html
        """
        return write(path, self.html)

    def to_dict(self) -> dict[str, Any]:
        """Return all that the report tells, as numbers, text, lists and dictionaries.

        Returns
        -------
        content : dict
            A copy, which is yours.

        Examples
        --------
        >>> from sfplearn import SFPRegressor
        >>> from sfplearn.report import Report
        >>> model = SFPRegressor(1).fit([[0.0], [1.0]], [2.0, 4.0])
        >>> Report(model, [[0.0], [1.0]], [2.0, 4.0]).to_dict()["data"]["target"]["mean"]
        3.0
        """
        return deepcopy(self._content)

    def save_json(self, path: Any) -> Path:
        """Write what the report tells to a file, as JSON, wholly or not at all.

        Parameters
        ----------
        path : str or path-like
            Where to; a file of that name is replaced.

        Returns
        -------
        path : Path
            Where it is.

        Examples
        --------
        >>> import tempfile
        >>> from sfplearn import SFPRegressor
        >>> from sfplearn.report import Report
        >>> model = SFPRegressor(1).fit([[0.0], [1.0]], [2.0, 4.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report = Report(model, [[0.0], [1.0]], [2.0, 4.0])
        ...     print(report.save_json(f"{folder}/a.json").name)
        a.json
        """
        text = json.dumps(self._content, ensure_ascii=False, allow_nan=False, indent=1)
        return write(path, text + "\n")


def write(path: Any, text: str) -> Path:
    """Write a text to a file, wholly or not at all."""
    path = Path(path)
    check_place(path)
    with whole_file(path) as part:
        # Cells may hold halves of characters, which no file can.
        part.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path
