"""The exchange of a code for a blind token over HTTP."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from shared import base64url, blind_rsa
from shared.limits import TOKEN_KEY_BYTES
from tests.invited import ROLL_ID, code, token_key, unsigned_token
from tests.served import no_client
from tests.server.collection.storage.ballots import DIGEST, publish, store_of

CODE = code(0)
N = token_key().public_key().public_numbers().n


@pytest.fixture
def invited(data: DataDirectory) -> SurveyStore:
    return store_of(data)


@pytest.fixture
def http(data: DataDirectory) -> FlaskClient:
    return create_app(Config(), data, client=no_client).test_client()


def _post(http: FlaskClient, body: bytes | dict[str, Any]) -> tuple[int, dict[str, Any]]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    url = f"/api/v1/surveys/{DIGEST[:16]}/tokens"
    answer = http.post(url, data=data, content_type="application/json")
    return answer.status_code, answer.get_json()


def _blinded(prefix: bytes = b"p" * 32) -> tuple[bytes, bytes, int]:
    """Prepared message, blinded message and the inverse that finishes it."""
    prepared = unsigned_token(prefix).message(DIGEST)
    r = blind_rsa.blinding_factor(N, secrets.token_bytes(TOKEN_KEY_BYTES + blind_rsa.SURPLUS_BYTES))
    blinded, inverse = blind_rsa.blind(N, prepared, salt=secrets.token_bytes(48), r=r)
    return prepared, blinded, inverse


def _request(blinded: bytes, proof: bytes = CODE.proof(ROLL_ID)) -> dict[str, str]:
    return {"code_proof": base64url.encode(proof), "blinded_message": base64url.encode(blinded)}


def test_a_code_becomes_a_token_that_verifies(http: FlaskClient, invited: SurveyStore) -> None:
    prepared, blinded, inverse = _blinded()
    answers = [_post(http, _request(blinded)) for _ in range(2)]
    assert answers[0] == answers[1]
    status, body = answers[0]
    assert status == 200
    signature = base64url.decode(body["blind_signature"])
    assert signature is not None
    token = replace(unsigned_token(b"p" * 32), signature=blind_rsa.finalize(N, prepared, signature, inverse))
    token.verify(N, DIGEST)


def test_another_message_with_the_same_code_is_refused(http: FlaskClient, invited: SurveyStore) -> None:
    _post(http, _request(_blinded()[1]))
    status, problem = _post(http, _request(_blinded(b"q" * 32)[1]))
    assert (status, problem["code"]) == (403, "token.code")


@pytest.mark.parametrize("number", [0, 1, N - 1, N, N + 1, 2**3072 - 1])
def test_a_hostile_message_costs_nobody_her_code(
    http: FlaskClient, invited: SurveyStore, number: int
) -> None:
    status, problem = _post(http, _request(number.to_bytes(TOKEN_KEY_BYTES, "big")))
    assert (status, problem["code"]) == (422, "token.blinded-message")
    assert _post(http, _request(_blinded()[1]))[0] == 200


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b" ", 400, "token.request"),
        (b"[]", 400, "token.request"),
        (b'{"code_proof":"A","code_proof":"B","blinded_message":"AA"}', 400, "token.request"),
        (b'{"code":"0000-0000-0000-0000-0000","blinded_message":"AA"}', 400, "token.request"),
        (b"{" * 2000, 400, "token.request"),
        (b"x" * 2049, 400, "token.request"),
        (_request(b"short"), 422, "token.blinded-message"),
        (_request(b"\x01" * 384, b"short"), 400, "token.request"),
        (_request(b"\x01" * 384, b"?" * 32), 403, "token.code"),
    ],
)
def test_every_other_request_is_refused_by_name(
    http: FlaskClient, invited: SurveyStore, body: Any, status: int, code: str
) -> None:
    answer, problem = _post(http, body)
    assert (answer, problem["code"]) == (status, code)
    assert base64url.encode(CODE.proof(ROLL_ID)) not in json.dumps(problem)


def test_no_token_before_opening_or_after_closing(data: DataDirectory, http: FlaskClient) -> None:
    store = publish(data)
    assert _post(http, _request(_blinded()[1]))[1]["code"] == "state.draft"
    store.open()
    store.close()
    assert _post(http, _request(_blinded()[1]))[1]["code"] == "state.closed"


def test_a_collector_issues_nothing(data: DataDirectory, http: FlaskClient) -> None:
    store = publish(data, token_key=False)
    store.open()
    assert _post(http, _request(_blinded()[1]))[1]["code"] == "state.role"
