"""What commands print: tables and sentences, at the width of the terminal."""

import json
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
from rich.box import ASCII, SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sfplearn.cli.errors import fall_silent
from sfplearn.cli.names import plain

# Clusters that are shown, columns of each, and columns that are left out by name.
CLUSTERS_SHOWN, COLUMNS_SHOWN, LEFT_OUT_SHOWN = 10, 3, 12
BAR_WIDTH = 10

# Classes of a label mix that are shown, and the least share of one.
CLASSES_SHOWN, LEAST_SHARE = 3, 0.01

# Settings of a candidate that are told.
TOLD = {"gamma": "gamma", "lam": "lam", "refine": "refine", "refine_pull": "pull", "loss": "",
        "divergence": ""}  # fmt: skip

# How far rows are from clusters unless a candidate says otherwise: it need not be told.
USUAL_DISTANCE = "weighted_euclidean"

# What readers of clusters should know.
BELOW_CLUSTERS = (
    "Typical values of the rows in a cluster; in brackets, of all rows. What a cluster says is its "
    "voice in predictions after refinement; it need not be the mix of its own rows."
)

# Letters of a name in a table, of a class, and of a column beside its values.
NAME_LENGTH, LABEL_LENGTH, COLUMN_LENGTH = 40, 14, 22


class Printer(Console):
    """A console that falls silent if its reader leaves: the work that was asked for goes on."""

    def on_broken_pipe(self) -> None:
        """Print nothing more."""
        self.quiet = True
        fall_silent()


class Screen:
    """Where a command prints: results to standard output, the rest to standard error."""

    def __init__(self, *, quiet: bool = False, as_json: bool = False) -> None:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        self.as_json = as_json
        self.out = Printer(highlight=False, quiet=quiet or as_json)
        self.err = Printer(stderr=True, highlight=False, quiet=quiet or as_json)

    def say(self, text: str = "") -> None:
        """Print a line of markup."""
        self.out.print(self.simple(text))

    def note(self, text: str) -> None:
        """Print something to mind, if there is anything, to standard error."""
        if not text:
            return
        self.err.print(f"sfp: note: {escape(text)}", soft_wrap=True)

    def finish(self, result: dict[str, Any]) -> None:
        """Print the result as JSON, if that was asked for."""
        if self.as_json:
            print(json.dumps(as_plain(result), ensure_ascii=False))  # noqa: T201

    def simple(self, text: str) -> str:
        """Return text that the terminal can show."""
        if not self.out.options.ascii_only:
            return text
        return text.replace("±", "+-").replace("²", "2").replace("…", "...").replace("\xa0", " ")

    def table(self, *columns: str, right: Iterable[int] = (1,)) -> Table:
        """Return an empty table in the manner of all tables."""
        table = Table(
            box=ASCII if self.out.options.ascii_only else SIMPLE_HEAD,
            pad_edge=False,
            header_style="dim",
        )
        for place, name in enumerate(columns):
            side: Any = "right" if place in tuple(right) else "left"
            table.add_column(self.simple(name), justify=side, overflow="fold")
        return table

    def show(self, title: str, table: Table) -> None:
        """Print a table under its title, which may be wider."""
        self.say(f"\n[bold]{title}[/]")
        self.out.print(table)

    @property
    def bar(self) -> str:
        """What bars are made of."""
        return "#" if self.out.options.ascii_only else "█"


def as_plain(value: Any) -> Any:
    """Return a value as JSON has it; numbers that are none become null."""
    if isinstance(value, dict):
        return {str(key): as_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | np.ndarray):
        return [as_plain(each) for each in value]
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def name_of(name: Any) -> str:
    """Return a name as it stands in a table."""
    return escape(short(name, NAME_LENGTH))


def short(name: Any, length: int) -> str:
    """Return a name without control characters, cut to a length.

    >>> short("a rather long name", 10)
    'a rathe...'
    """
    text = plain(name)
    return text if len(text) <= length else text[: length - 3] + "..."


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number and what it counts.

    >>> count(1, "row"), count(12345, "row")
    ('1 row', '12,345 rows')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def show_read(screen: Screen, result: dict[str, Any]) -> None:
    """Print what was read, what is missing, and what was left out."""
    read = result["read"]
    screen.say(
        f"\n[bold]{escape(plain(result['source']))}[/]: {count(read['rows'], 'row')}, "
        f"{count(read['columns'], 'column')}."
    )
    screen.say(_target_words(result))
    kinds = [count(n, kind, many) for kind, many, n in read["kinds"] if n]
    screen.say(f"Learning from {_and(kinds)}.")
    for line in read["notes"]:
        screen.say(f"[dim]-[/] {escape(line)}")
    _show_left_out(screen, result["left_out"])


