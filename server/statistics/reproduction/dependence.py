"""Preservation of statistical dependence: what the weight of the confidential attributes trades for what.

Figures 8 to 14: D_X against D_Y as lambda goes from 0 to 1, D(lambda), DLD, average KL risk and l_avg, on
Gaussian pairs of correlation 0.5 and 0.9 and on Census and Tarragona, whose first six attributes are the
quasi-identifiers X and whose last seven the confidential attributes Y.

References
----------
D. Rebollo-Monedero, J. Forne, M. Soriano, J. Puiggali Allepuz, "k-Anonymous microaggregation with
preservation of statistical dependence", Information Sciences 342 (2016) 1-23.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from server.arrays import FloatArray, IntArray
from server.progress import StageProgress
from server.statistics.measures.disclosure_risk import distance_linkage
from server.statistics.measures.diversity import Contingency, average_kl_risk, average_l, coded, in_intervals
from server.statistics.measures.information_loss import (
    combined_distortion,
    distortion_of_dependence,
    distortion_of_quasi_identifiers,
)
from server.statistics.measures.moments import moments
from server.statistics.microaggregation.dependence import preserving_dependence
from server.statistics.microaggregation.mdav_records import mdav_records
from server.statistics.microaggregation.preparation import group_means, standardize
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.reproduction.catalogue import PAPERS
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Curve, Figure, Reproduction, Table

PAPER = PAPERS["dependence"]
KS = (3, 5, 10)
WEIGHTS = (0, 0.001, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 0.99, 0.999, 1)
"""Values of lambda."""
INTERVALS = (0.1, 0.5, 1.0)
"""Values of Delta, in standard deviations."""
QUASI_IDENTIFIERS = 6
CORRELATIONS = (0.5, 0.9)
PAIRS = 10_000
_LARGEST = KS[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What one partition costs and discloses; with several confidential attributes, means over them.

    Parameters
    ----------
    d_x, d_y, combined : float
        D_X, D_Y and D(lambda), as shares of the total.
    linkage : float
        DLD by the quasi-identifiers, in percent.
    risk, diversity : tuples of float
        Average KL risk in bits and l_avg, for each of `INTERVALS`.
    correlation_error : float
        Root mean square, over all pairs of a quasi-identifier and a confidential attribute, of the
        correlation in the masked table (X masked, Y as it was) minus the original one.
    """

    d_x: float
    d_y: float
    combined: float
    linkage: float
    risk: tuple[float, ...]
    diversity: tuple[float, ...]
    correlation_error: float


Trade = dict[tuple[int, float], Point]
"""(k, lambda) -> what MDAV's partition of (X, beta Y) gives."""


def point(X: FloatArray, Y: FloatArray, labels: IntArray, weight: float) -> Point:
    """Measure a partition of standardized quasi-identifiers X and confidential attributes Y."""
    masked = group_means(X, labels)[labels]
    d_x, d_y = distortion_of_quasi_identifiers(X, masked), distortion_of_dependence(Y, labels)
    return Point(
        d_x=d_x.value,
        d_y=d_y.value,
        combined=combined_distortion(d_x, d_y, weight).value,
        linkage=distance_linkage(X, masked).value,
        risk=tuple(float(np.mean([_risk(labels, y, width) for y in Y.T])) for width in INTERVALS),
        diversity=tuple(
            float(np.mean([average_l(labels, y, width).value for y in Y.T])) for width in INTERVALS
        ),
        correlation_error=_correlation_error(X, masked, Y),
    )


def _risk(labels: IntArray, confidential: FloatArray, width: float) -> float:
    values = coded(in_intervals(confidential, width))[0]
    return average_kl_risk(Contingency.of(labels, values)).value


def _correlation_error(X: FloatArray, masked: FloatArray, Y: FloatArray) -> float:
    m = X.shape[1]
    before, after = (moments(np.column_stack([side, Y])).correlations[:m, m:] for side in (X, masked))
    return float(np.sqrt(((after - before) ** 2).mean()))


