"""``roomful serve``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from server.cli.surveys import data_option
from server.collection.config import Config
from server.collection.web.serving import serve as run


@click.command()
@data_option
@click.option("--host", help="Address to listen on. [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on. [default: 8000]")
@click.option("--public-url", help="Address under which people reach the server, with its sub-path.")
@click.option("--role", help="all, registrar (issues tokens) or collector (takes ballots). [default: all]")
@click.option("--reload", is_flag=True, help="For work on the page: serve a client that is built again.")
def serve(
    data: Path, host: str | None, port: int | None, public_url: str | None, role: str | None, reload: bool
) -> None:
    """Serve the surveys of a data directory.

    Settings also come from DATA/roomful.toml and from variables ROOMFUL_SERVER_<SETTING>. End it with Ctrl-C
    or SIGTERM: what was begun is finished.
    """
    options = {"host": host, "port": port, "public_url": public_url, "role": role}
    config = Config.load(data, os.environ, options)
    run(config, data, click.echo, reload=reload)
