"""What grouping by districts costs and saves: loss relative to the whole file, and time.

    python benchmarks/bench_districts.py [--records 1000000] [--k 5] [--most 200000 --most 50000]

Made-up records of six numbers: independent and normal; correlated with long tails; and whole numbers with
many ties, as age, hours and years of school are. Loss is SSE / SST of MDAV; processor time is that of all
threads.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from server.arrays import FloatArray
from server.statistics.microaggregation.districts import districts, in_districts, mended
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import sse
from server.statistics.microaggregation.size_rule import SizeRule


def made_up(n: int) -> Iterator[tuple[str, FloatArray]]:
    """Standardized records of each kind."""
    draw = np.random.default_rng(14)
    normal = draw.normal(size=(n, 6))
    shared = draw.normal(size=(n, 1))
    tails = np.exp(0.8 * (0.7 * draw.normal(size=(n, 6)) + 0.7 * shared))
    scales = np.array([20, 12, 3, 2, 8, 40])
    whole = np.round(normal * scales + shared * scales)
    for name, X in (("normal", normal), ("long tails", tails), ("whole numbers", whole)):
        yield name, np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))


def loss(X: FloatArray, k: int, most: int) -> tuple[int, float, float]:
    """Districts, and what is lost with them before and after mending; 0 stands for the whole file."""
    rule = SizeRule.of_k(k)
    cut = districts(X, most or len(X), lambda rows: len(rows) >= k)
    labels = in_districts(cut, lambda rows: mdav_records(X[rows], rule))
    lost = sse(X, labels)
    labels = mended(X, labels, cut, rule, most=most) if most else labels
    total = float((X**2).sum())
    return len(cut), lost / total, sse(X, labels) / total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--most", type=int, action="append")
    asked = parser.parse_args()
    for name, X in made_up(asked.records):
        whole = 0.0
        for most in (0, *(asked.most or (200_000, 100_000, 50_000))):
            started, used = time.perf_counter(), time.process_time()
            n_districts, unmended, lost = loss(X, asked.k, most)
            used, clock = time.process_time() - used, time.perf_counter() - started
            whole = whole or lost
            print(
                f"{name:>14} {f'at most {most:,}' if most else 'whole':>16} {n_districts:>4} districts"
                f"  loss {lost:.5f}  ratio {lost / whole:.4f} (unmended {unmended / whole:.4f})"
                f"  processor {used:.1f} s  clock {clock:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
