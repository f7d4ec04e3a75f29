"""Real designs: tried beside each other, and the one that is written into the folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from flask import Flask, Response, render_template, request

from server.design.design import Design, design
from server.design.estimate import loss_by_attribute
from server.design.population.model import Model
from server.design.report.design_report import MAP_SCRIPT
from server.design.salt import salt_for
from server.design.workflow import REPORT_FILE, DesignedSurvey, design_survey
from server.desk.desk import Desk
from server.desk.pages import go, is_part, show
from server.desk.pages.promise import CONTROLS, other_form, participation, promise_from
from server.desk.steps import DESIGN_FOLDER
from server.progress import StageProgress
from server.release.preview import require_releasable
from server.reports.page import policy
from shared.errors import NotFoundError
from shared.participation import ParticipationLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A design that was made to be compared, in figures."""

    algorithm: str
    k: int
    failure: str
    participation: tuple[str, ...]
    correlation: str
    needed: tuple[int, ...]
    cells: int
    smallest: int
    largest: int
    expected: float
    unprotected: Decimal
    half: Decimal
    loss: float
    loss_by_attribute: tuple[tuple[str, float], ...]
    warnings: tuple[str, ...]


def add(app: Flask, desk: Desk) -> None:
    """Add the pages."""

    @app.post("/promise/try")
    def try_design() -> Response:
        draft, values = desk.draft(), dict(request.form)
        kept = promise_from(draft, values)
        changed = {
            "anonymity": {"k": kept.k, "acceptable_cell_failure": kept.failure},
            "design": draft.section("design") | {"algorithm": kept.algorithm},
        }
        if not other_form(draft):
            changed["participation"] = participation(draft, kept, values)
            if kept.level.highest > Decimal("0.6"):
                # Only to try it: devices ask for the statement, and the design refuses without.
                changed["participation"].setdefault(
                    "source_statement", dict.fromkeys(draft.languages, "not stated yet")
                )
        model = desk.model()
        salt = salt_for(desk.folder / DESIGN_FOLDER, None) if kept.register else None

        def work(report: StageProgress) -> Tried:
            with draft.completed(**changed) as survey:
                found = figures_of(design(survey.plan, _with_level(model, survey.level), report, salt=salt))
            desk.keep_tried(found)
            return found

        desk.jobs.start("try", work)
        typed = {name: values[name] for name in CONTROLS if values.get(name)}
        return go(desk, "promise", anchor="designs", **typed)

    @app.get("/job/<name>")
    def job(name: str) -> Response:
        page = {"try": "promise", "release": "release"}.get(name, "design")
        part = "#tried" if page == "promise" else ""  # all that is taken: she may be typing above it
        body = render_template("job.html.j2", job=desk.jobs.state, page=page, name=name, part=part)
        answer = Response(body)
        if not desk.jobs.running and not part and is_part():
            answer.headers["HX-Refresh"] = "true"  # the whole page has the result
        return answer

    @app.post("/job/cancel")
    def cancel() -> Response:
        desk.jobs.cancel()
        desk.jobs.wait(5)
        name = request.form.get("page", "")
        return go(desk, name if name in ("promise", "design") else "design")

    @app.get("/design", endpoint="design")
    def designed() -> str:
        return show(
            desk,
            "design.html.j2",
            "design",
            command=f"roomful design survey.toml --out {DESIGN_FOLDER}",
            job=desk.jobs.state,
            report=(desk.folder / DESIGN_FOLDER / REPORT_FILE).is_file(),
        )

    @app.post("/design")
    def write_design() -> Response:
        folder = desk.folder

        def work(report: StageProgress) -> Tried:
            result: DesignedSurvey = design_survey(
                folder / "survey.toml", folder / DESIGN_FOLDER, report, check=require_releasable
            )
            return figures_of(result.design)

        desk.draft().survey()  # its errors are shown at once, where they belong
        desk.jobs.start("design", work)
        return go(desk, "design")

    @app.get("/report/design")
    def design_report() -> Response:
        return own_report(desk.folder / DESIGN_FOLDER / REPORT_FILE, MAP_SCRIPT)


def own_report(path: Path, script: str = "") -> Response:
    """A report that a command wrote, in an origin of its own, under the policy that it was written with.

    Guarantee: whatever the file holds, it runs no script but ``script`` of our reports, loads and sends
    nothing, and cannot reach the desk.
    """
    try:
        data = path.read_bytes()
    except OSError:
        raise NotFoundError("there is no report yet") from None
    response = Response(data, content_type="text/html; charset=utf-8")
    sandbox = "sandbox allow-scripts" if script else "sandbox"
    response.headers["Content-Security-Policy"] = f"{policy(script)}; frame-ancestors 'none'; {sandbox}"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def figures_of(made: Design) -> Tried:
    """A design in the figures by which it is compared."""
    specification = made.specification
    people = made.people_of_cells
    level = specification.levels[0]
    low, high = level.low, specification.levels[-1].high
    weights = specification.cells.weights
    mass = made.model.people.sum(axis=1, keepdims=True)
    return Tried(
        algorithm=specification.algorithm.name,
        k=specification.k,
        failure=specification.acceptable_cell_failure,
        participation=(low,) if low == high else (low, high),
        correlation=specification.dependence.correlation,
        needed=specification.n_min_safe,
        cells=specification.cells.count,
        smallest=min(people),
        largest=max(people),
        expected=sum(people) / len(people) * float(level.lowest),
        unprotected=max(m.record_failure_given_participation for m in made.metrics),
        half=max(m.record_failure_given_participation for m in made.half),
        loss=made.distortion,
        loss_by_attribute=loss_by_attribute(made.model.attributes, made.model.X, mass, weights, made.labels),
        warnings=made.warnings,
    )


def _with_level(model: Model, level: ParticipationLevel | None) -> Model:
    """The people at another participation, where everybody has the same."""
    return model if level is None else replace(model, levels=(level,))
