"""Requests for tokens over HTTP, each on a connection of its own."""

from __future__ import annotations

import http.client
import json
import secrets
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from shared import base64url, blind_rsa
from shared.invitation_code import InvitationCode
from shared.limits import TOKEN_KEY_BYTES
from shared.token import Token
from tests.invited import ROLL_ID, code, token_key, unsigned_token
from tests.server.collection.storage.ballots import DIGEST
from tests.waiting import PATIENCE_SECONDS

N = token_key().public_key().public_numbers().n
PATH = f"/api/v1/surveys/{DIGEST[:16]}/tokens"
CLIENTS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRequest:
    """A code and a blinded message, and what finishes the token."""

    code: InvitationCode
    prefix: bytes
    blinded: bytes
    inverse: int

    @property
    def body(self) -> bytes:
        """As it is sent."""
        proof = base64url.encode(self.code.proof(ROLL_ID))
        value = {"code_proof": proof, "blinded_message": base64url.encode(self.blinded)}
        return json.dumps(value).encode()

    def finish(self, answer: dict[str, Any]) -> Token:
        """The token; it verifies."""
        signature = base64url.decode(answer["blind_signature"])
        assert signature is not None
        prepared = unsigned_token(self.prefix).message(DIGEST)
        finished = blind_rsa.finalize(N, prepared, signature, self.inverse)
        token = replace(unsigned_token(self.prefix), signature=finished)
        token.verify(N, DIGEST)
        return token


def make_codes(number: int) -> list[InvitationCode]:
    """So many codes of the roll."""
    return [code(i) for i in range(number)]


def make_request(code: InvitationCode) -> TokenRequest:
    """A request with a fresh message."""
    prefix = secrets.token_bytes(32)
    prepared = unsigned_token(prefix).message(DIGEST)
    r = blind_rsa.blinding_factor(N, secrets.token_bytes(TOKEN_KEY_BYTES + blind_rsa.SURPLUS_BYTES))
    blinded, inverse = blind_rsa.blind(N, prepared, salt=secrets.token_bytes(48), r=r)
    return TokenRequest(code=code, prefix=prefix, blinded=blinded, inverse=inverse)


def ask(port: int, body: bytes, *, method: str = "POST", path: str = PATH) -> tuple[int, Any]:
    """Status and answer; status 0 if no answer came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, path, body=body, headers={"Content-Type": "application/json"})
        response = connection.getresponse()
        data = response.read()
    except (OSError, http.client.HTTPException):
        return 0, {}
    finally:
        connection.close()
    is_json = (response.getheader("Content-Type") or "").partition(";")[0].endswith("json")
    return response.status, json.loads(data) if data and is_json else {}


def ask_all(port: int, requests: Iterable[TokenRequest]) -> list[tuple[int, Any]]:
    """Many at once, in the order of the requests."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(lambda request: ask(port, request.body), requests))
