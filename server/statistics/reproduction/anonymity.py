"""Effective anonymity: Tables II to IV, Figures 6 to 10 and 13b, section VI.C, and two grids of exact values.

How many people a cell needs, how often it fails, and what that means for a person and for a whole table.
Everything is exact (`shared.effective_anonymity`); no data set is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Final

import numpy as np

from server.progress import StageProgress
from server.statistics import approximations as near
from server.statistics.measures.participation import participant_failures
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import At, Record
from shared.effective_anonymity import cell_failure, n_min, n_min_safe, table_failure
from shared.metrics import Metrics
from shared.participation import ParticipationLevel

FILE: Final = "effective_anonymity"
MORE: Final = ("additional_reference", "p_probabilistic_004")
_COMBINATION: Final = ("k", "participation", "acceptable_cell_failure")
EXACT: Final = 1e-20
"""Relative error that is promised beside exact fractions; they are given to 25 digits."""
NAMES: Final = (
    ("attained_cell_failure", "qbar"),
    ("expected_unprotected_records", "u"),
    ("record_failure", "r"),
    ("record_failure_given_participation", "r'"),
)
SIMULATED: Final = 100_000
"""Cells of Table II."""
PAIR_FORMS: Final[dict[str, Callable[[float, float], float]]] = {
    "n0": near.n_min_pair_first,
    "n1": near.n_min_pair_second,
    "n2": near.n_min_pair_third,
    "Lambert (ours)": near.n_min_pair_lambert,
}
FORMS: Final[dict[str, Callable[[int, float, float], float]]] = {
    "n1": near.n_min_divergence,
    "n1'": near.n_min_quadratic,
    "n1''": near.n_min_simplified,
    "n2": near.n_min_second_order,
}


def level(participation: str) -> ParticipationLevel:
    """Everybody takes part with this probability."""
    return ParticipationLevel(low=participation, high=participation)


def metrics(n: int, participation: str, k: int) -> Metrics:
    """Of a cell of n people who all take part with this probability."""
    return cell_failure((n,), (participation,), k)


def table_2(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Table II: k = 20, pi = 0.5, pbar = 0.1, exactly and by simulating 10^5 cells."""
    n, k = n_min(20, level("0.5"), "0.1"), 20
    yield Record(at={"by": "algorithm"}, measure="n_min", ours=n, **_printed(inputs, "n_min", 0))
    found = metrics(n, "0.5", k)
    exact = {short: float(getattr(found, field)) for field, short in NAMES[:3]}
    participants = np.random.default_rng(0).binomial(n, 0.5, SIMULATED)
    failing = participants[(participants > 0) & (participants < k)]
    q, sizes = len(failing) / SIMULATED, (float(failing.mean()), float(failing.std()))
    simulated = {"qbar": q, "u": sizes[0], "r": float(failing.sum()) / SIMULATED / n}
    # Of two independent simulations; four deviations of their difference are promised.
    spread = math.sqrt(2 * q / SIMULATED) * np.array([1, 0, sizes[0] / n])
    spread[1] = math.sqrt(2 / q / SIMULATED) * sizes[1]
    for place, (short, key, digits) in enumerate((("qbar", "q", 5), ("u", "u", 2), ("r", "r", 5))):
        for by, ours, more in (
            ("algorithm", exact[short], 0.0),
            ("simulation", simulated[short], 4 * spread[place]),
        ):
            value = inputs.figures(*MORE, "table_2", by, key)
            yield _rounded({"by": by}, short, ours, value, digits, float(more))
    progress("cells", 1, 1)


