"""``roomful design``: from survey.toml to the files of a designed survey."""

from __future__ import annotations

import contextlib
import shlex
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from server.design.against import REUSED, Intersection, intersections, read_earlier, reusable
from server.design.curves import curves_of
from server.design.design import Design, design
from server.design.mapping import assign_many
from server.design.plan import DistrictPlan
from server.design.population.model import Model, read_model
from server.design.report.design_report import render_design_report
from server.design.salt import no_salt, salt_for, write_salt
from server.design.survey_file.survey import read_survey_file
from server.executor import THREADS, Executor
from server.files import write_file
from server.keys.parts_folder import write_parts
from server.keys.signing import DESIGN_FILE, ENVELOPE_FILE, MODEL_FILE, ROLL_FILE, SALT_FILE
from server.progress import StageProgress
from shared.errors import InputError, SpecificationError
from shared.roll import Roll
from shared.specification import Specification, require_partial

REPORT_FILE: Final = "report.html"
BOXES_FILE: Final = "boxes.json"
"""Of an election before its roll and keys are made: the specification without them."""
LARGEST_IN_ONE_PIECE: Final = 2**20
"""Compressed bytes of a specification that every device loads whole."""


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
    district: DistrictPlan | None = None,
    against: Sequence[Path] = (),
    reuse_cells: bool = False,
    boxes_only: bool = False,
    check: Callable[[Specification], None] | None = None,
    executor: Executor = THREADS,
    in_parts: bool | None = None,
) -> DesignedSurvey:
    """Read a survey.toml and its model, design it and write ``design.json``, ``report.html`` and the model.

    ``algorithm`` and ``district`` take the place of the file's. ``against`` are earlier surveys of these
    people: how few share their cells is counted, and said in the warnings. With ``reuse_cells`` the cells are
    those of the first of them that has the same attributes.

    The canonical model (``model.csv``) is written for a public model only. Of a register ``model.salt`` is
    written, or used again if it is there (or in ``salt_path``): with it the same register gives the same
    bytes. The roll of an invited survey is copied beside them, to be published. ``check`` sees what was
    designed before anything is written, and may refuse it. With ``boxes_only`` the roll and the keys of an
    election are not asked for yet: ``boxes.json`` is written, which cannot be signed, for whoever makes them.
    The cells of districts are written as ``parts/DIGEST.json`` if ``in_parts`` says so, or if it is None and
    the specification is larger than what every device should load.

    Raises
    ------
    InputError
        If a file cannot be read or written, a signed survey is in the folder already, or a salt is named for
        a public model.
    DesignError
        As :func:`server.design.design.design`.
    SpecificationError
        If parts are asked for and devices need everything.
    """
    survey = read_survey_file(survey_path, algorithm, boxes_only=boxes_only)
    if (folder / ENVELOPE_FILE).exists():
        raise InputError(
            "a signed survey is in this folder", where=str(folder), remedy="Design into another folder."
        )
    if folder.exists() and not folder.is_dir():
        raise InputError("a file has this name", where=str(folder), remedy="Name a folder with --out.")
    is_register = survey.plan.model_kind == "register"
    if in_parts:
        require_partial(survey.plan.model_kind, is_invited=survey.plan.invited is not None)
    if salt_path is not None and not is_register:
        raise no_salt()
    salt = salt_for(folder, salt_path) if is_register else None
    model = read_model(survey, lambda done, total: progress("Reading", done, total))
    earlier = [read_earlier(path) for path in against]
    plan, reuse = survey.plan if district is None else replace(survey.plan, district=district), None
    if reuse_cells:
        again = reusable(earlier, survey.attributes)
        plan = replace(plan, algorithm=REUSED, parameters={"specification": again.digest})
        reuse = again.specification.cells
    result = design(plan, model, progress, salt=salt, reuse=reuse, executor=executor)
    if check is not None:
        check(result.specification)
    _require_roll(result, model, survey.roll)
    shared = intersections(
        result.specification, model, earlier, lambda attributes: read_model(survey, attributes=attributes)
    )
    close = _warnings_of_earlier(shared, result, is_register=is_register, reuse_cells=reuse_cells)
    result = replace(result, warnings=(*close, *result.warnings))
    command = ["roomful", "design", survey_path.name, "--out", folder.name]
    if boxes_only:
        command.append("--boxes-only")
    for path in against:
        command += ["--against", path.name]
    if reuse_cells:
        command.append("--reuse-cells")
    if algorithm is not None:
        command += ["--algorithm", algorithm]
    if district is not None:
        command += ["--district", district.text]
    curves = curves_of(result, lambda done, total: progress("Curves", done, total), executor)
    report = render_design_report(result, curves, shlex.join(command))
    specification, parts = _take_apart(result.specification, in_parts)
    files = {BOXES_FILE if boxes_only else DESIGN_FILE: specification.to_bytes(), REPORT_FILE: report}
    if salt is None and not boxes_only:
        files[MODEL_FILE] = model.canonical_text()
    if survey.roll is not None:
        files[ROLL_FILE] = survey.roll.to_bytes()
    names = _write(folder, files, parts, salt)
    result = replace(result, specification=specification)
    return DesignedSurvey(folder=folder, design=result, files=names, against=shared)


