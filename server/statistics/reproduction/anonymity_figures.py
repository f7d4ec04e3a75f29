"""Figures 6 to 10 and 13(b) of effective anonymity, and the approximations of section VI.C.

Nothing of them is published as numbers, so their axes and grids are ours, chosen to show the same quantities.
"""

from __future__ import annotations

from collections.abc import Callable

from server.progress import StageProgress
from server.statistics.approximations import (
    n_min_divergence,
    n_min_pair_lambert,
    n_min_pair_logarithmic,
    n_min_pinsker,
    n_min_quadratic,
)
from server.statistics.reproduction.effective_anonymity import (
    NAMES,
    OURS_ALONE,
    PAPER,
    failure_of_table,
    floats,
    level,
    metrics,
)
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Curve, Figure, Reproduction, Table
from shared.effective_anonymity import n_min

PARTICIPATIONS = ("0.3", "0.4", "0.5", "0.6", "0.75", "0.8", "0.9")
"""Participation in Figure 13, of distortions as well."""
FAILURES = ("1e-2", "1e-4", "1e-6", "1e-8")
"""Acceptable failures in Figure 13."""
K = 10
"""The k of Figures 12 and 13."""
_KS = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200)
_EXPONENTS = tuple(range(1, 13))


def figures_6_to_10(inputs: Inputs, progress: StageProgress) -> Reproduction:  # noqa: ARG001
    """Figures 6 to 10: n_min and the attained failures against k, participation and failure."""
    participations = tuple(f"0.{number:02d}" for number in range(10, 100, 5))
    steps = 5
    against_k = _against_k(participation_values=("0.25", "0.5", "0.75"))
    progress("figures", 1, steps)
    against_participation = _against_participation(participations)
    progress("figures", 2, steps)
    against_failure, attained = _against_failure()
    progress("figures", 3, steps)
    shape = _failure_against_n()
    progress("figures", 4, steps)
    tables = _failure_of_tables()
    progress("figures", 5, steps)
    return Reproduction(
        name="anonymity-figures-6-10",
        paper=PAPER,
        source="Figures 6 to 10",
        tables=(),
        figures=(*shape, against_k, against_participation, against_failure, attained, tables),
        comparisons=(),
        explanation=(
            "How the cell failure depends on the number of people, how n_min depends on k, participation and "
            "acceptable failure, what a cell of n_min people attains, and what this means for a whole table. "
            f"{OURS_ALONE} Values that are printed, in Tables III and IV, are compared in "
            "anonymity-table-3 and anonymity-table-4.\n\n"
            "n_min grows nearly in proportion to k / pi, and with the logarithm of 1 / pbar. What is "
            "attained lies below what is acceptable, in a sawtooth, because people are whole."
        ),
    )


def figure_13b(inputs: Inputs, progress: StageProgress) -> Reproduction:  # noqa: ARG001
    """Figure 13(b): the n_min at which the distortions of Figure 13 are measured."""
    needs = {failure: tuple(n_min(K, level(p), failure) for p in PARTICIPATIONS) for failure in FAILURES}
    rows = tuple(zip(PARTICIPATIONS, *needs.values(), strict=True))
    progress("n_min", 1, 1)
    x = tuple(float(p) for p in PARTICIPATIONS)
    curves = tuple(Curve(f"pbar = {failure}", x, floats(values)) for failure, values in needs.items())
    title = f"People per cell where distortion is measured, k = {K}"
    return Reproduction(
        name="anonymity-figure-13b",
        paper=PAPER,
        source="Figure 13(b)",
        tables=(
            Table(
                name="n-min",
                title=title,
                columns=("pi", *(f"pbar = {failure}" for failure in FAILURES)),
                rows=rows,
            ),
        ),
        figures=(Figure("n-min-of-distortion", title, "participation pi", "n_min", curves),),
        comparisons=(),
        explanation=(
            "What uncertain participation costs, in people: at full participation k would do. "
            f"{OURS_ALONE} The distortions at these n_min are in distortion-census, "
            "distortion-tarragona and distortion-gaussian."
        ),
    )


def approximations(inputs: Inputs, progress: StageProgress) -> Reproduction:  # noqa: ARG001
    """Section VI.C: approximations of n_min beside the exact value."""
    failures = tuple(f"1e-{e}" for e in _EXPONENTS)
    pair = ("0.5", 2)
    larger = ("0.75", 10)
    methods: dict[str, Callable[[int, float, float], float]] = {
        "divergence": n_min_divergence,
        "quadratic": n_min_quadratic,
        "Pinsker": n_min_pinsker,
    }
    pairs: dict[str, Callable[[int, float, float], float]] = {
        "logarithmic": lambda _, participation, failure: n_min_pair_logarithmic(participation, failure),
        "Lambert": lambda _, participation, failure: n_min_pair_lambert(participation, failure),
    }
    figures, tables = [], []
    cases = ((*pair, {**pairs, **methods}), (*larger, methods), ("0.5", 50, methods))
    for number, (participation, k, some) in enumerate(cases):
        exact = [n_min(k, level(participation), failure) for failure in failures]
        guesses = {
            label: [method(k, float(participation), float(failure)) for failure in failures]
            for label, method in some.items()
        }
        name = f"k-{k}"
        title = f"n_min by approximations, k = {k}, pi = {participation}"
        tables.append(
            Table(
                name=f"table-{name}",
                title=title,
                columns=("pbar", "exact", *(f"{label}, error %" for label in guesses)),
                rows=tuple(
                    (failure, exact[i], *(_error(values[i], exact[i]) for values in guesses.values()))
                    for i, failure in enumerate(failures)
                ),
                note="Errors are those of the real number, before it is rounded up.",
            )
        )
        x = tuple(float(e) for e in _EXPONENTS)
        curves = [Curve("exact", x, tuple(map(float, exact)))]
        curves += [Curve(label, x, tuple(values)) for label, values in guesses.items()]
        figures.append(
            Figure(
                name=name,
                title=title,
                x_label="-log10 of the acceptable failure",
                y_label="people",
                curves=tuple(curves),
            )
        )
        progress("approximations", number + 1, len(cases))
    return Reproduction(
        name="anonymity-approximations",
        paper=PAPER,
        source="Section VI.C",
        tables=tuple(tables),
        figures=tuple(figures),
        comparisons=(),
        explanation=(
            "For k = 2 there are two closed forms: the logarithmic one leaves out a factor and stays below, "
            "Lambert's is exact when rounded up. For larger k the divergence form bounds n_min from above "
            "and is found by root finding; the quadratic form and Pinsker's are explicit. "
            f"{OURS_ALONE} The exact value is what designs use; an approximation is never used "
            "where a promise depends on it."
        ),
    )


