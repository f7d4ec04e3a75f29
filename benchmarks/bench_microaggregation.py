"""Time, memory and quality of the microaggregation kernels, with plain numpy MDAV in the same run.

    python benchmarks/bench_microaggregation.py [--quick] [--json]

`plain` is the textbook program: float64 distances to every record, groups of exactly k records. It knows no
multiplicities, so its cells are no function of the answer where records are equal. Seconds are by the clock
and of processor time. Distortion is SSE / SST on columns of unit variance; `ratio` is to `mdav`. Peak memory
is what numpy and Python allocated, by tracemalloc, in a second run. Real data are read from the reference
folder (environment variable ROOMFUL_REFERENCE_DATA) and left out without it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from server.microaggregation.geometry import canonical, distortion
from server.microaggregation.mdav import mdav
from server.microaggregation.need import IntArray, Need
from server.microaggregation.power_diagram import power_diagram

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ROOMFUL_REFERENCE_DATA", PROJECT.parent / "shared" / "data"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Distinct tuples, people, weights, and the row of each record."""

    name: str
    X: IntArray
    people: IntArray
    weights: tuple[int, ...]
    inverse: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table."""

    population: str
    people: int
    tuples: int
    need: int
    algorithm: str
    seconds: float
    processor_seconds: float
    peak_mb: float
    cells: int
    smallest: int
    largest: int
    distortion: float


def population(name: str, values: IntArray, weights: tuple[int, ...]) -> Population:
    """One person a row of `values` (n x d)."""
    X, people, inverse = canonical(values, np.ones((len(values), 1), dtype=np.int64))
    return Population(name=name, X=X, people=people, weights=weights, inverse=inverse)


def gaussian(n: int, d: int) -> Population:
    """Independent standard normal columns in steps of 1/1000."""
    values = np.round(np.random.default_rng(n + d).standard_normal((n, d)) * 1000).astype(np.int64)
    return population(f"gaussian {n}x{d}", values, (1,) * d)


def standardized(name: str) -> Population:
    """A numeric reference file on a grid of 2^-11 standard deviations."""
    with (DATA / f"{name}.csv").open(newline="") as handle:
        raw = np.array([[float(v) for v in row.values()] for row in csv.DictReader(handle)])
    values = np.round((raw - raw.mean(axis=0)) / raw.std(axis=0) * 2**11).astype(np.int64)
    return population(name, values, (1,) * values.shape[1])


def adult() -> Population:
    """The 45,222 complete records of Adult: three numbers and two nominal attributes of unit variance."""
    with (DATA / "adult.csv").open(newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if "?" not in {v.strip() for v in row.values()}]
    blocks = [np.array([[int(row[c])] for row in rows]) for c in ("age", "education-num", "hours-per-week")]
    for column in ("sex", "marital-status"):
        names = sorted({row[column] for row in rows})
        blocks.append(np.array([[int(row[column] == name) for name in names] for row in rows]))
    weights: list[int] = []
    for block in blocks:
        weights += [round(2**16 / float(block.var(axis=0).sum()))] * block.shape[1]
    return population("adult", np.concatenate(blocks, axis=1), tuple(weights))


def plain(values: np.ndarray, k: int) -> np.ndarray:
    """MDAV-generic as anybody would write it in numpy; labels of the records."""
    labels, groups, rows = np.full(len(values), -1), 0, np.arange(len(values))

    def distances(point: np.ndarray) -> np.ndarray:
        return np.asarray(((values[rows] - point) ** 2).sum(axis=1))

    def take(point: np.ndarray) -> None:
        nonlocal groups, rows
        near = np.argpartition(distances(point), k - 1)[:k]
        labels[rows[near]], groups = groups, groups + 1
        rows = np.delete(rows, near)

    while len(rows) >= 3 * k:
        r = values[rows[distances(values[rows].mean(axis=0)).argmax()]]
        s = values[rows[distances(r).argmax()]]
        take(r)
        take(s)
    if len(rows) >= 2 * k:
        take(values[rows[distances(values[rows].mean(axis=0)).argmax()]])
    labels[rows] = groups
    return labels


def measure(name: str, data: Population, need: int, run: Callable[[], IntArray]) -> Result:
    """Run twice: once for the time, once for the memory. `run` gives the label of each record."""
    started, worked = time.perf_counter(), time.process_time()
    labels = run()
    seconds, processor = time.perf_counter() - started, time.process_time() - worked
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    sizes = np.bincount(labels)
    records = data.X[data.inverse]
    return Result(
        population=data.name,
        people=int(data.people.sum()),
        tuples=len(data.X),
        need=need,
        algorithm=name,
        seconds=seconds,
        processor_seconds=processor,
        peak_mb=peak / 1e6,
        cells=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        distortion=distortion(records, np.ones(len(records), dtype=np.int64), data.weights, labels),
    )


def cases(quick: bool) -> Iterator[tuple[Population, int]]:
    """The size grid."""
    yield gaussian(2000, 5), 10
    if DATA.is_dir():
        yield standardized("census"), 10
        yield standardized("tarragona"), 10
    if quick:
        return
    yield gaussian(10_000, 5), 10
    yield gaussian(10_000, 5), 53
    if DATA.is_dir():
        yield adult(), 53
    yield gaussian(50_000, 5), 100


def results(data: Population, need: int) -> Iterator[Result]:
    """All algorithms on one population."""
    need_ = Need(minimum=(need,))
    arguments = (data.X, data.people, data.weights, need_)
    yield measure("mdav", data, need, lambda: mdav(*arguments).labels[data.inverse])
    yield measure("power-diagram", data, need, lambda: power_diagram(*arguments).labels[data.inverse])
    values = (data.X * np.sqrt(np.array(data.weights, dtype=float)))[data.inverse]
    yield measure("plain numpy", data, need, lambda: plain(values, need))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small populations only, a few seconds")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    heading = (
        f"{'population':<16}{'people':>8}{'tuples':>8}{'need':>6}  {'algorithm':<14}{'seconds':>9}"
        f"{'cpu s':>8}{'peak MB':>9}{'cells':>7}{'sizes':>10}{'D (%)':>8}{'ratio':>7}"
    )
    if not options.json:
        print(heading)
    for data, need in cases(options.quick):
        reference = None
        for row in results(data, need):
            reference = reference or row.distortion
            if options.json:
                print(json.dumps(asdict(row)), flush=True)
                continue
            sizes = f"{row.smallest}-{row.largest}"
            print(
                f"{row.population:<16}{row.people:>8}{row.tuples:>8}{row.need:>6}  {row.algorithm:<14}"
                f"{row.seconds:>9.2f}{row.processor_seconds:>8.2f}{row.peak_mb:>9.1f}{row.cells:>7}{sizes:>10}"
                f"{100 * row.distortion:>8.3f}{row.distortion / reference:>7.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
