"""``roomful design``: from survey.toml to the files of a designed survey."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from server.design.against import REUSED, Intersection, intersections, read_earlier, reusable
from server.design.curves import curves_of
from server.design.design import Design, design
from server.design.population.model import read_model
from server.design.report.design_report import render_design_report
from server.design.salt import no_salt, salt_for, write_salt
from server.design.survey_file.survey import read_survey_file
from server.files import write_file
from server.keys.signing import DESIGN_FILE, ENVELOPE_FILE, MODEL_FILE, ROLL_FILE, SALT_FILE
from server.progress import StageProgress
from shared.errors import InputError
from shared.specification import Specification

REPORT_FILE: Final = "report.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignedSurvey:
    """What was written."""

    folder: Path
    design: Design
    files: tuple[str, ...]
    against: tuple[Intersection, ...] = ()


def design_survey(
    survey_path: Path,
    folder: Path,
    progress: StageProgress,
    algorithm: str | None = None,
    salt_path: Path | None = None,
    *,
    against: Sequence[Path] = (),
    reuse_cells: bool = False,
    check: Callable[[Specification], None] | None = None,
) -> DesignedSurvey:
    """Read a survey.toml and its model, design it and write ``design.json``, ``report.html`` and the model.

    ``algorithm`` takes the place of the file's. ``against`` are earlier surveys of these people: how few
    share their cells is counted, and said in the warnings. With ``reuse_cells`` the cells are those of the
    first of them that has the same attributes.

    The canonical model (``model.csv``) is written for a public model only. Of a register ``model.salt`` is
    written, or used again if it is there (or in ``salt_path``): with it the same register gives the same
    bytes. The roll of an invited survey is copied beside them, to be published. ``check`` sees what was
    designed before anything is written, and may refuse it.

    Raises
    ------
    InputError
        If a file cannot be read or written, a signed survey is in the folder already, or a salt is named for
        a public model.
    DesignError
        As :func:`server.design.design.design`.
    """
    survey = read_survey_file(survey_path, algorithm)
    if (folder / ENVELOPE_FILE).exists():
        raise InputError(
            "a signed survey is in this folder", where=str(folder), remedy="Design into another folder."
        )
    if folder.exists() and not folder.is_dir():
        raise InputError("a file has this name", where=str(folder), remedy="Name a folder with --out.")
    is_register = survey.plan.model_kind == "register"
    if salt_path is not None and not is_register:
        raise no_salt()
    salt = salt_for(folder, salt_path) if is_register else None
    model = read_model(survey, lambda done, total: progress("Reading", done, total))
    earlier = [read_earlier(path) for path in against]
    plan, reuse = survey.plan, None
    if reuse_cells:
        again = reusable(earlier, survey.attributes)
        plan = replace(plan, algorithm=REUSED, parameters={"specification": again.digest})
        reuse = again.specification.cells
    result = design(plan, model, progress, salt=salt, reuse=reuse)
    if check is not None:
        check(result.specification)
    shared = intersections(
        result.specification, model, earlier, lambda attributes: read_model(survey, attributes=attributes)
    )
    close = tuple(
        # The report of a register may be shown to others: exact figures are for the organizer's eyes.
        "Together with an earlier survey, some people share their cells with too few others."
        if is_register
        else found.words(result.specification.k)
        for found in shared
        if not found.nested
    )
    if close and not reuse_cells:
        close = (*close, "With --reuse-cells the cells of an earlier survey are used again, if they suit.")
    result = replace(result, warnings=(*close, *result.warnings))
    command = ["roomful", "design", survey_path.name, "--out", folder.name]
    for path in against:
        command += ["--against", path.name]
    if reuse_cells:
        command.append("--reuse-cells")
    if algorithm is not None:
        command += ["--algorithm", algorithm]
    curves = curves_of(result, lambda done, total: progress("Curves", done, total))
    report = render_design_report(result, curves, shlex.join(command))
    files = {DESIGN_FILE: result.specification.to_bytes(), REPORT_FILE: report}
    if salt is None:
        files[MODEL_FILE] = model.canonical_text()
    if survey.roll is not None:
        files[ROLL_FILE] = survey.roll.to_bytes()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot be made ({problem.strerror})", where=str(folder)) from None
    if survey.roll is None:
        (folder / ROLL_FILE).unlink(missing_ok=True)  # of an earlier design
    if is_register:
        (folder / MODEL_FILE).unlink(missing_ok=True)  # of an earlier design that called these people public
    names = list(files)
    if salt is not None:
        write_salt(folder, salt)
        names.append(SALT_FILE)
    for name, data in files.items():
        write_file(folder / name, data)
    return DesignedSurvey(folder=folder, design=result, files=tuple(names), against=shared)
