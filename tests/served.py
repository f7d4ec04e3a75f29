"""A real server in this process, over a data directory."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from waitress import wasyncore

from server.collection.config import Config
from server.collection.web.serving import listen, make_server
from server.collection.web.static_files import ClientFiles
from shared.errors import SetupError
from tests.waiting import PATIENCE_SECONDS


def no_client() -> ClientFiles:
    """For applications whose pages nobody looks at."""
    raise SetupError("no client")


@contextmanager
def running(app: Flask, config: Config, listener: socket.socket | None = None) -> Iterator[None]:
    """Serve an application as the commands do."""
    server = make_server(app, config, listener or listen(config))

    def close() -> None:
        for channel in list(server.active_channels.values()):
            channel.handle_close()  # closes what waits to be sent as well, which may be a file
        wasyncore.close_all(server._map)

    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield
    finally:
        server.task_dispatcher.shutdown()
        server.trigger.pull_trigger(close)
        thread.join(timeout=PATIENCE_SECONDS)
        assert not thread.is_alive()


@contextmanager
def serving(app: Flask) -> Iterator[int]:
    """Serve an application on any free port; the port."""
    config = Config(port=1024, threads=4)
    object.__setattr__(config, "port", 0)  # any free one
    listener = listen(config)
    with running(app, config, listener):
        yield listener.getsockname()[1]
