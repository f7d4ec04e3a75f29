"""``roomful evaluate``."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from server.cli import columns
from server.cli.options import PATH, cluster_option, json_option
from server.cli.progress import stages
from server.cli.reading import reading_options
from server.cli.stopping import tidy_when_ended
from server.tables.files import Reading


@click.command()
@click.argument("original", type=PATH)
@click.argument("masked", type=PATH)
@columns.several("--quasi-identifiers", metavar="A,B,C", required=True, help="Columns that were masked.")
@columns.several("--confidential", help="Columns whose diversity counts.")
@columns.NOMINAL
@columns.ORDINAL
@columns.COUNTS
@columns.one("--person", "Who a record is of; classes count persons.")
@columns.one("--household", "Household of a record, to count these.")
@columns.SAMPLING_WEIGHT
@columns.several("--block", "blocks", multiple=True, help="Columns that were grouped on their own.")
@click.option(
    "--k", type=click.IntRange(2, 1000), help="With participation: fewest participants that protect."
)
@click.option("--participation", metavar="P|LOW..HIGH", help="Chance that a person takes part.")
@columns.PARTICIPATION_COLUMN
@click.option("--dependence", type=float, help="lambda of D(lambda), 0 to 1.")
@columns.hierarchy(
    "Hierarchy that a column was generalized along, or of a confidential one, for t-closeness."
)
@columns.RISK_FILE
@columns.KNOWN
@click.option(
    "--width", type=float, default=0.1, show_default=True, help="Of SDID and SL, in standard deviations."
)
@click.option(
    "--interval", type=float, default=0.02, show_default=True, help="Delta of l_avg, in standard deviations."
)
@click.option("--target", default="", help="Column to predict, to measure empirical utility.")
@reading_options(missing=True)
@click.option("--report", type=PATH, help="HTML report to write.")
@cluster_option
@json_option("everything")
def evaluate(
    *,
    original: Path,
    masked: Path,
    blocks: tuple[tuple[str, ...], ...],
    participation: str | None,
    participation_column: str,
    dependence: float | None,
    risk_file: Path | None,
    known: tuple[str, ...],
    width: float,
    interval: float,
    target: str,
    reading: Reading,
    report: Path | None,
    cluster: str | None,
    as_json: bool,
    **compared: Any,
) -> None:
    """Measure the file MASKED against its ORIGINAL: information loss, disclosure risk, diversity.

    Both hold the same records in the same order; the masked file may come from any program.
    """
    from server.executor.cluster import executor_at
    from server.statistics.anonymize.comparing import Comparison, evaluate_files
    from server.statistics.anonymize.evaluation import Settings
    from server.statistics.anonymize.people import Participation
    from server.statistics.anonymize.report import shown

    asked = Comparison(
        participation=Participation.parse(participation, participation_column, None, judged=False), **compared
    )
    settings = Settings(
        known=known, width=width, interval=interval, target=target, blocks=blocks, dependence=dependence
    )
    with tidy_when_ended(), executor_at(cluster) as executor, stages(hidden=as_json) as progress:
        result = evaluate_files(
            original,
            masked,
            asked,
            settings=settings,
            report=report,
            risk_file=risk_file,
            command=shlex.join(["roomful", "evaluate", *sys.argv[2:]]),
            progress=progress,
            reading=reading,
            executor=executor,
        )
    if as_json:
        click.echo(json.dumps(result.as_json(), indent=1, ensure_ascii=False, allow_nan=False))
        return
    parts = [(f"block {', '.join(names)}", measures) for names, measures in result.blocks]
    parts += [("", result.anonymity), ("", result.information), ("", result.disclosure)]
    parts += list(result.confidential)
    parts += [("", found.measures()) for found in result.utility]
    for name, measures in parts:
        for measure in measures:
            label = f"{name}: {measure.label}" if name else measure.label
            click.echo(f"{label:<80} {shown(measure.value)}")
    for warning in result.warnings:
        click.secho(f"Warning: {warning}", fg="yellow", err=True)
    if report is not None:
        click.echo(f"Look at {report}")
