"""A real server in this process, over a data directory."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask

from server.collection.config import Config
from server.collection.web.serving import in_background, listen, make_server
from server.collection.web.static_files import ClientFiles
from shared.errors import SetupError


def no_client() -> ClientFiles:
    """For applications whose pages nobody looks at."""
    raise SetupError("no client")


@contextmanager
def running(app: Flask, config: Config, listener: socket.socket | None = None) -> Iterator[None]:
    """Serve an application as the commands do."""
    with in_background(make_server(app, config, listener or listen(config))):
        yield


@contextmanager
def serving(app: Flask) -> Iterator[int]:
    """Serve an application on any free port; the port."""
    config = Config(port=1024, threads=4)
    object.__setattr__(config, "port", 0)  # any free one
    listener = listen(config)
    with running(app, config, listener):
        yield listener.getsockname()[1]