def _target_words(result: dict[str, Any]) -> str:
    name = f"Predicting [bold]{escape(plain(result['target']))}[/]"
    if result["task"] == "classification":
        # Text has no choice; of numbers, the user knows better.
        other = " (if they are not: --task regression)" if result["task_was_guessed"] else ""
        return f"{name}, which has {count(len(result['classes']), 'class', 'classes')}{other}."
    other = " (if it is not: --task classification)" if result["task_was_guessed"] else ""
    return f"{name}, which is a number{other}."


def _and(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _show_left_out(screen: Screen, out: list[dict[str, Any]]) -> None:
    """Print columns that are left out: those that may be taken in, then those that cannot."""
    for can_keep, words in ((True, "(--keep NAME takes one in)"), (False, "that cannot be used")):
        some = [each for each in out if each["can_keep"] == can_keep]
        if some:
            screen.say(f"Left out {count(len(some), 'column')} {words}:")
            _list_left_out(screen, some)


def _list_left_out(screen: Screen, out: list[dict[str, Any]]) -> None:
    for each in out[:LEFT_OUT_SHOWN]:
        screen.say(f"[dim]-[/] {name_of(each['name'])}: {escape(plain_sentence(each['why']))}")
    if len(out) > LEFT_OUT_SHOWN:
        screen.say(f"[dim]-[/] and {len(out) - LEFT_OUT_SHOWN} more")


def plain_sentence(text: object) -> str:
    """Return a text without control characters."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def place_of(path: object) -> str:
    """Return the path of a file as it is printed."""
    return escape(plain_sentence(path))


def show_scores(screen: Screen, scores: dict[str, Any]) -> None:
    """Print how well models predict."""
    if not scores["models"]:
        why = plain_sentence(scores.get("why_none", "none is known")).rstrip(".")
        screen.say(f"\nNo score: {escape(why)}.")
        return
    first, second = scores["measures"]
    shown = {"R2": "R²", "mean error": "mean error"}
    title = f"How well it predicts new rows ({scores['folds']} folds of {scores['rows']:,} rows)"
    names = (name_of(shown.get(first, first)), name_of(shown.get(second, second)))
    table = screen.table("model", *names, "fit time", right=(1, 2, 3))
    for place, row in enumerate(scores["models"]):
        style = "bold" if place == 0 else ""
        cells = (_score(row[first], first), _score(row[second], second), _seconds(row["seconds"]))
        table.add_row(name_of(row["name"]), *map(screen.simple, cells), style=style)
    screen.show(title, table)
    for line in scores.get("notes", ()):
        screen.say(f"[dim]-[/] {escape(plain_sentence(line))}")


def _score(score: dict[str, Any], measure: str) -> str:
    if score["mean"] is None:
        return "-"
    if score["deviation"] is None:
        return f"{score['mean']:.1%}"
    if measure == "mean error":
        return f"{score['mean']:.3g}"
    if measure == "R2":
        # Adding nothing makes plain zeros of negative ones.
        return f"{round(score['mean'], 2) + 0:.2f} ± {score['deviation']:.2f}"
    return f"{score['mean']:.1%} ± {score['deviation']:.1%}"


def _seconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def show_clusters(screen: Screen, found: dict[str, Any], target: str) -> None:
    """Print what clusters learned, the heaviest first."""
    cards = found["cards"]
    if not cards:
        screen.say(f"\n{escape(plain_sentence(found.get('why_none', '')))}")
        return
    total = len(cards) + found["left_out"]
    title = f"What {count(total, 'cluster')} learned"
    table = screen.table(
        "cluster", "rows", f"says {name_of(target)}", "most telling columns", right=(0, 1)
    )
    for card in cards[:CLUSTERS_SHOWN]:
        table.add_row(
            f"[dim]{name_of(card['cluster'])}[/]",
            _share(card["share"]),
            _saying(card["says"], screen.bar),
            screen.simple("\n".join(_telling(each) for each in card["columns"][:COLUMNS_SHOWN])),
            end_section=True,
        )
    screen.show(title, table)
    more = total - min(total, CLUSTERS_SHOWN)
    if more:
        screen.say(f"[dim]and {count(more, 'smaller cluster')}; sfp report shows more.[/]")
    screen.say(f"[dim]{BELOW_CLUSTERS}[/]")


def _share(share: float) -> str:
    """Return a share as a percentage, which is none only for nothing at all.

    >>> _share(0.123), _share(0.001), _share(0.0)
    ('12%', '<1%', '0%')
    """
    shown = f"{share:.0%}"
    return "<1%" if shown == "0%" and share > 0 else shown


def _number(value: float) -> str:
    """Return a number as people read it.

    >>> _number(51723.4), _number(0.12345), _number(1.5e9)
    ('51,723', '0.1235', '1.5e+09')
    """
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e7 else f"{value:.4g}"


def _saying(says: dict[str, Any], bar: str) -> str:
    """Return a bar and a share for the likeliest classes, or a number."""
    if "mix" not in says:
        return ", ".join("-" if value is None else _number(value) for value in says["numbers"])
    mix = [each for each in says["mix"][:CLASSES_SHOWN] if each["share"] >= LEAST_SHARE]
    names = [short(each["label"], LABEL_LENGTH) for each in mix]
    width = max(map(cell_len, names), default=0)
    return "\n".join(
        f"{escape(name)}{' ' * (width - cell_len(name))} "
        f"[green]{bar * round(BAR_WIDTH * each['share']):<{BAR_WIDTH}}[/] {each['share']:>4.0%}"
        for name, each in zip(names, mix, strict=True)
    )


def _telling(column: dict[str, Any]) -> str:
    usual = short(column["all"], COLUMN_LENGTH)
    around = f" [dim]({escape(usual)})[/]" if usual else ""
    name, value = short(column["name"], COLUMN_LENGTH), short(column["value"], COLUMN_LENGTH)
    return f"{escape(name)} [bold]{escape(value)}[/]{around}"


def show_candidates(screen: Screen, search: dict[str, Any]) -> None:
    """Print the best candidates of a search."""
    title = (
        f"The best of {search['tried']} candidates ({search['folds']} folds of "
        f"{search['rows']:,} rows)"
    )
    table = screen.table("score", "clusters", "settings", right=(0, 1))
    for place, each in enumerate(search["best"]):
        settings = {k: v for k, v in each["settings"].items() if v != USUAL_DISTANCE}
        table.add_row(
            screen.simple(f"{each['score']:.3f} ± {each['deviation']:.3f}"),
            str(settings.pop("n_clusters", "")),
            escape(
                ", ".join(
                    f"{TOLD[name]} {settings[name]}".strip() for name in TOLD if name in settings
                )
            ),
            style="bold" if place == 0 and not search["members"] else "",
        )
    screen.show(title, table)
    if search["members"]:
        screen.say(f"[dim]The {search['members']} best answer together.[/]")


def show_selected(screen: Screen, columns: list[dict[str, Any]], threshold: float) -> None:
    """Print columns by weight, those that matter first."""
    chosen = [column for column in columns if column["selected"]]
    title = f"{len(chosen)} of {count(len(columns), 'column')} matter"
    table = screen.table("column", "weight", "", right=(1,))
    most = max((column["weight"] for column in columns), default=1.0) or 1.0
    for column in chosen:
        bar = screen.bar * round(2 * BAR_WIDTH * column["weight"] / most)
        table.add_row(name_of(column["name"]), f"{column['weight']:.1%}", f"[green]{bar}[/]")
    screen.show(title, table)
    rest = [plain(column["name"]) for column in columns if not column["selected"]]
    if rest:
        screen.say(
            f"[dim]Of little weight: {escape(', '.join(rest[:LEFT_OUT_SHOWN]))}"
            f"{', ...' if len(rest) > LEFT_OUT_SHOWN else ''}[/]"
        )
    screen.say(
        f"[dim]In each cluster the fewest columns whose weights sum to {threshold:.0%} matter.[/]"
    )
