"""What tests ask of Pyodide: vectors, sealing through the real platform seam, and how long blinding takes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import checking  # type: ignore[import-not-found] # tests/vectors/checking.py, beside this file in the archive
import roomful_platform  # type: ignore[import-not-found]
from pyodide.ffi import to_js

from respondent_client.browser.platform import BrowserPlatform
from shared import blind_rsa
from shared.election.group import PythonGroup
from shared.election.making import SEED_BYTES, make
from shared.election.terms import Terms
from shared.errors import RoomfulError

_RUNS = 5


async def main(given: str) -> str:
    """Answer one request ``{"method", ...}`` in JSON."""
    request = json.loads(given)
    return json.dumps(await _METHODS[request.pop("method")](**request))


async def vectors(name: str, document: dict[str, Any]) -> int:
    """Check every case; the number of them."""
    return int(checking.run(name, document))


async def sign(secret: str, message: str) -> dict[str, str]:
    """Public key and signature, as a session makes them."""
    platform, key = BrowserPlatform(roomful_platform, to_js), bytes.fromhex(secret)
    public_key = await platform.public_key(secret=key)
    signature = await platform.sign(secret=key, message=bytes.fromhex(message))
    return {"public_key": public_key.hex(), "signature": signature.hex()}


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
    """Milliseconds of blinding, of verifying, and of one exponentiation as the signer's, with 3072 bits.

    Each is the quickest of some runs, taken by turns: a machine that pauses or is busy slows down all three.
    """
    modulus = int(n, 16)
    message = blind_rsa.prepare(b"message", bytes(32))
    signature = bytes.fromhex(blind_signature)
    r = blind_rsa.blinding_factor(modulus, bytes(range(200)) * 2)
    _, inv = blind_rsa.blind(modulus, message, salt=bytes(48), r=r)
    steps: dict[str, Callable[[], object]] = {
        "blind": lambda: blind_rsa.blind(modulus, message, salt=bytes(48), r=r),
        "finalize": lambda: blind_rsa.finalize(modulus, message, signature, inv),
        "sign": lambda: pow(r, modulus - 2, modulus),
    }
    found = dict.fromkeys(steps, float("inf"))
    for _ in range(_RUNS):
        for name, step in steps.items():
            started = time.perf_counter()
            step()
            found[name] = min(found[name], 1000 * (time.perf_counter() - started))
    return found


async def votes(key: str, choices: int) -> dict[str, float]:
    """Milliseconds of encrypting a vote of so many choices: a device's first, and any later one.

    And of one exponentiation with 3072 bits, by turns as in :func:`times`.
    """
    terms = Terms(digest="00" * 32, key=bytes.fromhex(key), choices=(choices,), cells=1)
    odd = (1 << 3072) - 1
    found = dict.fromkeys(("first", "later", "power"), float("inf"))
    for run in range(_RUNS):
        group = PythonGroup()
        for name in found:
            started = time.perf_counter()
            if name == "power":
                pow(3, odd - 2, odd)
            else:
                make(terms, 0, bytes(32), (run % choices,), bytes((run,)) * SEED_BYTES, group)
            found[name] = min(found[name], 1000 * (time.perf_counter() - started))
    return found


_METHODS = {"vectors": vectors, "sign": sign, "seal": seal, "times": times, "votes": votes}
