"""Model files that `sfp` wrote, and the columns they need."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfplearn.cli.about import check_about, is_ours
from sfplearn.cli.columns import CATEGORY, FEATURE
from sfplearn.cli.names import listed, meant
from sfplearn.cli.preparation import PREPARE, categories_of
from sfplearn.cli.tables import TableFile


@dataclass(frozen=True)
class Loaded:
    """A model, and what is written down about it."""

    pipeline: Any
    about: dict[str, Any]

    @property
    def features(self) -> list[dict[str, Any]]:
        """The columns that the model looks at."""
        return [column for column in self.about["schema"] if column["role"] == FEATURE]

    @property
    def names(self) -> list[str]:
        """The names of these columns."""
        return [column["name"] for column in self.features]

    @property
    def missing(self) -> tuple[str, ...]:
        """Words for missing values besides the usual ones."""
        return tuple(self.about.get("missing_words", ()))

    @property
    def has_classes(self) -> bool:
        """Whether the model predicts classes."""
        return bool(self.about["task"] == "classification")


def check_exists(path: Path) -> None:
    """Refuse a path that is no file."""
    if not path.is_file():
        raise ValueError(f"{path} is no file; give a model that sfp fit wrote.")


def load(path: Path) -> Loaded:
    """Load a model that `sfp fit` or `sfp tune` wrote."""
    from sfplearn.persist import load_model

    check_exists(path)
    pipeline, about = load_model(path)
    if not is_ours(about) or PREPARE not in getattr(pipeline, "named_steps", ()):
        raise ValueError(
            f"{path} holds a model, but not one that sfp fit wrote: the columns it needs are not "
            "known; use it from Python, by sfplearn.load_model."
        )
    check_about(about, path)
    loaded = Loaded(pipeline, about)
    check_same(loaded, path)
    return loaded


def check_same(loaded: Loaded, path: Path) -> None:
    """Refuse a file that says other columns than its model was fitted to."""
    prepare = loaded.pipeline.named_steps[PREPARE]
    told = sorted(column["name"] for column in loaded.features)
    words = sorted(each["name"] for each in loaded.features if each["kind"] == CATEGORY)
    fitted = sorted(getattr(prepare, "feature_names_in_", ()))
    if told != fitted or words != sorted(categories_of(prepare)):
        raise ValueError(
            f"{path} is damaged: it tells of other columns than its model takes; fit it again."
        )


def check_columns(
    loaded: Loaded, table: TableFile, also: tuple[str, ...] = (), why: str = "to copy"
) -> None:
    """Refuse a table that lacks columns the model needs, or others that are wanted for a reason."""
    needed = loaded.names
    for names, reason in ((needed, "that the model needs"), (also, why)):
        missing = [name for name in names if name not in table.names]
        if missing:
            columns = "column" if len(missing) == 1 else "columns"
            spare = [name for name in table.names if name not in (*needed, *also)]
            raise ValueError(
                f"{table.name} lacks the {columns} {listed(missing, len(missing))} {reason}; "
                f"{meant(missing, spare or table.names)}"
            )
