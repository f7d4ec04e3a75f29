"""Raw sockets against the real server: what no well-behaved client sends."""

from __future__ import annotations

import json
import socket

import pytest

from server.collection.storage.store import SurveyStore
from server.collection.web import serving
from server.collection.web.api import MAX_SUBMISSION_BYTES
from server.collection.web.security import HEADERS
from tests.server.collection.storage import sample
from tests.waiting import PATIENCE_SECONDS


def _exchange(port: int, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send bytes, read one answer to its end."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(request)
        received = b""
        while b"\r\n\r\n" not in received:
            more = connection.recv(65536)
            assert more, f"closed after {received!r}"
            received += more
        head, _, body = received.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        while len(body) < int(headers.get("content-length", "0")):
            more = connection.recv(65536)
            assert more, f"closed after {body!r}"
            body += more
    return int(lines[0].split(" ")[1]), headers, body


def _submit(store: SurveyStore, headers: bytes, body: bytes = b"") -> bytes:
    path = f"/api/v1/surveys/{store.id}/submissions".encode()
    common = b"Host: x\r\nContent-Type: application/json\r\n"
    return b"POST " + path + b" HTTP/1.1\r\n" + common + headers + b"\r\n" + body


def _chunked(message: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(message), message)


def _is_problem(answer: tuple[int, dict[str, str], bytes], status: int) -> None:
    found, headers, body = answer
    assert found == status
    assert headers["content-type"] == "application/problem+json"
    assert json.loads(body)["code"] == f"http.{status}"
    assert headers["cache-control"] == "no-store"
    for name, value in HEADERS.items():
        assert headers[name.lower()] == value
    assert "server" not in headers


def test_a_plain_submission_works(port: int, store: SurveyStore) -> None:
    message = sample.message()
    status, headers, _ = _exchange(port, _submit(store, b"Content-Length: %d\r\n" % len(message), message))
    assert status == 201
    assert "server" not in headers
    assert "via" not in headers


def test_a_chunked_body_is_refused_before_it_is_read(port: int, store: SurveyStore) -> None:
    message = sample.message()
    request = _submit(store, b"Transfer-Encoding: chunked\r\n", _chunked(message))
    _is_problem(_exchange(port, request), 411)
    _is_problem(_exchange(port, _submit(store, b"Transfer-Encoding: chunked\r\n")), 411)
    assert store.total() == 0


def test_an_oversized_body_is_refused_before_it_is_sent(port: int, store: SurveyStore) -> None:
    _is_problem(_exchange(port, _submit(store, b"Content-Length: %d\r\n" % (MAX_SUBMISSION_BYTES + 1))), 413)
    _is_problem(_exchange(port, _submit(store, b"Content-Length: 99999999999999\r\n")), 413)
    request = _submit(store, b"Content-Length: %d\r\nExpect: 100-continue\r\n" % (MAX_SUBMISSION_BYTES + 1))
    _is_problem(_exchange(port, request), 413)


def test_the_largest_allowed_body_is_read(port: int, store: SurveyStore) -> None:
    request = _submit(store, b"Content-Length: 65536\r\n", b" " * 65536)
    status, _, body = _exchange(port, request)
    assert status == 400
    assert json.loads(body)["code"] == "submission.length"


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: -1\r\n",
        b"Content-Length: 1e3\r\n",
        b"Content-Length: " + b"9" * 5000 + b"\r\n",
        b"Content-Length: 5, 5\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n",
        b"Bad Header: 1\r\n",
        b"X: a\nY: b\r\n",
    ],
)
def test_malformed_requests_are_problems(port: int, store: SurveyStore, headers: bytes) -> None:
    _is_problem(_exchange(port, _submit(store, headers)), 400)


def test_smuggling_by_two_lengths_is_refused(port: int, store: SurveyStore) -> None:
    message = sample.message()
    both = b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n" % len(message)
    _is_problem(_exchange(port, _submit(store, both, _chunked(message))), 411)
    other = b"Transfer-Encoding: gzip, chunked\r\n"
    _is_problem(_exchange(port, _submit(store, other)), 501)
    assert store.total() == 0


def test_oversized_headers_are_refused(port: int) -> None:
    _is_problem(_exchange(port, b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 20_000 + b"\r\n\r\n"), 431)
    _is_problem(_exchange(port, b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n"), 431)


@pytest.mark.parametrize(
    "garbage",
    [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", b"get / http/1.1\r\n\r\n", b"\0\0\0\0\r\n\r\n"],
)
def test_bytes_that_are_no_http_are_problems(port: int, garbage: bytes) -> None:
    _is_problem(_exchange(port, garbage), 400)


@pytest.mark.parametrize(
    "path",
    [
        b"/%00",
        b"/static/%2e%2e/%2e%2e/etc/passwd",
        b"/s/%ff%fe",
        b"//evil.example/",
        b"/\xff",
        b"/?" + b"a=1&" * 900,
    ],
)
def test_strange_paths_are_answered(port: int, path: bytes) -> None:
    status, headers, body = _exchange(port, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status in (200, 308, 400, 404)
    assert headers.get("location", "/").startswith("/")
    assert not headers.get("location", "/").startswith("//")
    assert b"Traceback" not in body
    assert b"root:" not in body


def test_slow_visitors_do_not_hold_up_others(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, store: SurveyStore
) -> None:
    """The server has four threads; forty visitors dawdle over their headers and bodies."""
    monkeypatch.setattr(serving, "IDLE_SECONDS", 2 * PATIENCE_SECONDS)  # only an end of theirs would free it
    port: int = request.getfixturevalue("port")
    slow = []
    for number in range(40):
        connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        part = _submit(store, b"Content-Length: 1024\r\n", b"{")
        connection.sendall(part if number % 2 else part[:30])
        slow.append(connection)
    message = sample.message()
    status, _, _ = _exchange(port, _submit(store, b"Content-Length: %d\r\n" % len(message), message))
    assert status == 201
    for connection in slow:
        connection.setblocking(False)
        with pytest.raises(BlockingIOError):  # still there, and not answered
            connection.recv(1)
        connection.close()


def test_a_visitor_who_leaves_in_the_middle_is_no_event(
    port: int, store: SurveyStore, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(10):
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(_submit(store, b"Content-Length: 1024\r\n", b'{"remark":"canary'))
    message = sample.message()
    _exchange(port, _submit(store, b"Content-Length: %d\r\n" % len(message), message))
    assert store.total() == 1
    assert "canary" not in caplog.text
    assert "127.0.0.1" not in caplog.text


def test_requests_in_a_row_on_one_connection_are_answered_in_order(port: int, store: SurveyStore) -> None:
    first = b"GET /api/v1/surveys/" + store.id.encode() + b"/status HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(first + last)
        received = b""
        while more := connection.recv(65536):
            received += more
    assert received.index(b"200 OK") < received.index(b"404 NOT FOUND")
