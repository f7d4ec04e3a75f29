"""What several commands open: the data directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from server.cli.options import FOLDER
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory

DEFAULT_DATA: Final = Path("data")
data_option = click.option(
    "--data",
    "data",
    type=FOLDER,
    default=DEFAULT_DATA,
    show_default=True,
    help="The data directory.",
)


def open_data(data: Path) -> DataDirectory:
    """The data directory of a command, with the settings of its server."""
    return Config.load(data, os.environ, {}).open_data(data)
