"""Exact MDAV on records: time, memory, SSE, and the ratio to plain numpy in the same run.

    python benchmarks/bench_mdav.py                           the small cases, two minutes with plain numpy
    python benchmarks/bench_mdav.py --all                     and up to a million records
    python benchmarks/bench_mdav.py 200000x4,k=7,lognormal    cases of your own, as many as wanted
    options: --plain-up-to N (default 50000; 0 for none), --refine, --v-mdav, --json

Kinds of data: gaussian; lognormal (sigma 3); tied (integers 0..9, standardized); grid (integers 0..3);
equal. `seconds` is processor time of one thread, after compilation; `wall` is the clock. `MB` is the resident
memory that the run added to the data at its peak, each case in a process of its own. `plain` is the quadratic
program of the papers in numpy; its labels are compared with ours. `ratio` is its time over ours.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from server.microaggregation.geometry import FloatArray
from server.microaggregation.mdav_records import mdav_records, warm_up
from server.microaggregation.need import IntArray
from server.microaggregation.preparation import sse, sst, standardize
from server.microaggregation.refinement import refine
from server.microaggregation.size_rule import SizeRule
from server.microaggregation.v_mdav import v_mdav

SMALL = ("10000x3,k=3,gaussian", "50000x5,k=5,gaussian", "50000x5,k=5,lognormal", "50000x5,k=5,tied")
LARGE = (
    "50000x5,k=5,grid",
    "50000x5,k=5,equal",
    "20000x13,k=5,gaussian",
    "100000x5,k=5,gaussian",
    "100000x5,k=5,lognormal",
    "100000x5,k=5,tied",
    "1000000x6,k=100,gaussian",
    "1000000x5,k=5,gaussian",
    "1000000x5,k=5,lognormal",
    "1000000x5,k=5,tied",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Size, k and kind of one line."""

    n: int
    d: int
    k: int
    kind: str

    @classmethod
    def parse(cls, text: str) -> Case:
        """A case from text such as `50000x5,k=5,gaussian`; the kind may be left out."""
        size, k, *kind = text.split(",")
        n, d = size.split("x")
        return cls(n=int(n), d=int(d), k=int(k.removeprefix("k=")), kind=kind[0] if kind else "gaussian")

    def matrix(self) -> FloatArray:
        """The data, always the same."""
        rng, shape = np.random.default_rng(1), (self.n, self.d)
        kinds: dict[str, Callable[[], FloatArray]] = {
            "gaussian": lambda: rng.standard_normal(shape),
            "lognormal": lambda: rng.lognormal(0, 3, shape),
            "tied": lambda: standardize(rng.integers(0, 10, shape))[0],
            "grid": lambda: rng.integers(0, 4, shape).astype(float),
            "equal": lambda: np.ones(shape),
        }
        return kinds[self.kind]()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table."""

    case: str
    method: str
    seconds: float
    wall: float
    added_mb: float
    groups: int
    loss: float
    ratio: float | None
    same: bool | None


def plain(X: FloatArray, k: int) -> IntArray:
    """MDAV-generic as the papers write it."""
    labels, groups, rows = np.full(len(X), -1), 0, np.arange(len(X))

    def distances(point: FloatArray) -> FloatArray:
        return np.asarray(((X[rows] - point) ** 2).sum(axis=1))

    def take(point: FloatArray) -> None:
        nonlocal groups, rows
        labels[rows[np.argsort(distances(point), kind="stable")[:k]]] = groups
        groups += 1
        rows = rows[labels[rows] < 0]

    while len(rows) >= 3 * k:
        r = rows[distances(X[rows].mean(axis=0)).argmax()]
        s = rows[distances(X[r]).argmax()]
        take(X[r])
        if labels[s] < 0:
            take(X[s])
    if len(rows) >= 2 * k:
        take(X[rows[distances(X[rows].mean(axis=0)).argmax()]])
    labels[rows] = groups
    return labels


def measure(case: Case, methods: tuple[str, ...], with_plain: bool) -> list[Result]:
    """All lines of one case; runs in a process of its own."""
    rule = SizeRule.of_k(case.k)
    X = case.matrix()
    warm_up()
    labels: IntArray = np.zeros(0, dtype=np.int64)
    runs: dict[str, Callable[[], IntArray]] = {
        "mdav": lambda: mdav_records(X, rule),
        "v-mdav": lambda: v_mdav(X, rule),
        "refine": lambda: refine(X, labels, rule),
        "plain": lambda: plain(X, case.k),
    }
    if "v-mdav" in methods:
        v_mdav(X[:100], SizeRule.of_k(3))
    if "refine" in methods:
        refine(X[:100], np.arange(100) % 30, SizeRule.of_k(3))
    results: list[Result] = []
    for method in (*methods, "plain") if with_plain else methods:
        before = resident_mb()
        wall, seconds = time.perf_counter(), time.process_time()
        found = runs[method]()
        seconds, wall = time.process_time() - seconds, time.perf_counter() - wall
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ours = results[0].seconds if results else seconds
        results.append(
            Result(
                case=f"{case.n}x{case.d} k={case.k} {case.kind}",
                method=method,
                seconds=seconds,
                wall=wall,
                added_mb=max(peak - before, 0.0),
                groups=int(found.max()) + 1,
                loss=100 * sse(X, found) / sst(X) if case.kind != "equal" else 0.0,
                ratio=seconds / ours if method == "plain" else None,
                same=bool((found == labels).all()) if method == "plain" else None,
            )
        )
        if method == "mdav":
            labels = found
    return results


def resident_mb() -> float:
    """Resident memory now; where the system does not tell, its peak so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 2**20


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", type=Case.parse, help="such as 50000x5,k=5,gaussian")
    parser.add_argument("--all", action="store_true", help="the large cases too")
    parser.add_argument(
        "--plain-up-to", type=int, default=50_000, metavar="N", help="records for plain numpy"
    )
    parser.add_argument("--refine", action="store_true", help="refine the result of mdav too")
    parser.add_argument("--v-mdav", action="store_true", help="run V-MDAV too")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    cases = options.cases or [Case.parse(text) for text in SMALL + (LARGE if options.all else ())]
    methods = ("mdav", *(["v-mdav"] if options.v_mdav else []), *(["refine"] if options.refine else []))
    if not options.json:
        print(
            f"{'case':<32}{'method':<8}{'seconds':>9}{'wall':>9}{'MB':>7}{'groups':>8}{'SSE/SST %':>11}"
            f"{'ratio':>7}  same labels"
        )
    context = multiprocessing.get_context("spawn")
    for case in cases:
        with context.Pool(1) as pool:
            results = pool.apply(measure, (case, methods, case.n <= options.plain_up_to))
        for row in results:
            if options.json:
                print(json.dumps(asdict(row)), flush=True)
                continue
            ratio = "" if row.ratio is None else f"{row.ratio:.0f}"
            same = "" if row.same is None else ("yes" if row.same else "NO")
            print(
                f"{row.case:<32}{row.method:<8}{row.seconds:>9.3f}{row.wall:>9.3f}{row.added_mb:>7.0f}"
                f"{row.groups:>8}{row.loss:>11.4f}{ratio:>7}  {same}",
                flush=True,
            )


if __name__ == "__main__":
    main()
