"""One code, one token, over HTTP: crowds, machines that stop, wrong clocks, restored copies, replays."""

from __future__ import annotations

import itertools
import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.registrar import REGISTRAR_NAME
from server.collection.web.app import create_app
from shared.invitation_code import InvitationCode
from tests.programs import free_port
from tests.served import no_client
from tests.server.collection.storage.ballots import DIGEST, store_of
from tests.server.collection.web.process import ServerProcess
from tests.server.collection.web.token_requests import (
    CLIENTS,
    PATH,
    TokenRequest,
    ask,
    ask_all,
    make_codes,
    make_request,
)

PEOPLE = 150


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A data directory with an open survey of 150 invited people."""
    return tmp_path / "data"


@pytest.fixture
def codes(path: Path) -> list[InvitationCode]:
    found = make_codes(PEOPLE)
    with DataDirectory(path) as data:
        store_of(data)
    return found


def _issued(path: Path) -> int:
    with DataDirectory(path) as data:
        return data.registrar(DIGEST[:16]).issued()


def test_a_crowd_with_two_devices_each_gets_one_token_each(path: Path, codes: list[InvitationCode]) -> None:
    """300 requests at once, two for each code: one of the two wins, the other is told so."""
    port = free_port()
    requests = [make_request(code) for code in codes * 2]
    with ServerProcess(path, port):
        answers = ask_all(port, requests)
        again = ask_all(port, requests)
    for first, second, request in zip(answers[:PEOPLE], answers[PEOPLE:], requests[:PEOPLE], strict=True):
        assert sorted((first[0], second[0])) == [200, 403], request.code
    losers = {body["code"] for status, body in answers if status != 200}
    assert losers == {"token.code"}
    tokens = {request.finish(body).prefix for request, (status, body) in zip(requests, answers, strict=True)
              if status == 200}  # fmt: skip
    assert len(tokens) == PEOPLE
    assert again == answers  # everything replayed: the same answers, and nothing more is spent
    assert _issued(path) == PEOPLE


def test_killed_while_issuing_nothing_is_lost_and_nothing_doubled(
    path: Path, codes: list[InvitationCode]
) -> None:
    port = free_port()
    requests = [make_request(code) for code in codes]
    answered = itertools.count(1)
    with ServerProcess(path, port) as server, ThreadPoolExecutor(CLIENTS) as crowd:

        def ask_and_kill(request: TokenRequest) -> tuple[int, Any]:
            """Whoever has the twentieth answer kills the server, under the feet of all who still ask."""
            answer = ask(port, request.body)
            if next(answered) == 20:
                server.kill()
            return answer

        answers = list(crowd.map(ask_and_kill, requests))
    acknowledged = [number for number, (status, _) in enumerate(answers) if status == 200]
    assert 0 < len(acknowledged) < PEOPLE, "the server was killed too early or too late"
    spent = _issued(path)
    assert spent >= len(acknowledged)
    others = [make_request(requests[number].code) for number in acknowledged]
    with ServerProcess(path, port):
        refused = ask_all(port, others)
        same = ask_all(port, requests)
    assert {(status, body["code"]) for status, body in refused} == {(403, "token.code")}
    assert [same[number] for number in acknowledged] == [answers[number] for number in acknowledged]
    assert {status for status, _ in same} == {200}  # who got no answer asks again and has hers
    assert len({r.finish(body).prefix for r, (_, body) in zip(requests, same, strict=True)}) == PEOPLE
    assert _issued(path) == PEOPLE


def test_a_restored_copy_reissues_nothing(path: Path, codes: list[InvitationCode]) -> None:
    port = free_port()
    file = path / "surveys" / DIGEST[:16] / REGISTRAR_NAME
    shutil.copy(file, path / "yesterday")
    first, second = make_request(codes[0]), make_request(codes[0])
    with ServerProcess(path, port):
        assert ask(port, first.body)[0] == 200
    shutil.copy(path / "yesterday", file)
    with ServerProcess(path, port):
        for request in (first, second, make_request(codes[1])):
            status, problem = ask(port, request.body)
            assert (status, problem["code"]) == (503, "storage.rolled-back")
    assert _issued(path) == 0


@pytest.mark.parametrize("day", [date(1970, 1, 1), date(2999, 12, 31)])
def test_no_clock_decides_about_tokens(
    path: Path, codes: list[InvitationCode], day: date, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0 if day.year == 1970 else 3.2e10
    monkeypatch.setattr(time, "time", lambda: seconds)
    request = make_request(codes[0])
    with DataDirectory(path, today=lambda: day) as data:
        http = create_app(Config(), data, client=no_client).test_client()
        for _ in range(2):
            answer = http.post(PATH, data=request.body, content_type="application/json")
            assert answer.status_code == 200
            request.finish(answer.get_json())
        other = http.post(PATH, data=make_request(codes[0]).body, content_type="application/json")
        assert other.status_code == 403


def test_a_mail_scanner_that_opens_every_link_spends_nothing(path: Path, codes: list[InvitationCode]) -> None:
    """Its programs drop the fragment, or send it as part of the path or query."""
    port = free_port()
    with ServerProcess(path, port):
        page = f"/s/{DIGEST[:16]}"
        for code in codes[:20]:
            secret = code.symbols
            for link in (page, f"{page}?{secret}", f"{page}/{secret}", f"{PATH}?code={secret}"):
                for method in ("GET", "HEAD"):
                    ask(port, b"", method=method, path=link)
        status, problem = ask(port, b"", method="GET", path=PATH)
        assert (status, problem["code"]) == (404, "not-found")
        assert ask(port, json.dumps({"code_proof": codes[0].text}).encode())[0] == 400
    assert _issued(path) == 0
