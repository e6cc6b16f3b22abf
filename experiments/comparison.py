"""Records of the comparison that tables and figures of the paper need.

All share what `python -m experiments accuracy` has measured; what is missing is measured, unless a
run asks for what is known only. Small runs measure into a folder that is thrown away.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from experiments.accuracy import KEY, RESULTS, measure_all
from experiments.records import Records
from experiments.reported import ACCURACY_COLUMNS
from experiments.running import Run

# The methods of the paper, as they are named here.
OURS = "SFP as in the paper"
METHODS = [*ACCURACY_COLUMNS[:-1], OURS]


def measured(run: Run, repeats: dict[str, int], methods: list[str]) -> list[dict[str, Any]]:
    """Return records of some repeats of data sets by some methods."""
    if not run.fast:
        return _measured(RESULTS, run, repeats, methods)
    run.folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=run.folder) as folder:
        return _measured(Path(folder), run, repeats, methods)


def _measured(
    folder: Path, run: Run, repeats: dict[str, int], methods: list[str]
) -> list[dict[str, Any]]:
    records = Records(folder, KEY)
    if not run.known:
        measure_all(records, repeats, methods, run.jobs)
    return [
        record
        for record in records.all()
        if record["repeat"] < repeats.get(record["data"], 0) and record["method"] in methods
    ]


def settings_of(repeats: dict[str, int], methods: list[str]) -> dict[str, Any]:
    """Return what the records depend on."""
    return {
        "methods": methods,
        "repeats": repeats,
        "seeds": "the number of the repeat, for folds and methods",
        "tuning": "as in experiments/peers.py and experiments/sfp.py",
    }
