"""What tests ask of Pyodide: vectors, sealing through the real platform seam, and how long blinding takes."""

from __future__ import annotations

import json
import time
from typing import Any

import checking  # type: ignore[import-not-found] # tests/vectors/checking.py, beside this file in the archive
import roomful_platform  # type: ignore[import-not-found]
from pyodide.ffi import to_js

from respondent_client.browser.platform import BrowserPlatform
from shared import blind_rsa
from shared.errors import RoomfulError


async def main(given: str) -> str:
    """Answer one request ``{"method", ...}`` in JSON."""
    request = json.loads(given)
    return json.dumps(await _METHODS[request.pop("method")](**request))


async def vectors(name: str, document: dict[str, Any]) -> int:
    """Check every case; the number of them."""
    return int(checking.run(name, document))


async def seal(suite: str, key: str, info: str, plaintext: str) -> dict[str, str]:
    """Seal as a session does; the sealed bytes, or the code of the error."""
    platform = BrowserPlatform(roomful_platform, to_js)
    parts = {"public_key": key, "info": info, "plaintext": plaintext}
    try:
        sealed = await platform.seal(
            suite=suite, **{name: bytes.fromhex(text) for name, text in parts.items()}
        )
    except RoomfulError as problem:
        return {"code": problem.code}
    return {"sealed": sealed.hex()}


async def times(n: str, blind_signature: str) -> dict[str, float]:
    """Milliseconds of blinding and verifying with a modulus of 3072 bits."""
    modulus = int(n, 16)
    message = blind_rsa.prepare(b"message", bytes(32))
    started = time.perf_counter()
    r = blind_rsa.blinding_factor(modulus, bytes(range(200)) * 2)
    _, inv = blind_rsa.blind(modulus, message, salt=bytes(48), r=r)
    blinded = time.perf_counter()
    blind_rsa.finalize(modulus, message, bytes.fromhex(blind_signature), inv)
    return {
        "blind": 1000 * (blinded - started),
        "finalize": 1000 * (time.perf_counter() - blinded),
    }


_METHODS = {"vectors": vectors, "seal": seal, "times": times}
