"""Somebody found a letter and asks the registrar: an unknown and a used code get one answer."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from shared.invitation_code import InvitationCode
from tests.invited import code
from tests.served import no_client
from tests.server.collection.storage.ballots import store_of
from tests.server.collection.web.token_requests import PATH, make_request

UNKNOWN = InvitationCode.create(b"nobody's code")
#: How many times as long one of the two answers may take as the other; a write to the disk takes far longer.
FACTOR = 3.0
ROUNDS = 40
SERIES = 5


@pytest.fixture
def http(tmp_path: Path) -> FlaskClient:
    """A registrar with one used code, number 0."""
    data = DataDirectory(tmp_path / "data", quiet_seconds=60)
    store_of(data)
    client = create_app(Config(), data, client=no_client).test_client()
    assert _ask(client, code(0)).status_code == 200
    return client


def _ask(http: FlaskClient, asked: InvitationCode) -> TestResponse:
    return http.post(PATH, data=make_request(asked).body, content_type="application/json")


def test_both_get_the_same_answer_to_the_last_byte(http: FlaskClient) -> None:
    used, unknown = _ask(http, code(0)), _ask(http, UNKNOWN)
    assert used.get_json()["code"] == "token.code"
    assert used.status_code == unknown.status_code == 403
    assert used.data == unknown.data
    assert dict(used.headers) == dict(unknown.headers)


def test_both_take_as_long(http: FlaskClient) -> None:
    """In one of some series at least: neighbours on the machine delay either answer, an oracle always one."""

    def ratio() -> float:
        times: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(ROUNDS):
            for is_used, asked in ((True, code(0)), (False, UNKNOWN)):
                body = make_request(asked).body
                start = time.perf_counter()
                http.post(PATH, data=body, content_type="application/json")
                times[is_used].append(time.perf_counter() - start)
        used, unknown = (statistics.quantiles(times[is_used], n=4)[0] for is_used in (True, False))
        return used / unknown

    assert any(1 / FACTOR < ratio() < FACTOR for _ in range(SERIES))


def test_the_owner_of_a_used_code_still_gets_her_token_again(http: FlaskClient) -> None:
    """A lost answer is asked for again with the same bytes."""
    body = make_request(code(1)).body
    answers = [http.post(PATH, data=body, content_type="application/json") for _ in range(3)]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
