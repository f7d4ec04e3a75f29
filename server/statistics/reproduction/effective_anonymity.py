"""Effective anonymity: Tables II to IV, the trap of low participation, and a grid of exact values.

How many people a cell needs, how often it fails, and what that means for a person and for a whole table.
Everything is exact (`shared.effective_anonymity`); no data set is read. The figures of the paper are in
`server.statistics.reproduction.anonymity_figures`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from server.progress import StageProgress
from server.statistics.reproduction.catalogue import PAPERS
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Cell, Comparison, Curve, Figure, Reproduction, Table
from shared.effective_anonymity import cell_failure, n_min, n_min_safe, table_failure
from shared.metrics import Metrics
from shared.participation import ParticipationLevel

PAPER = PAPERS["p-probabilistic"]
FILE = "effective_anonymity"
_KS = (2, 5, 10, 20, 50, 100)
_PARTICIPATIONS = ("0.25", "0.5", "0.75", "0.9")
_FAILURES = ("1e-2", "1e-4", "1e-6", "1e-8")
_COMBINATION = ("k", "participation", "acceptable_cell_failure")
EXACT = 1e-20
"""Relative error that is promised beside exact fractions; they are given to 25 digits."""
OURS_ALONE = "Its published values are not at hand, so its grid is ours and nothing is compared."
NAMES = (
    ("attained_cell_failure", "qbar"),
    ("expected_unprotected_records", "u"),
    ("record_failure", "r"),
    ("record_failure_given_participation", "r'"),
)


def level(participation: str) -> ParticipationLevel:
    """Everybody takes part with this probability."""
    return ParticipationLevel(low=participation, high=participation)


def metrics(n: int, participation: str, k: int) -> Metrics:
    """Of a cell of n people who all take part with this probability."""
    return cell_failure((n,), (participation,), k)


def table_2(inputs: Inputs, progress: StageProgress) -> Reproduction:  # noqa: ARG001 - common signature
    """Table II: n_min for k, participation and acceptable failure."""
    tables = []
    for number, failure in enumerate(_FAILURES):
        rows = tuple(
            (k, *(n_min(k, level(participation), failure) for participation in _PARTICIPATIONS)) for k in _KS
        )
        tables.append(
            Table(
                name=f"n-min-{failure.replace('-', '')}",
                title=f"n_min at an acceptable cell failure of {failure}",
                columns=("k", *(f"pi = {participation}" for participation in _PARTICIPATIONS)),
                rows=rows,
            )
        )
        progress("n_min", number + 1, len(_FAILURES))
    return Reproduction(
        name="anonymity-table-2",
        paper=PAPER,
        source="Table II",
        tables=tuple(tables),
        figures=(),
        comparisons=(),
        explanation=(
            f"Effective anonymity, n_min, is the smallest cell that fails with at most the acceptable "
            f"probability. {OURS_ALONE} The n_min of Table III, which are at hand, agree exactly "
            "(anonymity-table-3). For these parameters n_min is also n_min_safe: no larger cell fails more "
            "often."
        ),
    )


def table_3(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Table III: n_min and the attained failures."""
    published = inputs.figure_rows(FILE, "paper_table_iii", (*_COMBINATION, "n_min", "q", "u", "r", "rp"))
    wanted = [(r["k"], r["participation"], r["acceptable_cell_failure"]) for r in published]
    if not wanted:
        failures = ("1e-4", "1e-5", "1e-6")
        wanted = [(k, p, failure) for k in (10, 50) for p in ("0.75", "0.5") for failure in failures]
    rows: list[tuple[Cell, ...]] = []
    comparisons: list[Comparison] = []
    for number, (k, participation, failure) in enumerate(wanted):
        n = n_min(k, level(participation), failure)
        found = metrics(n, participation, k)
        values = [float(getattr(found, field)) for field, _ in NAMES]
        rows.append((k, participation, failure, n, *values))
        if published:
            printed = published[number]
            where = (f"k = {k}", f"pi = {participation}", f"pbar = {failure}")
            comparisons.append(Comparison(where, "n_min", n, printed["n_min"], 0.0, "people"))
            keys = zip(NAMES, values, ("q", "u", "r", "rp"), strict=True)
            for (_, short), value, key in keys:
                comparisons.append(_rounded(where, short, value, printed[key]))
        progress("cells", number + 1, len(wanted))
    return Reproduction(
        name="anonymity-table-3",
        paper=PAPER,
        source="Table III",
        tables=(
            Table(
                name="attained",
                title="n_min, and what a cell of n_min people attains",
                columns=("k", "pi", "pbar", "n_min", "qbar", "u", "r", "r'"),
                rows=tuple(rows),
                note=(
                    "qbar: the cell fails; u: records that a failed cell exposes, on average; r: an eligible "
                    "person takes part and is exposed; r': a person who does take part is exposed."
                ),
            ),
        ),
        figures=(),
        comparisons=tuple(comparisons),
        explanation=(
            "Every n_min is the published one, and every failure agrees to the three digits that are "
            "printed: each promised bound is half a unit of the last printed digit. Ours are sums of "
            "positive terms in 50-digit decimals, so what is left is the rounding of the printed table."
        ),
    )


