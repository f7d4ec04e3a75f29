"""The platform of a browser's worker; the other side is ``platform`` in ``web/worker.mjs``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from respondent_client.platform import Reply, unusable_key
from shared.errors import RemoteError

_LOST, _TOO_LONG = 0, -1
_NOT_LOADED, _NOT_A_KEY = 0, -1


class BrowserPlatform:
    """Implements :class:`respondent_client.platform.Platform` with fetch and WebCrypto.

    Parameters
    ----------
    worker : object
        The JavaScript object with ``request``, ``verify``, ``seal``, ``publicKey``, ``sign``,
        ``entropy`` and ``notify``.
    to_js : callable
        Turns bytes into a ``Uint8Array``.
    """

    def __init__(self, worker: Any, to_js: Any) -> None:
        self._worker = worker
        self._to_js = to_js

    async def request(
        self, method: str, url: str, *, body: bytes | None, content_type: str, max_bytes: int
    ) -> Reply:
        sent = None if body is None else self._to_js(body)
        status, received = await self._worker.request(method, url, sent, content_type, max_bytes)
        if status == _LOST:
            raise RemoteError("the server cannot be reached", code="remote.unreachable")
        if status == _TOO_LONG:
            raise RemoteError("the answer is too long", where=url, code="remote.too-long")
        return Reply(status=int(status), body=received.to_bytes())

    async def verify(self, *, public_key: bytes, signature: bytes, message: bytes) -> bool:
        parts = (self._to_js(part) for part in (public_key, signature, message))
        return bool(await self._worker.verify(*parts))

    async def seal(self, *, suite: str, public_key: bytes, info: bytes, plaintext: bytes) -> bytes:
        parts = (self._to_js(part) for part in (public_key, info, plaintext))
        outcome, sealed = await self._worker.seal(suite, *parts)
        if outcome == _NOT_LOADED:
            raise RemoteError("a part of the program could not be loaded", code="remote.unreachable")
        if outcome == _NOT_A_KEY:
            raise unusable_key()
        data: bytes = sealed.to_bytes()
        return data

    async def public_key(self, *, secret: bytes) -> bytes:
        data: bytes = (await self._worker.publicKey(self._to_js(secret))).to_bytes()
        return data

    async def sign(self, *, secret: bytes, message: bytes) -> bytes:
        data: bytes = (await self._worker.sign(self._to_js(secret), self._to_js(message))).to_bytes()
        return data

    def entropy(self, n_bytes: int) -> bytes:
        data: bytes = self._worker.entropy(n_bytes).to_bytes()
        return data

    def notify(self, notice: Mapping[str, Any]) -> None:
        self._worker.notify(json.dumps(notice))
