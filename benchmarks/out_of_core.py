"""Memory and time of a fit whose rows stay on disk, beside the same rows in memory.

Writes a Parquet data set of n x p numbers in single precision, fits it with `open_rows` in a
process of its own, and prints the peak memory of that process and the time of a pass beside
that of the same rows in memory (bars: 600 MB, and 1.6 times once the files are in the page
cache). Each is measured `--repeats` times and the least counts.

    pip install ".[files]" && python benchmarks/out_of_core.py [--rows 10000000] [--repeats 3]
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

P, K = 20, 50
ROWS_A_FILE = 1_000_000
PASSES = 4


def write(folder, n):
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    centers = 2.0 * random.standard_normal((K, P))
    names = [f"x{index}" for index in range(P)]
    for number, first in enumerate(range(0, n, ROWS_A_FILE)):
        size = min(ROWS_A_FILE, n - first)
        cluster = random.integers(K, size=size)
        X = (centers[cluster] + random.standard_normal((size, P))).astype(np.float32)
        table = pa.table([*X.T, cluster % 3], names=[*names, "y"])
        pq.write_table(
            table,
            folder / f"{number:04}.parquet",
            row_group_size=2**17,
            compression="none",
            use_dictionary=["y"],
        )


def fit(X, y, passes):
    from sfplearn import SFPClassifier

    init = np.random.default_rng(1).standard_normal((K, P))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        SFPClassifier(K, init=init, max_iter=passes, tol=0, refine=0).fit(X, y)
    return time.perf_counter() - began


def measure(where, folder, repeats):
    """Return seconds a pass, start and survey apart, and the peak memory in MB."""
    from sfplearn import open_rows

    X, y = open_rows(folder, target="y"), None
    if where == "memory":
        blocks = list(X.blocks())
        X = np.concatenate([block.X for block in blocks])
        y = np.concatenate([block.y for block in blocks])
        del blocks
    once = min(fit(X, y, 1) for _ in range(repeats))
    several = min(fit(X, y, 1 + PASSES) for _ in range(repeats))
    return {"pass": (several - once) / PASSES, "start": once, "peak": peak_megabytes()}


def peak_megabytes():
    """Return the most memory that this process had; ru_maxrss would count its parent's, too."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def in_its_own_process(where, folder, repeats):
    command = [sys.executable, __file__, "--measure", where, "--folder", str(folder)]
    done = subprocess.run(
        [*command, "--repeats", str(repeats)], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.folder, options.repeats)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        if not list(folder.glob("*.parquet")):
            write(folder, options.rows)
        megabytes = sum(file.stat().st_size for file in folder.glob("*.parquet")) / 2**20
        print(f"{options.rows} x {P}, k = {K}: {megabytes:.0f} MB of Parquet")
        disk = in_its_own_process("disk", folder, options.repeats)
        memory = in_its_own_process("memory", folder, options.repeats)
    print(
        f"peak memory   disk {disk['peak']:.0f} MB   in memory {memory['peak']:.0f} MB   "
        f"at most 600 MB: {'yes' if disk['peak'] <= 600 else 'NO'}"
    )
    ratio = disk["pass"] / memory["pass"]
    print(
        f"a pass        disk {disk['pass']:.2f} s   in memory {memory['pass']:.2f} s: {ratio:.2f}, "
        f"at most 1.6: {'yes' if ratio <= 1.6 else 'NO'}"
    )
    print(f"with start    disk {disk['start']:.2f} s   in memory {memory['start']:.2f} s")


if __name__ == "__main__":
    main()
