"""``roomful preview``."""

from __future__ import annotations

from pathlib import Path

import click

from server.cli.options import EXISTING_FOLDER
from server.cli.stopping import tidy_when_ended
from server.collection.web.previewing import preview as run


@click.command()
@click.argument("source", type=EXISTING_FOLDER)
@click.option(
    "--port", type=click.IntRange(1, 65535), default=8001, show_default=True, help="Port on 127.0.0.1."
)
def preview(source: Path, port: int) -> None:
    """Try the page of a design, as respondents will see it, before anybody else can.

    SOURCE is the folder of roomful design, signed or not. The page is marked as a preview, and answers are
    checked like real ones and forgotten. End it with Ctrl-C.
    """
    with tidy_when_ended():
        run(source, port, click.echo)
