"""``roomful inspect``."""

from __future__ import annotations

from pathlib import Path

import click

from server.design.population.preview import describe_table, suggest_attributes
from server.tables.files import read_table


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--separator", help="Separator of a CSV, where it cannot be found out.")
@click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign of a CSV.")
@click.option("--encoding", help="Encoding of a CSV, such as utf-8 or cp1252.")
@click.option(
    "--attributes", metavar="A,B,C", help="Also print [[attributes]] for these columns, to begin with."
)
def inspect(
    file: Path, separator: str | None, decimal: str | None, encoding: str | None, attributes: str | None
) -> None:
    """Show what is understood of a population FILE, before anything is designed.

    What is wrong here is corrected in [model] of survey.toml.
    """
    table = read_table(file, separator=separator, decimal=decimal, encoding=encoding)
    click.echo(describe_table(table), nl=False)
    if attributes is not None:
        click.echo(suggest_attributes(table, tuple(name.strip() for name in attributes.split(","))), nl=False)