def _warnings_of_earlier(
    shared: Sequence[Intersection], result: Design, *, is_register: bool, reuse_cells: bool
) -> tuple[str, ...]:
    """What earlier surveys of these people and this one tell together, and what can be done."""
    close = tuple(
        # The report of a register may be shown to others: exact figures are for the organizer's eyes.
        "Together with an earlier survey, some people share their cells with too few others."
        if is_register
        else found.words(result.specification.k)
        for found in shared
        if not found.nested
    )
    if close and not reuse_cells:
        return (*close, "With --reuse-cells the cells of an earlier survey are used again, if they suit.")
    return close


def _write(
    folder: Path, files: Mapping[str, bytes], parts: Mapping[str, bytes], salt: bytes | None
) -> tuple[str, ...]:
    """Write a design, and remove what an earlier one left and this one has not; the names."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot be made ({problem.strerror})", where=str(folder)) from None
    if ROLL_FILE not in files:
        (folder / ROLL_FILE).unlink(missing_ok=True)
    if salt is not None:
        (folder / MODEL_FILE).unlink(missing_ok=True)  # of a design that called these people public
        write_salt(folder, salt)
    write_parts(folder, parts, write_file)
    for name, data in files.items():
        write_file(folder / name, data)
    return (*files, SALT_FILE) if salt is not None else tuple(files)


def _take_apart(
    specification: Specification, in_parts: bool | None
) -> tuple[Specification, dict[str, bytes]]:
    """The specification as it is signed, and its parts by digest; none if it stays in one piece."""
    if in_parts is None and len(zlib.compress(specification.to_bytes())) > LARGEST_IN_ONE_PIECE:
        with contextlib.suppress(SpecificationError):  # a survey whose devices need everything
            return specification.in_parts()
    return specification.in_parts() if in_parts else (specification, {})


def _require_roll(result: Design, model: Model, roll: Roll | None) -> None:
    """Refuse the roll of an election that was made for other boxes.

    Raises
    ------
    InputError
        With the code ``input.roll``.
    """
    invited = result.specification.invited
    if roll is None or invited is None or invited.election is None:
        return
    boxes = assign_many(result.specification.cells, model.X)
    people = np.bincount(boxes, weights=model.people.sum(axis=1), minlength=result.specification.cells.count)
    n_cells = result.specification.cells.count
    if len(invited.token_keys) != n_cells:
        raise InputError(
            f"{len(invited.token_keys)} keys for tokens are there, and {n_cells} boxes",
            where="invited.token_key",
            expected="a key for each box",
            remedy=f"Make them: roomful keygen --purpose tokens --boxes {n_cells}",
            code="input.roll",
        )
    if [len(box) for box in roll.boxes] != people.astype(int).tolist():
        raise InputError(
            "the roll was made for other boxes, or for other people",
            where=ROLL_FILE,
            expected="a code for each person of each box",
            remedy="Make boxes (roomful design --boxes-only), codes and keys for tokens again.",
            code="input.roll",
        )
