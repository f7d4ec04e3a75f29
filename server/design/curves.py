"""The price of the guarantee: what another k, participation or acceptable failure would cost.

Numbers for the curves of the report. Head counts are exact; distortions come from running MDAV again with
other needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from server.arrays import IntArray
from server.design.design import Design
from server.executor import THREADS, Executor
from server.progress import Progress
from server.statistics.microaggregation.geometry import distortion
from server.statistics.microaggregation.mdav import mdav
from server.statistics.microaggregation.size_rule import SizeRule
from server.statistics.size_rules import size_rule_of
from shared.effective_anonymity import n_min, n_min_safe, worst_cell_metrics
from shared.participation import INDEPENDENT, Dependence, ParticipationLevel

MAX_TUPLES: Final = 20_000
"""Beyond it the distortion curves are of a sample of the tuples."""
FAILURES: Final = tuple(f"1e-{exponent}" for exponent in range(1, 13))
SHARES: Final = ("0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1", "1.1", "1.2")
"""True participation over the assumed one, for the curve of failure."""
COMPARED_CORRELATION: Final = "0.005"
"""Shown beside a promise that assumes none."""
MAX_COMPARED_CELLS: Final = 100
DISTORTION_FAILURES: Final = ("1e-2", "1e-4", "1e-6", "1e-8", "1e-10")


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedCurve:
    """People per cell against the acceptable failure, for everybody at one participation level.

    Attributes
    ----------
    level : ParticipationLevel
    failures : tuple of str
        Acceptable cell failures, descending.
    n_min, n_min_safe : tuple of int
        As defined in :mod:`shared.effective_anonymity`.
    """

    level: ParticipationLevel
    failures: tuple[str, ...]
    n_min: tuple[int, ...]
    n_min_safe: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCurve:
    """What a participant of the worst cell risks, against the true participation.

    Attributes
    ----------
    label : str
        How people decide on this line.
    shares : tuple of str
        True participation over the assumed one, ascending.
    unprotected : tuple of Decimal
        Largest rbar' over the cells.
    """

    label: str
    shares: tuple[str, ...]
    unprotected: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DistortionCurve:
    """Distortion D of MDAV against one choice, the others as today.

    Attributes
    ----------
    parameter : str
        `k`, `participation` or `failure`.
    values : tuple of str
        Values of the parameter in ascending order of cost; today's is among them unless `today` is empty.
    today : str
        Today's value; empty if there is none (uneven participation).
    need : tuple of int
        Smallest `n_min_safe` over the levels.
    cells : tuple of int
        Cells of the partition.
    distortion : tuple of float
        SSE / SST over people, weighted; between 0 (no loss) and 1.
    """

    parameter: str
    values: tuple[str, ...]
    today: str
    need: tuple[int, ...]
    cells: tuple[int, ...]
    distortion: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignCurves:
    """All curves of a design.

    Attributes
    ----------
    needs : tuple of NeedCurve
        One per participation level.
    failures : tuple of FailureCurve
        As people decide by the promise, and by another assumption beside it.
    distortions : tuple of DistortionCurve
        Against k, participation and failure.
    tuples, sampled_tuples, sampled_people : int
        Distinct tuples of the model; those on which the distortions were computed, and their people. If
        the second is smaller than the first, the distortions are those of a smaller population, which
        pays more: read them against each other, not against the design's.
    """

    needs: tuple[NeedCurve, ...]
    failures: tuple[FailureCurve, ...]
    distortions: tuple[DistortionCurve, ...]
    tuples: int
    sampled_tuples: int
    sampled_people: int


def curves_of(design: Design, progress: Progress | None = None, executor: Executor = THREADS) -> DesignCurves:
    """The curves around the choices of a finished design; of a register, on the people who may be shown."""
    specification = design.specification
    return design_curves(
        design.basis.X,
        design.basis.people,
        specification.weights,
        specification.levels,
        specification.k,
        specification.acceptable_cell_failure,
        specification.dependence,
        eligible=specification.eligible,
        progress=progress,
        executor=executor,
    )


def design_curves(
    X: IntArray,
    people: IntArray,
    weights: Sequence[int] | IntArray,
    levels: Sequence[ParticipationLevel],
    k: int,
    failure: str,
    dependence: Dependence = INDEPENDENT,
    *,
    eligible: Sequence[tuple[int, ...]] = (),
    progress: Progress | None = None,
    executor: Executor = THREADS,
) -> DesignCurves:
    """Compute the curves around today's choice.

    Parameters
    ----------
    X : int array, n x d
        Distinct tuples in canonical order.
    people : int array, n x L
        People per tuple and level.
    weights : d integers
    levels : sequence of ParticipationLevel, length L
    k : int
        Today's k, >= 2.
    failure : str
        Today's acceptable cell failure.
    dependence : Dependence, optional
        How far people decide together.
    eligible : sequence of tuple of int, optional
        People of each cell and level, for the curves of failure.
    progress : callable, optional
        `progress(runs of MDAV done, runs)`.
    executor : Executor
        Who runs MDAV.

    Notes
    -----
    MDAV stands for every algorithm: a power diagram loses less (8 to 36 % in the benchmark), with a curve
    of the same shape, and takes far longer. Values whose need leaves fewer than two cells are left out.
    Participation is varied for everybody alike; of a range its low end is. Beyond 20,000 tuples every
    (n / 20,000)-th one is taken. The cost is that of at most 16 runs of MDAV.
    """
    rows = _systematic(len(X), MAX_TUPLES)
    used, today = people[rows], tuple(levels)
    planned = _planned(people, today, k, failure)
    needs = {
        point: _need(point.levels, point.k, point.failure, dependence, used)
        for curve in planned
        for point in curve.points
    }
    asked = tuple(dict.fromkeys(need for need in needs.values() if need is not None))
    run = partial(_partitioned, X[rows], used, weights)
    outcomes = dict(zip(asked, executor.map(run, asked, progress=progress, total=len(asked)), strict=True))
    return DesignCurves(
        needs=tuple(_need_curve(level, k, dependence) for level in today),
        failures=failure_curves(eligible, today, k, dependence),
        distortions=tuple(_distortion_curve(curve, needs, outcomes) for curve in planned),
        tuples=len(X),
        sampled_tuples=len(rows),
        sampled_people=int(used.sum()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """A design that might be: today's, with one parameter at another value."""

    value: str
    levels: tuple[ParticipationLevel, ...]
    k: int
    failure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlannedCurve:
    """The points of a curve; ``today`` is the value of today's, empty if no point is."""

    parameter: str
    today: str
    points: tuple[_Point, ...]


