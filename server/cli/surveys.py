"""What several commands open: the data directory."""

from __future__ import annotations

import os
from pathlib import Path

from server.collection.storage.data_directory import DataDirectory
from server.collection.web.config import Config


def open_data(data: Path) -> DataDirectory:
    """The data directory of a command, with the settings of its server."""
    return Config.load(data, os.environ, {}).open_data(data)
