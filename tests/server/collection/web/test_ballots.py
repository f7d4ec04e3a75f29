"""Ballots over HTTP."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from shared import base64url
from shared.ballot import CONTENT_TYPE
from tests.invited import COLLECTOR
from tests.served import no_client
from tests.server.collection.storage.ballots import DIGEST, ballot, sealed, store_of
from tests.server.collection.storage.sample import message


@pytest.fixture
def invited(data: DataDirectory) -> SurveyStore:
    return store_of(data)


@pytest.fixture
def http(data: DataDirectory) -> FlaskClient:
    return create_app(Config(), data, client=no_client).test_client()


def _post(http: FlaskClient, body: bytes, kind: str = CONTENT_TYPE) -> tuple[int, dict[str, object]]:
    answer = http.post(f"/api/v1/surveys/{DIGEST[:16]}/submissions", data=body, content_type=kind)
    return answer.status_code, answer.get_json()


def test_a_ballot_is_answered_with_its_receipt(http: FlaskClient, invited: SurveyStore) -> None:
    for _ in range(2):
        status, answer = _post(http, sealed(1))
        assert (status, answer["receipt"]) == (201, ballot(1).receipt)
        acceptance = COLLECTOR.accept(DIGEST, bytes.fromhex(ballot(1).receipt))
        assert base64url.decode(str(answer["acceptance"])) == acceptance
    assert invited.total() == 1


def test_a_spent_token_is_a_conflict(http: FlaskClient, invited: SurveyStore) -> None:
    _post(http, sealed(1))
    status, problem = _post(http, sealed(1, health="poor"))
    assert (status, problem["code"]) == (409, "token.spent")


@pytest.mark.parametrize("kind", ["application/json", "text/plain", ""])
def test_an_invited_survey_takes_ballots_only(http: FlaskClient, invited: SurveyStore, kind: str) -> None:
    assert _post(http, message(), kind)[0] == 415
    assert invited.total() == 0


def test_an_answer_never_tells_what_was_wrong_inside(http: FlaskClient, invited: SurveyStore) -> None:
    damaged = bytearray(sealed(1))
    damaged[40] ^= 1
    status, problem = _post(http, bytes(damaged))
    assert (status, problem["code"]) == (400, "ballot.sealed")


def test_receipts_are_looked_for_on_the_board_only(http: FlaskClient, invited: SurveyStore) -> None:
    _post(http, sealed(1))
    answer = http.get(f"/api/v1/surveys/{DIGEST[:16]}/receipts/{ballot(1).receipt}")
    assert (answer.status_code, answer.get_json()["code"]) == (409, "state.board")


def test_a_watcher_sees_no_ballot_arrive_until_closing(http: FlaskClient, invited: SurveyStore) -> None:
    path = f"/api/v1/surveys/{DIGEST[:16]}/status"
    seen = []
    for number in range(11):
        _post(http, sealed(number))
        seen.append(http.get(path).get_json())
    assert [answer["state"] for answer in seen] == ["open"] * 11
    assert len({answer["total"] for answer in seen}) == 1, "told once a day"
    invited.close()
    assert http.get(path).get_json() == {"state": "closed", "total": 11}
