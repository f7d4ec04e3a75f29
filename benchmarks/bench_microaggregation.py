"""Every algorithm of the library: time, memory, loss, and the ratio to a baseline in the same run.

    python benchmarks/bench_microaggregation.py                       all sections but `ten`, some minutes
    python benchmarks/bench_microaggregation.py mdav refine           sections, see --help
    python benchmarks/bench_microaggregation.py --case 200000x4,k=7,lognormal,mdav,v-mdav
    options: --largest N, --plain-up-to N, --json

Kinds of data: gaussian; lognormal (sigma 3); tied (integers 0..9, standardized); grid (integers 0..3); equal;
counts (distinct tuples of half-normal integers 0..29, with the people behind each); census, tarragona, adult
from the reference folder (environment variable ROOMFUL_REFERENCE_DATA), left out without it.

Each line is measured in a process of its own, after compilation: the clock, and processor time. Runs under a
second are repeated and the shortest counts. `MB` is the resident memory that the run added to the data at its
peak. `loss` is SSE / SST in percent, on the data as given. A line is judged by the lesser of its two times:
others on the machine lengthen the clock, a second core the processor time. `ratio` is to the line named
beside it: of times with `x faster` and `x as long`, else of losses. The exit code is 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from server.arrays import FloatArray, IntArray
from server.statistics.measures.disclosure_risk import distance_linkage
from server.statistics.microaggregation.geometry import canonical
from server.statistics.microaggregation.m_d import m_d
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.mdav_records import mdav_records, warm_up
from server.statistics.microaggregation.mondrian import mondrian
from server.statistics.microaggregation.mu_approx import mu_approx
from server.statistics.microaggregation.p3m import p3m
from server.statistics.microaggregation.pcl import pcl
from server.statistics.microaggregation.power_diagram import power_diagram
from server.statistics.microaggregation.preparation import encode, group_means, sse, sst, standardize
from server.statistics.microaggregation.refinement import refine
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.microaggregation.univariate import univariate
from server.statistics.microaggregation.v_mdav import v_mdav

PROJECT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ROOMFUL_REFERENCE_DATA", PROJECT.parent / "shared" / "data"))
FILES = ("census", "tarragona", "adult")
LEVELS = 30
Method = Callable[[FloatArray, SizeRule], IntArray]
METHODS: dict[str, Method] = {
    "mdav": mdav_records,
    "v-mdav": v_mdav,
    "m-d": m_d,
    "mu-approx": mu_approx,
    "mondrian": mondrian,
    "relaxed": lambda X, rule: mondrian(X, rule, strict=False),
    "pcl": pcl,
    "univariate": univariate,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Data, k, and the methods to run on them; the first one is the baseline of the others."""

    data: str
    k: int
    methods: tuple[str, ...] = ("mdav",)
    n: int = 0
    d: int = 0
    targets: tuple[tuple[str, str, float], ...] = ()
    """Method, column, and the bound: at most for seconds, MB, loss and ratio, at least for `faster`."""

    @classmethod
    def parse(cls, text: str, *targets: tuple[str, str, float]) -> Case:
        """A case such as `50000x5,k=5,lognormal,mdav,refine` or `census,k=10,mdav`."""
        parts = text.split(",")
        n, d = (int(x) for x in parts.pop(0).split("x")) if parts[0][0].isdigit() else (0, 0)
        data = "gaussian" if n else parts.pop(0)
        k = int(parts.pop(0).removeprefix("k="))
        if n and parts and parts[0] not in (*METHODS, *OTHERS):
            data = parts.pop(0)
        return cls(data=data, k=k, n=n, d=d, methods=tuple(parts) or ("mdav",), targets=targets)

    @property
    def name(self) -> str:
        """How the table names it."""
        size = f" {self.n}x{self.d}" if self.n else ""
        return f"{self.data}{size} k={self.k}"

    def load(self) -> tuple[FloatArray, IntArray | None]:
        """The records, always the same, and the people behind each or None."""
        if self.data == "adult":
            return adult(), None
        if self.data in FILES:
            with (DATA / f"{self.data}.csv").open(newline="") as handle:
                raw = np.array([[float(v) for v in row.values()] for row in csv.DictReader(handle)])
            return standardize(raw)[0], None
        rng, shape = np.random.default_rng(1), (self.n, self.d)
        if self.data == "counts":
            return tuples(np.abs(rng.standard_normal(shape)))
        kinds: dict[str, Callable[[], FloatArray]] = {
            "gaussian": lambda: rng.standard_normal(shape),
            "lognormal": lambda: rng.lognormal(0, 3, shape),
            "tied": lambda: standardize(rng.integers(0, 10, shape))[0],
            "grid": lambda: rng.integers(0, 4, shape).astype(float),
            "equal": lambda: np.ones(shape),
        }
        return kinds[self.data](), None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the table."""

    section: str
    case: str
    method: str
    seconds: float
    processor_seconds: float
    added_mb: float
    groups: int
    loss: float
    ratio: float | None = None
    beside: str = ""
    target: str = ""
    met: bool | None = None


def adult() -> FloatArray:
    """The 45,222 complete records of Adult: three numbers, two nominal attributes, each of unit variance."""
    with (DATA / "adult.csv").open(newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if "?" not in {v.strip() for v in row.values()}]
    numbers = {c: [int(row[c]) for row in rows] for c in ("age", "education-num", "hours-per-week")}
    return encode(numbers | {c: [row[c] for row in rows] for c in ("sex", "marital-status")})


def tuples(values: FloatArray) -> tuple[FloatArray, IntArray]:
    """Distinct tuples of the values in steps of a tenth, and how many people have each."""
    code = np.zeros(len(values), dtype=np.int64)
    for column in values.T:
        code = code * LEVELS + np.minimum(column * (LEVELS / 3), LEVELS - 1).astype(np.int64)
    code, counts = np.unique(code, return_counts=True)
    columns = [code // LEVELS**j % LEVELS for j in reversed(range(values.shape[1]))]
    return np.column_stack(columns).astype(float), counts.astype(np.int64)


def plain(X: FloatArray, rule: SizeRule) -> IntArray:
    """MDAV-generic as the papers write it, in numpy."""
    k = rule.minimum[0]
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


def design(X: FloatArray, rule: SizeRule, name: str) -> IntArray:
    """Cells of a survey on a grid of 2^-11, as `roomful design` makes them, mapped back to the records."""
    steps = np.rint(X * 2**11).astype(np.int64)
    grid, people, inverse = canonical(steps, np.ones((len(X), 1), dtype=np.int64))
    run = mdav if name == "balls" else power_diagram
    return run(grid, people, (1,) * X.shape[1], rule).labels[inverse]


OTHERS = ("plain", "refine", "effort-2", "p3m", "dld", "balls", "power-diagram")
SECTIONS: dict[str, tuple[Case, ...]] = {
    "mdav": (
        Case.parse("10000x3,k=3,gaussian,mdav,plain"),
        Case.parse("50000x5,k=5,gaussian,mdav,plain", ("plain", "faster", 60)),
        Case.parse("10000x5,k=5,lognormal,mdav,plain"),
        Case.parse("10000x5,k=5,tied,mdav,plain"),
        Case.parse("100000x5,k=5,gaussian", ("mdav", "seconds", 0.7)),
        *(Case.parse(f"100000x5,k=5,{kind}", ("mdav", "ratio", 5)) for kind in ("lognormal", "tied", "grid")),
        Case.parse("100000x5,k=5,equal"),
        Case.parse("20000x13,k=5,gaussian"),
        Case.parse("1000000x6,k=100,gaussian", ("mdav", "seconds", 10), ("mdav", "added_mb", 1024)),
        Case.parse("1000000x5,k=5,gaussian", ("mdav", "seconds", 25), ("mdav", "added_mb", 1024)),
        *(Case.parse(f"1000000x5,k=5,{kind}", ("mdav", "ratio", 5)) for kind in ("lognormal", "tied")),
    ),
    "methods": (
        *(
            Case.parse(f"{file},k={k},mdav,v-mdav,m-d,mu-approx,mondrian,relaxed,pcl", *bounds)
            for file, k, bounds in (
                ("census", 3, [("v-mdav", "ratio", 1.003)]),
                ("census", 10, [("v-mdav", "ratio", 1.003)]),
                ("tarragona", 3, [("v-mdav", "ratio", 1.019)]),
                ("tarragona", 10, [("v-mdav", "ratio", 1.019)]),
            )
        ),
        Case.parse("10000x5,k=5,gaussian,mdav,v-mdav,m-d,mu-approx,mondrian,relaxed,refine"),
        Case.parse("100000x5,k=5,gaussian,mdav,v-mdav,mu-approx,mondrian,relaxed,refine"),
        Case.parse("1000000x1,k=5,gaussian,mdav,univariate", ("univariate", "ratio", 1.0)),
    ),
    "pcl": (
        *(Case.parse(f"census,k={k},mdav,pcl", ("pcl", "ratio", 0.93)) for k in (29, 53)),
        *(Case.parse(f"tarragona,k={k},mdav,pcl", ("pcl", "ratio", 0.98)) for k in (29, 53)),
        *(
            Case.parse(f"10000x5,k={k},gaussian,mdav,pcl", ("pcl", "ratio", 0.88), ("pcl", "seconds", 10))
            for k in (29, 53)
        ),
    ),
    "refine": tuple(
        Case.parse(f"{file},k={k},mdav,refine", ("refine", "loss", most), ("refine", "seconds", 1))
        for file, k, most in (
            ("tarragona", 3, 15.03),
            ("tarragona", 10, 30.85),
            ("census", 3, 5.25),
            ("census", 10, 12.43),
        )
    ),
    "effort": tuple(
        Case.parse(f"{file},k={k},mdav,effort-2", ("effort-2", "loss", most), ("effort-2", "seconds", 120))
        for file, k, most in (
            ("tarragona", 3, 14.6),
            ("tarragona", 5, 20.4),
            ("tarragona", 10, 30.2),
            ("census", 3, 5.12),
            ("census", 5, 8.0),
            ("census", 10, 11.95),
        )
    ),
    "measures": (
        *(Case.parse(f"census,k={k},mdav,p3m", ("p3m", "seconds", 0.2)) for k in (3, 5, 10)),
        Case.parse("100000x5,k=5,gaussian,mdav,dld", ("dld", "seconds", 5)),
    ),
    "designs": (
        Case.parse("census,k=10,balls,power-diagram"),
        Case.parse("tarragona,k=10,balls,power-diagram"),
        Case.parse("10000x5,k=53,gaussian,balls,power-diagram"),
        Case.parse("adult,k=53,balls,power-diagram"),
    ),
    "ten": (
        Case.parse("10000000x5,k=100,counts"),
        Case.parse("10000000x5,k=100,gaussian"),
        Case.parse("10000000x6,k=100,gaussian"),
        Case.parse("10000000x5,k=5,gaussian"),
    ),
}


def measure(section: str, case: Case, plain_up_to: int) -> list[Line]:
    """All lines of one case; runs in a process of its own."""
    X, counts = case.load()
    rule = SizeRule.of_k(case.k)
    warm_up()
    lines: list[Line] = []
    first: IntArray = np.zeros(0, dtype=np.int64)
    for method in case.methods:
        if method == "plain" and len(X) > plain_up_to:
            continue
        run = runner(method, rule, counts, first)
        small = X[:100]
        if counts is None and method not in ("p3m", "dld"):
            runner(method, SizeRule.of_k(3), None, np.arange(100) % 30)(small)  # compiles and imports
        seconds, processor, added, found = timed(lambda run=run: run(X))  # type: ignore[misc]
        labels = found if found.ndim == 1 else first
        published = group_means(X, labels, counts)[labels] if found.ndim == 1 else found
        total = sst(X, counts)
        if counts is None:
            loss = 100 * float(((X - published) ** 2).sum()) / total if total else 0.0
        else:
            loss = 100 * sse(X, labels, counts) / total
        line = Line(
            section=section,
            case=case.name,
            method=method,
            seconds=seconds,
            processor_seconds=processor,
            added_mb=added,
            groups=int(labels.max()) + 1,
            loss=loss,
        )
        if not lines:
            first = labels
        elif method == "plain":
            same = "same labels" if (labels == first).all() else "OTHER LABELS"
            ratio = fair(line) / fair(lines[0])
            line = replace(line, ratio=ratio, beside=f"x faster: {lines[0].method}, {same}")
        elif method != "dld":
            line = replace(line, ratio=loss / lines[0].loss, beside=f"of {lines[0].method}")
        lines.append(line)
    return lines


def runner(
    method: str, rule: SizeRule, counts: IntArray | None, first: IntArray
) -> Callable[[FloatArray], np.ndarray]:
    """What to time: gives labels (n), or published values (n x d) where the partition is the baseline's."""
    if method == "plain":
        return lambda X: plain(X, rule)
    if method == "refine":
        return lambda X: refine(X, first, rule)
    if method.startswith("effort-"):
        return lambda X: refine(X, first, rule, effort=int(method.removeprefix("effort-")))
    if method == "p3m":
        return lambda X: p3m(X, first).values[first]
    if method == "dld":

        def linked(X: FloatArray) -> FloatArray:
            masked = group_means(X, first)[first]
            distance_linkage(X, masked)
            return masked

        return linked
    if method in ("balls", "power-diagram"):
        return lambda X: design(X, rule, method)
    if counts is not None:
        return lambda X: mdav_records(X, rule, counts=counts)
    return lambda X: METHODS[method](X, rule)