def table_3(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Table III: n_min and the attained failures."""
    published = inputs.figure_rows(FILE, "paper_table_iii", (*_COMBINATION, "n_min", "q", "u", "r", "rp"))
    wanted = [tuple(row[field] for field in _COMBINATION) for row in published] or [
        (k, p, failure) for k in (10, 50) for p in ("0.75", "0.5") for failure in ("1e-4", "1e-5", "1e-6")
    ]
    for number, (k, participation, failure) in enumerate(wanted):
        printed = published[number] if published else {}
        at: At = {"k": k, "pi": participation, "pbar": failure}
        n = n_min(k, level(participation), failure)
        yield _count(at, "n_min", n, printed.get("n_min"))
        found = metrics(n, participation, k)
        for (field, short), key in zip(NAMES, ("q", "u", "r", "rp"), strict=True):
            yield _significant(at, short, float(getattr(found, field)), printed.get(key))
        progress("cells", number + 1, len(wanted))


def table_4(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Table IV: failure of a whole table, and r and r' of its people."""
    published = inputs.figure_rows(FILE, "paper_table_iv", (*_COMBINATION, "N", "table_failure"))
    wanted = [(r["k"], r["N"], r["participation"], r["acceptable_cell_failure"]) for r in published] or [
        (k, size, "0.75", failure)
        for k in (10, 50)
        for size in (10**4, 10**5, 10**6)
        for failure in ("1e-4", "1e-5", "1e-6")
    ]
    for number, (k, people, participation, failure) in enumerate(wanted):
        at: At = {"k": k, "N": people, "pi": participation, "pbar": failure}
        n = n_min(k, level(participation), failure)
        found = metrics(n, participation, k)
        cells, rest = divmod(people, n)
        last = metrics(n + rest, participation, k).attained_cell_failure
        tbar = float(table_failure([*[found.attained_cell_failure] * (cells - 1), last]))
        yield _significant(at, "tbar", tbar, published[number]["table_failure"] if published else None)
        closed = -math.expm1(people / n * math.log1p(-float(found.attained_cell_failure)))
        yield Record(at=at, measure="tbar with N / n_min cells", ours=closed)
        printed = inputs.figures(*MORE, "table_4_r_rp", str(k), failure) or (None, None)
        for (field, short), value in zip(NAMES[2:], printed, strict=True):
            yield _significant(at, short, float(getattr(found, field)), value)
        progress("tables", number + 1, len(wanted))


def figure_6(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:  # noqa: ARG001
    """Figure 6: the exact qbar beside a binomial CDF routine in doubles."""
    from scipy.stats import binom

    k, n = 20, 20
    while (exact := float(metrics(n, "0.5", k).attained_cell_failure)) > 1e-17:
        upper = 1 - float(binom.sf(k - 1, n, 0.5))
        cdf = float(binom.cdf(k - 1, n, 0.5) - binom.cdf(0, n, 0.5))
        for routine, value in (("F(k-1) - F(0)", cdf), ("1 - (1 - F(k-1))", upper)):
            at: At = {"routine": routine, "n": n}
            yield Record(at=at, measure="relative error, percent", ours=100 * (value / exact - 1))
        progress("sizes", n - k + 1, 112)
        n += 1


def figure_7(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:  # noqa: ARG001
    """Figure 7: n_min against the acceptable failure, k = 50, pi = 0.5."""
    failures = [f"{base}e-{e}" for e in range(1, 9) for base in (10, 5, 2)] + ["3.4e-6", "2.87e-7"]
    for number, failure in enumerate(sorted(failures, key=float, reverse=True), 1):
        yield Record(at={"pbar": float(failure)}, measure="n_min", ours=n_min(50, level("0.5"), failure))
        progress("n_min", number, len(failures))


def figures_8_9(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figures 8 and 9: n_min against k with its approximations and their errors, pi = 0.5, pbar = 1e-6."""
    ks = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
    keys = ("figures_8_9", "checked_error_percent_k_2_5_10_20_50_100")
    for number, k in enumerate(ks, 1):
        exact = n_min(k, level("0.5"), "1e-6")
        yield Record(at={"form": "exact", "k": k}, measure="n_min", ours=exact)
        for form, function in FORMS.items():
            at: At = {"form": form, "k": k}
            value = function(k, 0.5, 1e-6)
            yield Record(at=at, measure="n_min", ours=value)
            known = inputs.figures(*MORE, *keys, form) if k in (2, 5, 10, 20, 50, 100) else None
            checked = known[(2, 5, 10, 20, 50, 100).index(k)] if known else None
            yield _rounded(at, "error, percent", 100 * (value / exact - 1), checked, 2)
        progress("n_min", number, len(ks))


def figure_10(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Figure 10: k = 2, pi = 0.5, 4,001 failures from 1e-7 to 1e-3: which forms are exact when rounded up."""
    qbar = [n * 0.5**n for n in range(64)]
    counts = dict.fromkeys(PAIR_FORMS, (0, 0))
    points = 4_001
    for i in range(points):
        failure = 10 ** (-7 + i / 1000)
        exact = next(n for n in range(2, 64) if qbar[n] <= failure)
        values = {form: function(0.5, failure) for form, function in PAIR_FORMS.items()}
        for form, value in values.items():
            hits, bounds = counts[form]
            counts[form] = (hits + (math.ceil(value) == exact), bounds + (math.ceil(value) >= exact))
        if i % 250 == 0:
            for form, value in {"exact": float(exact), **values}.items():
                yield Record(at={"form": form, "pbar": failure}, measure="n_min", ours=value)
            progress("failures", i + 1, points)
    known = {
        ("n1", 0): "ceil_n1_exact",
        ("n1", 1): "ceil_n1_upper_bound",
        ("n2", 0): "ceil_n2_exact",
    }
    for form, found in counts.items():
        for place, measure in enumerate(("times exact", "times an upper bound")):
            key = known.get((form, place))
            checked = inputs.figures(*MORE, "figure_10", "checked_pi_0.5", key) if key else None
            yield _count({"form": form}, measure, found[place], checked)


def figure_13b(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:  # noqa: ARG001
    """Figure 13b: qbar of cells of k people against participation; at worst 1 - 2^(1-k)."""
    for k in (2, 3, 5, 10, 20, 50):
        for hundredth in range(5, 100, 5):
            pi = f"{hundredth / 100:g}"
            ours = float(metrics(k, pi, k).attained_cell_failure)
            closed = -math.expm1(math.log(float(pi) ** k + (1 - float(pi)) ** k))
            at: At = {"k": k, "pi": float(pi)}
            yield Record(at=at, measure="qbar", ours=ours, published=closed, tolerance=1e-12)
        progress("cells", k, 50)


def approximations(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Section VI.C on the exact grid: how often each form is exact or a bound, and its errors."""
    rows = inputs.figure_rows(FILE, "grid", (*_COMBINATION, "n_min"))
    if not rows:
        rows = [
            {"k": k, "participation": p, "acceptable_cell_failure": f, "n_min": n_min(k, level(p), f)}
            for k in (2, 5, 20, 100)
            for p in ("0.25", "0.5", "0.75")
            for f in ("1e-2", "1e-6", "1e-12")
        ]
    pair: dict[str, Callable[[int, float, float], float]] = {
        f"{form}, k = 2": lambda _, pi, failure, function=function: function(pi, failure)  # type: ignore[misc]
        for form, function in PAIR_FORMS.items()
    }
    for number, (form, function) in enumerate({**FORMS, **pair}.items(), 1):
        errors, exact, bounds = [], 0, 0
        for row in rows:
            if form in pair and row["k"] != 2:
                continue
            try:
                value = function(row["k"], float(row["participation"]), float(row["acceptable_cell_failure"]))
            except ValueError:  # failures too large for the forms of a pair
                continue
            errors.append(100 * (value / row["n_min"] - 1))
            exact += math.ceil(value) == row["n_min"]
            bounds += math.ceil(value) >= row["n_min"]
        at: At = {"form": form}
        for measure, count in (("combinations", len(errors)), ("exact", exact), ("upper bound", bounds)):
            yield Record(at=at, measure=measure, ours=count)
        for measure, error in (
            ("least", min(errors)),
            ("median", np.median(errors)),
            ("largest", max(errors)),
        ):
            yield Record(at=at, measure=f"{measure} error, percent", ours=float(error))
        progress("forms", number, len(FORMS) + len(pair))


def low_participation(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """Low and uneven participation: why n_min is not enough, and r' of the worst-off person."""
    published = inputs.figure_rows(FILE, "low_participation", (*_COMBINATION, "n_min", "n_min_safe"))
    uneven = inputs.figure_rows(FILE, "uneven_participation", (*_COMBINATION, "n_min"))
    cases = [tuple(r[field] for field in _COMBINATION) for r in published]
    for number, (k, participation, failure) in enumerate(cases or [(2, "0.05", "0.1"), (10, "0.01", "0.01")]):
        at: At = {"k": k, "pi": participation, "pbar": failure}
        known = published[number] if published else {}
        smallest = n_min(k, level(participation), failure)
        yield _count(at, "n_min", smallest, known.get("n_min"))
        yield _count(at, "n_min_safe", n_min_safe(k, level(participation), failure), known.get("n_min_safe"))
        yield from _exact(at, metrics(smallest, participation, k), known)
    for number, case in enumerate(uneven, 1):
        people, k = case["participation"], case["k"]
        n = next(
            n
            for n in range(k, len(people) + 1)
            if cell_failure((1,) * n, people[:n], k).attained_cell_failure
            <= Decimal(case["acceptable_cell_failure"])
        )
        at = {"k": k, "participation": "uneven", "set": number}
        yield _count(at, "n_min", n, case["n_min"])
        yield from _exact(at, cell_failure((1,) * n, people[:n], k), case)
    for name, ones in (("4 and 1 people", (4, 1)), ("9 and 1 people", (9, 1))):
        found = participant_failures(ones, ("0.05", "0.9"), 2)
        given = cell_failure(ones, ("0.05", "0.9"), 2).record_failure_given_participation
        at = {"cell": f"{name} of pi 0.05 and 0.9, k = 2"}
        yield Record(at=at, measure="r', mean over people (the paper's)", ours=float(found.mean))
        yield Record(at=at, measure="r', mean over participants", ours=float(given))
        yield Record(at=at, measure="r', worst-off person", ours=float(found.worst))
    for size in range(2, 121):
        found_at = metrics(size, "0.05", 2)
        for field, short in (NAMES[0], NAMES[3]):
            yield Record(at={"people": size}, measure=short, ours=float(getattr(found_at, field)))
    progress("cells", 1, 1)


def grid(inputs: Inputs, progress: StageProgress) -> Iterator[Record]:
    """The exact grid: k from 2 to 500, participation from 0.1 to 0.99, failures down to 1e-200."""
    fields = (*_COMBINATION, "n_min", "n_min_safe", *(field for field, _ in NAMES))
    published = inputs.figure_rows(FILE, "grid", fields)
    worst: dict[tuple[int, str], float] = {}
    for number, row in enumerate(published, 1):
        k, participation, failure = (row[field] for field in _COMBINATION)
        at: At = {"k": k, "pi": participation, "pbar": failure}
        yield _count(at, "n_min", n_min(k, level(participation), failure), row["n_min"])
        yield _count(at, "n_min_safe", n_min_safe(k, level(participation), failure), row["n_min_safe"])
        found = metrics(row["n_min"], participation, k)
        for field, short in NAMES:
            exact = Decimal(row[field])
            error = abs(getattr(found, field) - exact) / (exact or 1)
            worst[k, short] = max(worst.get((k, short), 0.0), float(error))
        progress("grid", number, len(published))
    for (k, short), error in worst.items():
        yield Record(
            at={"k": k, "of": short},
            measure="largest relative error",
            ours=error,
            published=EXACT,
            tolerance=0.0,
            sense="at-most",
        )


def _printed(inputs: Inputs, key: str, tolerance: float) -> dict[str, Any]:
    value = inputs.figures(*MORE, "table_2", key)
    return {} if value is None else {"published": value, "tolerance": tolerance}


def _count(at: At, measure: str, ours: int, published: int | None) -> Record:
    """A whole number, which must be met."""
    tolerance = None if published is None else 0.0
    return Record(at=at, measure=measure, ours=ours, published=published, tolerance=tolerance)


def _rounded(
    at: At, measure: str, ours: float, published: float | None, decimals: int, more: float = 0.0
) -> Record:
    """A value printed with so many decimals; ``more`` is promised beyond its rounding."""
    digit = 10.0**-decimals
    tolerance = None if published is None else digit / 2 + more
    return Record(at=at, measure=measure, ours=ours, published=published, digit=digit, tolerance=tolerance)


def _significant(at: At, measure: str, ours: float, published: float | None) -> Record:
    """A value printed with three significant digits."""
    decimals = 2 - math.floor(math.log10(published or 1.0))
    return _rounded(at, measure, ours, published, decimals)


def _exact(at: At, found: Metrics, exact: dict[str, Any]) -> Iterator[Record]:
    """Failures, beside exact ones to 12 digits where they are known."""
    for field, short in NAMES:
        ours, known = float(getattr(found, field)), exact.get(field)
        if known is None:
            yield Record(at=at, measure=short, ours=ours)
        else:
            bound = 1e-12 * float(known)
            yield Record(at=at, measure=short, ours=ours, published=float(known), tolerance=bound)