def _planned(
    people: IntArray, today: tuple[ParticipationLevel, ...], k: int, failure: str
) -> tuple[_PlannedCurve, ...]:
    """What is varied: k, participation and failure, each with the others as they are."""
    even = today[0].low if len(today) == 1 else ""
    middle = today[0].lowest if even else _mean(people, today)
    by_value = {Fraction(text): text for text in (*DISTORTION_FAILURES, failure)}
    return (
        _PlannedCurve(
            parameter="k",
            today=str(k),
            points=tuple(_Point(value=str(v), levels=today, k=v, failure=failure) for v in _around(k)),
        ),
        _PlannedCurve(
            parameter="participation",
            today=even,
            points=tuple(
                _Point(
                    value=text,
                    levels=(ParticipationLevel(low=text, high=_higher(text, today)),),
                    k=k,
                    failure=failure,
                )
                for text in _participations(middle, even)
            ),
        ),
        _PlannedCurve(
            parameter="failure",
            today=failure,
            points=tuple(
                _Point(value=text, levels=today, k=k, failure=text)
                for _, text in sorted(by_value.items(), reverse=True)
            ),
        ),
    )


def _distortion_curve(
    curve: _PlannedCurve, needs: Mapping[_Point, _Need | None], outcomes: Mapping[_Need, tuple[int, float]]
) -> DistortionCurve:
    """The points of a curve that leave two cells or more, as MDAV found them."""
    kept = [
        (point.value, min(need.safe), *outcomes[need])
        for point in curve.points
        if (need := needs[point]) is not None and outcomes[need][0] > 1
    ]
    values, least, cells, loss = zip(*kept, strict=True) if kept else ((), (), (), ())
    return DistortionCurve(
        parameter=curve.parameter,
        values=values,
        today=curve.today if curve.today in values else "",
        need=least,
        cells=cells,
        distortion=loss,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Need:
    """What cells need at one point of a curve; equal ones are run once.

    With one level ``safe`` alone decides, and what it comes from is left out.
    """

    safe: tuple[int, ...]
    k: int = 0
    failure: str = ""
    levels: tuple[ParticipationLevel, ...] = ()
    dependence: Dependence = INDEPENDENT

    def rule(self) -> SizeRule:
        if not self.levels:
            return SizeRule(minimum=self.safe)
        return size_rule_of(self.k, self.failure, self.levels, self.safe, self.dependence)


def _need(
    levels: tuple[ParticipationLevel, ...], k: int, failure: str, dependence: Dependence, people: IntArray
) -> _Need | None:
    """The need at a point, or None if these people are too few for two cells."""
    try:
        safe = tuple(n_min_safe(k, level, failure, dependence) for level in levels)
    except ValueError:  # more people than there are on Earth
        return None
    if int(people.sum()) < 2 * min(safe):
        return None
    if len(levels) == 1:
        return _Need(safe=safe)
    need = _Need(safe=safe, k=k, failure=failure, levels=levels, dependence=dependence)
    return need if need.rule().acceptable(people.sum(axis=0)) else None


def _partitioned(
    X: IntArray, people: IntArray, weights: Sequence[int] | IntArray, need: _Need
) -> tuple[int, float]:
    """Cells and distortion of MDAV: one task, which may be done in another process."""
    counted = people if need.levels else people.sum(axis=1, keepdims=True)
    result = mdav(X, counted, weights, need.rule())
    return len(result.radii), distortion(X, people, weights, result.labels)


def failure_curves(
    eligible: Sequence[tuple[int, ...]],
    levels: tuple[ParticipationLevel, ...],
    k: int,
    dependence: Dependence,
) -> tuple[FailureCurve, ...]:
    """rbar' of the worst cell against the true participation, under the promise and beside it.

    Of many cells with different head counts, the 100 that are worst under the promise are followed.
    """
    if not eligible:
        return ()

    def unprotected(counts: tuple[int, ...], share: str, how: Dependence) -> Decimal:
        metrics = worst_cell_metrics(counts, levels, k, how, Fraction(share))
        return metrics.record_failure_given_participation

    rows = sorted(set(eligible), key=lambda c: (-unprotected(c, "1", dependence), c))[:MAX_COMPARED_CELLS]
    most = max(level.highest for level in levels)
    shares = tuple(share for share in SHARES if most * Fraction(share) <= 1)
    if dependence.is_none:
        others = Dependence(correlation=COMPARED_CORRELATION)
        lines = (("everybody decides alone", dependence), (f"correlation {COMPARED_CORRELATION}", others))
    else:
        lines = (("as promised", dependence), ("everybody decides alone", INDEPENDENT))
    return tuple(
        FailureCurve(
            label=label,
            shares=shares,
            unprotected=tuple(max(unprotected(c, share, how) for c in rows) for share in shares),
        )
        for label, how in lines
    )


def _need_curve(level: ParticipationLevel, k: int, dependence: Dependence) -> NeedCurve:
    kept = []
    for failure in FAILURES:
        try:
            safe = n_min_safe(k, level, failure, dependence)
            kept.append((failure, n_min(k, level, failure, dependence), safe))
        except ValueError:
            break
    return NeedCurve(
        level=level,
        failures=tuple(row[0] for row in kept),
        n_min=tuple(row[1] for row in kept),
        n_min_safe=tuple(row[2] for row in kept),
    )


def _systematic(n: int, most: int) -> NDArray[np.int64]:
    """Every row, or `most` evenly spaced ones."""
    return np.arange(n) if n <= most else np.arange(most) * n // most


def _around(k: int) -> tuple[int, ...]:
    return tuple(sorted({max(2, value) for value in (k // 2, 3 * k // 4, k, 3 * k // 2, 2 * k, 3 * k)}))


def _mean(people: IntArray, levels: Sequence[ParticipationLevel]) -> Fraction:
    heads = [int(value) for value in people.sum(axis=0)]
    return sum(h * level.lowest for h, level in zip(heads, levels, strict=True)) / Fraction(sum(heads))


def _participations(middle: Fraction, today: str) -> tuple[str, ...]:
    """Values around the middle in hundredths, descending: less participation costs more. Today's as it is."""
    wanted = [middle / 2, 3 * middle / 4, middle, (1 + 2 * middle) / 3, (2 + middle) / 3, Fraction(1)]
    found: dict[Fraction, str] = {}
    for value in wanted:
        number = (Decimal(value.numerator) / Decimal(value.denominator)).quantize(
            Decimal("0.01"), rounding=ROUND_HALF_EVEN
        )
        if number > 0 and not (today and value == middle):
            text = format(number.normalize(), "f")
            found[Fraction(text)] = text
    if today:
        found[Fraction(today)] = today
    return tuple(found[value] for value in sorted(found, reverse=True))


def _higher(text: str, levels: Sequence[ParticipationLevel]) -> str:
    """High end for a varied low end: that of today's range, if it is one and above."""
    if len(levels) == 1 and levels[0].is_range and levels[0].highest > Fraction(text):
        return levels[0].high
    return text
