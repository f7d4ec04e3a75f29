"""``roomful anonymize``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

from server.anonymize.methods import METHODS
from server.cli.names import listed
from server.cli.progress import stages


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--quasi-identifiers", "quasi", metavar="A,B,C", required=True, help="Columns to mask.")
@click.option(
    "--confidential", metavar="A,B", default="", help="Columns to look after; they stay as they are."
)
@click.option("--drop", metavar="A,B", default="", help="Columns to leave out, such as names.")
@click.option("--k", type=click.IntRange(2), required=True, help="Fewest records that look alike.")
@click.option(
    "--method",
    type=click.Choice([method.name for method in METHODS]),
    default="mdav",
    show_default=True,
    help="How to group.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="File to write, of the same format."
)
@click.option("--nominal", metavar="A,B", default="", help="Quasi-identifiers to take as categories.")
@click.option("--numeric", metavar="A,B", default="", help="Quasi-identifiers to take as numbers.")
@click.option(
    "--missing",
    type=click.Choice(["refuse", "drop", "category"]),
    default="refuse",
    show_default=True,
    help="What becomes of records without a quasi-identifier.",
)
@click.option("--relaxed", is_flag=True, help="Mondrian only: equal values may go to both sides of a cut.")
@click.option("--gamma", type=float, help="V-MDAV only: how willingly groups grow beyond k.")
@click.option("--refine", is_flag=True, help="Lower the loss by moves and swaps of records afterwards.")
@click.option(
    "--dependence", type=float, help="Weight of numeric confidential attributes in grouping, 0 to 1."
)
@click.option("--seed", type=int, help="Of methods that depend on chance.")
@click.option(
    "--breach",
    type=click.Choice(["none", "p3m", "dream"]),
    default="none",
    show_default=True,
    help="Keep published numbers away from true ones.",
)
@click.option("--minimum-distance", type=float, help="For --breach, in standard deviations.")
@click.option("--trade-off", type=float, help="For --breach: 0 only distance, near 1 only little loss.")
@click.option("--unrounded", is_flag=True, help="Publish means of whole numbers with their decimals.")
@click.option("--known", metavar="A,B", default="", help="Quasi-identifiers that the intruder of DLD knows.")
@click.option("--separator", help="Separator of a CSV, where it cannot be found out.")
@click.option("--decimal", type=click.Choice([".", ","]), help="Decimal sign of a CSV.")
@click.option("--encoding", type=click.Choice(["utf-8", "latin-1"]), help="Encoding of a CSV.")
@click.option("--sheet", help="Sheet of a workbook that has several.")
@click.option("--json", "as_json", is_flag=True, help="Print everything measured as JSON.")
def anonymize(
    file: Path,
    quasi: str,
    confidential: str,
    drop: str,
    k: int,
    method: str,
    out: Path,
    nominal: str,
    numeric: str,
    missing: Any,
    relaxed: bool,
    gamma: float | None,
    refine: bool,
    dependence: float | None,
    seed: int | None,
    breach: Any,
    minimum_distance: float | None,
    trade_off: float | None,
    unrounded: bool,
    known: str,
    separator: str | None,
    decimal: str | None,
    encoding: str | None,
    sheet: str | None,
    as_json: bool,
) -> None:
    """Mask the quasi-identifiers of FILE by microaggregation.

    Writes OUT in the same format, and beside it OUT.report.html and OUT.json with everything that was
    measured on what was written. Formats: CSV, Parquet, SPSS .sav, Stata .dta, Excel .xlsx.
    """
    from server.anonymize.request import Request
    from server.anonymize.runs import anonymize_file, parameters_of_breach

    request = Request(
        quasi_identifiers=listed(quasi),
        confidential=listed(confidential),
        drop=listed(drop),
        k=k,
        method=method,
        options=({"strict": False} if relaxed else {}) | ({} if gamma is None else {"gamma": gamma}),
        nominal=listed(nominal),
        numeric=listed(numeric),
        missing=missing,
        refine=refine,
        dependence=dependence,
        breach=breach,
        unrounded=unrounded,
        seed=seed,
        **parameters_of_breach(breach, minimum_distance, trade_off),
    )
    reading = {"separator": separator, "decimal": decimal, "encoding": encoding, "sheet": sheet}

    def announce(text: str) -> None:
        click.echo(text, err=True)

    with stages(hidden=as_json) as progress:
        result = anonymize_file(
            file,
            out,
            request,
            known=listed(known),
            command=shlex.join(["roomful", "anonymize", *_arguments()]),
            announce=announce,
            progress=progress,
            reading=reading,
        )
    if as_json:
        click.echo(json.dumps(result.document, indent=1, ensure_ascii=False, allow_nan=False))
        return
    for measure in result.headline:
        click.echo(f"{measure.label:<66} {_short(measure.value)}")
    for warning in result.warnings:
        click.secho(f"Warning: {warning}", fg="yellow", err=True)
    click.echo(f"Written: {', '.join(str(path) for path in result.files)}")
    click.echo(f"Look at {result.files[1]}")


def _short(value: float) -> str:
    return f"{value:.4g}"


def _arguments() -> list[str]:
    """What stood on the command line, for the report."""
    import sys

    return sys.argv[2:]
