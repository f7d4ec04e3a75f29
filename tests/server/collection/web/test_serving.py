"""The real server as a process: start, stop, kill, and what it prints."""

from __future__ import annotations

import contextlib
import errno
import http.client
import json
import os
import resource
import shlex
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web import supervisor
from server.collection.web.serving import in_background, listen, make_server, run, warnings
from shared.errors import SetupError
from shared.invitation import Invitation
from tests.programs import COMMAND, Program, free_port
from tests.server.collection.storage import sample
from tests.server.collection.storage.raw_bytes import files_containing, order_in_pages
from tests.server.collection.web.process import ServerProcess
from tests.waiting import PATIENCE_SECONDS, until


@pytest.fixture
def survey(tmp_path: Path) -> tuple[Path, str]:
    """A data directory with an open survey that no process of ours holds."""
    path = tmp_path / "data"
    with DataDirectory(path) as data:
        found = data.publish(sample.envelope(), sample.MODEL)
        data.open(found)
    return path, found


def _request(port: int, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def _flood(port: int, survey: str, acknowledged: list[str], ended: threading.Event) -> None:
    """Submit on one connection after another; remember what was acknowledged."""
    while not ended.is_set():
        with contextlib.suppress(OSError, http.client.HTTPException):
            status, body = _request(port, "POST", f"/api/v1/surveys/{survey}/submissions", sample.message())
            if status == 201:
                acknowledged.append(json.loads(body)["receipt"])


@contextlib.contextmanager
def _flooding(port: int, survey: str) -> Iterator[list[str]]:
    acknowledged: list[str] = []
    ended = threading.Event()
    threads = [threading.Thread(target=_flood, args=(port, survey, acknowledged, ended)) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        yield acknowledged
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(survey: tuple[Path, str]) -> None:
    """SIGKILL in the middle of a flood, twice; every receipt is in the store afterwards."""
    path, name = survey
    port = free_port()
    server = ServerProcess(path, port)
    with _flooding(port, name) as acknowledged:
        for round_number in (1, 2):
            until(lambda: len(acknowledged) > 60 * round_number)  # noqa: B023 - run at once
            server.kill()
            server = ServerProcess(path, port)
        until(lambda: len(acknowledged) > 180)
    with server:
        assert server.stop() == 0
    with DataDirectory(path) as data:
        store = data.survey(name)
        store.check()
        assert [receipt for receipt in acknowledged if not store.has_receipt(receipt)] == []
        assert store.total() >= len(acknowledged) > 180


def test_stopping_finishes_what_was_begun_and_sweeps(survey: tuple[Path, str]) -> None:
    path, name = survey
    port = free_port()
    server = ServerProcess(path, port)
    with _flooding(port, name) as acknowledged:
        until(lambda: len(acknowledged) > 60)
        assert server.stop() == 0
    assert server.output.rstrip().endswith("Stopped.")
    with DataDirectory(path) as data:
        store = data.survey(name)
        assert all(map(store.has_receipt, acknowledged))
        assert store.settings()["user_version"] == 0
    pages = order_in_pages(path / "surveys" / name / "answers.sqlite")
    assert all(keys == sorted(keys) for keys in pages)


def test_a_new_server_takes_over_without_a_gap(survey: tuple[Path, str]) -> None:
    """As the operator's guide says: start the new one, turn the proxy, stop the old one."""
    path, name = survey
    old, new = free_port(), free_port()
    address = f"/api/v1/surveys/{name}/submissions"
    upstream, statuses = [old], list[tuple[int, int]]()  # what a proxy would do with each request
    asked: dict[int, int] = {}  # by each of the crowd just now
    ended = threading.Event()

    def submit() -> None:
        while not ended.is_set():
            port = asked[threading.get_ident()] = upstream[0]
            try:
                status = _request(port, "POST", address, sample.message())[0]
            except (OSError, http.client.HTTPException):
                status = 502
            statuses.append((port, status))

    with ServerProcess(path, old) as before, ServerProcess(path, new) as after:
        threads = [threading.Thread(target=submit) for _ in range(8)]
        for thread in threads:
            thread.start()
        try:
            until(lambda: len(statuses) > 60)
            upstream[0] = new
            until(lambda: old not in asked.values())  # whatever went to the old one was answered
            assert before.stop() == 0
            seen = len(statuses)
            until(lambda: len(statuses) > seen + 60)
        finally:
            ended.set()
            for thread in threads:
                thread.join()
        assert after.stop() == 0
    assert {status for _port, status in statuses} == {201}
    with DataDirectory(path) as data:
        assert data.survey(name).total() == len(statuses)


def test_what_is_printed_invites_and_logs_nothing_of_a_visit(survey: tuple[Path, str]) -> None:
    path, name = survey
    port = free_port()
    with ServerProcess(path, port, operator="x") as server:
        message = sample.message(remark="the-canary-of-the-log")
        assert _request(port, "POST", f"/api/v1/surveys/{name}/submissions", message)[0] == 201
        assert _request(port, "POST", f"/api/v1/surveys/{name}/submissions", message[:-1])[0] == 400
        assert _request(port, "GET", f"/s/{name}?lang=the-canary-of-the-log")[0] in (200, 503)
        assert _request(port, "GET", "/the-canary-of-the-log")[0] == 404
        assert server.stop() == 0
        output = server.output
    link = next(line.strip() for line in output.splitlines() if f"/s/{name}#" in line)
    invitation = Invitation.parse_fragment(link.partition("#")[2])
    assert invitation.digest == sample.digest()
    assert invitation.organizer_key == sample.KEY.public_key().public_bytes_raw()
    assert link.startswith(f"http://127.0.0.1:{port}/s/")
    assert "canary" not in output
    assert "POST" not in output
    assert "GET" not in output
    assert files_containing(path, b"the-canary-of-the-log") == [f"surveys/{name}/answers.sqlite"]
    assert files_containing(path, b"127.0.0.1") == []


@pytest.mark.parametrize("log", ["read", "full"])
def test_a_disk_that_takes_nothing_does_not_flood_the_log(survey: tuple[Path, str], log: str) -> None:
    path, name = survey
    port = free_port()
    address = f"/api/v1/surveys/{name}/submissions"
    serve = shlex.join([*COMMAND, "serve", "--data", str(path), "--port", str(port)])
    errors = "2>/dev/full" if log == "full" else ""
    alone = {"ROOMFUL_SERVER_PROCESSES": "1"}
    with Program(["sh", "-c", f"exec {serve} {errors}"], "^Serving ", environment=alone) as server:
        usual = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, usual[1]))
        for _ in range(20):
            status, body = _request(port, "POST", address, sample.message())
            assert (status, json.loads(body)["code"].partition(".")[0]) == (503, "storage")
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, usual)
        assert _request(port, "POST", address, sample.message())[0] == 201
        assert server.stop() == 0
    logged = [line for line in server.output.splitlines() if line.startswith(("ERROR", "WARNING"))]
    written = any(line.startswith("ERROR submissions-not-stored storage.") for line in logged)
    assert written == (log == "read")
    assert len(logged) == len(set(logged)) <= 4
    with DataDirectory(path) as data:
        assert data.survey(name).total() == 1


