"""What reading a register takes, counted by pieces and record by record: time, memory, and the same result.

    python benchmarks/bench_counting.py --people 1000000 --people 10000000

Made-up registers of four columns (age, income in steps of 25, people at home, a number of a district), as
CSV and as Parquet. Each reading is a process of its own; its imports are counted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.csv
import pyarrow.parquet

_ROOT = Path(__file__).resolve().parents[1]
_READ = """
import hashlib, json, resource, sys, time
from pathlib import Path
started = time.perf_counter()
from server.design.population.model import read_population
from shared.attributes import Numeric
from shared.model import ReadingRules
from shared.participation import ParticipationLevel, ParticipationSource
text = {"en": "x"}
number = lambda name, most, step: Numeric(
    name=name, label=text, help=text, missing="refused", minimum="0", maximum=most, step=step)
attributes = (number("age", "99", "1"), number("income", "9000", "25"), number("size", "8", "1"),
    number("district", "39", "1"))
model = read_population(
    Path(sys.argv[1]), attributes,
    ReadingRules(count_column=None, missing_markers=(), incomplete="refuse", required_columns=()),
    ParticipationSource(kind="even"), ParticipationLevel(low="0.5", high="0.5"), apart=sys.argv[2] == "apart")
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({
    "tuples": model.n_tuples, "people": model.n_people,
    "processor seconds": round(usage.ru_utime + usage.ru_stime, 1),
    "seconds": round(time.perf_counter() - started, 1), "MB": usage.ru_maxrss // 1024,
    "digest": hashlib.sha256(model.X.tobytes() + model.people.tobytes()).hexdigest()[:12],
}))
"""


def write_register(folder: Path, people: int) -> list[Path]:
    """A register as CSV and as Parquet."""
    draw = np.random.default_rng(7)
    age = np.clip(np.abs(draw.normal(40, 22, people)), 0, 99).astype(int)
    earned = draw.lognormal(7.6 + 0.3 * np.sin(age / 30), 0.5, people)
    table = pyarrow.table(
        {
            "age": age,
            "income": (np.clip(earned, 0, 9000) / 25).astype(int) * 25,
            "size": 1 + draw.binomial(7, 0.2, people),
            "district": np.minimum(draw.geometric(0.08, people) - 1, 39),
        }
    )
    paths = [folder / f"register-{people}.{form}" for form in ("csv", "parquet")]
    pyarrow.csv.write_csv(table, paths[0], pyarrow.csv.WriteOptions(quoting_style="none"))
    pyarrow.parquet.write_table(table, paths[1])
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--people", type=int, action="append")
    parser.add_argument("--counted-only", action="store_true", help="leave the reading by record out")
    asked = parser.parse_args()
    ways = ("counted",) if asked.counted_only else ("counted", "apart")
    with tempfile.TemporaryDirectory() as folder:
        for people in asked.people or [1_000_000]:
            for path in write_register(Path(folder), people):
                digests = set()
                for way in ways:
                    ran = subprocess.run(
                        [sys.executable, "-c", _READ, str(path), way],
                        check=True,
                        capture_output=True,
                        text=True,
                    )
                    found = json.loads(ran.stdout)
                    digests.add(found["digest"])
                    print(f"{path.name:>26} {way:>8}  {found}", flush=True)
                if len(digests) > 1:
                    raise SystemExit("the two readings differ")


if __name__ == "__main__":
    main()
