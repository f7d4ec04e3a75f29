"""Publishing over the network: who has no code, an old one, or something else to publish."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from server.collection.config import Config
from server.collection.publishing.codes import PublishingCodes
from server.collection.publishing.handing_over import Place, hand_over, place_of, server_address
from server.collection.publishing.publication import MAX_PUBLICATION_BYTES, PATH, Publication
from server.collection.storage.data_directory import DataDirectory
from server.collection.web import publishing
from server.collection.web.app import create_app
from shared import strict_json
from shared.errors import InputError, RemoteError, StorageError, TokenError
from tests.served import no_client, serving
from tests.server.collection.storage import sample
from tests.server.collection.storage.raw_bytes import files_containing
from tests.waiting import PATIENCE_SECONDS

BODY = Publication(envelope=sample.envelope(), model=sample.MODEL, roll=None).to_bytes()
OTHER = Publication(envelope=sample.envelope("Another"), model=sample.MODEL, roll=None).to_bytes()


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDirectory]:
    """The server's data directory."""
    with DataDirectory(tmp_path / "data") as directory:
        yield directory


@pytest.fixture
def code(data: DataDirectory) -> str:
    """What the operator was shown."""
    return PublishingCodes(data.path).make()[0]


@pytest.fixture
def port(data: DataDirectory) -> Iterator[int]:
    """A real server over it."""
    with serving(create_app(Config(), data, client=no_client)) as port:
        yield port


