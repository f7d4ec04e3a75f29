"""Options of many commands, and types of their arguments: one spelling each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

PATH: Final = click.Path(path_type=Path)
FILE: Final = click.Path(dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)
EXISTING_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
EXISTING_FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
cluster_option: Final = click.option(
    "--cluster",
    metavar="local|ADDRESS",
    help="Divide the work among processes of this machine (local, local:N) or workers of a Dask scheduler "
    "(tls://HOST:PORT). By default threads of this process.",
)


public_url_option: Final = click.option(
    "--public-url",
    required=True,
    envvar="ROOMFUL_SERVER_PUBLIC_URL",
    help="Address of the server, for links.",
)


def warn_of_local_links(public_url: str) -> None:
    """Say so, on standard error, if links with this address lead nowhere from another machine."""
    from server.collection.config import is_loopback  # nobody without links waits for what it loads

    if is_loopback(urlsplit(public_url).hostname or ""):
        click.echo(f"WARNING: links lead to {public_url}, which only this machine can reach.", err=True)


def json_option(what: str = "the figures") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--json``: the command gets ``as_json``, and prints `what` as one JSON document."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print {what} as JSON.")
