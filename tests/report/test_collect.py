"""What a report tells: laws that its dictionary obeys, whatever the model and the table."""

import json
import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sfplearn import Quantile, SFPClassifier, SFPRegressor, SFPSearchCV
from sfplearn.report.collect import collect
from sfplearn.report.columns import Column
from sfplearn.report.features import typical
from sfplearn.report.training import settings_of
from sfplearn.tuning.committee import Committee, FoldModels
from tests.report.models import classes, numbers, passengers

# Numbers of a report have six digits.
DIGITS = {"rtol": 1e-5, "atol": 1e-5}

MODELS = {
    "classes": classes,
    "refined": lambda: classes(refine=5),
    "two classes": lambda: classes(names=("no", "yes", "yes")),
    "no probabilities": lambda: classes(loss="hinge"),
    "log-odds": lambda: classes(loss="logistic"),
    "Gaussians": lambda: classes(divergence="diagonal_gaussian"),
    "linear experts": lambda: classes(expert="linear"),
    "numbers": numbers,
    "refined numbers": lambda: numbers(refine=3),
    "quantiles": lambda: numbers(loss=Quantile([0.1, 0.5, 0.9])),
    "text and missing cells": passengers,
}


@pytest.fixture(scope="module", params=MODELS)
def told(request):
    model, X, y = MODELS[request.param]()
    return collect(model, X, y, scores={}), model, X, y


def test_everything_is_plain(told):
    content, *_ = told
    assert json.loads(json.dumps(content, allow_nan=False)) == content


def test_clusters_share_out_rows_and_weights(told):
    content, model, *_ = told
    cards = content["clusters"]["cards"]
    assert_allclose(sum(card["share"] for card in cards), 1, **DIGITS)
    assert sorted(card["cluster"] for card in cards) == list(range(len(_sfp(model).cluster_mass_)))
    importances = [each["importance"] for each in content["clusters"]["features"]]
    assert_allclose(sum(importances), 1, **DIGITS)
    assert importances == sorted(importances, reverse=True)
    for cells in content["clusters"]["heat"]["cells"]:
        assert_allclose(sum(cell["weight"] for cell in cells), 1, **DIGITS)


def test_label_mixes_are_shares(told):
    content, model, *_ = told
    for card in content["clusters"]["cards"]:
        if "mix" in card["says"]:
            total = sum(part["share"] for part in card["says"]["mix"]) + card["says"]["rest"]
            assert_allclose(total, 1, **DIGITS)
        else:
            assert_allclose(
                card["says"]["numbers"], _sfp(model).prototypes_[card["cluster"]], **DIGITS
            )


def test_cards_tell_what_their_rows_are(told):
    content, model, X, y = told
    sfp = _sfp(model)
    u = sfp.memberships(model[:-1].transform(X) if hasattr(model, "steps") else X)
    for card in content["clusters"]["cards"]:
        rows = u[:, card["cluster"]]
        if "mix" in card["rows_are"]:
            likeliest = card["rows_are"]["mix"][0]
            share = rows[np.asarray(y) == sfp.classes_[likeliest["class"]]].sum() / rows.sum()
            assert_allclose(likeliest["share"], share, **DIGITS)
        else:
            assert_allclose(card["rows_are"]["numbers"], [np.average(y, weights=rows)], **DIGITS)


def test_rows_are_explained_as_the_model_explains_them(told):
    content, model, X, _ = told
    sfp = _sfp(model)
    for row in content["lookup"]["rows"][::20]:
        one = X.iloc[[row["row"]]] if hasattr(X, "iloc") else X[[row["row"]]]
        why = sfp.explain(one if sfp is model else model[:-1].transform(one))
        for rank, reason in enumerate(row["clusters"]):
            assert reason["cluster"] == why.clusters[0, rank]
            assert_allclose(reason["membership"], why.memberships[0, rank], **DIGITS)
            assert_allclose(reason["distance"], why.distances[0, rank], **DIGITS)
            parts = sum(each["contribution"] for each in reason["features"]) + reason["rest"]
            assert_allclose(parts, reason["distance"], rtol=1e-3, atol=1e-4)
            pulls = [each["pull"] for each in reason["features"]]
            assert pulls == sorted(pulls, reverse=True)


