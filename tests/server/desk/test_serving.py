"""The desk as a process."""

from __future__ import annotations

import socket
from pathlib import Path

from tests.programs import COMMAND, Program, free_port


def test_it_starts_again_on_the_port_that_it_has_just_left(tmp_path: Path) -> None:
    port = free_port()
    for _ in range(2):
        with Program(
            [*COMMAND, "desk", str(tmp_path), "--port", str(port)], ready="End it with Ctrl-C"
        ) as desk:
            with socket.create_connection(("127.0.0.1", port)) as visitor:
                visitor.sendall(b"GET / HTTP/1.0\r\n\r\n")
                while visitor.recv(65_536):
                    pass  # until the desk closes the connection, whose port is then kept for a minute
            assert desk.stop() == 0
