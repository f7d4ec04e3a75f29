"""The platform of a command line: HTTP, ``cryptography`` and the system's random generator."""

from __future__ import annotations

import http.client
import secrets
import ssl
import threading
import weakref
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from respondent_client.headless.sealing import seal
from respondent_client.platform import Reply
from shared.errors import RemoteError

TIMEOUT_SECONDS: Final = 60


class HeadlessPlatform:
    """Implements :class:`respondent_client.platform.Platform`; every thread keeps a connection for reading.

    Guarantee: each request with a body, such as the one with a code and the one with a ballot, has a
    connection of its own, which carries nothing else and resumes no earlier TLS session. So no connection
    ties two of them together.

    Kept connections are closed by :attr:`close`, or when nobody holds the platform any more.

    Parameters
    ----------
    notify : callable, optional
        Receives the progress of long checks.
    """

    def __init__(self, notify: Callable[[Mapping[str, Any]], None] | None = None) -> None:
        self._notify = notify
        self._local = threading.local()
        self._context: ssl.SSLContext | None = None
        self._opened: list[http.client.HTTPConnection] = []
        self.close = weakref.finalize(self, _close_all, self._opened)

    def __reduce__(self) -> tuple[type[HeadlessPlatform], tuple[()]]:
        """In another process it has connections of its own, and nobody to notify."""
        return HeadlessPlatform, ()

    async def request(
        self, method: str, url: str, *, body: bytes | None, content_type: str, max_bytes: int
    ) -> Reply:
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        own = body is not None
        headers = (
            {"Content-Type": content_type, "Connection": "close"} if own else {"Accept-Encoding": "gzip"}
        )
        if own:
            self._drop(parts.scheme, parts.netloc)
        line = self._connect(parts.scheme, parts.netloc) if own else self._kept(parts.scheme, parts.netloc)
        used = line.sock is not None
        try:
            return _exchange(line, method, path, body, headers, max_bytes)
        except (http.client.HTTPException, OSError) as problem:
            line.close()
            # A server may close an idle connection at any time; every request of this protocol is idempotent.
            if used and not isinstance(problem, TimeoutError):
                try:
                    return _exchange(line, method, path, body, headers, max_bytes)
                except (http.client.HTTPException, OSError) as again:
                    line.close()
                    problem = again
            raise RemoteError(
                f"the server's certificate is not trusted: {problem.verify_message}"
                if isinstance(problem, ssl.SSLCertVerificationError)
                else f"the server cannot be reached ({type(problem).__name__})",
                where=f"{parts.scheme}://{parts.netloc}",
                remedy="Check the address and the connection, and try again.",
                code="remote.unreachable",
            ) from None
        finally:
            if own:
                line.close()

    def _kept(self, scheme: str, place: str) -> http.client.HTTPConnection:
        """This thread's connection for what it reads."""
        connections = self._connections()
        if (scheme, place) not in connections:
            connections[scheme, place] = self._connect(scheme, place)
            self._opened.append(connections[scheme, place])
        return connections[scheme, place]

    def _drop(self, scheme: str, place: str) -> None:
        """Close it: what is read later is not read on what was there before a code or a ballot was sent."""
        kept = self._connections().get((scheme, place))
        if kept is not None:
            kept.close()

    def _connections(self) -> dict[tuple[str, str], http.client.HTTPConnection]:
        found: dict[tuple[str, str], http.client.HTTPConnection]
        found = self._local.__dict__.setdefault("connections", {})
        return found

    def _connect(self, scheme: str, place: str) -> http.client.HTTPConnection:
        if scheme != "https":
            return http.client.HTTPConnection(place, timeout=TIMEOUT_SECONDS)
        return http.client.HTTPSConnection(place, timeout=TIMEOUT_SECONDS, context=self._trust())

    def _trust(self) -> ssl.SSLContext:
        """Made once; a client of this library resumes no session of its own accord."""
        if self._context is None:
            self._context = ssl.create_default_context()
        return self._context

    async def verify(self, *, public_key: bytes, signature: bytes, message: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    async def public_key(self, *, secret: bytes) -> bytes:
        return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()

    async def sign(self, *, secret: bytes, message: bytes) -> bytes:
        return Ed25519PrivateKey.from_private_bytes(secret).sign(message)

    async def seal(self, *, suite: str, public_key: bytes, info: bytes, plaintext: bytes) -> bytes:
        return seal(suite, public_key, info, plaintext)

    def entropy(self, n_bytes: int) -> bytes:
        return secrets.token_bytes(n_bytes)

    def notify(self, notice: Mapping[str, Any]) -> None:
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
    if response.getheader("Content-Encoding") == "gzip" and len(data) <= max_bytes:
        data = _unzip(data, max_bytes + 1)
    if len(data) > max_bytes:
        connection.close()
        raise RemoteError("the server's answer is too long", where=path, code="remote.too-long")
    return Reply(status=response.status, body=data)


def _unzip(data: bytes, most: int) -> bytes:
    """At most so many bytes of what was compressed: a small answer can hold gigabytes."""
    decoder = zlib.decompressobj(wbits=31)
    try:
        found = decoder.decompress(data, most)
    except zlib.error:
        raise http.client.HTTPException("not compressed as it says") from None
    if not decoder.eof and len(found) < most:
        raise http.client.IncompleteRead(found)
    return found
