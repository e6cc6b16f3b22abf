"""The page of a report: whole, small, harmless, and written wholly or not at all."""

import json
import re
import subprocess
import sys
import textwrap
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sfplearn import SFPClassifier, SFPRegressor, SFPSearchCV
from sfplearn.report import Report, render
from tests.report.models import HOSTILE, classes, numbers, passengers

MOST_BYTES = 3_000_000
VOID = {"meta", "link", "input", "img", "br", "hr", "line", "rect", "path", "circle"}


class Tags(HTMLParser):
    """Collects elements, attributes and text, and checks that elements are closed in turn."""

    def __init__(self, page):
        super().__init__()
        self.names, self.attributes, self.texts, self.open = set(), [], [], []
        self.feed(page)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.names.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def committee():
    _, X, y = classes()
    grid = [{"n_clusters": k, "refine": 0} for k in (3, 4)]
    return SFPSearchCV(space=grid, ensemble=2, cv=3, random_state=0).fit(X, y), X, y


def kernel():
    return classes(divergence="kernel")


PAGES = {"classes": classes, "numbers": numbers, "text": passengers, "committee": committee}


@pytest.mark.parametrize("make", [*PAGES.values(), kernel], ids=[*PAGES, "kernel"])
def test_pages_are_well_formed_and_load_nothing(make):
    page = Report(*make(), scores={}).html
    tags = Tags(page)
    assert page.startswith("<!DOCTYPE html>")
    assert ("html", "lang", "en") in tags.attributes
    for tag, name, value in tags.attributes:
        assert not name.startswith("on"), (tag, name)
        if name in ("src", "href", "srcset", "action", "data", "poster"):
            assert value.startswith(("#", "data:,")), (tag, name, value)
    assert "http" not in page
    assert "@import" not in page
    assert "url(" not in page


def test_the_page_tells_what_the_dictionary_tells():
    report = Report(*passengers(), title="A title", source="a.csv", scores={"boosting": 0.123})
    text = " ".join("".join(Tags(report.html).texts).split())
    content = report.to_dict()
    for told in (
        "A title",
        "a.csv",
        "boosting",
        "12.3 %",
        *content["clusters"]["heat"]["features"],
    ):
        assert told in text
    assert " ".join(content["score"]["verdict"].split()) in text
    assert all(f"Cluster {card['cluster']}" in text for card in content["clusters"]["cards"])


def hostile():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(60, 2)), columns=["{{ 7 * 7 }}", "<!--"])
    X[HOSTILE] = np.where(X.iloc[:, 0] > 0, HOSTILE, "</title><b>")
    y = np.where(X.iloc[:, 0] > 0, HOSTILE, "<svg onload=alert(2)>")
    coded = make_column_transformer((OneHotEncoder(), [HOSTILE]), remainder=StandardScaler())
    return make_pipeline(coded, SFPClassifier(3, refine=0, random_state=0)).fit(X, y), X, y


def test_hostile_names_and_labels_stay_text():
    model, X, y = hostile()
    report = Report(model, X, y, title=HOSTILE, source=HOSTILE, scores={HOSTILE: 0.5})
    tags = Tags(report.html)
    assert not tags.names & {"img"}
    assert "<img" not in report.html
    assert "<svg onload" not in report.html
    assert "{{ 7 * 7 }}" in report.html
    embedded = re.search(r'<script type="application/json" id="data">(.*?)</script>', report.html)
    assert not set("<>&") & set(embedded[1])
    assert json.loads(embedded[1])["labels"] == [
        each["label"] for each in report.to_dict()["data"]["classes"]
    ]


@pytest.mark.parametrize("long", [False, True], ids=["short names", "long names and cells"])
def test_wide_tables_make_small_pages(long):
    random = np.random.default_rng(0)
    names = [f"{'name ' * 100 if long else 'x'}{j}" for j in range(2000)]
    X = pd.DataFrame(random.normal(size=(120, 2000)), columns=names)
    y = np.where(X.iloc[:, 0] > 0, "label " * (50 if long else 1), "other")
    model = SFPClassifier(4, refine=0, max_iter=5, tol=0, random_state=0).fit(X, y)
    report = Report(model, X, y, scores={})
    assert len(report.html.encode()) < MOST_BYTES
    assert "and 1,900 more that matter less" in report.html


