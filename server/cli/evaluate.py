"""``roomful evaluate``."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import click

from server.cli.names import assigned, listed
from server.cli.options import PATH, cluster_option, json_option
from server.cli.progress import stages
from server.cli.reading import reading_options
from server.cli.stopping import tidy_when_ended
from server.tables.files import Reading


@click.command()
@click.argument("original", type=PATH)
@click.argument("masked", type=PATH)
@click.option(
    "--quasi-identifiers", "quasi", metavar="A,B,C", required=True, help="Columns that were masked."
)
@click.option("--confidential", metavar="A,B", default="", help="Columns whose diversity counts.")
@click.option("--nominal", metavar="A,B", default="", help="Columns to take as categories.")
@click.option(
    "--ordinal", metavar="NAME=LOW,...,HIGH", multiple=True, help="A column's values have this order."
)
@click.option("--counts", metavar="COLUMN", default="", help="How many people each record stands for.")
@click.option("--person", metavar="COLUMN", default="", help="Who a record is of; classes count persons.")
@click.option("--household", metavar="COLUMN", default="", help="Household of a record, to count these.")
@click.option(
    "--sampling-weight", metavar="COLUMN", default="", help="People of a population behind each record."
)
@click.option(
    "--block", "blocks", metavar="A,B", multiple=True, help="Columns that were grouped on their own."
)
@click.option(
    "--k", type=click.IntRange(2, 1000), help="With participation: fewest participants that protect."
)
@click.option("--participation", metavar="P|LOW..HIGH", help="Chance that a person takes part.")
@click.option(
    "--participation-column", metavar="COLUMN", default="", help="Each record's chance to take part."
)
@click.option("--dependence", type=float, help="lambda of D(lambda), 0 to 1.")
@click.option(
    "--hierarchy",
    metavar="NAME=FILE",
    multiple=True,
    help="Hierarchy that a column was generalized along, or of a confidential one, for t-closeness.",
)
@click.option("--risk-file", type=PATH, help="List each record's risk here; never publish it.")
@click.option("--known", metavar="A,B", default="", help="Quasi-identifiers that the intruder of DLD knows.")
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
    original: Path,
    masked: Path,
    quasi: str,
    confidential: str,
    nominal: str,
    ordinal: tuple[str, ...],
    counts: str,
    person: str,
    household: str,
    sampling_weight: str,
    blocks: tuple[str, ...],
    k: int | None,
    participation: str | None,
    participation_column: str,
    dependence: float | None,
    hierarchy: tuple[str, ...],
    risk_file: Path | None,
    known: str,
    width: float,
    interval: float,
    target: str,
    reading: Reading,
    report: Path | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Measure the file MASKED against its ORIGINAL: information loss, disclosure risk, diversity.

    Both hold the same records in the same order; the masked file may come from any program.
    """
    from server.executor.cluster import executor_at
    from server.statistics.anonymize.evaluation import Settings
    from server.statistics.anonymize.people import Participation
    from server.statistics.anonymize.report import shown
    from server.statistics.anonymize.workflow import Comparison, evaluate_files

    asked = Comparison(
        quasi_identifiers=listed(quasi),
        confidential=listed(confidential),
        nominal=listed(nominal),
        ordinal={name: listed(order) for name, order in assigned(ordinal, "--ordinal", alone=True).items()},
        counts=counts,
        person=person,
        household=household,
        sampling_weight=sampling_weight,
        k=k,
        participation=Participation.parse(participation, participation_column, None, judged=False),
        hierarchies={name: Path(file) for name, file in assigned(hierarchy, "--hierarchy").items()},
    )
    settings = Settings(
        known=listed(known),
        width=width,
        interval=interval,
        target=target,
        blocks=tuple(listed(block) for block in blocks),
        dependence=dependence,
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
