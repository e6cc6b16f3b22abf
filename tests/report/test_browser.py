"""The page in a real browser: it renders, answers, stays within the screen and loads nothing."""

import json

import numpy as np
import pytest

from sfplearn.report import Report
from tests.report.models import classes, numbers, passengers
from tests.report.test_page import committee, hostile

PAGES = {
    "classes": classes,
    "numbers": numbers,
    "text": passengers,
    "committee": committee,
    "hostile": hostile,
}
PHONE, DESKTOP = 390, 1280
SCHEMES = ("light", "dark")
# The contrast that text needs to be read by people who see poorly (WCAG, level AA).
CONTRAST = 4.5

# The least contrast of any text on the page with what is painted behind it.
LEAST_CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  return Array.from(canvas.getImageData(0, 0, 1, 1).data);
}
function light(colour) {
  const part = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  return 0.2126 * part(colour[0]) + 0.7152 * part(colour[1]) + 0.0722 * part(colour[2]);
}
function behind(element) {
  for (let each = element; each; each = each.parentElement) {
    const colour = rgba(getComputedStyle(each).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
}
let least = [99, ""];
for (const element of document.body.querySelectorAll("*")) {
  const own = Array.from(element.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
  if (!own || !element.getClientRects().length || element.closest("script,noscript")) continue;
  const style = getComputedStyle(element);
  const ink = light(rgba(element.closest("svg") ? style.fill : style.color));
  const paper = light(behind(element));
  const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  if (contrast < least[0]) least = [contrast, element.outerHTML.slice(0, 120)];
}
return least;
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {name: Report(*make(), source=f"{name}.csv", scores={}) for name, make in PAGES.items()}
    return {name: (report.save(folder / f"{name}.html"), report) for name, report in made.items()}


@pytest.fixture
def visit(browser, pages):
    def open_page(name, width=DESKTOP, scheme="light"):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        for log in ("browser", "performance"):
            browser.get_log(log)
        browser.get(pages[name][0].as_uri())
        return browser, pages[name][1].to_dict()

    return open_page


def find(page, query):
    return page.find_elements("css selector", query)


def shown(page, query):
    return [each for each in find(page, query) if each.is_displayed()]


def choose(page, query, value):
    [option] = find(page, f'{query} option[value="{value}"]')
    option.click()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_pages_stay_within_the_screen_without_errors_or_requests(visit, name, width):
    page, _ = visit(name, width)
    assert page.get_log("browser") == []
    assert page.execute_script("return document.documentElement.scrollWidth") == width
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0
    events = [json.loads(event["message"])["message"] for event in page.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"].endswith("BeSent")]
    assert all(url.startswith(("file:", "data:")) for url in asked)
    assert asked


@pytest.mark.parametrize("name", ["classes", "numbers", "text"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_can_be_read_in_light_and_dark(visit, name, scheme):
    page, _ = visit(name, scheme=scheme)
    find(page, ".pick")[0].click()
    contrast, where = page.execute_script(LEAST_CONTRAST)
    assert contrast >= CONTRAST, where
    paper = page.execute_script("return getComputedStyle(document.documentElement).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(","))) > 384) == (scheme == "light")


@pytest.mark.parametrize("name", ["classes", "numbers", "text"])
def test_every_cluster_has_a_card_and_every_chart_a_size(visit, name):
    page, content = visit(name)
    cards = shown(page, ".card")
    assert [int(card.get_attribute("data-cluster")) for card in cards] == [
        card["cluster"] for card in content["clusters"]["cards"]
    ]
    charts = shown(page, "svg.chart")
    assert len(charts) >= 2
    assert all(chart.size["height"] > 100 and chart.get_attribute("aria-label") for chart in charts)


def test_features_are_filtered_by_text(visit):
    page, _ = visit("text")
    [box] = find(page, "#feature-filter")
    box.send_keys("SEX")
    listed = [each.get_attribute("data-feature") for each in shown(page, ".importances li")]
    assert sorted(listed) == ["sex", "sex_code"]
    columns = [each.get_attribute("data-feature") for each in shown(page, ".heat thead th")]
    assert sorted(filter(None, columns)) == ["sex", "sex_code"]
    assert find(page, "#feature-count")[0].text == "2 of 4 listed"
    box.clear()
    box.send_keys(" ")
    assert len(shown(page, ".importances li")) == 4


def test_a_cluster_is_selected_everywhere(visit):
    page, content = visit("classes")
    cluster = content["clusters"]["cards"][1]["cluster"]
    find(page, f'.card [data-pick="{cluster}"]')[0].click()
    picked = [each.get_attribute("data-cluster") for each in find(page, ".picked")]
    assert picked == [str(cluster)] * 2
    pressed = find(page, '[aria-pressed="true"]')
    assert {each.get_attribute("data-pick") for each in pressed} == {str(cluster)}
    own = [r for r in content["lookup"]["rows"] if r["clusters"][0]["cluster"] == cluster]
    assert [int(o.get_attribute("value")) for o in find(page, "#row-list option")] == [
        row["row"] for row in own
    ]
    assert f"Cluster {cluster} is selected: {len(own)} row" in find(page, "#picked")[0].text
    find(page, f'.heat [data-pick="{cluster}"]')[0].click()
    assert not find(page, ".picked")
    assert len(find(page, "#row-list option")) == len(content["lookup"]["rows"])
    choose(page, "#show-cluster", cluster)
    assert len(find(page, ".picked")) == 2
    find(page, "#unpick")[0].click()
    assert not find(page, ".picked")


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_a_row_is_explained_with_the_numbers_of_the_model(visit, name):
    page, content = visit(name)
    model, X, _ = PAGES[name]()
    row = content["lookup"]["rows"][7]["row"]
    [box] = find(page, "#row-number")
    box.clear()
    box.send_keys(f"{row}\t")
    detail = find(page, "#row-detail")[0]
    assert f"Row {row}\n" in detail.text
    piped = hasattr(model, "steps")
    one = model[:-1].transform(X.iloc[[row]]) if piped else X[[row]]
    why = (model[-1] if piped else model).explain(one)
    told = [each.text for each in detail.find_elements("css selector", ".reason h4")]
    assert told == [
        f"{100 * u:.1f} % in cluster {j}" + ("" if piped else f", which says {z[0]:.3g}")
        for j, u, z in zip(why.clusters[0], why.memberships[0], why.says[0], strict=True)
        if u >= 0.005
    ]
    pulls = [
        float(each.get_attribute("data-pull"))
        for each in detail.find_elements("css selector", ".reason:nth-of-type(1) li[data-pull]")
    ]
    wanted = np.sort(why.pulls[0, 0])[::-1]
    np.testing.assert_allclose(pulls, wanted[: len(pulls)], rtol=1e-5, atol=1e-9)
    assert len(pulls) == 4


def test_wrong_rows_can_be_asked_for(visit):
    page, content = visit("text")
    choose(page, "#show-rows", "wrong")
    wrong = [row["row"] for row in content["lookup"]["rows"] if row["wrong"]]
    assert wrong
    assert [int(o.get_attribute("value")) for o in find(page, "#row-list option")] == wrong
    assert f"Row {wrong[0]}\n" in find(page, "#row-detail")[0].text
    find(page, "#next-row")[0].click()
    assert f"Row {wrong[1]}\n" in find(page, "#row-detail")[0].text
    find(page, "#previous-row")[0].click()
    assert f"Row {wrong[0]}\n" in find(page, "#row-detail")[0].text


def test_a_row_that_is_not_there_gives_the_nearest(visit):
    page, content = visit("classes")
    find(page, "#row-number")[0].send_keys("99999\t")
    last = content["lookup"]["rows"][-1]["row"]
    assert f"Row {last}\n" in find(page, "#row-detail")[0].text
    assert "not in the sample" in find(page, "#row-count")[0].text


def test_the_keyboard_reaches_everything(visit):
    page, content = visit("classes")
    reached = set()
    for _ in range(60):
        page.switch_to.active_element.send_keys("\ue004")  # the tabulator
        here = page.switch_to.active_element
        reached.add(here.get_attribute("id") or here.get_attribute("data-pick"))
        outline = page.execute_script("return getComputedStyle(arguments[0]).outlineStyle", here)
        assert outline != "none"
        if here.get_attribute("id") == "next-row":
            break
    controls = {"feature-filter", "show-rows", "show-cluster", "row-number", "row-list"}
    assert controls <= reached
    assert {str(card["cluster"]) for card in content["clusters"]["cards"]} <= reached
    cluster = content["clusters"]["cards"][0]["cluster"]
    find(page, f'.card [data-pick="{cluster}"]')[0].send_keys("\ue007")  # enter
    assert find(page, ".card.picked")
    first, second = content["lookup"]["rows"][:2]
    find(page, "#unpick")[0].send_keys("\ue007")
    find(page, "#row-list")[0].send_keys("\ue013" * 99 + "\ue015")  # up to the first, then down
    assert f"Row {second['row']}\n" in find(page, "#row-detail")[0].text
    assert first["row"] != second["row"]


def test_hostile_text_does_nothing_but_be_shown(visit):
    page, content = visit("hostile")
    assert find(page, "img") == []
    assert find(page, "#row-detail")[0].text.count("onerror") >= 1
    assert content["clusters"]["features"][0]["name"] in {
        each.get_attribute("data-feature") for each in find(page, ".importances li")
    }


def test_paper_shows_what_is_folded_and_no_controls(visit):
    page, _ = visit("classes")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert not shown(page, "button:not(.pick), select, input, nav")
    folds = find(page, "details")
    assert folds
    assert all(each.get_attribute("open") for each in folds)
    assert shown(page, ".without-js .row")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("name", PAGES)
def test_pages_can_be_read_without_scripts(browser_without_scripts, pages, name):
    page, (path, report) = browser_without_scripts, pages[name]
    page.get(path.as_uri())
    content = report.to_dict()
    text = find(page, "body")[0].text
    assert "needs JavaScript" in text
    assert content["score"]["verdict"].replace("\xa0", " ")[:20] in text
    assert not shown(page, "input, select")
    rows = shown(page, ".without-js .row")
    assert rows
    rows[0].find_element("css selector", "summary").click()
    if content["clusters"]["why_not"] is None:
        assert len(shown(page, ".card")) == len(content["clusters"]["cards"])
        assert "in cluster" in rows[0].text
