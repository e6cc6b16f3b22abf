"""From the dictionary of a report to one page that needs nothing else."""

import json
from importlib.resources import files
from typing import Any

from sfplearn.report.charts import calibration_chart, path_chart, residual_chart, scatter_chart
from sfplearn.report.words import counted, exact_percent, number, percent

# Classes with a colour of their own; the others are grey.
COLOURS = 8
# Rows that are shown where there is no JavaScript: those that went wrong, and others.
STATIC_WRONG, STATIC_RIGHT = 3, 3


def render(content: dict[str, Any]) -> str:
    """Return the page of a report.

    Parameters
    ----------
    content : dict
        As `collect` returns it.

    Returns
    -------
    page : str
        HTML with styles, script and data inside.
    """
    return str(
        environment()
        .get_template("template.html")
        .render(
            **content,
            charts=charts_of(content),
            static_rows=static_rows(content["lookup"]["rows"]),
            style=asset("style.css"),
            script=asset("script.js"),
            embedded=embedded(content),
        )
    )


def environment() -> Any:
    """Return jinja2 set up to escape whatever a table may hold."""
    try:
        import jinja2
    except ImportError:
        raise ImportError(
            'Reports need jinja2; install it by: pip install "sfplearn[report]"'
        ) from None
    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(
        number=number, percent=percent, exact=exact_percent, counted=counted, colour=colour
    )
    return found


def asset(name: str) -> str:
    """Return the text of a file that comes with the package."""
    return files("sfplearn.report").joinpath("assets", name).read_text(encoding="utf-8")


def colour(code: int) -> str:
    """Return the name of the colour of a class.

    >>> colour(1), colour(40)
    ('c1', 'c-rest')
    """
    return f"c{code}" if code < COLOURS else "c-rest"


def charts_of(content: dict[str, Any]) -> dict[str, Any]:
    """Return the charts of a page."""
    score, training = content["score"], content["training"]
    found: dict[str, Any] = {"calibration": None, "objective": None, "refinement": None}
    if score.get("calibration"):
        found["calibration"] = calibration_chart(score["calibration"])
    if "residuals" in score:
        found["scatter"] = scatter_chart(score["residuals"])
        found["residuals"] = residual_chart(score["residuals"])
    if training["objective"]:
        found["objective"] = path_chart(training["objective"], "objective", "pass")
    if training["refinement"]:
        found["refinement"] = path_chart(training["refinement"], "mean loss", "iteration")
    return found


def static_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a few rows that are worth reading: some wrong, some that are typical."""
    wrong = [row for row in rows if row["wrong"]][:STATIC_WRONG]
    right = [row for row in rows if not row["wrong"]]
    right.sort(key=lambda row: -max((c["membership"] for c in row.get("clusters", [])), default=0))
    return wrong + right[:STATIC_RIGHT]


def embedded(content: dict[str, Any]) -> str:
    """Return what the script needs as JSON that cannot end its element, whatever it holds."""
    classes = content["data"].get("classes")
    labels = None if classes is None else [each["label"] for each in classes]
    text = json.dumps({"labels": labels, **content["lookup"]}, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
