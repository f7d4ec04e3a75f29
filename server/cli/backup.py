"""``roomful backup`` and ``roomful restore``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from server.cli.options import EXISTING_FOLDER, PATH, json_option
from server.cli.progress import stages
from server.cli.surveys import data_option, open_data
from server.collection.backup import Saved, back_up, put_back
from server.collection.transfer import alone_in


@click.command()
@click.argument("out", type=PATH)
@click.argument("surveys", nargs=-1)
@data_option
@click.option("--while-open", is_flag=True, help="Also surveys that take answers, if no cell shows it.")
@json_option("digest and surveys")
def backup(out: Path, surveys: tuple[str, ...], data: Path, while_open: bool, as_json: bool) -> None:
    """Copy surveys into the folder OUT, which is replaced as a whole if it is a backup already.

    SURVEYS are ids, all if none is given. Refused while one takes answers: two copies tell which came in
    between. The copy holds what the data directory holds, private keys too.
    """
    with open_data(data) as directory, stages(hidden=as_json) as progress:
        saved = back_up(directory, out, surveys, while_open=while_open, progress=progress)
    _show(saved, as_json)
    if as_json:
        return
    click.echo(f"Saved in {out}, with the private keys that are in {data}: guard it as that.")
    for survey, told in saved.surveys.items():
        if told["delete_on"] is not None:
            click.echo(f"Delete it on {told['delete_on']}: so long the answers of {survey} may be kept.")


@click.command()
@click.argument("backup", type=EXISTING_FOLDER)
@data_option
@click.option(
    "--older", is_flag=True, help="Also over something newer: receipts are lost, invited surveys end."
)
@json_option("digest and surveys")
def restore(backup: Path, data: Path, older: bool, as_json: bool) -> None:
    """Put the surveys of BACKUP back into a data directory or its PostgreSQL.

    End every server first. Refused if what is there is newer. If it is interrupted, give the same command
    again.
    """
    with alone_in(data), open_data(data) as directory, stages(hidden=as_json) as progress:
        saved = put_back(directory, backup, older=older, progress=progress)
    _show(saved, as_json)


def _show(saved: Saved, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"digest": saved.digest, "surveys": saved.surveys}))
        return
    for survey, told in saved.surveys.items():
        click.echo(f"{survey}: {told['state']}")
    click.echo(f"Digest of the backup: {saved.digest}")
