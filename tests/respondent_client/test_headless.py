"""The command-line client against a server on a real socket."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from respondent_client.headless import HeadlessRespondent, headless
from respondent_client.headless.commands import respond
from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.headless.respondent import run
from shared.errors import InputError, RemoteError, SoundnessError, StateError
from shared.limits import MAX_ENVELOPE_BYTES
from tests.builders import ANSWERS
from tests.respondent_client.fakes import FakePlatform, link_to

PERSON: dict[str, str | None] = {"age": "43", "sex": "female"}


class Server:
    """The fake of the platform tests, on a socket."""

    def __init__(self) -> None:
        self.fake = fake = FakePlatform()
        self.connections: set[Any] = set()
        self.drop = 0
        self.zip: Callable[[bytes], bytes] | None = None
        self.encodings: list[tuple[str, str | None]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_args: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.reply(None)

            def do_POST(self) -> None:
                self.reply(self.rfile.read(int(self.headers["Content-Length"])))

            def reply(self, body: bytes | None) -> None:
                server.connections.add(self.client_address)
                reply = fake.reply_to(self.path.rpartition("/v1/")[2], body)
                self.close_connection = server.drop > 0
                if server.drop:
                    server.drop -= 1
                    return
                self.send_response(reply.status)
                server.encodings.append((self.command, self.headers["Accept-Encoding"]))
                data = reply.body
                if server.zip and self.headers["Accept-Encoding"] == "gzip":
                    data = server.zip(data)
                    self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()
        link = link_to(fake.envelope)
        self.base = f"http://127.0.0.1:{self.http.server_address[1]}/"
        self.url = f"{self.base}s/{link.survey}#{link.invitation.fragment()}"


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture
def answers_file(tmp_path: Path) -> Path:
    path = tmp_path / "person.json"
    path.write_text(json.dumps({"quasi_identifiers": PERSON, "answers": ANSWERS}), "utf-8")
    return path


def test_each_message_of_a_simulation_has_a_connection_of_its_own(server: Server) -> None:
    respondent = headless(server.url)
    respondent.prepare()
    receipts = {respondent.respond(PERSON, ANSWERS) for _ in range(50)}
    assert len(receipts) == 50 == len(server.fake.stored)
    assert len(server.connections) == 51  # what is read has one, each message its own


def test_threads_share_a_prepared_respondent(server: Server) -> None:
    respondent = headless(server.url)
    respondent.prepare()
    receipts: list[str] = []
    threads = [
        threading.Thread(target=lambda: receipts.append(respondent.respond(PERSON, ANSWERS)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(receipts)) == 8 == len(server.fake.stored)


def test_a_kept_connection_that_was_closed_is_opened_again(server: Server) -> None:
    respondent = headless(server.url)
    respondent.prepare()
    server.drop = 1
    respondent.prepare()


def test_an_unreachable_server_is_an_error_of_its_own(server: Server) -> None:
    server.drop = 3
    with pytest.raises(RemoteError) as caught:
        headless(server.url).prepare()
    assert caught.value.code == "remote.unreachable"


def test_an_answer_beyond_its_limit_is_not_read(server: Server) -> None:
    platform = HeadlessPlatform()
    url = f"{server.base}api/v1/surveys/x/specification"
    with pytest.raises(RemoteError) as caught:
        run(platform.request("GET", url, body=None, content_type="", max_bytes=10))
    assert caught.value.code == "remote.too-long"


def test_what_is_read_comes_compressed_and_nothing_of_a_message(server: Server) -> None:
    server.zip = gzip.compress
    respondent = headless(server.url)
    respondent.prepare()
    respondent.respond(PERSON, ANSWERS)
    assert set(server.encodings) == {("GET", "gzip"), ("POST", "identity")}


@pytest.mark.parametrize(
    ("zipped", "code"),
    [
        (lambda _data: gzip.compress(bytes(MAX_ENVELOPE_BYTES + 1)), "remote.too-long"),
        (lambda _data: gzip.compress(bytes(50 * MAX_ENVELOPE_BYTES)), "remote.too-long"),
        (lambda data: gzip.compress(data)[:-9], "remote.unreachable"),
        (lambda data: data, "remote.unreachable"),
    ],
    ids=["a little too long", "much too long", "truncated", "not compressed"],
)
def test_a_compressed_answer_is_bounded_and_whole(
    server: Server, zipped: Callable[[bytes], bytes], code: str
) -> None:
    server.zip = zipped
    with pytest.raises(RemoteError) as caught:
        headless(server.url).examine()
    assert caught.value.code == code


def test_nobody_is_placed_before_the_checks(server: Server) -> None:
    with pytest.raises(StateError):
        headless(server.url).place(PERSON)


def test_entry_points_lead_to_the_simulation_and_the_command() -> None:
    assert entry_points(group="roomful.respondent")["headless"].load() is headless
    assert entry_points(group="roomful.commands")["respond"].load() is respond
    assert isinstance(headless("http://localhost/s/0123456789abcdef"), HeadlessRespondent)


def test_respond_shows_each_check_the_room_and_the_receipt(server: Server, answers_file: Path) -> None:
    result = CliRunner().invoke(respond, [server.url, "--answers", str(answers_file)])
    assert result.exit_code == 0, result.output
    assert result.output.count(" ok ") == 11
    assert "25 people share it" in result.output
    assert "Receipt: " in result.output
    assert len(server.fake.stored) == 1


def test_respond_dry_run_shows_the_bytes_and_sends_nothing(server: Server, answers_file: Path) -> None:
    result = CliRunner().invoke(respond, [server.url, "--answers", str(answers_file), "--dry-run", "--json"])
    value = json.loads(result.stdout)
    assert json.loads(value["message"])["cell"] == value["cell"]
    assert value["sent"] is False
    assert server.fake.stored == []


def test_respond_json_names_the_receipt(server: Server, answers_file: Path) -> None:
    result = CliRunner().invoke(respond, [server.url, "--answers", str(answers_file), "--json"])
    value = json.loads(result.stdout)
    assert value["sent"] is True
    assert len(value["receipt"]) == 64
    assert [line["outcome"] for line in value["checks"]] == ["passed"] * 11


def test_respond_refuses_with_the_check_that_failed(server: Server, answers_file: Path) -> None:
    server.fake.model = b""
    result = CliRunner().invoke(respond, [server.url, "--answers", str(answers_file)])
    assert isinstance(result.exception, SoundnessError)
    assert result.exception.code == "check.model"
    assert "REFUSED" in result.output
    assert server.fake.stored == []


def test_respond_without_fragment_asks_to_compare_words(server: Server, answers_file: Path) -> None:
    url = server.url.partition("#")[0]
    result = CliRunner().invoke(respond, [url, "--answers", str(answers_file)])
    assert isinstance(result.exception, SoundnessError)
    assert "--words-match" in result.output
    again = CliRunner().invoke(respond, [url, "--answers", str(answers_file), "--words-match"])
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"quasi_identifiers": [], "answers": {}}',
        '{"quasi_identifiers": {"age": 43}, "answers": {}}',
    ],
)
def test_a_malformed_answers_file_is_refused(server: Server, answers_file: Path, text: str) -> None:
    answers_file.write_text(text, "utf-8")
    result = CliRunner().invoke(respond, [server.url, "--answers", str(answers_file)])
    assert isinstance(result.exception, InputError)
    assert "43" not in str(result.exception)