def test_many_rows_clusters_and_classes_make_small_pages():
    random = np.random.default_rng(0)
    y = np.arange(4000) % 100
    X = random.normal(size=(4000, 30)) + y[:, None]
    model = SFPClassifier(100, refine=0, max_iter=3, tol=0, random_state=0).fit(X, y)
    report = Report(model, X, y, scores={}, unseen=True)
    assert len(report.html.encode()) < MOST_BYTES
    assert "and 70 smaller clusters" in report.html
    assert len(report.to_dict()["lookup"]["rows"]) <= 500


def test_odd_tables_have_pages():
    one = SFPRegressor(1, random_state=0).fit([[1.0]], [2.0])
    assert "Training score" in Report(one, [[1.0]], [2.0]).html
    constant = SFPClassifier(2, random_state=0).fit([[0.0, 1.0], [0.0, 2.0]], ["a", "b"])
    assert "Training score" in Report(constant, [[0.0, 1.0], [0.0, 2.0]], ["a", "b"]).html
    same = SFPRegressor(2, random_state=0).fit(np.arange(30.0)[:, None], np.ones(30))
    assert "Off by 0" in Report(same, np.arange(30.0)[:, None], np.ones(30), scores={}).html


def test_json_is_the_dictionary(tmp_path):
    report = Report(*classes(), scores={})
    path = report.save_json(tmp_path / "report.json")
    assert json.loads(path.read_text(encoding="utf-8")) == report.to_dict()


def test_the_dictionary_is_a_copy():
    report = Report(*classes(), scores={})
    report.to_dict()["score"]["value"] = None
    assert report.to_dict()["score"]["value"] is not None


def test_saving_replaces_a_file_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    report = Report(*classes(), scores={})
    assert report.save(path) == path
    assert path.read_text(encoding="utf-8") == report.html
    assert list(tmp_path.iterdir()) == [path]


def test_a_page_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    report = Report(*classes(), scores={})
    del report._content["score"]["confusion"]
    with pytest.raises(Exception, match="confusion"):
        report.save(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_cannot_be_replaced_and_nothing_is_left_beside_it(tmp_path):
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OSError, match="is a folder"):
        Report(*classes(), scores={}).save(tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_halves_of_characters_are_written(tmp_path):
    model, X, y = classes()
    report = Report(model, X, y, title="half \ud800", scores={})
    assert "half \\ud800" in report.save(tmp_path / "a.html").read_text(encoding="utf-8")
    assert json.loads(report.save_json(tmp_path / "a.json").read_text())["title"] == "half \ud800"


def test_notebooks_show_the_page_in_a_frame_of_its_own():
    report = Report(*classes(), scores={})
    shown = report._repr_html_()
    assert 'sandbox="allow-scripts"' in shown
    assert unescape(re.search(r'srcdoc="([^"]*)"', shown)[1]) == report.html


def test_the_report_reads_well_when_printed():
    report = Report(*classes(), source="a.csv", scores={})
    assert repr(report).startswith("Report: What SFP learned from a.csv. Right for")


def test_without_jinja2_one_sentence_says_what_to_install():
    code = """
        import sys
        sys.modules["jinja2"] = None
        from sfplearn import SFPClassifier
        from sfplearn.report import Report
        model = SFPClassifier(1, random_state=0).fit([[0.0], [1.0]], ["a", "b"])
        report = Report(model, [[0.0], [1.0]], ["a", "b"])
        assert report.to_dict()["score"]["evidence"] == "training"
        try:
            report.html
        except ImportError as error:
            print(error)
    """
    run = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout == 'Reports need jinja2; install it by: pip install "sfplearn[report]"\n'


def test_shares_of_rows_and_numbers_read_as_people_write_them():
    assert render.environment().from_string("{{ 0.5 | percent }}").render() == "50\xa0%"
