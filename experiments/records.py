"""Results on disk: one line of JSON a record, added as soon as it is known.

A run that is stopped goes on where it was: what is written is not computed again.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Key = tuple[Any, ...]


class Records:
    """The records of a folder, a file for each method."""

    def __init__(self, folder: Path, key: tuple[str, ...]) -> None:
        self.folder = folder
        self.key = key

    def all(self) -> list[dict[str, Any]]:
        """Return all records; lines that were cut off while they were written are not."""
        return [record for path in sorted(self.folder.glob("*.jsonl")) for record in _read(path)]

    def keys(self) -> set[Key]:
        """Return what is known already."""
        return {tuple(record[name] for name in self.key) for record in self.all()}

    def add(self, records: Iterable[dict[str, Any]]) -> None:
        """Write records to the files of their methods."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for record in records:
            path = self.folder / f"{record['method'].replace(' ', '-')}.jsonl"
            with path.open("a") as file:
                file.write(json.dumps(record, separators=(",", ":")) + "\n")


def _read(path: Path) -> list[dict[str, Any]]:
    found = []
    for line in path.read_text().splitlines():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found
