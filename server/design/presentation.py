"""A finished design as the report shows it: figures, curves, and words about which direction is safe."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from server.design.curves import DesignCurves, DistortionCurve, FailureCurve, NeedCurve, design_curves
from server.design.design import Design
from server.design.report.design_input import Curve, CurveLine, DesignReportInput
from server.progress import StageProgress

_MAX_LINES = 4
_AXES = {
    "k": ("k: fewest answers that protect (more is safer)", False),
    "participation": ("Participation of everybody", False),
    "failure": ("Acceptable cell failure (less is safer)", True),
}
_TITLES = {
    "k": "Distortion against k: the price of a larger crowd. Further right is safer; lower keeps more.",
    "participation": "Distortion against participation: the more people answer, the smaller cells may be.",
    "failure": "Distortion against acceptable failure: the price of certainty. Further left is safer.",
}


def report_input(design: Design, command: str, progress: StageProgress) -> DesignReportInput:
    """Everything that report.html shows, with the curves of the price of the guarantee."""
    specification, model, basis = design.specification, design.model, design.basis
    stage: Callable[[int, int], None] = lambda done, total: progress("Curves", done, total)  # noqa: E731
    curves = design_curves(
        basis.X,
        basis.people,
        specification.weights,
        specification.levels,
        specification.k,
        specification.acceptable_cell_failure,
        specification.dependence,
        eligible=specification.eligible,
        progress=stage,
    )
    public = specification.model.kind == "public"
    return DesignReportInput(
        specification=specification,
        metrics=design.metrics,
        half=design.half,
        table_failure=design.table_failure,
        distortion=design.distortion,
        source=model.source,
        records=model.records if public else None,
        dropped=model.dropped if public else None,
        n_tuples=model.n_tuples if public else None,
        warnings=design.warnings if public else tuple(w for w in design.warnings if w not in model.warnings),
        curves=_curves(curves, specification.acceptable_cell_failure),
        tuples=tuple(map(tuple, model.X.tolist())) if public else (),
        command=command,
    )


def _curves(curves: DesignCurves, failure: str) -> tuple[Curve, ...]:
    sampled = ""
    if curves.sampled_tuples < curves.tuples:
        sampled = f" Computed on {curves.sampled_people} people: compare the points with each other."
    losses = (_distortion_curve(curve, sampled) for curve in curves.distortions if len(curve.values) > 1)
    return (_failure_curve(curves.failures), _need_curve(curves.needs, failure), *losses)


def _failure_curve(failures: tuple[FailureCurve, ...]) -> Curve:
    promised = failures[0]
    here = dict(zip(promised.shares, promised.unprotected, strict=True))
    return Curve(
        name="true-participation",
        title="Chance that a participant of the worst cell is not protected, against how many really take"
        " part. The promise holds at 100 % and to the right of it; at 50 % half as many answer as assumed.",
        x_label="True participation, % of the assumed one",
        y_label="Chance of being unprotected (lower is safer)",
        lines=tuple(
            CurveLine(
                label=curve.label,
                x=tuple(_percent(share) for share in curve.shares),
                y=tuple(f"{value:.6e}" for value in curve.unprotected),
            )
            for curve in failures
        ),
        mark=(_percent("1"), f"{here['1']:.6e}"),
        mark_label="the promise",
        log_y=True,
    )


def _percent(share: str) -> str:
    return format(Decimal(share) * 100, "f").removesuffix(".0")


def _need_curve(needs: tuple[NeedCurve, ...], failure: str) -> Curve:
    """One line a level; of many levels the lowest, two between and the highest."""
    shown = sorted({round(i * (len(needs) - 1) / (_MAX_LINES - 1)) for i in range(_MAX_LINES)})
    chosen = [needs[i] for i in shown]
    lines = [
        CurveLine(
            label=_level_label(curve) if len(needs) > 1 else "n_min_safe",
            x=curve.failures,
            y=tuple(map(str, curve.n_min_safe)),
        )
        for curve in chosen
    ]
    if len(needs) == 1 and needs[0].n_min != needs[0].n_min_safe:
        lines.append(CurveLine(label="n_min", x=needs[0].failures, y=tuple(map(str, needs[0].n_min))))
    at = dict(zip(chosen[0].failures, chosen[0].n_min_safe, strict=True)).get(failure)
    return Curve(
        name="need",
        title="People a cell needs, against acceptable failure. Further left is safer, and needs more.",
        x_label=_AXES["failure"][0],
        y_label="People a cell needs",
        lines=tuple(lines),
        mark=None if at is None or len(needs) > 1 else (failure, str(at)),
        log_x=True,
    )


def _level_label(curve: NeedCurve) -> str:
    return f"if everybody took part with {curve.level.low}"


def _distortion_curve(curve: DistortionCurve, remark: str) -> Curve:
    label, logarithmic = _AXES[curve.parameter]
    points = sorted(zip(curve.values, curve.distortion, strict=True), key=lambda point: float(point[0]))
    mark = next(((x, f"{y:.6f}") for x, y in points if x == curve.today), None)
    return Curve(
        name=f"distortion-{curve.parameter}",
        title=_TITLES[curve.parameter]
        + " MDAV stands for every algorithm; a power diagram loses less."
        + remark,
        x_label=label,
        y_label="Distortion D of MDAV (lower is better)",
        lines=(
            CurveLine(label="MDAV", x=tuple(x for x, _ in points), y=tuple(f"{y:.6f}" for _, y in points)),
        ),
        mark=mark,
        mark_label="MDAV at today's choice",
        log_x=logarithmic,
    )
