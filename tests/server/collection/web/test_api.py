"""The API as the respondent's device uses it."""

from __future__ import annotations

import hashlib
import json
from datetime import date

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.api import MAX_SUBMISSION_BYTES
from tests.server.collection.storage import sample

ANSWER = "canary-answer"


def _api(store: SurveyStore, rest: str) -> str:
    return f"/api/v1/surveys/{store.id}/{rest}"


def _post(client: FlaskClient, store: SurveyStore, message: bytes, **more: object) -> object:
    options = {"data": message, "content_type": "application/json"} | more
    return client.post(_api(store, "submissions"), **options)


def test_the_specification_comes_byte_for_byte(client: FlaskClient, store: SurveyStore) -> None:
    for survey in (store.id, sample.digest()):
        answer = client.get(f"/api/v1/surveys/{survey}/specification")
        assert answer.status_code == 200
        assert answer.content_type == "application/vnd.roomful.specification+json"
        assert answer.data == sample.envelope()


def test_the_model_comes_byte_for_byte(client: FlaskClient, store: SurveyStore) -> None:
    answer = client.get(_api(store, "model"))
    assert answer.content_type == "text/csv; charset=utf-8"
    assert hashlib.sha256(answer.data).hexdigest() == store.specification.model.digest


def test_a_register_has_no_model(client: FlaskClient, data: DataDirectory) -> None:
    survey = data.publish(sample.envelope(kind="register"), None)
    assert client.get(f"/api/v1/surveys/{survey}/model").status_code == 404


def test_submitting_gives_a_receipt_that_can_be_looked_up(client: FlaskClient, store: SurveyStore) -> None:
    message = sample.message()
    answer = _post(client, store, message)
    assert answer.status_code == 201
    assert answer.get_json() == {"receipt": hashlib.sha256(message).hexdigest()}
    again = _post(client, store, message)
    assert (again.status_code, again.data) == (201, answer.data)
    receipt = answer.get_json()["receipt"]
    found = client.get(_api(store, f"receipts/{receipt}"))
    assert (found.status_code, found.get_json()) == (200, {"receipt": receipt})
    assert client.get(_api(store, "status")).get_json() == {"state": "open", "total": 1}


@pytest.mark.parametrize("receipt", ["0" * 64, "A" * 64, "0" * 63, "x"])
def test_an_unknown_receipt_is_not_found(client: FlaskClient, store: SurveyStore, receipt: str) -> None:
    answer = client.get(_api(store, f"receipts/{receipt}"))
    assert answer.status_code == 404
    assert answer.get_json()["code"] == "not-found.receipt"


@pytest.mark.parametrize("rest", ["specification", "model", "status", "receipts/" + "0" * 64])
@pytest.mark.parametrize("survey", ["0" * 16, "zz", "%2e%2e"])
def test_an_unknown_survey_is_not_found(
    client: FlaskClient, store: SurveyStore, survey: str, rest: str
) -> None:
    answer = client.get(f"/api/v1/surveys/{survey}/{rest}")
    assert answer.status_code == 404
    assert answer.content_type == "application/problem+json"
    assert answer.get_json()["code"] == "not-found"


def test_states_are_answered_with_conflict_and_their_code(client: FlaskClient, data: DataDirectory) -> None:
    store = data.survey(data.publish(sample.envelope(), sample.MODEL))
    message = sample.message()
    for step, code in ((None, "state.draft"), (store.open, ""), (store.close, "state.closed")):
        if step:
            step()
        answer = _post(client, store, sample.message() if code else message)
        if code:
            assert (answer.status_code, answer.get_json()["code"]) == (409, code)
        else:
            assert answer.status_code == 201
    assert _post(client, store, message).status_code == 201  # its receipt, not a new submission
    assert client.get(_api(store, "status")).get_json() == {"state": "closed", "total": 1}


def test_the_status_says_that_answers_were_deleted(
    client: FlaskClient, data: DataDirectory, store: SurveyStore
) -> None:
    store.submit(sample.message())
    with DataDirectory(data.path, today=lambda: date(2025, 6, 1)) as elsewhere:
        elsewhere.close(store.id)
    assert client.get(_api(store, "status")).get_json() == {"state": "closed", "total": 1}
    assert store.expire() == 1
    assert client.get(_api(store, "status")).get_json() == {"state": "closed", "total": None}


