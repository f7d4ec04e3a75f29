"""The relay over HTTP: what it takes, what a browser may send, what nobody learns."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from server.collection.config import Config
from server.collection.relay.pool import RelayPool, prepare
from server.collection.storage.data_directory import DataDirectory
from server.collection.web import security
from server.collection.web.app import create_app
from server.collection.web.relay import create_relay_app, in_words, warnings
from server.collection.web.static_files import ClientFiles, StaticFile
from shared.ballot import CONTENT_TYPE, envelope_bytes
from tests.invited import digest_of
from tests.server.collection.relay.survey import (
    RELAY_URL,
    envelope_of,
    link_of,
    open_collector,
    relayed,
    sealed,
    stub_collector,
)
from tests.server.collection.storage import sample

ENGLISH = {
    "statement.stay": "{details}",
    "statement.group": "{smallest}",
    "statement.asks.one": "{count}",
    "statement.asks.other": "{count}",
    "statement.free-text": "",
    "statement.release.withhold": "{k}",
    "statement.retention.other": "{count}",
}
SPECIFICATION = relayed(messages=1000)
DIGEST = digest_of(SPECIFICATION)
PATH = f"/api/v1/surveys/{DIGEST[:16]}/submissions"


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[RelayPool]:
    with stub_collector(envelope_of(SPECIFICATION)) as stub:
        link = link_of(SPECIFICATION, stub.base)
        with RelayPool(prepare(tmp_path / "relay", link), link, quiet_seconds=60) as found:
            yield found


@pytest.fixture
def http(pool: RelayPool, tmp_path: Path) -> FlaskClient:
    return create_relay_app(Config(public_url=RELAY_URL), {pool.survey.id: pool}, tmp_path).test_client()


def test_a_ballot_is_accepted_and_the_answer_is_the_same_for_each(http: FlaskClient, pool: RelayPool) -> None:
    body = sealed(DIGEST, 1)
    answers = [
        http.post(PATH, data=sent, content_type=CONTENT_TYPE) for sent in (body, body, sealed(DIGEST, 2))
    ]
    assert [(a.status_code, a.get_json()) for a in answers] == [(202, {"accepted": True})] * 3
    assert len({tuple(sorted(answer.headers.items())) for answer in answers}) == 1
    assert pool.totals().waiting == 2


LENGTH = envelope_bytes(SPECIFICATION)


@pytest.mark.parametrize("length", [0, 1, LENGTH - 1, LENGTH + 1, LENGTH + 768, 70_000])
def test_only_the_one_length_of_the_survey_is_taken(http: FlaskClient, pool: RelayPool, length: int) -> None:
    answer = http.post(PATH, data=b"x" * length, content_type=CONTENT_TYPE)
    assert answer.status_code in (400, 411, 413)
    assert pool.totals().waiting == 0


def test_whatever_has_that_length_is_taken(http: FlaskClient, pool: RelayPool) -> None:
    """It can read nothing, so bytes that are no ballot are as good as any."""
    answer = http.post(PATH, data=secrets.token_bytes(LENGTH), content_type=CONTENT_TYPE)
    assert answer.status_code == 202
    assert pool.totals().waiting == 1


@pytest.mark.parametrize("kind", ["application/json", "text/plain", ""])
def test_other_types_are_refused(http: FlaskClient, kind: str) -> None:
    assert http.post(PATH, data=sealed(DIGEST, 1), content_type=kind).status_code == 415


def test_an_unknown_survey_is_not_there(http: FlaskClient) -> None:
    for method in (http.post, http.options):
        answer = method("/api/v1/surveys/0123456789abcdef/submissions", data=b"x", content_type=CONTENT_TYPE)
        assert (answer.status_code, answer.get_json()["code"]) == (404, "not-found")


def test_a_browser_may_send_from_the_collectors_page(http: FlaskClient) -> None:
    asked = {
        "Origin": "https://collector.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    leave = http.options(PATH, headers=asked)
    assert leave.status_code == 204
    assert leave.headers["Access-Control-Allow-Origin"] == "*"
    assert leave.headers["Access-Control-Allow-Methods"] == "POST"
    assert leave.headers["Access-Control-Allow-Headers"] == "Content-Type"
    assert "Access-Control-Allow-Credentials" not in leave.headers
    for sent in (sealed(DIGEST, 1), b"refused"):
        answer = http.post(PATH, data=sent, content_type=CONTENT_TYPE, headers={"Origin": asked["Origin"]})
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_every_answer_has_the_fixed_headers_and_nothing_that_marks(http: FlaskClient) -> None:
    for answer in (http.get("/"), http.get("/nowhere"), http.post(PATH), http.options(PATH), http.get(PATH)):
        for name, value in security.HEADERS.items():
            assert answer.headers.getlist(name) == [value]
        assert answer.headers["Cache-Control"] == "no-store"
        for name in ("Set-Cookie", "ETag", "Last-Modified", "Server", "X-Request-Id", "Date"):
            assert name not in answer.headers


def test_after_closing_nobody_is_told_accepted(http: FlaskClient, pool: RelayPool) -> None:
    pool.store.accept(sealed(DIGEST, 1))
    pool.store.take()
    pool.store.settle({}, {pool.store.leaving()[0]: "state.closed"})
    answer = http.post(PATH, data=sealed(DIGEST, 2), content_type=CONTENT_TYPE)
    assert (answer.status_code, answer.get_json()["code"]) == (409, "state.closed")


def test_the_page_says_what_it_is_and_no_number_of_what_it_holds(http: FlaskClient, pool: RelayPool) -> None:
    before = http.get("/").get_data(as_text=True)
    pool.store.accept(sealed(DIGEST, 1))
    after = http.get("/").get_data(as_text=True)
    assert before == after
    for said in ("cannot read anything", pool.survey.id, "1000 answers together", "1 second"):
        assert said in " ".join(after.split())
    for forbidden in ("<script", "style=", "<form", "https://"):
        assert forbidden not in after
    style = after.partition('rel="stylesheet" href="')[2].partition('"')[0]
    assert http.get(style).status_code == 200
    assert http.get("/static/nothing").status_code == 404


def test_a_relay_answers_under_its_sub_path(pool: RelayPool, tmp_path: Path) -> None:
    http = create_relay_app(
        Config(public_url="https://relay.example/sub/"), {pool.survey.id: pool}, tmp_path
    ).test_client()
    for path in ("/sub" + PATH, PATH):
        assert http.post(path, data=sealed(DIGEST, 1), content_type=CONTENT_TYPE).status_code == 202


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (90, "90 seconds"), (60, "1 minute"), (600, "10 minutes"), (7200, "2 hours"),
     (86_400, "1 day")],
)  # fmt: skip
def test_a_time_in_words(seconds: int, words: str) -> None:
    assert in_words(seconds) == words


@pytest.mark.parametrize(
    ("collector", "warned"),
    [
        ("https://collector.example/", False),
        ("http://127.0.0.1:8000/", False),
        ("http://[::1]:8000/", False),
        ("http://localhost:8000/", False),
        ("http://abcdef.onion/", False),
        ("http://collector.example/", True),
        ("http://192.0.2.7/sub/", True),
        ("http://onion.example/", True),
    ],
)
def test_an_operator_is_warned_of_a_line_to_the_collector_that_anybody_can_read(
    collector: str, warned: bool
) -> None:
    links = [link_of(SPECIFICATION, "https://other.example/"), link_of(SPECIFICATION, collector)]
    found = warnings(Config(public_url="https://relay.example/"), links)
    assert [collector in text for text in found] == [True] * warned


@pytest.mark.parametrize(
    ("host", "url", "said"),
    [
        ("127.0.0.1", "https://relay.example/", []),
        ("127.0.0.1", "http://127.0.0.1:8001/", []),
        ("127.0.0.1", "http://abcdef.onion/", []),
        ("192.0.2.1", "http://abcdef.onion/", ["listening on 192.0.2.1"]),
        ("192.0.2.1", "http://192.0.2.1:8001/", ["listening on 192.0.2.1", "browsers refuse to send"]),
        ("127.0.0.1", "http://relay.example/", ["browsers refuse to send"]),
    ],
)
def test_an_operator_is_warned_of_an_address_that_is_not_encrypted(
    host: str, url: str, said: list[str]
) -> None:
    found = warnings(Config(host=host, public_url=url), [link_of(SPECIFICATION, "https://c.example/")])
    assert len(found) == len(said)
    for text, part in zip(found, said, strict=True):
        assert part in text


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDirectory]:
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as directory:
        yield directory


def collector(data: DataDirectory) -> FlaskClient:
    """The collector with a client of two files."""
    names = {"worker.mjs": "worker.0123456789abcdef.mjs", "app.mjs": "app.0123456789abcdef.mjs"}
    script = StaticFile.compress("text/javascript", b"export const a = 1;", immutable=True)
    client = ClientFiles(
        assets=names,
        files=dict.fromkeys(names.values(), script),
        page="<p>{{ title }}</p>",
        texts={"en": ENGLISH},
    )
    return create_app(Config(), data, client=lambda: client).test_client()


def test_only_the_worker_of_this_survey_may_reach_its_relay(data: DataDirectory) -> None:
    store = open_collector(data, SPECIFICATION)
    client = collector(data)
    worker = "/static/worker.0123456789abcdef.mjs"
    policy = client.get(f"{worker}?survey={store.id}").headers["Content-Security-Policy"]
    address = f"{RELAY_URL}api/v1/surveys/{store.id}/submissions"
    assert f"connect-src 'self' {address};" in policy
    assert policy.replace(f" {address}", "") == security.CONTENT_SECURITY_POLICY
    for path in ("/", worker, f"/s/{store.id}", f"/static/app.0123456789abcdef.mjs?survey={store.id}"):
        assert client.get(path).headers["Content-Security-Policy"] == security.CONTENT_SECURITY_POLICY, path
    assert client.get(f"{worker}?survey=0123456789abcdef").status_code == 404


def test_a_survey_without_relay_has_the_usual_policy(data: DataDirectory) -> None:
    survey = data.publish(sample.envelope(), sample.MODEL)
    headers = collector(data).get(f"/static/worker.0123456789abcdef.mjs?survey={survey}").headers
    assert headers["Content-Security-Policy"] == security.CONTENT_SECURITY_POLICY