def test_predictions_of_rows_are_those_of_the_model(told):
    content, model, X, y = told
    said = np.asarray(model.predict(X))
    said = said if said.ndim == 1 else said[:, 1]
    names = [each["label"] for each in content["data"].get("classes", [])]
    for row in content["lookup"]["rows"]:
        if names:
            assert names[row["predicted"]] == said[row["row"]]
            assert names[row["truth"]] == y[row["row"]]
            assert row["wrong"] == (row["unseen"] != row["truth"])
        else:
            assert_allclose(row["predicted"], said[row["row"]], **DIGITS)


def test_the_objective_is_that_of_the_fit(told):
    content, model, *_ = told
    path = content["training"]["objective"]
    assert_allclose([value for _, value in path], _sfp(model).objective_path_, **DIGITS)
    assert content["training"]["passes"] == path[-1][0]


def test_typical_values_are_means_of_the_raw_table_by_membership():
    model, X, y = classes()
    u = model[-1].memberships(model[:-1].transform(X))
    deviation = X.std(ddof=0)
    for card in collect(model, X, y, scores={})["clusters"]["cards"]:
        for trait in card["features"]:
            column = X[trait["feature"]]
            mean = np.average(column, weights=u[:, card["cluster"]])
            assert_allclose(float(trait["value"]), mean, rtol=0.01)
            shift = (mean - column.mean()) / deviation[trait["feature"]]
            assert_allclose(trait["shift"], shift, rtol=1e-4, atol=1e-6)


def test_a_few_far_cells_do_not_hide_how_clusters_differ():
    age = np.concatenate([np.linspace(20, 30, 60), np.linspace(50, 60, 60)])
    first, total = (age < 40).astype(float), np.ones(120)
    plain = typical(Column(age), first, total)
    assert plain["value"] == "25"
    age[[0, 70]] = 9999.0
    told = typical(Column(age), first, total)
    assert 24 < float(told["value"]) < 26
    assert 28 < float(told["all"]) < 52  # not the mean, which is 205
    assert told["shift"] < -0.7
    assert typical(Column(age), 1 - first, total)["shift"] > 0.7


def test_one_hot_columns_are_told_as_the_column_they_were_made_of():
    model, X, y = passengers()
    content = collect(model, X, y, scores={})
    assert {each["name"] for each in content["clusters"]["features"]} == set(X.columns)
    weights = model[-1].feature_weights_
    names = model[:-1].get_feature_names_out()
    own = [i for i, name in enumerate(names) if name in ("cat__sex_male", "cat__sex_female")]
    place = content["clusters"]["heat"]["features"].index("sex")
    for j, cells in zip(
        content["clusters"]["heat"]["clusters"], content["clusters"]["heat"]["cells"], strict=True
    ):
        assert_allclose(cells[place]["weight"], weights[j, own].sum(), **DIGITS)
        share = float(cells[place]["value"].split("(")[1].split("\xa0")[0].strip("<"))
        assert cells[place]["value"].startswith(("male", "female"))
        assert 50 <= share <= 100


def test_missing_cells_are_told_as_such():
    model, X, y = passengers()
    lookup = collect(model, X, y, scores={})["lookup"]
    place = lookup["features"].index("age")
    for row in lookup["rows"]:
        assert (row["values"][place] == "missing") == math.isnan(X["age"].iloc[row["row"]])


def test_features_that_no_column_is_known_for_stand_for_themselves():
    _, X, y = numbers()
    squared = FunctionTransformer(lambda rows: np.hstack([rows, rows**2]))
    model = make_pipeline(squared, SFPRegressor(4, random_state=0)).fit(X, y)
    content = collect(model, X, y, scores={})
    assert content["data"]["columns"] == 4
    assert content["data"]["features"] == 8
    assert {each["name"] for each in content["clusters"]["features"]} == {
        f"feature {i}" for i in range(8)
    }
    assert all(trait["prepared"] for trait in content["clusters"]["cards"][0]["features"])


