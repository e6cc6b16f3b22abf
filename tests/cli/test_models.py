"""Model files that strangers wrote: refused in one sentence, and harmless to a terminal."""

import copy

import pytest

from sfplearn import load_model, save_model
from tests.cli.tables import fit, one_line, people, sfp

EVIL = "\x1b[31m[red]x[/red]\x9b"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("strangers")
    people().to_csv(folder / "people.csv", index=False)
    options = ("-t", "buys", "-o", folder / "model.skops", "--quiet")
    assert sfp("fit", folder / "people.csv", *options).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def saved(folder):
    return load_model(folder / "model.skops")


def damaged(about, path, value):
    """Return what is said about a model with something else at one place."""
    about = copy.deepcopy(about)
    place = about
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return about


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["schema"], 3),
        (["schema"], []),
        (["schema", 1], "age"),
        (["schema", 1, "kind"], EVIL),
        (["schema", 1, "role"], None),
        (["schema", 1, "name"], 5),
        (["target"], ["buys"]),
        (["task"], "guessing"),
        (["rows"], "many"),
        (["missing_words"], "word"),
        (["versions"], []),
        (["scores"], {"models": [1]}),
        (["scores", "measures"], ["accuracy"]),
        (["scores", "models", 0, "accuracy"], 0.5),
        (["scores", "notes"], "none"),
        (["schema", 1, "are_truths"], "yes"),
        (["clusters"], {}),
        (["clusters", "cards", 0, "says"], {}),
        (["clusters", "cards", 0, "share"], "half"),
        (["clusters", "cards", 0, "columns", 0, "all"], None),
    ],
    ids=str,
)
def test_what_is_malformed_is_refused_in_one_sentence(folder, saved, path, value):
    save_model(saved.model, folder / "odd.skops", about=damaged(saved.about, path, value))
    for command in (["info"], ["predict"], ["report"]):
        table = [folder / "people.csv"] if command != ["info"] else []
        result = sfp(*command, folder / "odd.skops", *table)
        assert result.exit_code == 2, result.output
        assert one_line(result.stderr)
        assert "odd.skops is damaged" in result.stderr
        assert result.stdout == ""


def test_columns_need_not_tell_signs_of_amounts(folder, saved):
    about = copy.deepcopy(saved.about)
    for column in about["schema"]:
        del column["mark"]
    save_model(saved.model, folder / "plain.skops", about=about)
    assert sfp("predict", folder / "plain.skops", folder / "people.csv").exit_code == 0
    assert sfp("info", folder / "plain.skops").exit_code == 0
    page = ("-o", folder / "plain.html")
    assert sfp("report", folder / "plain.skops", folder / "people.csv", *page).exit_code == 0


@pytest.mark.parametrize(("key", "value"), [("name", "size"), ("kind", "category")])
def test_columns_must_be_those_of_the_model(folder, saved, key, value):
    about = damaged(saved.about, ["schema", 1, key], value)
    save_model(saved.model, folder / "other.skops", about=about)
    result = sfp("predict", folder / "other.skops", folder / "people.csv")
    assert result.exit_code == 2
    assert "tells of other columns" in result.stderr


def test_nothing_that_a_file_says_reaches_the_terminal_raw(folder, saved):
    about = copy.deepcopy(saved.about)
    about["target"] = about["source"] = EVIL
    about["versions"] = {EVIL: EVIL}
    about["schema"][1]["name"] = EVIL
    scores = about["scores"]
    first = scores["measures"][0]
    scores["measures"][0] = EVIL
    scores["notes"] = [EVIL]
    for row in scores["models"]:
        row["name"], row[EVIL] = EVIL, row[first]
    for card in about["clusters"]["cards"]:
        for column in card["columns"]:
            column.update(name=EVIL, value=EVIL, all=EVIL)
        for each in card["says"]["mix"]:
            each["label"] = EVIL
    save_model(saved.model, folder / "evil.skops", about=about)
    result = sfp("info", folder / "evil.skops")
    assert result.exit_code == 0, result.output
    assert "[red]x" in result.stdout  # told, not obeyed
    assert all(sign.isprintable() or sign == "\n" for sign in result.stdout)


@pytest.mark.parametrize("part", ["scores", "clusters"])
def test_reasons_for_having_nothing_to_show_are_harmless(folder, saved, part):
    nothing = {"why_none": EVIL, "models": [], "cards": []}
    about = {**saved.about, part: nothing}
    save_model(saved.model, folder / "evil.skops", about=about)
    result = sfp("info", folder / "evil.skops")
    assert result.exit_code == 0, result.output
    assert "[red]x[/red]" in result.stdout
    assert all(sign.isprintable() or sign == "\n" for sign in result.stdout)


def test_clusters_of_few_rows_have_some(folder, saved):
    about = damaged(saved.about, ["clusters", "cards", 0, "share"], 0.001)
    save_model(saved.model, folder / "few.skops", about=about)
    shown = sfp("info", folder / "few.skops").stdout
    assert " <1% " in shown
    assert " 0% " not in shown


def test_models_of_numbers_and_without_scores_are_described(folder):
    model = fit(folder / "people.csv", "income", "--drop", "buys", model="income.skops")
    result = sfp("info", model)
    assert result.exit_code == 0, result.output
    assert "income (regression)" in result.stdout
    assert "clusters learned" in result.stdout
