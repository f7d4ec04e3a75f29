"""The platform of a command line: kept-alive HTTP, ``cryptography`` and the system's random generator."""

from __future__ import annotations

import http.client
import secrets
import ssl
import threading
import weakref
from collections.abc import Callable
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from respondent_client.headless.sealing import seal
from respondent_client.platform import Reply
from shared.errors import RemoteError

TIMEOUT_SECONDS = 60


class HeadlessPlatform:
    """Implements :class:`respondent_client.platform.Platform`; every thread keeps a connection of its own.

    Connections are closed by :attr:`close`, or when nobody holds the platform any more.

    Parameters
    ----------
    notify : callable, optional
        Receives the progress of long checks.
    """

    def __init__(self, notify: Callable[[dict[str, int]], None] | None = None) -> None:
        self._notify = notify
        self._local = threading.local()
        self._opened: list[http.client.HTTPConnection] = []
        self.close = weakref.finalize(self, _close_all, self._opened)

    async def request(
        self, method: str, url: str, *, body: bytes | None, content_type: str, max_bytes: int
    ) -> Reply:
        """See :meth:`Platform.request`."""
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        headers = {"Content-Type": content_type} if body is not None else {}
        kept = self._connection(parts.scheme, parts.netloc)
        used = kept.sock is not None
        try:
            return _exchange(kept, method, path, body, headers, max_bytes)
        except (http.client.HTTPException, OSError) as problem:
            kept.close()
            # A server may close an idle connection at any time; every request of this protocol is idempotent.
            if used and not isinstance(problem, TimeoutError):
                try:
                    return _exchange(kept, method, path, body, headers, max_bytes)
                except (http.client.HTTPException, OSError) as again:
                    kept.close()
                    problem = again
            raise RemoteError(
                f"the server cannot be reached ({type(problem).__name__})",
                where=f"{parts.scheme}://{parts.netloc}",
                remedy="Check the address and the connection, and try again.",
                code="remote.unreachable",
            ) from None

    def _connection(self, scheme: str, place: str) -> http.client.HTTPConnection:
        connections: dict[tuple[str, str], http.client.HTTPConnection]
        connections = self._local.__dict__.setdefault("connections", {})
        if (scheme, place) not in connections:
            connection = (
                http.client.HTTPSConnection(
                    place, timeout=TIMEOUT_SECONDS, context=ssl.create_default_context()
                )
                if scheme == "https"
                else http.client.HTTPConnection(place, timeout=TIMEOUT_SECONDS)
            )
            connections[scheme, place] = connection
            self._opened.append(connection)
        return connections[scheme, place]

    async def verify(self, *, public_key: bytes, signature: bytes, message: bytes) -> bool:
        """See :meth:`Platform.verify`."""
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    async def public_key(self, *, secret: bytes) -> bytes:
        """See :meth:`Platform.public_key`."""
        return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()

    async def sign(self, *, secret: bytes, message: bytes) -> bytes:
        """See :meth:`Platform.sign`."""
        return Ed25519PrivateKey.from_private_bytes(secret).sign(message)

    async def seal(self, *, suite: str, public_key: bytes, info: bytes, plaintext: bytes) -> bytes:
        """See :meth:`Platform.seal`."""
        return seal(suite, public_key, info, plaintext)

    def entropy(self, n_bytes: int) -> bytes:
        """See :meth:`Platform.entropy`."""
        return secrets.token_bytes(n_bytes)

    def notify(self, notice: dict[str, int]) -> None:
        """See :meth:`Platform.notify`."""
        if self._notify is not None:
            self._notify(notice)


def _close_all(connections: list[http.client.HTTPConnection]) -> None:
    for connection in connections:
        connection.close()


def _exchange(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes | None,
    headers: dict[str, str],
    max_bytes: int,
) -> Reply:
    connection.request(method, path, body=body, headers=headers)
    response = connection.getresponse()
    data = response.read(max_bytes + 1)
    if len(data) > max_bytes:
        connection.close()
        raise RemoteError("the server's answer is too long", where=path, code="remote.too-long")
    return Reply(status=response.status, body=data)
