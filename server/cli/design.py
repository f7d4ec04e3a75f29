"""``roomful design``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import click

from server.cli.options import PATH, cluster_option, json_option
from server.cli.progress import stages
from server.cli.stopping import tidy_when_ended
from server.design.plan import district_plan
from server.design.survey_file.design_entry import NAMES
from server.design.workflow import BOXES_FILE, DesignedSurvey, design_survey
from server.executor.cluster import executor_at
from server.release.preview import require_releasable
from shared.cells import DistrictCells
from shared.errors import InputError


@click.command()
@click.argument("survey", type=PATH)
@click.option("--out", "folder", type=PATH, required=True, help="Folder for the designed survey.")
@click.option(
    "--algorithm", type=click.Choice(NAMES), help="How cells are made, instead of what SURVEY says."
)
@click.option(
    "--district",
    metavar="N|ATTRIBUTE",
    help="Design within districts of at most N similar people, or by the answers to ATTRIBUTE; 0: not at all."
    " By default 500000 beyond 1,000,000.",
)
@click.option(
    "--salt",
    type=PATH,
    help="The salt of an earlier survey of the same register (model.salt, or its folder), to be used again.",
)
@click.option(
    "--against",
    type=PATH,
    multiple=True,
    help="An earlier signed survey of these people, or its folder; may be repeated.",
)
@click.option(
    "--reuse-cells", is_flag=True, help="Use the cells of the first --against with the same attributes."
)
@click.option(
    "--boxes-only",
    is_flag=True,
    help="Of an election: write boxes.json, from which its roll and keys for tokens are made.",
)
@click.option(
    "--parts/--no-parts",
    "in_parts",
    default=None,
    help="Whether each device loads only the cells of its own district, of an open survey of a register."
    " By default if the specification has more than 1 MiB, compressed.",
)
@cluster_option
@json_option()
def design(
    survey: Path,
    folder: Path,
    algorithm: str | None,
    district: str | None,
    salt: Path | None,
    against: tuple[Path, ...],
    reuse_cells: bool,
    boxes_only: bool,
    in_parts: bool | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Design a partition from SURVEY, a survey.toml.

    Writes design.json (to be signed), report.html (to be looked at) and, for a public model, model.csv; for a
    register model.salt, which auditors need and nobody else may have. Districts of a large register are
    written to parts/, which belongs to design.json. The same input, the salt included, gives the same bytes.
    """
    if reuse_cells and (algorithm is not None or district is not None or not against):
        raise InputError(
            "cells are used again from an earlier survey, and not made by an algorithm",
            where="--reuse-cells",
            expected="--against SURVEY, and neither --algorithm nor --district",
        )
    with tidy_when_ended(), executor_at(cluster) as executor, stages(hidden=as_json) as progress:
        result = design_survey(
            survey,
            folder,
            progress,
            algorithm,
            salt,
            district=None if district is None else district_plan(district),
            against=against,
            reuse_cells=reuse_cells,
            boxes_only=boxes_only,
            check=require_releasable,
            executor=executor,
            in_parts=in_parts,
        )
    figures = _figures(result)
    if as_json:
        shared = [intersection.figures() for intersection in result.against]
        figures |= {"against": shared, "warnings": list(result.design.warnings)}
        click.echo(json.dumps(figures, indent=1, ensure_ascii=False))
        return
    for name, value in figures.items():
        if isinstance(value, list):
            value = ", ".join(value if name == "levels" else _at_levels(value, figures["levels"]))
        click.echo(f"{_LABELS[name]:<66} {value}")
    for intersection in result.against:
        if intersection.nested or result.design.specification.model.kind == "register":
            click.echo(intersection.words(result.design.specification.k))
    for warning in result.design.warnings:
        click.secho(f"Warning: {warning}", fg="yellow", err=True)
    click.echo(f"Written to {folder}: {', '.join(result.files)}")
    if boxes_only:
        following = f", then: roomful codes ROLL --boxes {folder / BOXES_FILE} --out codes"
    else:
        following = "" if result.design.refused else f", then: roomful sign {folder} --key KEY"
    click.echo(f"Look at {folder / 'report.html'}{following}")


def _at_levels(values: Sequence[object], levels: Sequence[str]) -> list[str]:
    """Numbers with the levels of participation that they belong to, if there are several."""
    if len(levels) == 1:
        return [str(value) for value in values]
    return [f"{value} at {level}" for value, level in zip(values, levels, strict=True)]


_LABELS: Final = {
    "people": "People in the model",
    "people_in_secret_sample": "... of whom the design knows (a register's secret sample)",
    "equal_rows": "Rows equal to an earlier one in every column",
    "tuples": "Distinct combinations of quasi-identifiers",
    "shape": "Shape of the cells",
    "districts": "Districts, designed each by itself",
    "correlation": "Correlation between two people of a cell that is allowed for",
    "household_size": "People of one household who may decide together",
    "levels": "Participation; where it differs, rounded down to steps of 0.05",
    "n_min": "People a cell needs at each level of participation (n_min)",
    "n_min_safe": "... so that every larger cell is safe too (n_min_safe)",
    "cells": "Cells",
    "smallest_cell": "People in the smallest cell",
    "largest_cell": "People in the largest cell",
    "worst_record_failure_given_participation": "Worst chance that an answer is unprotected (lower is safer)",
    "worst_if_half_take_part": "... if only half as many take part as assumed",
    "worst_cell_failure": "Worst chance that a cell fails (lower is safer)",
    "table_failure": "Chance that some cell fails (lower is safer)",
    "parts": "Parts, of which a device loads that of its district",
    "largest_part": "Bytes of the largest part",
    "distortion": "Distortion D, 0 to 1 (lower keeps more information)",
}


def _figures(result: DesignedSurvey) -> dict[str, Any]:
    design, specification = result.design, result.design.specification
    people, cells = design.people_of_cells, specification.cells
    return {
        "people": design.model.n_people,
        **({} if design.basis is design.model else {"people_in_secret_sample": design.basis.n_people}),
        **({} if design.model.equal_rows is None else {"equal_rows": design.model.equal_rows}),
        "tuples": design.model.n_tuples,
        "shape": cells.shape,
        **({"districts": len(cells.parts)} if isinstance(cells, DistrictCells) else {}),
        "correlation": specification.dependence.correlation,
        "household_size": specification.dependence.household_size,
        "levels": [
            f"{level.low}..{level.high}" if level.is_range else level.low for level in specification.levels
        ],
        "n_min": list(specification.n_min),
        "n_min_safe": list(specification.n_min_safe),
        "cells": specification.cells.count,
        "smallest_cell": min(people),
        "largest_cell": max(people),
        "worst_record_failure_given_participation": _short(
            max(m.record_failure_given_participation for m in design.metrics)
        ),
        "worst_if_half_take_part": _short(max(m.record_failure_given_participation for m in design.half)),
        "worst_cell_failure": _short(max(m.attained_cell_failure for m in design.metrics)),
        "table_failure": _short(design.table_failure),
        **(
            {"parts": len(specification.parts), "largest_part": max(p.n_bytes for p in specification.parts)}
            if specification.parts
            else {}
        ),
        "distortion": round(design.distortion, 6),
    }


def _short(value: Decimal) -> str:
    return f"{value:.3g}"
