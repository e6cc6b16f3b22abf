"""Charts as plain geometry: ticks, lines, dots and bars, which the template draws as SVG."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfplearn.report.words import counted, number, percent

# Size of a chart in units of its view box, about pixels, and room for its axes.
WIDTH, HEIGHT = 360, 250
LEFT, RIGHT, TOP, BOTTOM = 48, 22, 12, 40
# Ticks that an axis should have about, and steps between them that people count in.
TICKS, STEPS = 4, (1, 2, 5, 10)
# Share of the data that is left free at either end of an axis.
MARGIN = 0.04
# Height that counts of rows may take at the foot of a chart, and how wide their bars are.
FOOT, FOOT_WIDTH = 0.16, 10
# An axis of this span tells percent.
SHARES = (0.0, 1.0)
# Radii of dots: all alike, or the least and the largest by count.
DOT, LEAST_DOT, LARGEST_DOT = 2.5, 3.0, 9.0


@dataclass(frozen=True)
class Frame:
    """Where numbers lie on a chart."""

    x: tuple[float, float]
    """Least and largest number across."""
    y: tuple[float, float]
    """Least and largest number up."""
    whole: str = ""
    """The axes whose ticks are whole numbers."""

    def across(self, value: float) -> float:
        """Return the place of a number from the left."""
        return _place(value, self.x, LEFT, WIDTH - RIGHT)

    def up(self, value: float) -> float:
        """Return the place of a number from the top."""
        return _place(value, self.y, HEIGHT - BOTTOM, TOP)

    def chart(self, label: str, x_title: str, y_title: str, **marks: Any) -> dict[str, Any]:
        """Return a chart with its axes."""
        return {
            "width": WIDTH,
            "height": HEIGHT,
            "left": LEFT,
            "right": WIDTH - RIGHT,
            "top": TOP,
            "bottom": HEIGHT - BOTTOM,
            "label": label,
            "x_title": x_title,
            "y_title": y_title,
            "x_ticks": _labelled(self.x, self.across, "x" in self.whole),
            "y_ticks": _labelled(self.y, self.up, "y" in self.whole),
            "lines": [],
            "dots": [],
            "bars": [],
            **marks,
        }

    def line(self, points: Any, kind: str) -> dict[str, str]:
        """Return a line through points."""
        steps = [f"{self.across(x)} {self.up(y)}" for x, y in points]
        return {"d": "M" + " L".join(steps), "kind": kind}


def _place(value: float, span: tuple[float, float], start: float, end: float) -> float:
    least, largest = span
    return round(start + (end - start) * (value - least) / ((largest - least) or 1.0), 1)


def _labelled(span: tuple[float, float], place: Any, whole: bool) -> list[dict[str, Any]]:
    text = percent if span == SHARES else number
    return [{"at": place(tick), "text": text(tick)} for tick in ticks(*span, whole=whole)]


def ticks(least: float, largest: float, whole: bool = False) -> list[float]:
    """Return round numbers between two.

    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not largest > least:
        return [least]
    raw = (largest - least) / TICKS
    power = 10.0 ** np.floor(np.log10(raw))
    step = power * min(STEPS, key=lambda each: abs(each * power - raw))
    step = max(step, 1.0) if whole else step
    first, last = np.ceil(least / step - MARGIN**2), np.floor(largest / step + MARGIN**2)
    return [float(f"{step * i:.6g}") for i in range(int(first), int(last) + 1)]


def spanning(values: Any) -> tuple[float, float]:
    """Return a span with some room around values.

    >>> spanning([0.0, 100.0])
    (-4.0, 104.0)
    """
    least, largest = float(np.min(values)), float(np.max(values))
    room = MARGIN * (largest - least) or MARGIN * abs(largest) or MARGIN
    return least - room, largest + room


def calibration_chart(calibration: dict[str, Any]) -> dict[str, Any]:
    """Return how often predictions were right against how sure they were."""
    frame = Frame(SHARES, SHARES)
    points = calibration["points"]
    most = max(point["rows"] for point in points)
    dots = [
        {
            "x": frame.across(point["said"]),
            "y": frame.up(point["right"]),
            "r": round(LEAST_DOT + (LARGEST_DOT - LEAST_DOT) * np.sqrt(point["rows"] / most), 1),
            "title": f"{counted(point['rows'], 'row')}: said {percent(point['said'])}, "
            f"right {percent(point['right'])}",
        }
        for point in points
    ]
    bars = counts_at_foot(frame, points)
    lines = [
        frame.line([(0, 0), (1, 1)], "guide"),
        frame.line([(point["said"], point["right"]) for point in points], "curve"),
    ]
    label = "How often the model was right, against how sure it was"
    return frame.chart(
        label, "how sure it was", "how often right", dots=dots, bars=bars, lines=lines
    )


def counts_at_foot(frame: Frame, points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return bars for the rows behind each dot."""
    most = max(point["rows"] for point in points)
    tops = [frame.up(FOOT * point["rows"] / most) for point in points]
    return [
        {
            "x": frame.across(point["said"]) - FOOT_WIDTH / 2,
            "y": top,
            "width": FOOT_WIDTH,
            "height": round(frame.up(0) - top, 1),
            "title": counted(point["rows"], "row"),
            "faint": True,
        }
        for point, top in zip(points, tops, strict=True)
    ]


def scatter_chart(residuals: dict[str, Any]) -> dict[str, Any]:
    """Return predictions against the truth."""
    points = residuals["points"]
    both = spanning([value for _, truth, said in points for value in (truth, said)])
    frame = Frame(both, both)
    dots = [
        {
            "x": frame.across(truth),
            "y": frame.up(said),
            "r": DOT,
            "title": f"row {row}: true {number(truth)}, predicted {number(said)}",
        }
        for row, truth, said in points
    ]
    line = frame.line([(both[0], both[0]), (both[1], both[1])], "guide")
    label = "Predictions against true numbers; perfect ones lie on the line"
    return frame.chart(label, "true", "predicted", dots=dots, lines=[line])


def residual_chart(residuals: dict[str, Any]) -> dict[str, Any]:
    """Return how many rows were missed by how much."""
    counts, edges = residuals["counts"], residuals["edges"]
    frame = Frame((edges[0], edges[-1]), (0.0, max(2.0, float(max(counts)))), whole="y")
    bars = [
        {
            "x": frame.across(left),
            "y": frame.up(count),
            "width": round(max(frame.across(right) - frame.across(left) - 1, 1), 1),
            "height": round(frame.up(0) - frame.up(count), 1),
            "title": f"{counted(count, 'row')}: {number(left)} to {number(right)}",
            "faint": False,
        }
        for count, left, right in zip(counts, edges, edges[1:], strict=False)
    ]
    label = "How many rows were predicted too low or too high, and by how much"
    return frame.chart(label, "predicted less true", "rows", bars=bars)


def path_chart(path: list[list[Any]], what: str, steps: str) -> dict[str, Any]:
    """Return how a number fell during a fit."""
    span = path[0][0], max(path[-1][0], path[0][0] + 1)
    frame = Frame(span, spanning([value for _, value in path]), whole="x")
    dots = [
        {
            "x": frame.across(step),
            "y": frame.up(value),
            "r": DOT,
            "title": f"{steps} {step}: {number(value)}",
        }
        for step, value in path
    ]
    lines = [frame.line(path, "curve")]
    return frame.chart(f"{what}, {steps} by {steps}", steps, what, dots=dots, lines=lines)
