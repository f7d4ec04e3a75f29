"""The option that says who does the work, the same for every command that divides it."""

from __future__ import annotations

from typing import Final

import click

CLUSTER: Final = click.option(
    "--cluster",
    metavar="local|ADDRESS",
    help="Divide the work among processes of this machine (local, local:N) or workers of a Dask scheduler "
    "(tls://HOST:PORT). By default threads of this process.",
)
