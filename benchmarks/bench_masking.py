"""What `roomful anonymize` of a large Parquet file takes: time, processor time, memory, and what it loses.

    python benchmarks/bench_masking.py [--records 10000000] [--kind whole] [--district N] [--against N]

The file is made of six numbers, ``whole`` ones with many ties (as age, hours and years of school have) or
``normal`` ones without any. The command runs as users run it, in a process of its own, with everything
measured and the report drawn; the peak is that process's. ``--against`` masks the same file with another
``--district`` (0: whole) and prints the ratio of both SSE.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np

NAMES: Final = tuple(f"q{number}" for number in range(1, 7))


def write_numbers(path: Path, n: int, kind: str) -> None:
    """Write a Parquet file of n records of six numbers."""
    import pyarrow
    import pyarrow.parquet

    draw = np.random.default_rng(14)
    normal, shared = draw.normal(size=(n, 6)), draw.normal(size=(n, 1))
    values = normal
    if kind == "whole":
        scales = np.array([20, 12, 3, 2, 8, 40])
        values = np.round(normal * scales + shared * scales).astype(np.int64)
    table = pyarrow.table({name: values[:, place] for place, name in enumerate(NAMES)})
    pyarrow.parquet.write_table(table, path)


def masked(path: Path, k: int, district: int | None) -> float:
    """Mask a file, print what it took, and return SSE/SST."""
    out = path.with_name(f"masked-{district}.parquet")
    arguments = ["anonymize", str(path), "--quasi-identifiers", ",".join(NAMES), "--k", str(k)]
    arguments += ["--out", str(out), *([] if district is None else ["--district", str(district)])]
    main = "from server.cli.main import main; main()"
    started, load = time.perf_counter(), os.getloadavg()[0]
    run = subprocess.Popen([sys.executable, "-c", main, *arguments], cwd=Path(__file__).parents[1])
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        raise SystemExit(f"roomful anonymize ended with {run.returncode}")
    measures = json.loads(out.with_name(f"{out.name}.json").read_bytes())["information"]
    lost = next(float(measure["value"]) for measure in measures if measure["name"] == "SSE/SST")
    print(
        f"district {district}: {time.perf_counter() - started:.0f} s by the clock (load {load:.0f} before, "
        f"{os.getloadavg()[0]:.0f} after), {used.ru_utime + used.ru_stime:.0f} s of processor time, "
        f"peak {used.ru_maxrss / 1e6:.2f} GB, SSE/SST {lost:.6f}",
        flush=True,
    )
    return lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--kind", choices=("whole", "normal"), default="whole")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--district", type=int)
    parser.add_argument("--against", type=int)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "numbers.parquet"
        # In a process of its own: the peak of a child is at least what its parent held when it began.
        writing = get_context("spawn").Process(target=write_numbers, args=(path, asked.records, asked.kind))
        writing.start()
        writing.join()
        lost = masked(path, asked.k, asked.district)
        if asked.against is not None:
            print(f"ratio of SSE {lost / masked(path, asked.k, asked.against):.4f}")


if __name__ == "__main__":
    main()
