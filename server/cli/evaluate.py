"""``roomful evaluate``."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import click

from server.cli.names import listed
from server.cli.progress import stages


@click.command()
@click.argument("original", type=click.Path(path_type=Path))
@click.argument("masked", type=click.Path(path_type=Path))
@click.option(
    "--quasi-identifiers", "quasi", metavar="A,B,C", required=True, help="Columns that were masked."
)
@click.option("--confidential", metavar="A,B", default="", help="Columns whose diversity counts.")
@click.option("--nominal", metavar="A,B", default="", help="Quasi-identifiers to take as categories.")
@click.option("--known", metavar="A,B", default="", help="Quasi-identifiers that the intruder of DLD knows.")
@click.option(
    "--width", type=float, default=0.1, show_default=True, help="Of SDID and SL, in standard deviations."
)
@click.option(
    "--interval", type=float, default=0.1, show_default=True, help="Delta of l_avg, in standard deviations."
)
@click.option("--target", default="", help="Column to predict, to measure empirical utility.")
@click.option("--report", type=click.Path(path_type=Path), help="HTML report to write.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def evaluate(
    original: Path,
    masked: Path,
    quasi: str,
    confidential: str,
    nominal: str,
    known: str,
    width: float,
    interval: float,
    target: str,
    report: Path | None,
    as_json: bool,
) -> None:
    """Measure the file MASKED against its ORIGINAL: information loss, disclosure risk, diversity.

    Both hold the same records in the same order; the masked file may come from any program.
    """
    from server.anonymize.evaluation import Settings
    from server.anonymize.report import shown
    from server.anonymize.runs import evaluate_files

    settings = Settings(known=listed(known), width=width, interval=interval, target=target)
    with stages(hidden=as_json) as progress:
        result = evaluate_files(
            original,
            masked,
            quasi_identifiers=listed(quasi),
            confidential=listed(confidential),
            nominal=listed(nominal),
            settings=settings,
            report=report,
            command=shlex.join(["roomful", "evaluate", *sys.argv[2:]]),
            progress=progress,
        )
    if as_json:
        click.echo(json.dumps(result.as_json(), indent=1, ensure_ascii=False, allow_nan=False))
        return
    parts = [("", result.anonymity), ("", result.information), ("", result.disclosure)]
    parts += list(result.confidential)
    parts += [("", found.measures()) for found in result.utility]
    for name, measures in parts:
        for measure in measures:
            label = f"{name}: {measure.label}" if name else measure.label
            click.echo(f"{label:<72} {shown(measure.value)}")
    if report is not None:
        click.echo(f"Look at {report}")
