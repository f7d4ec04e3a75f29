"""``roomful inspect``."""

from __future__ import annotations

from pathlib import Path

import click

from server.cli.options import PATH
from server.cli.progress import stages
from server.cli.reading import reading_options
from server.design.population.preview import describe_table, suggest_attributes
from server.progress import stage
from server.tables.files import Reading, open_data


@click.command()
@click.argument("file", type=PATH)
@reading_options(missing=True)
@click.option(
    "--attributes", metavar="A,B,C", help="Also print [[attributes]] for these columns, to begin with."
)
def inspect(file: Path, reading: Reading, attributes: str | None) -> None:
    """Show what is understood of a population FILE, before anything is designed.

    What is wrong here is corrected in [model] of survey.toml.
    """
    with stages() as progress:
        table = open_data(file, reading, progress=stage(progress, "reading"))
    click.echo(describe_table(table), nl=False)
    if attributes is not None:
        click.echo(suggest_attributes(table, tuple(name.strip() for name in attributes.split(","))), nl=False)