def test_closing_from_the_command_line_is_noticed_at_once(survey: tuple[Path, str]) -> None:
    path, name = survey
    port = free_port()
    with ServerProcess(path, port, processes=1) as server:
        address = f"/api/v1/surveys/{name}/submissions"
        assert _request(port, "POST", address, sample.message())[0] == 201
        with DataDirectory(path) as data:
            data.close(name)
            total = data.survey(name).total()
        status, body = _request(port, "POST", address, sample.message())
        assert (status, json.loads(body)["code"]) == (409, "state.closed")
        assert json.loads(_request(port, "GET", f"/api/v1/surveys/{name}/status")[1]) == {
            "state": "closed", "total": total,
        }  # fmt: skip
        assert server.stop(signal.SIGINT) == 0


def test_a_worker_that_dies_is_replaced(survey: tuple[Path, str]) -> None:
    path, _name = survey
    port = free_port()
    with ServerProcess(path, port) as server:
        until(lambda: len(server.workers()) == 2)
        victim = server.workers()[0]
        os.kill(victim, signal.SIGKILL)
        until(lambda: len(server.workers()) == 2 and victim not in server.workers())
        assert _request(port, "GET", "/")[0] == 200
        assert server.stop() == 0
        assert "worker-ended" in server.output


def test_workers_end_with_their_parent(survey: tuple[Path, str]) -> None:
    path, _name = survey
    server = ServerProcess(path, free_port())
    until(lambda: len(server.workers()) == 2)
    workers = server.workers()
    server.kill()
    until(lambda: not any(Path(f"/proc/{worker}/fd").exists() for worker in workers))


@pytest.fixture
def server(make_app: Callable[..., Flask]) -> Any:
    """A server in this process that nobody runs yet."""
    listener = socket.create_server(("127.0.0.1", 0))
    return make_server(make_app(), Config(port=listener.getsockname()[1]), listener)