def timed(run: Callable[[], np.ndarray]) -> tuple[float, float, float, np.ndarray]:
    """Seconds, processor seconds, added MB and the result; the shortest of a few runs if they are short."""
    best, processor, added, spent = np.inf, np.inf, 0.0, 0.0
    for _ in range(5):
        before = resident_mb()
        wall, worked = time.perf_counter(), time.process_time()
        found = run()
        worked, wall = time.process_time() - worked, time.perf_counter() - wall
        added = max(added, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before)
        best, processor, spent = min(best, wall), min(processor, worked), spent + wall
        if spent > 1:
            break
    return best, processor, added, found


def resident_mb() -> float:
    """Resident memory now; where the system does not tell, its peak so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 2**20


def fair(line: Line) -> float:
    """The lesser of clock and processor time."""
    return min(line.seconds, line.processor_seconds)


def judged(line: Line, case: Case, gaussian: dict[tuple[int, int, int], float]) -> Line:
    """The line with its targets, and on skewed and tied data the ratio to Gaussian data of the same size."""
    size = (case.n, case.d, case.k)
    if case.data == "gaussian" and line.method == "mdav":
        gaussian.setdefault(size, fair(line))
    elif line.method == "mdav" and line.section == "mdav" and size in gaussian:
        line = replace(line, ratio=fair(line) / gaussian[size], beside="x as long: gaussian")
    words, met = [], []
    for method, column, bound in case.targets:
        if method == line.method:
            value = {"seconds": fair(line), "added_mb": line.added_mb, "loss": round(line.loss, 2)}
            found = line.ratio if column in ("ratio", "faster") else value[column]
            if found is not None:
                met.append(found >= bound if column == "faster" else found <= bound)
                words.append(
                    {"seconds": "{} s", "added_mb": "{} MB", "loss": "{} %"}.get(column, "{}").format(bound)
                )
    return replace(line, target=", ".join(words), met=all(met) if met else None)


def show(line: Line) -> str:
    """One line of the table for people."""
    ratio = "" if line.ratio is None else f"{line.ratio:.3g} {line.beside}"
    verdict = "" if line.met is None else f"{line.target}: {'met' if line.met else 'MISSED'}"
    return (
        f"{line.section:<9}{line.case:<30}{line.method:<14}{line.seconds:>8.3f}{line.processor_seconds:>8.3f}"
        f"{line.added_mb:>7.0f}{line.groups:>8}{line.loss:>9.4f}  {ratio:<36}{verdict}".rstrip()
    )


def chosen(options: argparse.Namespace) -> Iterable[tuple[str, Case]]:
    """Sections and cases to run."""
    if options.case:
        yield from (("own", case) for case in options.case)
        return
    for section in options.sections or [name for name in SECTIONS if name != "ten"]:
        for case in SECTIONS[section]:
            if case.n <= options.largest and (case.data not in FILES or DATA.is_dir()):
                yield section, case


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument(
        "--case", action="append", type=Case.parse, help="such as 50000x5,k=5,tied,mdav,refine"
    )
    parser.add_argument(
        "--largest", type=int, default=10**7, metavar="N", help="leave out cases of more records"
    )
    parser.add_argument(
        "--plain-up-to", type=int, default=50_000, metavar="N", help="records for plain numpy"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    if not options.json:
        print(
            f"{'section':<9}{'case':<30}{'method':<14}{'seconds':>8}{'cpu s':>8}{'MB':>7}{'groups':>8}"
            f"{'loss %':>9}  {'ratio':<36}target"
        )
    context = multiprocessing.get_context("spawn")
    gaussian: dict[tuple[int, int, int], float] = {}
    missed = 0
    for section, case in chosen(options):
        with context.Pool(1) as pool:
            lines = pool.apply(measure, (section, case, options.plain_up_to))
        for line in lines:
            line = judged(line, case, gaussian)
            missed += line.met is False
            print(json.dumps(asdict(line)) if options.json else show(line), flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
