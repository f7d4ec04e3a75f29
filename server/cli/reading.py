"""Options that say how a data file is read, the same for every command."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import click

_OPTIONS: Final = (
    click.option("--separator", help="Separator of a CSV, where it cannot be found out."),
    click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign of a CSV."),
    click.option("--encoding", help="Encoding of a CSV, such as utf-8, cp1250 or cp932."),
    click.option("--sheet", help="Sheet of a workbook that has several."),
)
_MISSING: Final = click.option(
    "--missing-values",
    metavar="A,B|NAME=A,B",
    multiple=True,
    help="Values that mean nothing, beside the usual ones; with NAME of one column, instead of them.",
)


def reading_options(*, missing: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the options to a command, which gets them as one argument ``reading``.

    Parameters
    ----------
    missing : bool
        Whether missing values are declared here, and not in a survey.toml.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(
            separator: str | None,
            decimal: str | None,
            encoding: str | None,
            sheet: str | None,
            missing_values: tuple[str, ...] = (),
            **others: Any,
        ) -> None:
            from server.tables.files import Reading
            from server.tables.missing import MissingValues

            reading = Reading(
                separator="\t" if separator == "tab" else separator,
                decimal=decimal,
                encoding=encoding,
                sheet=sheet,
                missing=MissingValues.parse(missing_values),
            )
            command(reading=reading, **others)

        for option in (*([_MISSING] if missing else []), *reversed(_OPTIONS)):
            run = option(run)
        return run

    return decorate
