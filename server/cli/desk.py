"""``roomful desk``."""

from __future__ import annotations

from pathlib import Path

import click

from server.cli.options import FILE, FOLDER
from server.cli.stopping import tidy_when_ended


@click.command()
@click.argument("folder", required=False, default=".", type=FOLDER)
@click.option("--data", type=FOLDER, help="The data directory to publish into. [default: FOLDER/data]")
@click.option("--port", type=click.IntRange(1, 65535), help="Port on 127.0.0.1. [default: a free one]")
@click.option("--open", "open_browser", is_flag=True, help="Open the desk in your browser at once.")
@click.option(
    "--address-file",
    type=FILE,
    help="Write the address into this file, for you alone, instead of printing it.",
)
def desk(
    folder: Path, data: Path | None, port: int | None, open_browser: bool, address_file: Path | None
) -> None:
    """Go from a file to a released table in your browser, on this machine only.

    Works on survey.toml and the files beside it in FOLDER, which is made if it is not there. What the pages
    do, the commands do too, and each page names them. Only who has the printed address is let in, and the
    address is another one each time. End it with Ctrl-C.
    """
    from server.desk.serving import serve_desk

    with tidy_when_ended():
        serve_desk(
            folder,
            data or folder / "data",
            port,
            click.echo,
            open_browser=open_browser,
            address_file=address_file,
        )