def table_4(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Table IV: failure of a whole table of N / n_min cells."""
    published = inputs.figure_rows(FILE, "paper_table_iv", (*_COMBINATION, "N", "table_failure"))
    wanted = [(r["k"], r["N"], r["participation"], r["acceptable_cell_failure"]) for r in published]
    if not wanted:
        failures = ("1e-4", "1e-5", "1e-6")
        sizes = (10**4, 10**5, 10**6)
        wanted = [(k, size, "0.75", failure) for k in (10, 50) for size in sizes for failure in failures]
    rows: list[tuple[Cell, ...]] = []
    comparisons: list[Comparison] = []
    for number, (k, people, participation, failure) in enumerate(wanted):
        n = n_min(k, level(participation), failure)
        qbar = metrics(n, participation, k).attained_cell_failure
        cells, rest = divmod(people, n)
        last = metrics(n + rest, participation, k).attained_cell_failure
        tbar = float(table_failure([*[qbar] * (cells - 1), last]))
        rows.append((k, people, participation, failure, n, cells, tbar, failure_of_table(qbar, people, n)))
        if published:
            where = (f"k = {k}", f"N = {people}", f"pi = {participation}", f"pbar = {failure}")
            comparisons.append(_rounded(where, "table failure", tbar, published[number]["table_failure"]))
        progress("tables", number + 1, len(wanted))
    return Reproduction(
        name="anonymity-table-4",
        paper=PAPER,
        source="Table IV",
        tables=(
            Table(
                name="table-failure",
                title="That at least one cell of the table fails",
                columns=("k", "N", "pi", "pbar", "n_min", "cells", "table failure", "with N / n_min cells"),
                rows=tuple(rows),
            ),
        ),
        figures=(),
        comparisons=tuple(comparisons),
        explanation=(
            "The table failure is 1 - prod (1 - qbar) over cells of n_min people, of which the last one "
            "also takes the people who are left over, as in MDAV. It is larger, so it hardly ever fails; "
            "with that every printed value follows to its three digits. The closed form with N / n_min "
            "cells, as a real number, stands in the last column; it is up to 1.7 % larger. Each promised "
            "bound is half a unit of the last printed digit."
        ),
    )


def low_participation(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Low participation: why n_min is not enough, in a picture and in three cases."""
    published = inputs.figure_rows(FILE, "low_participation", (*_COMBINATION, "n_min", "n_min_safe"))
    uneven = inputs.figure_rows(FILE, "uneven_participation", (*_COMBINATION, "n_min"))
    comparisons: list[Comparison] = []
    rows: list[tuple[Cell, ...]] = []
    cases = [(r["k"], r["participation"], r["acceptable_cell_failure"]) for r in published]
    for number, (k, participation, failure) in enumerate(cases or [(2, "0.05", "0.1"), (10, "0.01", "0.01")]):
        one = level(participation)
        smallest, safe = n_min(k, one, failure), n_min_safe(k, one, failure)
        found = metrics(smallest, participation, k)
        values = [float(getattr(found, field)) for field, _ in NAMES]
        rows.append((k, participation, failure, smallest, safe, *values))
        if published:
            where = (f"k = {k}", f"pi = {participation}", f"pbar = {failure}")
            for short, ours in (("n_min", smallest), ("n_min_safe", safe)):
                comparisons.append(Comparison(where, short, ours, published[number][short], 0.0, "people"))
            comparisons += _exact(where, found, published[number])
    for number, case in enumerate(uneven, 1):
        grown, found = _grown(case["participation"], case["k"], case["acceptable_cell_failure"])
        where = (f"k = {case['k']}", "uneven participation", f"set {number}")
        comparisons.append(Comparison(where, "n_min", grown, case["n_min"], 0.0, "people"))
        comparisons += _exact(where, found, case)
    progress("cells", 1, 1)
    people = tuple(range(2, 121))
    exposed = [metrics(size, "0.05", 2) for size in people]
    figure = Figure(
        name="trap",
        title="k = 2, pi = 0.05: a small cell looks safe by being empty",
        x_label="people of the cell",
        y_label="probability",
        curves=(
            Curve(
                "cell failure qbar", floats(people), tuple(float(m.attained_cell_failure) for m in exposed)
            ),
            Curve(
                "r': exposed, of those who take part",
                floats(people),
                tuple(float(m.record_failure_given_participation) for m in exposed),
            ),
            Curve("acceptable failure 0.1", (2.0, 120.0), (0.1, 0.1)),
        ),
        note="qbar is below 0.1 at 2 people and again from 71 on; in between a cell fails too often.",
    )
    return Reproduction(
        name="anonymity-low-participation",
        paper=PAPER,
        source="Sections VI.A and VI.C, where participation is low or uneven",
        tables=(
            Table(
                name="cases",
                title="n_min beside n_min_safe",
                columns=("k", "pi", "pbar", "n_min", "n_min_safe", "qbar", "u", "r", "r'"),
                rows=tuple(rows),
                note="Failures are those of a cell of n_min people.",
            ),
        ),
        figures=(figure,),
        comparisons=tuple(comparisons),
        explanation=(
            "Here we leave the paper. By its formula two people suffice for k = 2, pi = 0.05, pbar = 0.1: "
            "their cell is nearly always empty. But a cell of 30 fails more often, and whoever does take "
            "part in the cell of two is exposed with probability 0.95. Designs therefore use n_min_safe, "
            "from which on no cell fails too often.\n\n"
            "The published values of this entry are no printed ones: they are exact, by an independent "
            "program in fractions, for even and for uneven participation. Of uneven people, n_min are the "
            "first of a list, one more at a time until their cell is acceptable. Ours agree to 12 digits."
        ),
    )


def grid(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """The exact grid: k from 2 to 500, participation from 0.1 to 0.99, failures down to 1e-200."""
    fields = (*_COMBINATION, "n_min", "n_min_safe", *(field for field, _ in NAMES))
    published = inputs.figure_rows(FILE, "grid", fields)
    comparisons: list[Comparison] = []
    worst: dict[int, dict[str, float]] = {}
    counts: dict[int, int] = {}
    for number, row in enumerate(published):
        k, participation, failure = row["k"], row["participation"], row["acceptable_cell_failure"]
        one = level(participation)
        n = n_min(k, one, failure)
        where = (f"k = {k}", f"pi = {participation}", f"pbar = {failure}")
        comparisons.append(Comparison(where, "n_min", n, row["n_min"], 0.0, "people"))
        safe = n_min_safe(k, one, failure)
        comparisons.append(Comparison(where, "n_min_safe", safe, row["n_min_safe"], 0.0, "people"))
        found = metrics(row["n_min"], participation, k)
        errors = worst.setdefault(k, {short: 0.0 for _, short in NAMES})
        counts[k] = counts.get(k, 0) + 1
        for field, short in NAMES:
            exact = Decimal(row[field])
            error = abs(getattr(found, field) - exact) / exact if exact else abs(getattr(found, field))
            errors[short] = max(errors[short], float(error))
        progress("grid", number + 1, len(published))
    for k, errors in sorted(worst.items()):
        for short, error in errors.items():
            measure = f"largest relative error of {short}"
            comparisons.append(Comparison((f"k = {k}",), measure, error, EXACT, 0.0, "", "at-most"))
    table = Table(
        name="errors",
        title="Largest relative errors against exact fractions",
        columns=("k", "combinations", *(short for _, short in NAMES)),
        rows=tuple((k, counts[k], *errors.values()) for k, errors in sorted(worst.items())),
    )
    return Reproduction(
        name="anonymity-grid",
        paper=PAPER,
        source="Sections VI.A and VI.C, on a grid of combinations with exact values",
        tables=(table,),
        figures=(),
        comparisons=tuple(comparisons),
        explanation=(
            "Not a printed table: exact values by an independent program in fractions, given to 25 digits. "
            "Every n_min is the same; failures agree to all digits that are given, also at 1e-200, where the "
            "paper's own way (differences of cumulative probabilities) has lost all of them."
        ),
    )


def _grown(participations: Sequence[str], k: int, failure: str) -> tuple[int, Metrics]:
    """Smallest acceptable cell of the first people of a list, of at least k, and its metrics."""
    for n in range(k, len(participations) + 1):
        found = cell_failure((1,) * n, participations[:n], k)
        if found.attained_cell_failure <= Decimal(failure):
            return n, found
    raise ValueError("all people together do not make an acceptable cell")


def failure_of_table(qbar: Decimal, people: float, n: int) -> float:
    """1 - (1 - qbar)^(people / n), without cancellation."""
    return -math.expm1(people / n * math.log1p(-float(qbar)))


def _rounded(where: tuple[str, ...], measure: str, ours: float, printed: float) -> Comparison:
    """A comparison with a value that was printed with three significant digits."""
    unit = 10.0 ** (math.floor(math.log10(printed)) - 2)
    return Comparison(where, measure, ours, printed, unit / 2, "")


def _exact(where: tuple[str, ...], found: Metrics, exact: dict[str, Any]) -> list[Comparison]:
    """Comparisons with exact values, to 12 digits."""
    return [
        Comparison(
            where, short, float(getattr(found, field)), float(exact[field]), 1e-12 * float(exact[field]), ""
        )
        for field, short in NAMES
        if field in exact
    ]


def floats(values: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
