"""Whether a server that speaks HTTP/2 ends a connection after a code or a ballot.

Over HTTP/1.1 the answer's ``Connection: close`` ends it. HTTP/2 has no such header: the server says GOAWAY or
closes, and a proxy that does neither lets one connection carry a code and a ballot (nginx, whatever a
location says). To see it, one request of HTTP/2 (RFC 9113) is sent as a device would send a ballot, to a
survey that does not exist.
"""

from __future__ import annotations

import socket
import ssl
import time
from typing import Final
from urllib.parse import urlsplit

TIMEOUT_SECONDS: Final = 10.0
ENDING_SECONDS: Final = 2.0
"""So long after its answer the end of a connection is waited for."""
MAX_BYTES: Final = 2**20
NOWHERE: Final = "api/v1/surveys/0000000000000000/submissions"

_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEAD_BYTES: Final = 9
_DATA, _HEADERS, _RESET, _SETTINGS, _GOAWAY = 0, 1, 3, 4, 7
_END_STREAM, _END_HEADERS, _ACK = 0x1, 0x4, 0x1
_STREAM: Final = 1


def keeps_connection(url: str) -> bool:
    """Whether a browser's HTTP/2 connection to a server would go on after a ballot.

    Parameters
    ----------
    url : str
        Public address of the server, with https and a slash at its end.

    Returns
    -------
    bool
        False if the server does not speak HTTP/2, or ends the connection.

    Raises
    ------
    OSError
        If it cannot be reached, or its certificate is wrong.
    """
    parts = urlsplit(url)
    port = parts.port or 443
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection((parts.hostname or "", port), timeout=TIMEOUT_SECONDS) as line,
        context.wrap_socket(line, server_hostname=parts.hostname) as server,
    ):
        if server.selected_alpn_protocol() != "h2":
            return False
        server.sendall(_PREFACE + _frame(_SETTINGS, 0, 0) + _request(parts.netloc, parts.path + NOWHERE))
        return _goes_on(server)


def _request(authority: str, path: str) -> bytes:
    fields = (
        (":method", "POST"),
        (":scheme", "https"),
        (":authority", authority),
        (":path", path),
        ("content-length", "0"),
    )
    block = b"".join(b"\0" + _text(name) + _text(value) for name, value in fields)
    return _frame(_HEADERS, _END_STREAM | _END_HEADERS, _STREAM, block)


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def _text(value: str) -> bytes:
    """A literal of HPACK (RFC 7541, section 5.2) without Huffman's code."""
    data = value.encode("ascii")
    if len(data) < 127:
        return bytes([len(data)]) + data
    rest, length = len(data) - 127, b"\x7f"
    while rest >= 128:
        length += bytes([rest % 128 + 128])
        rest //= 128
    return length + bytes([rest]) + data


def _goes_on(server: ssl.SSLSocket) -> bool:
    """Read frames until the connection ends, or has not ended long enough after the answer."""
    until, received, answered = time.monotonic() + TIMEOUT_SECONDS, b"", False
    for _ in range(MAX_BYTES):
        while len(received) >= _HEAD_BYTES:
            size = _HEAD_BYTES + int.from_bytes(received[:3], "big")
            if len(received) < size:
                break
            kind, flags = received[3], received[4]
            stream, received = int.from_bytes(received[5:9], "big"), received[size:]
            if kind == _GOAWAY:
                return False
            if kind == _SETTINGS and not flags & _ACK:
                server.sendall(_frame(_SETTINGS, _ACK, 0))
            ends = kind == _RESET or (kind in (_DATA, _HEADERS) and flags & _END_STREAM)
            if stream == _STREAM and ends and not answered:
                until, answered = time.monotonic() + ENDING_SECONDS, True
        left = until - time.monotonic()
        if left <= 0 or len(received) > MAX_BYTES:
            break
        server.settimeout(left)
        try:
            more = server.recv(65536)
        except TimeoutError:
            break
        except OSError:
            return False
        if not more:
            return False
        received += more
    return True
