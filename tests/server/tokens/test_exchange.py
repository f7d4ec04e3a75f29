"""Reading a request for a token: nothing of it is repeated in an error."""

from __future__ import annotations

import json

import pytest

from server.tokens.exchange import read_request
from shared import base64url
from shared.errors import TokenError
from shared.invitation_code import InvitationCode

CODE = InvitationCode.create(b"a secret code")
GOOD = {"code": CODE.text, "blinded_message": base64url.encode(bytes(384))}


def test_a_request_is_read() -> None:
    assert read_request(json.dumps(GOOD).encode()) == (CODE, bytes(384))


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({CODE.text: 1}).encode(),
        json.dumps(GOOD | {CODE.text: 1}).encode(),
        f'{{"{CODE.text}":1,"{CODE.text}":2}}'.encode(),
        json.dumps(GOOD | {"code": CODE.text + CODE.text[:4]}).encode(),
        json.dumps(GOOD | {"blinded_message": CODE.text}).encode(),
    ],
)
def test_nothing_of_the_code_is_repeated(body: bytes) -> None:
    with pytest.raises(TokenError) as caught:
        read_request(body)
    assert CODE.text[:4] not in str(caught.value)
