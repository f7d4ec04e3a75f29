"""``roomful reproduce``."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

import click

from server.cli.options import PATH, json_option
from server.cli.progress import stages

DATA_VARIABLE: Final = "ROOMFUL_REFERENCE_DATA"


class _Listing(click.Command):
    """A command whose help ends with the names in the catalogue."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List names, titles and seconds, a paper at a time."""
        from server.statistics.reproduction.catalogue import CATALOGUE, PAPERS

        super().format_epilog(ctx, formatter)
        for key, paper in PAPERS.items():
            rows = [
                (name, f"{entry.title} ({entry.seconds:.0f} s)" if entry.seconds >= 1 else entry.title)
                for name, entry in CATALOGUE.items()
                if entry.paper == key
            ]
            if rows:
                formatter.write_paragraph()
                formatter.write_text(f"{paper}:")
                with formatter.indentation():
                    formatter.write_dl(rows)


@click.command(cls=_Listing)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "everything", is_flag=True, help="Everything that is listed below.")
@click.option("--out", type=PATH, required=True, help="Folder to make; one of an earlier run is replaced.")
@click.option(
    "--data",
    type=PATH,
    help=f"Folder of the reference data sets; otherwise {DATA_VARIABLE}, otherwise ../shared/data.",
)
@click.option(
    "--published",
    type=PATH,
    help="Folder of published figures as JSON; otherwise the folder `reference` beside the data.",
)
@json_option("a summary")
def reproduce(
    names: tuple[str, ...],
    everything: bool,
    out: Path,
    data: Path | None,
    published: Path | None,
    as_json: bool,
) -> None:
    """Compute published tables and figures again, and show ours beside theirs.

    Writes OUT/index.html with all pictures, OUT/index.json, and for each NAME a report as text and JSON
    and its pictures as SVG. Ends with exit code 5 if a value differs by more than is promised.
    """
    from server.statistics.reproduction.catalogue import CATALOGUE
    from server.statistics.reproduction.inputs import Inputs
    from server.statistics.reproduction.workflow import reproduce as run

    if everything == bool(names):
        raise click.UsageError("Name what to reproduce, or say --all, not both; --help lists the names.")
    # A stopped run cleans up like an interrupted one.
    signal.signal(signal.SIGTERM, _stop)
    folder = data or _default_data()
    with stages() as progress:
        outcome = run(
            tuple(CATALOGUE) if everything else names,
            out,
            Inputs(folder, published or (folder.parent / "reference" if folder else None)),
            command=shlex.join(["roomful", "reproduce", *sys.argv[2:]]),
            progress=progress,
            announce=lambda line: click.echo(line, err=True),
        )
    if as_json:
        click.echo(json.dumps(outcome.as_json(), indent=1, ensure_ascii=False, allow_nan=False))
    else:
        click.echo(f"Look at {out / 'index.html'}")
    outcome.require_kept()


def _default_data() -> Path | None:
    named = os.environ.get(DATA_VARIABLE)
    if named:
        return Path(named)
    beside = Path("..", "shared", "data")
    return beside if beside.is_dir() else None


def _stop(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
