"""The price of the guarantee as pictures: what another choice would cost, and which direction is safe."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from server.design.curves import DesignCurves, DistortionCurve, FailureCurve, NeedCurve
from server.reports.charts import Line, line_chart
from server.reports.numbers import significant
from server.reports.page import Picture, data_table

_MAX_LINES: Final = 4
_AXES: Final = {
    "k": ("k: fewest answers that protect (more is safer)", False),
    "participation": ("Participation of everybody", False),
    "failure": ("Acceptable cell failure (less is safer)", True),
}
_TITLES: Final = {
    "k": "Distortion against k: the price of a larger crowd. Further right is safer; lower keeps more.",
    "participation": "Distortion against participation: the more people answer, the smaller cells may be.",
    "failure": "Distortion against acceptable failure: the price of certainty. Further left is safer.",
}


def price(curves: DesignCurves, failure: str) -> tuple[Picture, ...]:
    """The curves around today's choice, of which ``failure`` is the acceptable cell failure."""
    sampled = ""
    if curves.sampled_tuples < curves.tuples:
        sampled = f" Computed on {curves.sampled_people} people: compare the points with each other."
    losses = (_distortion_curve(curve, sampled) for curve in curves.distortions if len(curve.values) > 1)
    return (_failure_curve(curves.failures), _need_curve(curves.needs, failure), *losses)


def _failure_curve(failures: tuple[FailureCurve, ...]) -> Picture:
    promised = failures[0]
    here = dict(zip(promised.shares, promised.unprotected, strict=True))
    return _picture(
        caption="Chance that a participant of the worst cell is not protected, against how many really take"
        " part. The promise holds at 100 % and to the right of it; at 50 % half as many answer as assumed.",
        x_label="True participation, % of the assumed one",
        y_label="Unprotected (lower is safer)",
        lines=tuple(
            Line(
                label=curve.label,
                x=tuple(100 * float(share) for share in curve.shares),
                y=tuple(map(float, curve.unprotected)),
            )
            for curve in failures
        ),
        mark=(100.0, float(here["1"])),
        mark_label="the promise",
        log_y=True,
    )


def _need_curve(needs: tuple[NeedCurve, ...], failure: str) -> Picture:
    """One line a level; of many levels the lowest, two between and the highest."""
    shown = sorted({round(i * (len(needs) - 1) / (_MAX_LINES - 1)) for i in range(_MAX_LINES)})
    chosen = [needs[i] for i in shown]
    lines = [
        Line(
            label=_level_label(curve) if len(needs) > 1 else "n_min_safe",
            x=tuple(map(float, curve.failures)),
            y=tuple(map(float, curve.n_min_safe)),
        )
        for curve in chosen
    ]
    if len(needs) == 1 and needs[0].n_min != needs[0].n_min_safe:
        lines.append(Line(label="n_min", x=lines[0].x, y=tuple(map(float, needs[0].n_min))))
    at = dict(zip(chosen[0].failures, chosen[0].n_min_safe, strict=True)).get(failure)
    return _picture(
        caption="People a cell needs, against acceptable failure. Further left is safer, and needs more.",
        x_label=_AXES["failure"][0],
        y_label="People a cell needs",
        lines=tuple(lines),
        mark=None if at is None or len(needs) > 1 else (float(failure), float(at)),
        log_x=True,
    )


def _level_label(curve: NeedCurve) -> str:
    return f"if everybody took part with {curve.level.low}"


def _distortion_curve(curve: DistortionCurve, remark: str) -> Picture:
    label, logarithmic = _AXES[curve.parameter]
    points = sorted(zip(curve.values, curve.distortion, strict=True), key=lambda point: float(point[0]))
    mark = next(((float(x), y) for x, y in points if x == curve.today), None)
    return _picture(
        caption=_TITLES[curve.parameter]
        + " MDAV stands for every algorithm; a power diagram loses less."
        + remark,
        x_label=label,
        y_label="Distortion D of MDAV (lower is better)",
        lines=(Line(label="MDAV", x=tuple(float(x) for x, _ in points), y=tuple(y for _, y in points)),),
        mark=mark,
        mark_label="MDAV at today's choice",
        log_x=logarithmic,
    )


def _picture(
    *,
    caption: str,
    x_label: str,
    y_label: str,
    lines: tuple[Line, ...],
    mark: tuple[float, float] | None,
    mark_label: str = "today's choice",
    log_x: bool = False,
    log_y: bool = False,
) -> Picture:
    """A chart with its points as a table."""
    svg = line_chart(
        alt=f"{caption} Line chart of {y_label} against {x_label}; see the table of points.",
        lines=lines,
        x_label=x_label,
        y_label=y_label,
        mark=mark,
        mark_label=mark_label,
        log_x=log_x,
        log_y=log_y,
    )
    rows = [
        (line.label, significant(_exact(x), 6), significant(_exact(y), 4))
        for line in lines
        for x, y in zip(line.x, line.y, strict=True)
    ]
    title = f"Points: {y_label} against {x_label}"
    if len(lines) > 1:
        table = data_table(title, ("Line", x_label, y_label), rows, texts=1, folded=True)
    else:
        table = data_table(title, (x_label, y_label), [row[1:] for row in rows], folded=True)
    return Picture(svg=svg, caption=caption, data=table)


def _exact(value: float) -> Decimal:
    return Decimal(repr(value))
