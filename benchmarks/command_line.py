"""Memory and time of `sfp fit` and `sfp predict` on a table of many rows.

Writes a CSV of n rows and 20 columns (numbers, categories, a date, gaps) and a target, runs both
commands in processes of their own, and prints the peak memory (bar: 1 GB, whatever n) and the time
of each.

    pip install ".[cli]" && python benchmarks/command_line.py [--rows 1000000]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

NUMBERS, CLUSTERS = 16, 6
ROWS_A_BLOCK = 100_000
GAPS = 0.02

# Runs the command, then prints the most memory the process had at a time.
MEASURED = """
import sys
from sfplearn.cli import main
try:
    main()
finally:
    lines = open("/proc/self/status").read().splitlines()
    peak = next(line for line in lines if line.startswith("VmHWM"))
    print(peak.split()[1], file=sys.stderr)
"""


def write(path, n):
    random = np.random.default_rng(0)
    centers = 1.5 * random.standard_normal((CLUSTERS, NUMBERS))
    for first in range(0, n, ROWS_A_BLOCK):
        size = min(ROWS_A_BLOCK, n - first)
        cluster = random.integers(CLUSTERS, size=size)
        X = centers[cluster] + random.standard_normal((size, NUMBERS))
        X[random.random(X.shape) < GAPS] = np.nan
        table = pd.DataFrame(X.round(4), columns=[f"number {i}" for i in range(NUMBERS)])
        table["town"] = random.choice(["Oslo", "Bergen", "Tromsø", "Bodø"], size)
        table["plan"] = np.array(["basic", "plus", "pro"])[
            (cluster + random.integers(2, size=size)) % 3
        ]
        days = pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(2000, size=size), "D")
        table["since"] = days.strftime("%Y-%m-%d")
        table["count"] = random.poisson(3, size)
        table["label"] = np.array(["stays", "leaves"])[cluster % 2]
        table.to_csv(path, mode="a", index=False, header=first == 0)


def measure(*arguments):
    """Return seconds and the peak memory in MB of a command."""
    began = time.perf_counter()
    command = [sys.executable, "-c", MEASURED, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(run.stderr)
    return time.perf_counter() - began, int(run.stderr.split()[-1]) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        table, model, answers = (Path(folder) / name for name in ("t.csv", "m.skops", "out.csv"))
        write(table, rows)
        print(f"{rows:,} rows, 20 columns, {os.path.getsize(table) / 1e6:.0f} MB of CSV")
        for name, arguments in (
            ("fit", ("fit", table, "--target", "label", "-o", model)),
            ("fit, no score", ("fit", table, "--target", "label", "-o", model, "--no-score")),
            ("predict", ("predict", model, table, "--proba", "-o", answers)),
        ):
            seconds, peak = measure(*arguments)
            print(f"{name:>14}: {seconds:6.1f} s, {peak:6.0f} MB at most")


if __name__ == "__main__":
    main()
