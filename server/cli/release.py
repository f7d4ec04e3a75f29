"""`roomful release`."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import click

from server.cli.expire import open_store
from server.cli.options import FOLDER, PATH, json_option
from server.cli.surveys import open_data
from server.files import read_file
from server.release.exports import FORMATS
from server.release.opened import MAX_OPENED_BYTES
from server.release.workflow import release_survey


@click.command()
@click.argument("survey")
@click.option(
    "--data",
    type=FOLDER,
    default=Path("data"),
    show_default=True,
    help="The server's data directory.",
)
@click.option(
    "--out",
    type=PATH,
    required=True,
    help="Folder to write the released files to; it must not exist.",
)
@click.option("--opened", type=PATH, help="opened.json of the trustees, for an invited survey.")
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Write both tables in this format besides CSV; may be repeated.",
)
@json_option()
def release(
    survey: str, data: Path, out: Path, opened: Path | None, formats: tuple[str, ...], as_json: bool
) -> None:
    """Publish the table of the closed survey SURVEY, as its signed rule says.

    Writes microdata.csv, cells.csv, report.html, codebook.xml (DDI) and datapackage.json, all or nothing. No
    group in them has fewer answers than the minimum. There is no way back: the survey is released afterwards.
    """
    with open_data(data) as directory:
        open_store(directory, survey)
        what = "opened.json of the trustees"
        answers = None if opened is None else read_file(opened, what, MAX_OPENED_BYTES)
        shuffle = secrets.SystemRandom().shuffle
        figures = release_survey(directory, survey, out, shuffle, answers, formats).figures()
    if as_json:
        click.echo(json.dumps(figures))
        return
    click.echo(
        f"Released {figures['released_answers']} of {figures['total_answers']} answers "
        f"in {figures['groups']} groups of {figures['smallest_group']} to {figures['largest_group']} people."
    )
    if figures["withheld_answers"]:
        click.echo(f"Withheld {figures['withheld_answers']} answers, as the signed rule demands.")
    if figures.get("invalid_answers"):
        click.echo(f"Not counted: {figures['invalid_answers']} sealed answers that were not valid.")
    if "discrepancy" in figures:
        click.secho(
            f"DISCREPANCY, signed on the board: {figures['discrepancy']}. The report says so.", fg="red"
        )
    if figures["groups_with_unanimity"]:
        click.echo(
            f"In {figures['groups_with_unanimity']} groups everybody answered some question alike: "
            "the report lists them."
        )
    click.echo(f"Look at {out / 'report.html'}.")