BOMBS = {
    "nesting": b"[" * 50_000,
    "number": b'{"cell":' + b"9" * 60_000 + b"}",
    "exponent": b'{"cell":1e999999999}',
    "surrogate": b'{"protocol":"\\ud800"}',
    "duplicate": b'{"cell":1,"cell":2}',
    "not-utf8": b"\xff\xfe{}",
    "nul": b"\0" * 1024,
    "keys": b"{" + b",".join(b'"%d":0' % n for n in range(6000)) + b"}",
    "float": json.dumps({"cell": 1.5}).encode(),
    "array": b"[]",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_json_bombs_are_plain_refusals(client: FlaskClient, store: SurveyStore, bomb: str) -> None:
    answer = _post(client, store, BOMBS[bomb][: sample.MESSAGE_BYTES].ljust(sample.MESSAGE_BYTES))
    assert answer.status_code == 400
    assert answer.get_json()["code"] == "submission"
    assert store.total() == 0


@pytest.mark.parametrize("size", [MAX_SUBMISSION_BYTES + 1, 10_000_000])
def test_a_large_body_is_refused(client: FlaskClient, store: SurveyStore, size: int) -> None:
    answer = _post(client, store, b"x" * size)
    assert (answer.status_code, answer.get_json()["code"]) == (413, "http.413")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_another_content_type_is_refused(client: FlaskClient, store: SurveyStore, kind: str) -> None:
    """Forms of other pages can send these types without being asked; ours they cannot."""
    answer = _post(client, store, sample.message(), content_type=kind)
    assert (answer.status_code, answer.get_json()["code"]) == (415, "http.415")
    assert store.total() == 0


def test_a_content_type_may_have_parameters_and_capitals(client: FlaskClient, store: SurveyStore) -> None:
    answer = _post(client, store, sample.message(), content_type="Application/JSON; charset=utf-8")
    assert answer.status_code == 201


def test_a_compressed_body_is_refused(client: FlaskClient, store: SurveyStore) -> None:
    answer = _post(client, store, sample.message(), headers={"Content-Encoding": "gzip"})
    assert answer.status_code == 415


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_another_method_is_refused_and_the_right_one_named(
    client: FlaskClient, store: SurveyStore, method: str
) -> None:
    answer = client.open(_api(store, "submissions"), method=method)
    assert (answer.status_code, answer.get_json()["code"]) == (405, "http.405")
    assert "POST" in answer.headers["Allow"]


def test_a_damaged_survey_is_our_fault_and_says_nothing_more(client: FlaskClient, store: SurveyStore) -> None:
    (store.published.folder / "specification.dsse.json").write_bytes(sample.envelope("Changed"))
    for what in ("status", "specification"):
        answer = client.get(_api(store, what))
        assert (answer.status_code, answer.get_json()["code"]) == (500, "verification.specification-changed")
        assert "specification.dsse.json" not in answer.get_data(as_text=True)


def test_a_bug_is_answered_without_its_message(
    client: FlaskClient, store: SurveyStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_message: bytes) -> str:
        raise RuntimeError(ANSWER)

    monkeypatch.setattr(store, "submit", broken)
    answer = _post(client, store, sample.message(remark=ANSWER))
    assert (answer.status_code, answer.get_json()["code"]) == (500, "http.500")
    assert ANSWER not in answer.get_data(as_text=True)
    assert ANSWER not in caplog.text
    assert "request-crashed RuntimeError" in caplog.text


@pytest.mark.parametrize(
    "message",
    [
        sample.message(health=ANSWER),
        sample.message(remark=ANSWER, cell=9),
        sample.message(remark=ANSWER, title="Another"),
        sample.message(remark=ANSWER)[:-1],
        b'{"' + ANSWER.encode() + b'":1}',
        b'{"cell":1,"' + ANSWER.encode() + b'":1,"' + ANSWER.encode() + b'":2}',
    ],
)
def test_no_answer_and_no_log_repeats_what_was_sent(
    client: FlaskClient, store: SurveyStore, message: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    answer = _post(client, store, message)
    assert answer.status_code == 400
    assert ANSWER not in answer.get_data(as_text=True) + str(answer.headers) + caplog.text


@settings(
    max_examples=80,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(data=st.data())
def test_no_body_crashes_the_server(client: FlaskClient, store: SurveyStore, data: st.DataObject) -> None:
    """Random bytes, random JSON, and a valid message with one thing changed: refused by name or stored."""
    message = data.draw(
        st.one_of(
            st.binary(max_size=300),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
                max_leaves=12,
            ).map(lambda value: json.dumps(value).encode()),
            st.tuples(st.integers(0, 1023), st.integers(0, 255)).map(_changed),
        )
    )
    answer = _post(client, store, message)
    assert answer.status_code in (201, 400, 411)
    if answer.status_code == 400:
        assert answer.get_json()["code"].partition(".")[0] == "submission"


def _changed(change: tuple[int, int]) -> bytes:
    place, value = change
    message = bytearray(sample.message())
    message[place] = value
    return bytes(message)
