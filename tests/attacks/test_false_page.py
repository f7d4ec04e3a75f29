"""A server that gives somebody another program than the published one is found out by whoever looks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask, Response, request

from server.cli.checkup import checkup
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web import static_files
from server.collection.web.app import create_app
from server.collection.web.checkup_client import AGENTS
from server.collection.web.static_files import find_client
from shared.errors import InputError, RemoteError, SetupError, VerificationError
from tests.builders import small_envelope, small_model
from tests.programs import free_port
from tests.served import running

IPHONE = AGENTS["Safari on an iPhone"]
Bend = Callable[[Response], object]


class Server:
    """A real server of the real client, whose answers an attack bends on their way out."""

    def __init__(self, data: DataDirectory, port: int) -> None:
        self.bend: Bend = lambda _answer: None
        self.asked: list[tuple[str, str]] = []
        store = data.survey(data.publish(small_envelope(), small_model()))
        store.open()
        self.digest = store.published.digest
        self.config = Config(port=port, threads=4)
        self.address = f"http://127.0.0.1:{port}/s/{store.id}"
        self.app: Flask = create_app(self.config, data, client=find_client)

        @self.app.after_request
        def bent(answer: Response) -> Response:
            self.asked.append((request.full_path, request.headers["User-Agent"]))
            answer.direct_passthrough = False
            self.bend(answer)
            return answer

    def watch(self, *options: str, address: str | None = None) -> Result:
        """``roomful checkup --client``."""
        return CliRunner().invoke(checkup, ["--client", address or self.address, "--json", *options])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as data:
        found = Server(data, free_port())
        with running(found.app, found.config):
            yield found


def test_an_honest_server_passes_and_learns_nothing_of_the_invitation(server: Server) -> None:
    result = server.watch(address=f"{server.address}#{server.digest}")
    assert result.exit_code == 0, result.output
    lines = {line["code"]: line for line in json.loads(result.stdout)}
    assert {line["outcome"] for line in lines.values()} == {"passed"}
    assert find_client().digest in lines["client-same"]["finding"]
    asked = {path.removesuffix("?") for path, _ in server.asked}
    assert {f"/static/{name}" for name in find_client().files} <= {path.partition("?")[0] for path in asked}
    assert {agent for _, agent in server.asked} == set(AGENTS.values())
    assert not any(server.digest in path for path in asked)


def on(path_ends: str, act: Callable[[Response], object], agent: str | None = None) -> Bend:
    """Bend the answers to one kind of visitor at some addresses."""

    def bend(answer: Response) -> None:
        if request.path.endswith(path_ends) and agent in (None, request.headers["User-Agent"]):
            act(answer)

    return bend


def replace(old: bytes, new: bytes) -> Callable[[Response], object]:
    """Other bytes, however they are compressed."""

    def act(answer: Response) -> None:
        encoding = answer.headers.pop("Content-Encoding", "identity")
        answer.set_data(static_files.decoded(encoding, answer.get_data()).replace(old, new))

    return act


def header(name: str, value: str) -> Callable[[Response], object]:
    """One header set to something else."""
    return lambda answer: answer.headers.set(name, value)


POLICY = "Content-Security-Policy"
ATTACKS: dict[str, Bend] = {
    "a module for one kind of telephone": on(".mjs", replace(b"import", b"import "), IPHONE),
    "a script in the page": on("", replace(b"</body>", b"<script src=/x></script></body>"), IPHONE),
    "a blank in the page": on("", replace(b"</body>", b"</body> ")),
    "a weaker policy": on(".mjs", header(POLICY, "default-src *")),
    "a second policy": on("", lambda answer: answer.headers.add(POLICY, "default-src *")),
    "a module brought in by a header": on("", header("Link", "</x.mjs>; rel=modulepreload")),
    "another type": on(".zip", header("Content-Type", "text/html")),
    "a redirect": on(".wasm", lambda answer: setattr(answer, "status_code", 302)),
    "a file that is not there": on(".wasm", lambda answer: setattr(answer, "status_code", 404)),
    "bytes that cannot be unpacked": on(".css", lambda answer: answer.set_data(b"\xff\xff"), IPHONE),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_whatever_differs_is_found_and_kept(server: Server, tmp_path: Path, attack: str) -> None:
    server.bend = ATTACKS[attack]
    evidence = tmp_path / "evidence"
    result = server.watch("--evidence", str(evidence))
    assert isinstance(result.exception, VerificationError)
    assert result.exception.code == "verification.client"
    lines = {line["code"]: line["outcome"] for line in json.loads(result.stdout)}
    assert lines == {"client-survey": "passed", "client-same": "failed"}
    kept = sorted(path.name for path in evidence.iterdir())
    assert kept
    assert {name.rpartition(".")[2] for name in kept} == {"json", "given", "expected"}
    if "telephone" in attack:
        about = [json.loads(path.read_text()) for path in evidence.glob("*.json")]
        assert {one["visitor"] for one in about} == {IPHONE}


def test_another_survey_than_the_invitation_names_is_found(server: Server) -> None:
    result = server.watch(address=f"{server.address}#{'0' * 64}")
    assert isinstance(result.exception, VerificationError)
    assert "client-survey" in result.exception.where


def test_a_build_that_is_damaged_itself_compares_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = find_client()
    broken = dataclasses.replace(client, page=client.page + " ")
    monkeypatch.setattr("server.cli.checkup.find_client", lambda: broken)
    result = server.watch()
    assert isinstance(result.exception, SetupError)
    assert result.exception.code == "setup.client-damaged"
    assert server.asked == []


@pytest.mark.parametrize("address", ["ftp://x/s/0123456789abcdef", "http://x/s/1", "survey", "http://x/"])
def test_an_address_that_is_no_survey_is_refused(server: Server, address: str) -> None:
    assert isinstance(server.watch(address=address).exception, InputError)


def test_through_a_proxy_that_is_not_there_nothing_is_fetched(server: Server) -> None:
    result = server.watch("--proxy", f"http://127.0.0.1:{free_port()}")
    assert isinstance(result.exception, RemoteError)
    assert server.asked == []
    assert CliRunner().invoke(checkup, ["--proxy", "http://127.0.0.1:1"]).exit_code == 2
