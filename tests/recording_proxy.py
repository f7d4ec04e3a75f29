"""A proxy that passes bytes on and notes which requests came over which connection."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

_REQUEST = re.compile(rb"(GET|POST|OPTIONS) (\S+) HTTP/1\.1\r\n")


@dataclass(kw_only=True)
class Recording:
    """What somebody sees who ends TLS in front of the servers.

    Attributes
    ----------
    port : int
        Where it listens.
    connections : list of bytearray
        All bytes of each connection, as they came from the client.
    """

    port: int
    connections: list[bytearray] = field(default_factory=list)

    def requests(self) -> list[list[str]]:
        """The requests of each connection, as ``POST tokens``."""
        return [
            [f"{m[1].decode()} {m[2].decode().rpartition('/')[2]}" for m in _REQUEST.finditer(data)]
            for data in self.connections
        ]

    def tied(self) -> int:
        """How many ballots came over a connection that carried a code as well."""
        return sum(found.count("POST submissions") for found in self.requests() if "POST tokens" in found)


@contextlib.contextmanager
def recording_proxy(behind: int) -> Iterator[Recording]:
    """Stand in front of a server on this machine."""
    listener = socket.create_server(("127.0.0.1", 0))
    seen = Recording(port=listener.getsockname()[1])
    threads: list[threading.Thread] = []
    ends: list[socket.socket] = []

    def carry(source: socket.socket, target: socket.socket, note: bytearray | None) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if note is not None:
                    note += data
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(("127.0.0.1", behind))
                ends.extend((client, server))
                note = bytearray()
                seen.connections.append(note)
                for way in ((client, server, note), (server, client, None)):
                    threads.append(threading.Thread(target=carry, args=way, daemon=True))
                    threads[-1].start()

    accepting = threading.Thread(target=serve, daemon=True)
    accepting.start()
    try:
        yield seen
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        accepting.join(timeout=10)
        listener.close()
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(timeout=10)
        for end in ends:
            end.close()