def post(port: int, code: str | None, body: bytes = BODY, **headers: str) -> tuple[int, dict[str, Any]]:
    """Send a publication; status and answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    own = {"Content-Type": "application/json"} | ({} if code is None else {"Authorization": f"Bearer {code}"})
    try:
        connection.request("POST", PATH, body, own | {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        kind = answer.headers["Content-Type"]
        assert kind == ("application/json" if answer.status == 201 else "application/problem+json")
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def altered(change: Callable[[dict[str, Any]], object]) -> bytes:
    """A publication whose payload was changed before it was signed."""
    document = sample.document()
    change(document)
    envelope = sample.sign(strict_json.dumps(document))
    return Publication(envelope=envelope, model=sample.MODEL, roll=None).to_bytes()


def test_a_code_publishes_one_draft_and_the_same_bytes_again_are_answered_alike(
    port: int, code: str, data: DataDirectory
) -> None:
    first = post(port, code)
    assert first == (201, {"id": sample.digest()[:16], "digest": sample.digest(), "state": "draft"})
    assert post(port, code.lower().replace("-", "")) == first
    assert data.ids() == (sample.digest()[:16],)


def test_what_the_operator_deleted_does_not_come_back(port: int, code: str, data: DataDirectory) -> None:
    post(port, code)
    data.discard(sample.digest())
    assert (post(port, code)[0], data.ids()) == (403, ())
    with DataDirectory(data.path) as other:  # of the operator herself it may
        other.publish(sample.envelope(), sample.MODEL)
    assert post(port, code)[0] == 201


def test_a_replayed_code_publishes_nothing_else(port: int, code: str, data: DataDirectory) -> None:
    post(port, code)
    signed_twice = Publication(
        envelope=sample.sign(sample.payload(), sample.KEY, sample.AUDITOR), model=sample.MODEL, roll=None
    )
    for body in (OTHER, signed_twice.to_bytes()):
        status, problem = post(port, code, body)
        assert (status, problem["code"]) == (403, "token.publishing")
    assert data.survey(sample.digest()).published.envelope == sample.envelope()
    assert len(data.ids()) == 1


@pytest.mark.parametrize("wrong", [None, "", "0000-0000-0000-0000-0000", "x" * 9000, "ÿ", "1" * 20])
def test_a_wrong_code_is_refused_and_nothing_of_it_repeated(
    port: int, wrong: str | None, code: str, data: DataDirectory
) -> None:
    status, problem = post(port, wrong)
    assert (status, problem["code"]) == (403, "token.publishing")
    assert data.ids() == ()
    assert post(port, code)[0] == 201


def test_whoever_tries_codes_soon_tries_in_vain(port: int, code: str, data: DataDirectory) -> None:
    for _ in range(publishing.WRONG_CODES):
        assert post(port, "0000-0000-0000-0000-0000")[0] == 403
    assert (post(port, code)[0], data.ids()) == (429, ())


def test_the_wait_after_wrong_codes_ends(data: DataDirectory, code: str) -> None:
    seconds = [0.0]
    gate = publishing.Publishing(Config(), data, clock=lambda: seconds[0])
    for _ in range(publishing.WRONG_CODES):
        with pytest.raises(TokenError):
            gate.admit({})
    with pytest.raises(TokenError, match="too many"):
        gate.admit({"AUTHORIZATION": f"Bearer {code}"})
    seconds[0] = publishing.WRONG_SECONDS
    gate.admit({"AUTHORIZATION": f"Bearer {code}"})


@pytest.mark.parametrize(
    "body",
    [
        BODY.replace(b"age", b"agf", 1),
        BODY.replace(b"signatures", b"signaturen"),
        Publication(envelope=sample.envelope(), model=sample.MODEL + b"70,0,1\n", roll=None).to_bytes(),
        Publication(envelope=sample.envelope(), model=None, roll=None).to_bytes(),
        Publication(envelope=sample.envelope(), model=sample.MODEL, roll=b"roll").to_bytes(),
        altered(lambda d: d["participation"].update(levels=[{"low": "0.3", "high": "0.3"}])),
        altered(lambda d: d["anonymity"].update(k=2)),
        altered(lambda d: d.update(eligible=[[50], [50]])),
        altered(lambda d: d.update(retention_days=-1)),
        b"{}", b"[]", b"", b"null", b"\xff", b'{"specification":1,"model":null,"roll":null,"test":false}',
        BODY.replace(b'"test": false', b'"test": 0'),
    ],
)  # fmt: skip
def test_what_devices_would_refuse_is_not_published_and_the_code_not_used(
    port: int, code: str, data: DataDirectory, body: bytes
) -> None:
    status, problem = post(port, code, body)
    assert (status, problem["code"]) == (422, "input.publication")
    assert data.ids() == ()
    assert post(port, code)[0] == 201


def test_another_survey_with_the_same_id_is_not_replaced(
    port: int, code: str, data: DataDirectory, tmp_path: Path
) -> None:
    with DataDirectory(tmp_path / "elsewhere") as other:
        found = other.folder(sample.envelope("Another"))
        other.publish(sample.envelope("Another"), sample.MODEL)
    target = data.folder(sample.envelope())
    shutil.copytree(found, target)
    status, problem = post(port, code)
    assert (status, problem["code"]) == (409, "state.other-digest")
    assert (target / "specification.dsse.json").read_bytes() == sample.envelope("Another")
    assert post(port, code, OTHER)[0] == 201


def test_an_open_survey_is_not_changed(port: int, code: str, data: DataDirectory) -> None:
    data.open(data.publish(sample.envelope(), sample.MODEL))
    envelope = sample.sign(sample.payload(), sample.KEY, sample.AUDITOR)
    body = Publication(envelope=envelope, model=sample.MODEL, roll=None).to_bytes()
    assert post(port, code, body)[0] == 409
    assert data.survey(sample.digest()).published.envelope == sample.envelope()
    assert post(port, code, OTHER)[0] == 201


def test_a_disk_that_fails_uses_no_code_and_leaves_no_half(
    port: int, code: str, data: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def full(*_args: object, **_more: object) -> None:
            raise StorageError("the disk is full", code="storage.full")

        patch.setattr("server.collection.storage.data_directory.create_database", full)
        assert post(port, code)[0] == 503
    assert [path.name for path in (data.path / "surveys").iterdir()] == ["publishing.lock"]
    assert post(port, code, OTHER)[0] == 201


def test_after_a_crash_the_same_bytes_alone_go_with_the_code(data: DataDirectory, code: str) -> None:
    codes = PublishingCodes(data.path)
    used = data.path / "publishing-codes.json"
    with codes.using(code, BODY):
        kept = used.read_bytes()  # as a power cut would find it
    used.write_bytes(kept)
    with pytest.raises(TokenError), codes.using(code, OTHER):
        raise AssertionError("used for something else")
    with codes.using(code, BODY):
        pass


def test_a_code_ends_and_only_its_hash_is_kept(data: DataDirectory) -> None:
    day = date(2030, 1, 1)
    codes = PublishingCodes(data.path, today=lambda: day)
    code, last_day = codes.make(days=2)
    assert last_day == "2030-01-03"
    assert files_containing(data.path, code.replace("-", "").encode()) == []
    assert files_containing(data.path, code.encode()) == []
    day += timedelta(days=2)
    codes.check(code)
    day += timedelta(days=1)
    with pytest.raises(TokenError):
        codes.check(code)


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Sec_Fetch_Site": "same-origin"}])
def test_no_page_publishes(port: int, code: str, headers: dict[str, str]) -> None:
    status, problem = post(port, code, **headers)
    assert (status, problem["code"]) == (403, "input.foreign-origin")


def test_a_server_that_is_not_reached_encrypted_takes_nothing(data: DataDirectory, code: str) -> None:
    visitor = create_app(Config(public_url="http://survey.example/"), data, client=no_client).test_client()
    answer = visitor.get(PATH, headers={"Authorization": f"Bearer {code}"})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "setup.not-encrypted")


def answer_to_a_head(port: int, code: str, length: int) -> bytes:
    """What the server says to a request whose body never comes."""
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {code}\r\nContent-Length: {length}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(head.encode())
        return connection.recv(65536)


def test_large_bodies_are_refused_before_they_are_read(port: int, code: str) -> None:
    assert b" 413 " in answer_to_a_head(port, code, MAX_PUBLICATION_BYTES + 1)
    assert b" 403 " in answer_to_a_head(port, "0000-0000-0000-0000-0000", 50 * 2**20)
    assert post(port, code, BODY + b" " * 300_000)[0] == 201


def folder(path: Path) -> Path:
    """What design and sign leave behind."""
    path.mkdir()
    (path / "survey.dsse.json").write_bytes(sample.envelope())
    (path / "model.csv").write_bytes(sample.MODEL)
    return path


def test_it_is_handed_over_and_the_place_noted(
    port: int, code: str, data: DataDirectory, tmp_path: Path
) -> None:
    source = folder(tmp_path / "design")
    place = hand_over(source, f"http://127.0.0.1:{port}", code)
    assert place == Place(server=f"http://127.0.0.1:{port}/", id=sample.digest()[:16], digest=sample.digest())
    assert place_of(source) == place
    assert data.ids() == (place.id,)
    assert hand_over(source, place.server, code) == place
    with pytest.raises(TokenError, match="operator") as refused:
        hand_over(source, place.server, PublishingCodes(tmp_path / "other").make()[0])
    assert code not in str(refused.value)


@pytest.mark.parametrize(
    "server", ["http://survey.example/", "ftp://127.0.0.1/", "https://", "https://a:b@c/", "x"]
)
def test_a_code_does_not_travel_in_the_open(server: str) -> None:
    with pytest.raises(InputError):
        server_address(server)


def test_what_is_unsound_is_not_even_sent(tmp_path: Path) -> None:
    source = folder(tmp_path / "design")
    (source / "model.csv").write_bytes(b"age,level,people\n20,0,50\n60,0,50\n")
    with pytest.raises(InputError, match="model"):
        hand_over(source, "http://127.0.0.1:1/", "0000-0000-0000-0000-0000")


def test_no_redirection_gets_the_code(code: str, tmp_path: Path) -> None:
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer() -> None:
            connection, _ = listener.accept()
            heard.append(connection.recv(65536))
            away = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{port}/x\r\nContent-Length: 0\r\n\r\n"
            connection.sendall(away.encode())
            connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(RemoteError, match="302"):
            hand_over(folder(tmp_path / "design"), f"http://127.0.0.1:{port}/", code)
        thread.join()
    assert len(heard) == 1
    assert heard[0].startswith(b"GET ")