def test_kinds_of_tables_do_not_matter():
    X = sp.random(60, 5, density=0.5, random_state=0, format="csr")
    y = np.asarray(X.sum(axis=1)).ravel() > 1.2
    model = SFPClassifier(3, refine=0, random_state=0)
    dense = collect(clone(model).fit(X.toarray(), y), X.toarray(), y, scores={})
    sparse = collect(clone(model).fit(X, y), X, y, scores={})
    for one, other in zip(dense["clusters"]["cards"], sparse["clusters"]["cards"], strict=True):
        assert [f["value"] for f in one["features"]] == [f["value"] for f in other["features"]]
    frame = pd.DataFrame(X.toarray(), columns=[f"x{j}" for j in range(5)])
    framed = collect(clone(model).fit(frame, y), frame, y, scores={})
    assert framed["clusters"] == dense["clusters"]


def test_a_weight_of_zero_equals_leaving_a_row_out_of_the_clusters():
    model, X, y = classes()
    weight = np.ones(len(y))
    weight[::3] = 0
    kept = weight > 0
    weighted = collect(model, X, y, sample_weight=weight, scores={}, unseen=True)
    without = collect(model, X[kept], y[kept], scores={}, unseen=True)
    assert weighted["clusters"] == without["clusters"]
    assert weighted["score"]["value"] == without["score"]["value"]


def test_rows_without_a_label_shape_no_score():
    model, X, y = classes()
    partly = y.astype(object)
    partly[::4] = "unknown"
    model = clone(model).set_params(sfpclassifier__unlabeled="unknown").fit(X, partly)
    content = collect(model, X, partly, scores={})
    assert content["data"]["unlabelled"] == (partly == "unknown").sum()
    assert content["score"]["rows"] == (partly != "unknown").sum()
    assert not {row["row"] for row in content["lookup"]["rows"]} & set(range(0, 90, 4))


def test_a_search_is_told_as_the_model_it_found():
    _, X, y = classes()
    grid = [{"n_clusters": k, "refine": 0} for k in (3, 4)]
    search = SFPSearchCV(space=grid, ensemble=None, cv=3, random_state=0).fit(X, y)
    piped = make_pipeline(StandardScaler(), clone(search)).fit(X, y)
    for found in (search, piped):
        content = collect(found, X, y, scores={})
        assert content["model"]["searched"]
        assert content["model"]["name"] == "SFPClassifier"
        assert "chosen with the help of these rows" in content["score"]["note"]
        assert content["clusters"]["cards"]


def test_settings_that_were_searched_for_elsewhere_are_told():
    model, X, y = classes()
    content = collect(model, X, y, scores={}, searched=True)
    assert content["model"]["searched"]
    assert "chosen with the help of these rows" in content["score"]["note"]


def test_rows_have_the_numbers_of_the_index():
    model, X, y = numbers()
    frame = pd.DataFrame(np.asarray(X)).set_axis([f"x{i}" for i in range(np.shape(X)[1])], axis=1)
    model = SFPRegressor(3, random_state=0).fit(frame, y)
    content = collect(model, frame.set_axis(frame.index + 1000), y, scores={})
    rows = {row["row"] for row in content["lookup"]["rows"]}
    assert rows <= set(range(1000, 1000 + len(y)))
    assert {point[0] for point in content["score"]["residuals"]["points"]} >= rows


def test_days_since_1970_are_shown_as_dates():
    days = np.repeat([19723.0, 19724.75], 20)
    frame = pd.DataFrame({"since": days, "size": np.arange(40.0)})
    model = SFPClassifier(2, refine=0, random_state=0).fit(frame, days > 19724)
    content = collect(model, frame, days > 19724, scores={}, dates=["since"])
    told = content["lookup"]["rows"][0]["values"]
    assert told[content["lookup"]["features"].index("since")] == "2024-01-01"
    features = content["clusters"]["cards"][0]["features"]
    values = {each["value"] for each in features if each["feature"] == "since"}
    assert values <= {"2024-01-01", "2024-01-02"}


def test_seeds_make_reports_alike():
    model, X, y = numbers()
    one, other = (collect(model, X, y, scores={}, random_state=3) for _ in range(2))
    assert one | {"date": ""} == other | {"date": ""}


def _sfp(model):
    return model[-1] if hasattr(model, "steps") else model


def test_a_committee_tells_what_models_it_is_made_of():
    member = SFPClassifier(2, random_state=0).fit([[0.0], [1.0], [8.0], [9.0]], list("aabb"))
    several = Committee([FoldModels([member, member], ["a", "b"])], [1.0], ["a", "b"])
    assert settings_of(several)[0]["value"] == "'SFPClassifier'"