def test_a_server_ends_while_a_thread_wakes_its_loop(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wake = server.trigger._physical_pull

    def late() -> None:
        os.write(server.trigger.trigger, b"x")  # of a thread that has just answered
        loop.join(1)  # the loop does what it was asked for before our own writing
        wake()

    with in_background(server):
        loop = next(thread for thread in threading.enumerate() if thread.name == "server")
        monkeypatch.setattr(server.trigger, "_physical_pull", late)
    assert not loop.is_alive()
    for number in server.trigger._fds:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(number)


def test_a_request_that_outlasts_the_end_writes_into_no_other_file(
    server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def long(environ: object, start_response: Callable[..., object]) -> list[bytes]:
        begun.set()
        ended.wait(PATIENCE_SECONDS)
        server.pull_trigger()  # as at the end of every answer
        start_response("204 No Content", [])
        return []

    server.application = long
    monkeypatch.setattr(
        server.task_dispatcher, "shutdown", partial(server.task_dispatcher.shutdown, timeout=0.1)
    )

    def stop(now: float) -> None:
        if begun.is_set():
            raise SystemExit

    monkeypatch.setattr(server, "maintenance", stop)
    monkeypatch.setattr(server.adj, "cleanup_interval", 0)  # at every turn of the loop
    with socket.create_connection(server.socket.getsockname()) as visitor:
        visitor.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        run(server)
        with ExitStack() as others:  # they take every number that is free
            for name in "abcdefgh":
                others.enter_context((tmp_path / name).open("wb"))
            ended.set()
            until(lambda: not server.task_dispatcher.threads)
        assert {name: (tmp_path / name).read_bytes() for name in "abcdefgh"} == dict.fromkeys("abcdefgh", b"")
    server.trigger.close()


def test_a_port_in_use_is_named(survey: tuple[Path, str]) -> None:
    path, _name = survey
    port = free_port()
    with socket.create_server(("127.0.0.1", port)), ServerProcess(path, port) as server:
        assert server.wait() == 10
    assert "setup.port-in-use" in server.output
    assert f"127.0.0.1 port {port}" in server.output
    assert "Traceback" not in server.output


@pytest.mark.parametrize(
    ("host", "code"), [("203.0.113.1", "setup.host"), ("no.such.host.invalid", "setup.host")]
)
def test_an_address_of_another_machine_is_named(host: str, code: str) -> None:
    with pytest.raises(SetupError) as caught:
        listen(Config(host=host))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        ({}, False),
        ({"host": "0.0.0.0"}, True),  # noqa: S104 - the case to warn of
        ({"host": "0.0.0.0", "public_url": "https://example.org/"}, False),  # noqa: S104
        ({"public_url": "http://example.org/"}, True),
    ],
)
def test_an_open_door_without_encryption_is_warned_of(settings: dict[str, str], warned: bool) -> None:
    assert bool(warnings(Config(**settings))) is warned


def test_without_a_folder_for_temporary_files_the_operator_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused() -> None:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    assert warnings(Config()) == ()
    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    (warning,) = warnings(Config())
    assert "Name a folder that this user can write in as TMPDIR." in warning


def test_a_damaged_survey_is_said_and_the_others_are_served(survey: tuple[Path, str]) -> None:
    path, name = survey
    with DataDirectory(path) as data:
        bad = data.publish(sample.envelope("Bad"), sample.MODEL)
    (path / "surveys" / bad / "answers.sqlite").write_bytes(b"x" * 5000)
    port = free_port()
    with ServerProcess(path, port) as server:
        assert _request(port, "GET", f"/api/v1/surveys/{name}/status")[0] == 200
        status, body = _request(port, "GET", f"/api/v1/surveys/{bad}/status")
        assert (status, json.loads(body)["code"]) == (503, "storage.corrupt")
        assert server.stop() == 0
        assert f"survey {bad} is damaged" in server.output


def test_a_request_to_end_finds_a_worker_that_has_just_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service manager asks all processes at once; the parent died then, and its other workers untidily."""
    ended: list[int] = []
    wait = os.waitpid

    def waited(process: int, options: int) -> tuple[int, int]:
        found = wait(process, options)
        if found[0] and not ended:
            signal.raise_signal(signal.SIGTERM)
        ended.extend(found[:1] if found[0] else ())
        return found

    monkeypatch.setattr(os, "waitpid", waited)
    supervisor.supervise(lambda: time.sleep(0.1), 2)
    assert len(ended) == 2


def test_workers_that_cannot_start_end_the_server_with_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "MAX_SOON", 2)

    def fail() -> None:
        raise RuntimeError

    with pytest.raises(SetupError) as caught:
        supervisor.supervise(fail, 2)
    assert caught.value.code == "setup.workers"