def _against_k(participation_values: tuple[str, ...]) -> Figure:
    curves = tuple(
        Curve(
            f"pi = {participation}, pbar = {failure}",
            floats(_KS),
            tuple(float(n_min(k, level(participation), failure)) for k in _KS),
        )
        for participation in participation_values
        for failure in ("1e-4", "1e-8")
    )
    return Figure(
        name="n-min-against-k",
        title="People per cell against k",
        x_label="k",
        y_label="n_min",
        curves=curves,
        log_x=True,
        log_y=True,
    )


def _against_participation(participations: tuple[str, ...]) -> Figure:
    curves = tuple(
        Curve(
            f"k = {k}, pbar = 1e-6",
            tuple(float(p) for p in participations),
            tuple(float(n_min(k, level(p), "1e-6")) for p in participations),
        )
        for k in (2, 10, 50)
    )
    return Figure(
        name="n-min-against-participation",
        title="People per cell against participation",
        x_label="participation pi",
        y_label="n_min",
        curves=curves,
        log_y=True,
    )


def _against_failure() -> tuple[Figure, Figure]:
    """n_min against the acceptable failure, and the failures that are then attained."""
    x = tuple(float(f"1e-{e}") for e in _EXPONENTS)
    needs = []
    for k in (10, 50):
        for participation in ("0.5", "0.75"):
            sizes = [n_min(k, level(participation), f"1e-{e}") for e in _EXPONENTS]
            needs.append(Curve(f"k = {k}, pi = {participation}", x, floats(tuple(sizes))))
    attained = [metrics(n_min(10, level("0.75"), f"1e-{e}"), "0.75", 10) for e in _EXPONENTS]
    shown = (("attained_cell_failure", "qbar"), *NAMES[2:])
    failures = tuple(
        Curve(short, x, tuple(float(getattr(found, field)) for found in attained)) for field, short in shown
    )
    return (
        Figure(
            name="n-min-against-failure",
            title="People per cell against the acceptable failure",
            x_label="acceptable failure pbar",
            y_label="n_min",
            curves=tuple(needs),
            log_x=True,
        ),
        Figure(
            name="attained-against-acceptable",
            title="What is attained, k = 10, pi = 0.75",
            x_label="acceptable failure pbar",
            y_label="probability",
            curves=(Curve("acceptable", x, x), *failures),
            log_x=True,
            log_y=True,
        ),
    )


def _failure_against_n() -> tuple[Figure, Figure]:
    """Qbar, r and r' of growing cells; and u, the records exposed when a cell fails."""
    n = tuple(range(10, 61))
    found = [metrics(size, "0.75", 10) for size in n]
    half = [metrics(size, "0.5", 10) for size in n]
    curves = tuple(
        Curve(f"{short}, pi = {participation}", floats(n), tuple(float(getattr(m, field)) for m in some))
        for participation, some in (("0.75", found), ("0.5", half))
        for field, short in (NAMES[0], NAMES[3])
    )
    exposed = tuple(
        Curve(
            f"pi = {participation}",
            floats(n),
            tuple(float(m.expected_unprotected_records) for m in some),
        )
        for participation, some in (("0.75", found), ("0.5", half))
    )
    return (
        Figure(
            name="failure-against-people",
            title="Failure of a cell against its people, k = 10",
            x_label="people of the cell",
            y_label="probability",
            curves=curves,
            log_y=True,
        ),
        Figure(
            name="exposed-against-people",
            title="Records exposed by a failed cell, k = 10",
            x_label="people of the cell",
            y_label="u, records",
            curves=exposed,
        ),
    )


def _failure_of_tables() -> Figure:
    x = tuple(10 ** (exponent / 2) for exponent in range(6, 15))
    curves = []
    for k in (10, 50):
        for failure in ("1e-4", "1e-6"):
            n = n_min(k, level("0.75"), failure)
            qbar = metrics(n, "0.75", k).attained_cell_failure
            y = tuple(failure_of_table(qbar, people, n) for people in x)
            curves.append(Curve(f"k = {k}, pbar = {failure}", x, y))
    return Figure(
        name="table-failure",
        title="That a table has a failing cell, pi = 0.75",
        x_label="people of the table",
        y_label="table failure",
        curves=tuple(curves),
        log_x=True,
        log_y=True,
    )


def _error(value: float, exact: int) -> float:
    """In percent."""
    return 100 * (value - exact) / exact
