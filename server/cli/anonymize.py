"""``roomful anonymize``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

from server.cli import columns
from server.cli.options import PATH, cluster_option, json_option
from server.cli.progress import stages
from server.cli.reading import reading_options
from server.cli.stopping import tidy_when_ended
from server.statistics.anonymize.methods import METHODS
from server.tables.files import Reading


@click.command()
@click.argument("file", metavar="FILE", type=PATH)
@columns.several("--quasi-identifiers", metavar="A,B,C", required=True, help="Columns to mask.")
@columns.several("--confidential", help="Columns to look after; their values stay as they are.")
@columns.several("--drop", help="Columns to leave out, such as names.")
@click.option("--k", type=click.IntRange(2), required=True, help="Fewest records that look alike.")
@click.option(
    "--method",
    type=click.Choice([method.name for method in METHODS]),
    default="mdav",
    show_default=True,
    help="How to group.",
)
@click.option("--out", type=PATH, required=True, help="File to write, of the same format.")
@columns.NOMINAL
@columns.several("--numeric", help="Quasi-identifiers to take as numbers.")
@columns.ORDINAL
@columns.COUNTS
@columns.one("--person", "Who a record is of; k then counts persons.")
@columns.one("--household", "Household of a record; k counts households.")
@columns.SAMPLING_WEIGHT
@click.option(
    "--participation",
    metavar="P|LOW..HIGH",
    help="Chance that a person takes part; k then counts participants.",
)
@columns.PARTICIPATION_COLUMN
@click.option(
    "--acceptable-cell-failure", metavar="P", help="With participation: how often a group may fail."
)
@click.option(
    "--missing",
    type=click.Choice(["refuse", "drop", "category"]),
    default="refuse",
    show_default=True,
    help="What becomes of records without a quasi-identifier.",
)
@columns.several("--median", help="Numbers that publish their group's median.")
@click.option(
    "--restore-variance", is_flag=True, help="Move means apart until numbers vary as much as before."
)
@click.option("--l-diversity", type=click.IntRange(2), help="Fewest different secret values of a group.")
@click.option(
    "--recursive-diversity",
    metavar="C,L",
    help="In a group the commonest value is below C times all from the L-th on.",
)
@click.option("--t-closeness", type=float, help="Greatest distance of a group from the table, 0 to 1.")
@click.option("--relaxed", is_flag=True, help="Mondrian only: equal values may go to both sides of a cut.")
@click.option("--gamma", type=float, help="V-MDAV only: how willingly groups grow beyond k.")
@click.option("--refine", is_flag=True, help="Lower the loss by moves and swaps of records afterwards.")
@click.option(
    "--effort",
    type=click.IntRange(0, 1000),
    default=0,
    help="With --refine: so many hundred further trials for each record. More loses less; 10 is much.",
)
@click.option(
    "--dependence", type=float, help="Weight of numeric confidential attributes in grouping, 0 to 1."
)
@columns.several("--block", "blocks", multiple=True, help="Quasi-identifiers to group by on their own.")
@click.option(
    "--district",
    type=click.IntRange(0),
    metavar="N",
    help="Group within districts of at most N similar records; 0: never. By default 200000 beyond 2,000,000.",
)
@click.option("--seed", type=click.IntRange(0), help="Of methods that depend on chance.")
@click.option(
    "--breach",
    type=click.Choice(["none", "p3m", "p3m-record"]),
    default="none",
    show_default=True,
    help="Keep published numbers away from true ones.",
)
@click.option(
    "--minimum-distance",
    metavar="D|NAME=D",
    multiple=True,
    help="For --breach, in standard deviations; for all or one attribute.",
)
@click.option("--minimum-distances", type=PATH, help="For --breach: file with one a value, or record.")
@click.option("--importances", type=PATH, help="For --breach: file with one a value, or record.")
@click.option("--trade-off", type=float, help="For --breach: 0 only distance, near 1 only little loss.")
@click.option(
    "--digits",
    metavar="N|NAME=N",
    multiple=True,
    help="Decimals of published numbers, for all or one attribute; -2 rounds to hundreds.",
)
@click.option("--unrounded", is_flag=True, help="Publish means with all their decimals.")
@click.option("--keep-order", is_flag=True, help="Keep the order of the records, which gives values away.")
@columns.KNOWN
@columns.hierarchy("Hierarchy to generalize along (mondrian), or of a confidential column, for t-closeness.")
@columns.RISK_FILE
@reading_options(missing=True)
@cluster_option
@json_option("everything measured")
def anonymize(
    *,
    file: Path,
    out: Path,
    participation: str | None,
    participation_column: str,
    acceptable_cell_failure: str | None,
    l_diversity: int | None,
    recursive_diversity: str | None,
    t_closeness: float | None,
    relaxed: bool,
    gamma: float | None,
    breach: Any,
    minimum_distance: tuple[str, ...],
    minimum_distances: Path | None,
    importances: Path | None,
    trade_off: float | None,
    digits: tuple[str, ...],
    known: tuple[str, ...],
    hierarchies: dict[str, Path],
    risk_file: Path | None,
    reading: Reading,
    cluster: str | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Mask the quasi-identifiers of FILE by microaggregation.

    OUT has the format of FILE and holds the published values, in an order of their own, and nothing else.
    Beside it stand OUT.report.html and OUT.json with everything that was measured on what was written.
    Formats: CSV, Parquet, SPSS .sav, Stata .dta, Excel .xlsx.
    """
    from server.executor.cluster import executor_at
    from server.statistics.anonymize.constraints import Constraints
    from server.statistics.anonymize.people import Participation
    from server.statistics.anonymize.request import Distances, Request
    from server.statistics.anonymize.rounding import Digits
    from server.statistics.anonymize.workflow import anonymize_file

    request = Request(
        options=({"strict": False} if relaxed else {}) | ({} if gamma is None else {"gamma": gamma}),
        participation=Participation.parse(
            participation, participation_column, acceptable_cell_failure, judged=True
        ),
        constraints=Constraints.parse(l_diversity, recursive_diversity, t_closeness),
        breach=breach,
        distances=Distances.parse(breach, minimum_distance, minimum_distances, importances, trade_off),
        digits=Digits.parse(digits),
        **asked,
    )

    def announce(text: str) -> None:
        click.echo(text, err=True)

    with tidy_when_ended(), executor_at(cluster) as executor, stages(hidden=as_json) as progress:
        result = anonymize_file(
            file,
            out,
            request,
            known=known,
            hierarchies=hierarchies,
            risk_file=risk_file,
            command=shlex.join(["roomful", "anonymize", *_arguments()]),
            announce=announce,
            progress=progress,
            reading=reading,
            executor=executor,
        )
    if as_json:
        click.echo(json.dumps(result.document, indent=1, ensure_ascii=False, allow_nan=False))
        return
    for block, measure in result.headline:
        label = f"{block}: {measure.label}" if block else measure.label
        click.echo(f"{label:<80} {_short(measure.value)}")
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
