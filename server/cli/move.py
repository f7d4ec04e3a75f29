"""``roomful move``: from one database program to the other."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

import click

from server.cli.options import json_option
from server.cli.progress import stages
from server.cli.surveys import data_option
from server.collection.config import Config, require_postgresql
from server.collection.storage.moving import Moved
from server.collection.transfer import move_data

_FILES: Final = "files"


@click.command()
@data_option
@click.option(
    "--to",
    "target",
    required=True,
    metavar="URL",
    help=f"postgresql://USER@HOST/NAME, or {_FILES}: SQLite in the data directory.",
)
@json_option("what was moved")
def move(data: Path, target: str, as_json: bool) -> None:
    """Move all databases of a server's or a relay's directory, and change the setting.

    End every server first, on every machine. Everything is copied and compared, then roomful.toml names the
    new place, then the old databases are deleted. If it is interrupted, give the same command again.
    """
    moved: list[Moved] = []
    url = ""
    if target != _FILES:
        require_postgresql(target, "--to", f"or {_FILES}")
        url = target
    with stages(hidden=as_json) as progress:
        move_data(Config.load(data, os.environ, {}), data, url, os.environ, moved.append, progress)
    if as_json:
        tables = {
            one.name: {table.table: {"rows": table.rows, "sha256": table.sha256} for table in one.contents}
            for one in moved
        }
        click.echo(json.dumps({"database": url, "moved": tables}))
        return
    for one in moved:
        rows = ", ".join(f"{table.table} {table.rows}" for table in one.contents)
        click.echo(f"{one.name}: {rows}; the copy is the same.")
    click.echo("All surveys are there now; roomful.toml says so, and the old databases are deleted.")