def trade(X: FloatArray, Y: FloatArray, progress: Callable[[], None]) -> Trade:
    """Every k and lambda, by MDAV."""
    found: Trade = {}
    for k in KS:
        for weight in WEIGHTS:
            labels = preserving_dependence(mdav_records, X, Y, SizeRule.of_k(k), weight=weight)
            found[k, weight] = point(X, Y, labels, weight)
            progress()
    return found


def census(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Six and seven attributes of Census."""
    return _of_data("census", inputs, progress)


def tarragona(inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Six and seven attributes of Tarragona."""
    return _of_data("tarragona", inputs, progress)


def gaussian(inputs: Inputs, progress: StageProgress) -> Reproduction:  # noqa: ARG001 - common signature
    """Gaussian pairs of correlation 0.5 and 0.9."""
    counter = _Counter(progress, len(CORRELATIONS))
    tables: list[Table] = []
    figures: list[Figure] = []
    for rho in CORRELATIONS:
        case, title = f"rho-{round(10 * rho):02d}", f"Gaussian pairs, rho = {rho}"
        found = trade(*gaussian_pairs(rho), counter.count)
        tables.append(_table(case, title, found))
        figures += _figures(case, title, found, logarithmic=True)
    return Reproduction(
        name="dependence-gaussian",
        paper=PAPER,
        source="Figures 8 to 14, those of Gaussian data",
        tables=tuple(tables),
        figures=tuple(figures),
        comparisons=(),
        explanation=(
            f"{PAIRS:,} pairs of our own draw, one quasi-identifier and one confidential attribute. "
            f"{_READING}\n\n"
            "Along one attribute groups are tiny intervals, so D_X starts near nothing: very little weight "
            "already takes most of D_Y away, and the correlation is kept but near lambda = 1. The stronger "
            "the correlation, the less of a trade it is: at lambda = 0, D_Y is about 1 - rho^2 times (k - "
            "1) / k."
        ),
    )


def gaussian_pairs(rho: float) -> tuple[FloatArray, FloatArray]:
    """X and Y, `PAIRS` x 1 each, standardized, of correlation rho but for the draw."""
    first, second = np.random.default_rng(0).standard_normal((2, PAIRS, 1))
    return standardize(first)[0], standardize(rho * first + np.sqrt(1 - rho**2) * second)[0]


def _of_data(name: str, inputs: Inputs, progress: StageProgress) -> Reproduction:
    columns, values = inputs.matrix(name)
    Z = standardize(values)[0]
    m = QUASI_IDENTIFIERS
    found = trade(Z[:, :m], Z[:, m:], _Counter(progress, 1).count)
    title = name.capitalize()
    return Reproduction(
        name=f"dependence-{name}",
        paper=PAPER,
        source=f"Figures 8 to 14, those of {title}",
        tables=(_table(name, title, found),),
        figures=_figures(name, title, found, logarithmic=False),
        comparisons=(),
        explanation=(
            f"Quasi-identifiers: {', '.join(columns[:m])}. Confidential: {', '.join(columns[m:])}. "
            f"{_READING}\n\n"
            "D_X grows and D_Y falls with lambda, but for small steps back, since MDAV is no optimum. From "
            "lambda = 0.4 to 0.6, grouping by that lambda loses less in D(lambda) than grouping by X or by "
            "Y alone; nearer to the ends MDAV sometimes loses a few percent more. A large lambda also "
            "discloses more: groups are more alike in Y (l_avg falls, KL risk rises), though fewer records "
            "are linked by their quasi-identifiers (DLD falls)."
        ),
    )


_READING = (
    "No published values of these figures are at hand, so ours stand alone, and which curve is in which "
    "figure is not known to us. MDAV partitions (X, beta Y). D_X and D_Y are SSE / SST. DLD: an intruder "
    "knows all quasi-identifiers. KL risk and l_avg: the values of a confidential attribute in intervals "
    "of Delta standard deviations from its minimum, mean over the attributes; that is our reading of the "
    "interval Delta."
)


class _Counter:
    """Counts partitions over several data sets for a progress callback."""

    def __init__(self, progress: StageProgress, cases: int) -> None:
        self.progress, self.total, self.done = progress, cases * len(KS) * len(WEIGHTS), 0

    def count(self) -> None:
        self.done += 1
        self.progress("partitions", self.done, self.total)


def _table(case: str, title: str, found: Trade) -> Table:
    return Table(
        name=case,
        title=title,
        columns=(
            "k",
            "lambda",
            "D_X",
            "D_Y",
            "D(lambda)",
            "DLD, percent",
            *(f"KL risk, Delta = {width:g}, bits" for width in INTERVALS),
            *(f"l_avg, Delta = {width:g}" for width in INTERVALS),
            "correlation error",
        ),
        rows=tuple(
            (k, weight, p.d_x, p.d_y, p.combined, p.linkage, *p.risk, *p.diversity, p.correlation_error)
            for (k, weight), p in found.items()
        ),
        note="Correlation error: root mean square over all pairs of one attribute of X and one of Y.",
    )


def _figures(case: str, title: str, found: Trade, *, logarithmic: bool) -> tuple[Figure, ...]:
    def curves(y: Callable[[Point], float], x: Callable[[Point], float] | None = None) -> tuple[Curve, ...]:
        """One for each k, against lambda unless another x is given."""
        result: list[Curve] = []
        for k in KS:
            points = [found[k, weight] for weight in WEIGHTS]
            across = WEIGHTS if x is None else [x(p) for p in points]
            result.append(Curve(f"k = {k}", tuple(map(float, across)), tuple(y(p) for p in points)))
        return tuple(result)

    def by_interval(y: Callable[[Point], tuple[float, ...]]) -> tuple[Curve, ...]:
        """One for each Delta, at the largest k."""
        points = [found[_LARGEST, weight] for weight in WEIGHTS]
        return tuple(
            Curve(f"Delta = {width:g}", tuple(map(float, WEIGHTS)), tuple(y(p)[i] for p in points))
            for i, width in enumerate(INTERVALS)
        )

    start = found[_LARGEST, 0]
    unweighted = tuple((1 - weight) * start.d_x + weight * start.d_y for weight in WEIGHTS)
    return (
        Figure(
            name=f"{case}-trade-off",
            title=f"{title}: D_Y against D_X as lambda goes from 0 to 1",
            x_label="D_X",
            y_label="D_Y",
            curves=curves(lambda p: p.d_y, lambda p: p.d_x),
            log_x=logarithmic,
            log_y=logarithmic,
            note="lambda = 0 is the upper end on the left, lambda = 1 the lower end on the right.",
        ),
        Figure(
            name=f"{case}-combined",
            title=f"{title}: D(lambda)",
            x_label="lambda",
            y_label="D(lambda)",
            note="D(lambda) = (1 - lambda) D_X + lambda D_Y.",
            curves=(
                *curves(lambda p: p.combined),
                Curve(f"k = {_LARGEST}, grouped by X alone", tuple(map(float, WEIGHTS)), unweighted),
            ),
        ),
        Figure(
            name=f"{case}-linkage",
            title=f"{title}: DLD by the quasi-identifiers",
            x_label="lambda",
            y_label="DLD, percent (higher is unsafe)",
            curves=curves(lambda p: p.linkage),
        ),
        Figure(
            name=f"{case}-risk",
            title=f"{title}: average KL risk at k = {_LARGEST}",
            x_label="lambda",
            y_label="average KL risk, bits (higher is unsafe)",
            curves=by_interval(lambda p: p.risk),
        ),
        Figure(
            name=f"{case}-diversity",
            title=f"{title}: l_avg at k = {_LARGEST}",
            x_label="lambda",
            y_label="l_avg (lower is unsafe)",
            curves=by_interval(lambda p: p.diversity),
        ),
        Figure(
            name=f"{case}-correlation",
            title=f"{title}: error of the correlations between X and Y",
            x_label="lambda",
            y_label="root mean square error of the correlations",
            curves=curves(lambda p: p.correlation_error),
        ),
    )
