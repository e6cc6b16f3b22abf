"""Rows larger than memory: a folder of Parquet files, read block by block in every pass.

    python examples/05_files.py [rows]

Needs `pip install "sfplearn[files]"`. The fit is the one that the same rows in memory would
give; memory is that of a few blocks, however many rows there are. Every pass is left on disk, so
that a fit that is stopped goes on from there.
"""

import resource
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sfplearn import SFPClassifier, open_rows

ROWS_A_FILE = 250_000


def write(folder: Path, n: int) -> None:
    """Write flights: they are late in winter mornings and in summer evenings."""
    random = np.random.default_rng(0)
    for number, first in enumerate(range(0, n, ROWS_A_FILE)):
        size = min(ROWS_A_FILE, n - first)
        season, hour, distance = random.standard_normal((3, size)).astype(np.float32)
        late = (season * hour + 0.3 * random.standard_normal(size) > 0.2).astype(int)
        table = pa.table({"season": season, "hour": hour, "distance": distance, "late": late})
        pq.write_table(table, folder / f"part-{number:03}.parquet")


def main(n: int) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder, n)
        rows = open_rows(folder / "*.parquet", target="late")
        model = SFPClassifier(
            8, lam=0.3, honest=True, random_state=0, checkpoint=folder / "checkpoint"
        )
        model.fit(rows)
        score = model.score(rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{n} rows in {-(-n // ROWS_A_FILE)} files, {model.n_iter_} passes, {peak:.0f} MB at most"
    )
    print(f"share of flights told right: {score:.2f}")
    names = model.feature_names_in_
    for weights, (_, late) in zip(model.feature_weights_, model.prototypes_, strict=True):
        looks = ", ".join(f"{name} {w:.2f}" for name, w in zip(names, weights, strict=True))
        print(f"  late {late:4.0%}   looks at {looks}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
