"""`sfp tune`: settings by cross-validation, for one model that can be read, or for a committee."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from sfplearn import SFPSearchCV
from sfplearn.cli.fit import SFP, Learning, Read, facts, finish, model_path, read_table, score
from sfplearn.cli.preparation import (
    MODEL,
    PREPARE,
    make_model,
    make_pipeline_of,
)
from sfplearn.cli.scoring import peers, spread_rows, why_no_score
from sfplearn.cli.show import Screen, show_candidates, show_read
from sfplearn.cli.target import Target
from sfplearn.cli.training import Rows, fit_pipeline, threads_for
from sfplearn.cli.watching import followed
from sfplearn.tuning.candidates import PREPARE as BEFORE
from sfplearn.tuning.candidates import Candidate, Shape, kind_of
from sfplearn.tuning.numbers import readable_numbers
from sfplearn.tuning.pool import broad_pool

# Rows that settings are searched on, and folds of the search.
SEARCHED_ROWS, FOLDS = 3000, 5

# A search within each fold is what an honest score takes: fewer rows and folds make it bearable.
JUDGED_ROWS, JUDGED_FOLDS = 2000, 3

# Clusters a class that a person may still read.
READABLE = 8
READABLE_KINDS = ("refined", "clusters")

# Candidates that are shown.
SHOWN = 5


def readable(shape: Shape) -> list[Candidate]:
    """Return candidates for classes with few clusters of plain features.

    >>> pool = readable(Shape(n_rows=150, n_features=4, n_classes=3))
    >>> max(candidate["n_clusters"] for candidate in pool)
    24
    """
    return [
        # Columns are of one scale already.
        {name: value for name, value in candidate.items() if name != BEFORE}
        for candidate in broad_pool(shape)
        if kind_of(candidate) in READABLE_KINDS
        and candidate["n_clusters"] <= READABLE * shape.n_classes
    ]


def run_tune(
    wanted: Learning, output: Path | None, screen: Screen, *, ensemble: bool = False
) -> dict[str, Any]:
    """Search settings, fit the best to all rows, and say how good it is.

    Several models that answer together stay as they were fitted to the rows of the search.
    """
    path = model_path(wanted.table, output)
    if ensemble and wanted.loss:
        raise ValueError("--ensemble chooses the losses of its models; leave --loss out.")
    read = read_table(wanted, screen)
    rows = read.rows.take(spread_rows(read.rows.y, SEARCHED_ROWS, wanted.seed))
    check_searchable(rows, read.target, ensemble)
    result = facts(read, len(rows.y) if ensemble else None)
    settings: dict[str, Any] = {"loss": wanted.loss, "clusters": None, "seed": wanted.seed}
    plain = make_pipeline_of(read.columns, make_model(read.target, read.labelled, **settings))
    show_read(screen, result)
    searching = make_search(plain, read, rows, ensemble)
    fitted = search_once(searching, rows, screen)
    result["search"] = outcome(fitted, len(rows.y))
    show_candidates(screen, result["search"])
    if not ensemble:
        fitted = fit_best(fitted, plain, read, screen)
    if wanted.score:
        result["scores"] = judge(searching, plain, read, screen)
    return finish(fitted, read, result, path, screen)


def fit_best(searched: Pipeline, plain: Pipeline, read: Read, screen: Screen) -> Pipeline:
    """Fit the best candidate of a search to all rows."""
    best = clone(plain.named_steps[MODEL]).set_params(**searched[-1].best_params_)
    fitted = make_pipeline_of(read.columns, best)
    return fit_pipeline(fitted, read.rows, read.found, read.columns, read.target, screen.err)


def judge(searching: Pipeline, plain: Pipeline, read: Read, screen: Screen) -> dict[str, Any]:
    """Compare a search, made anew in each fold, with the model as it comes and with others."""
    named = {f"{SFP}, tuned": searching, f"{SFP}, as it comes": plain}
    models = {**named, **peers(plain, read.target.has_classes, read.wanted.seed)}
    return score(models, read, screen, most_rows=JUDGED_ROWS, most_folds=JUDGED_FOLDS)


def check_searchable(rows: Rows, target: Target, ensemble: bool) -> None:
    """Refuse what cannot be searched."""
    if ensemble and not target.has_classes:
        raise ValueError("--ensemble is for classes; leave it out to predict numbers.")
    reason = why_no_score(rows.y, target.has_classes)
    if reason:
        raise ValueError(f"Settings cannot be searched: {reason}; use sfp fit.")


def make_search(plain: Pipeline, read: Read, rows: Rows, ensemble: bool) -> Pipeline:
    """Return a pipeline that ends in a search, not fitted yet."""
    seed, model = read.wanted.seed, plain.named_steps[MODEL]
    if ensemble:
        search = SFPSearchCV(model, random_state=seed)
    else:
        search = SFPSearchCV(
            model,
            space=space_of(plain, read, rows),
            ensemble=None,
            cv=FOLDS,
            halving=False,
            random_state=seed,
        )
    return Pipeline([(PREPARE, plain.named_steps[PREPARE]), (MODEL, search)])


def space_of(plain: Pipeline, read: Read, rows: Rows) -> list[Candidate]:
    """Return the candidates for a table; those that a loss was named for have no other."""
    # A search within a fold has fewer rows: none may have more clusters than these bear.
    n = len(rows.y) * (FOLDS - 1) * (JUDGED_FOLDS - 1) // (FOLDS * JUDGED_FOLDS)
    if not read.target.has_classes:
        return readable_numbers(n)
    width = clone(plain.named_steps[PREPARE]).fit(rows.X).transform(rows.X).shape[1]
    found = readable(Shape(n_rows=n, n_features=width, n_classes=len(np.unique(rows.y))))
    if read.wanted.loss:
        found = [{**candidate, "loss": read.wanted.loss} for candidate in found]
    return list({repr(candidate): candidate for candidate in found}.values())


def search_once(searching: Pipeline, rows: Rows, screen: Screen) -> Pipeline:
    """Fit the search, and tell how far it is."""
    fitted = clone(searching)
    params = {} if rows.weight is None else {f"{MODEL}__sample_weight": rows.weight}
    search = fitted.named_steps[MODEL]
    with followed(screen.err, "Searching", search, "search"), threads_for(len(rows.y)):
        return fitted.fit(rows.X, rows.y, **params)


def outcome(fitted: Pipeline, rows: int) -> dict[str, Any]:
    """Return the best candidates of a search."""
    search = fitted.named_steps[MODEL]
    table = search.cv_results_
    # Scores of few folds do not compare with those of all.
    whole = ~table.get("was_halved", np.zeros(len(table["params"]), bool))
    order = np.argsort(np.where(whole, table["rank_test_score"], np.inf), kind="stable")[:SHOWN]
    shares = table.get("ensemble_weight")
    return {
        "tried": len(table["params"]),
        "rows": rows,
        "folds": search.n_splits_,
        "members": None if shares is None else int(np.count_nonzero(shares)),
        "best": [
            {
                "score": float(table["mean_test_score"][place]),
                "deviation": float(table["std_test_score"][place]),
                "settings": {k: v for k, v in table["params"][place].items() if k != "prepare"},
            }
            for place in order
        ],
    }
