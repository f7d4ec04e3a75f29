"""Running the desk: waitress on the loopback address, until somebody ends it."""

from __future__ import annotations

import errno
import html
import os
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from waitress.server import create_server

from server.collection.config import Config
from server.collection.web.event_log import set_up_logging
from server.collection.web.serving import run
from server.desk.app import create_desk
from server.desk.gate import MAX_UPLOAD_BYTES, Gate
from server.files import PRIVATE, write_file
from server.keys.core_dumps import forbid_core_dumps
from shared.errors import InputError, SetupError

OPENING_FILE: Final = ".desk-open.html"
_THREADS: Final = 4
_CONNECTIONS: Final = 24
"""Every user of the machine can connect, and a body is read before the gate sees its request."""


def serve_desk(
    folder: Path,
    data: Path,
    port: int | None,
    say: Callable[[str], None],
    *,
    open_browser: bool = False,
    address_file: Path | None = None,
) -> None:
    """Serve the desk of a folder until it is ended.

    Guarantee: it listens on 127.0.0.1 only, whatever the settings of a server say.

    Raises
    ------
    SetupError
        If the port is taken.
    InputError
        If the folder cannot be made or a file has its name.
    StorageError
        If the data directory is another user's, or others can write in it.
    """
    _make(folder)
    forbid_core_dumps()
    set_up_logging()
    with _listening(port) as listener, Config.load(data, os.environ, {}).open_data(data) as directory:
        gate = Gate.new(listener.getsockname()[1])
        app = create_desk(folder, directory, gate)
        settings: Any = {
            "sockets": [listener],
            "threads": _THREADS,
            "connection_limit": _CONNECTIONS,
            "ident": "",
            # A register that is uploaded stays in memory until it is written into the folder.
            "inbuf_overflow": 2 * MAX_UPLOAD_BYTES,
            "max_request_body_size": MAX_UPLOAD_BYTES + 1,
            "clear_untrusted_proxy_headers": True,
        }
        server = create_server(app, **settings)
        try:
            if address_file is not None:
                write_file(address_file, f"{gate.address}\n".encode("ascii"), mode=PRIVATE)
            else:
                say(f"The desk of {folder} is open. For you alone, on this machine only:\n{gate.address}")
            if open_browser:
                _open(folder, gate)
            say("End it with Ctrl-C.")
            run(server)
        finally:
            app.extensions["desk"].preview.end()
            (folder / OPENING_FILE).unlink(missing_ok=True)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise InputError(f"cannot be made ({problem.strerror})", where=str(folder)) from None


def _open(folder: Path, gate: Gate) -> None:
    """Lead the browser to the address by a private file: every user sees the arguments of programs."""
    path = folder.absolute() / OPENING_FILE
    address = html.escape(gate.address)
    page = (
        f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><a href="{address}">Desk</a>\n'
    )
    write_file(path, page.encode("ascii"), mode=PRIVATE)
    webbrowser.open(path.as_uri())


def _listening(port: int | None) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port or 0), backlog=16)
    except OSError as problem:
        if problem.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        raise SetupError(
            f"port {port} cannot be used",
            where="--port",
            remedy="Leave --port out: a free one is found.",
            code="setup.port-in-use",
        ) from None
