"""``roomful serve`` and ``roomful checkup``."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Final

import click

from server.storage.data_directory import DataDirectory
from server.web.checkup import examine_server
from server.web.checkup_http import examine_http
from server.web.checkup_line import Outcome
from server.web.config import Config
from server.web.serving import serve as run
from server.web.static_files import find_client
from shared.errors import SetupError

DEFAULT_DATA: Final = Path("data")
data_option = click.option(
    "--data",
    "data",
    type=click.Path(file_okay=False, path_type=Path),
    default=DEFAULT_DATA,
    show_default=True,
    help="The data directory.",
)


def open_data(data: Path) -> DataDirectory:
    """The data directory of a command, with the settings of its server."""
    return Config.load(data, os.environ, {}).open_data(data)


@click.command()
@data_option
@click.option("--host", help="Address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on. [default: 8000]")
@click.option("--public-url", help="Address under which people reach the server, with its sub-path.")
@click.option("--role", help="all, registrar (issues tokens) or collector (takes ballots). [default: all]")
def serve(data: Path, host: str | None, port: int | None, public_url: str | None, role: str | None) -> None:
    """Serve the surveys of a data directory.

    Settings also come from DATA/roomful.toml and from variables ROOMFUL_SERVER_<SETTING>. End it with Ctrl-C
    or SIGTERM: what was begun is finished.
    """
    options = {"host": host, "port": port, "public_url": public_url, "role": role}
    config = Config.load(data, os.environ, options)
    run(config, data, click.echo)


@click.command()
@data_option
@click.option("--url", help="Also look at the running server from outside, at its public address.")
@click.option("--json", "as_json", is_flag=True, help="Print the lines as JSON.")
def checkup(data: Path, url: str | None, as_json: bool) -> None:
    """Test the installation and name the fix for each failure.

    The exit code is 0 if nothing failed, and that of an incomplete installation otherwise.
    """
    config = Config.load(data, os.environ, {"public_url": url})
    try:
        client = find_client()
    except SetupError:
        client = None
    with config.open_data(data) as directory:
        directory.expire()  # what fails is the business of the line "retention"
        lines = examine_server(config, directory, client)
    if url is not None:
        lines += examine_http(config.public_url, client)
    if as_json:
        click.echo(json.dumps([dataclasses.asdict(line) for line in lines], indent=1))
    else:
        for line in lines:
            click.echo(f"{line.outcome.upper():8}{line.code}: {line.finding}")
            if line.fix:
                click.echo(f"        -> {line.fix}")
    failed = [line.code for line in lines if line.outcome is Outcome.FAILED]
    if failed:
        raise SetupError(
            f"{len(failed)} of {len(lines)} checks failed", where=", ".join(failed), code="setup.checkup"
        )
