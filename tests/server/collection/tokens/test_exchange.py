"""Reading a request for a token: nothing of it is repeated in an error."""

from __future__ import annotations

import json

import pytest

from server.collection.tokens.exchange import read_request
from shared import base64url
from shared.errors import TokenError
from tests.elections import election_keys
from tests.invited import ROLL_ID, code, invited

PROOF = code(0).proof(ROLL_ID)
TEXT = base64url.encode(PROOF)
GOOD = {"code_proof": TEXT, "blinded_message": base64url.encode(bytes(384))}


def test_a_request_is_read() -> None:
    assert read_request(json.dumps(GOOD).encode(), invited()) == (PROOF, bytes(384), 0)


def test_only_an_election_asks_for_the_box() -> None:
    """A registrar of a survey never learns a cell; that of an election makes the token for one."""
    named = json.dumps(GOOD | {"cell": 7}).encode()
    assert read_request(named, election_keys()) == (PROOF, bytes(384), 7)
    for body, keys in (
        (named, invited()),
        (json.dumps(GOOD).encode(), election_keys()),
        (json.dumps(GOOD | {"cell": 8}).encode(), election_keys()),
    ):
        with pytest.raises(TokenError) as caught:
            read_request(body, keys)
        assert caught.value.code == "token.request"


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({TEXT: 1}).encode(),
        json.dumps(GOOD | {TEXT: 1}).encode(),
        f'{{"{TEXT}":1,"{TEXT}":2}}'.encode(),
        json.dumps(GOOD | {"code_proof": TEXT + TEXT[:4]}).encode(),
        json.dumps(GOOD | {"blinded_message": TEXT}).encode(),
        json.dumps({"code": code(0).text, "blinded_message": GOOD["blinded_message"]}).encode(),
    ],
)
def test_nothing_of_the_code_is_repeated(body: bytes) -> None:
    with pytest.raises(TokenError) as caught:
        read_request(body, invited())
    for secret in (TEXT, code(0).text):
        assert secret[:4] not in str(caught.value)
