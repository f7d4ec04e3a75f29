"""A proxy that keeps an HTTP/2 connection after a ballot is found; one that ends it, or has none, is not."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.headless.respondent import run
from server.collection.publishing.handing_over import Place, state_at
from server.collection.relay.collector import Collector, Later
from server.collection.relay.link import RelayLink
from server.collection.web import checkup_http2
from server.collection.web.checkup_http import examine_http
from server.collection.web.checkup_http2 import keeps_connection
from server.collection.web.checkup_line import Line, Outcome
from shared.errors import RemoteError
from tests.programs import free_port
from tests.server.collection.relay.test_deploy import (
    FOLDER,
    Proxy,
    blocks_of_the_guide,
    certificate,
    needed,
    nginx,
    running,
)
from tests.waiting import PATIENCE_SECONDS

SETTINGS = b"\0\0\0\4\0\0\0\0\0"
ANSWER = b"\0\0\1\1\5\0\0\0\1\x8d"  # :status 404, the end of stream 1
GOAWAY = b"\0\0\x08\7\0\0\0\0\0\x7f\xff\xff\xff\0\0\0\0"


@pytest.fixture
def behind() -> Iterator[int]:
    """Port of somebody in the server's place, who answers all."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.dumps({"servers": [{"url": "https://example.org"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def found_by_the_checkup(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> Line:
    assert proxy.visit("POST", "/", b"x", {})[0] == 200
    monkeypatch.setenv("SSL_CERT_FILE", str(proxy.folder / "test.pem"))
    lines = {line.code: line for line in examine_http(f"https://127.0.0.1:{proxy.port}/sub/", None)}
    return lines["http-connection"]


@pytest.mark.parametrize("http2", [False, True])
def test_nginx_with_http2_is_found(
    http2: bool, behind: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration that we ship, and the same with the one word that it warns of."""
    site = (FOLDER.parent / "roles" / "nginx.conf").read_text("utf-8")
    if http2:
        site = site.replace("listen 443 ssl", "listen 443 ssl http2")
        assert "ssl http2" in site
    with nginx(site, dict.fromkeys(("127.0.0.1:8001", "127.0.0.1:8002"), behind), tmp_path) as proxy:
        line = found_by_the_checkup(proxy, monkeypatch)
    assert line.outcome is (Outcome.FAILED if http2 else Outcome.PASSED)
    assert ("http2" in line.fix) is http2


@pytest.mark.parametrize("ends", [True, False])
def test_caddy_passes_as_long_as_it_ends_connections(
    ends: bool, behind: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site,) = (block for block in blocks_of_the_guide() if "reverse_proxy" in block)
    port = free_port()
    certificate(tmp_path)
    tls = f"https://127.0.0.1:{port} {{\n\ttls {tmp_path}/test.pem {tmp_path}/test.key"
    site = site.replace("example.org {", tls).replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    site = site.replace("/surveys/*", "").replace("{", "{\n\tadmin off\n\tauto_https disable_redirects", 1)
    if ends:
        monkeypatch.setattr(checkup_http2, "ENDING_SECONDS", PATIENCE_SECONDS)
    else:
        site = re.sub(r"(?m)^.*Connection close$", "", site)
    (tmp_path / "test.caddy").write_text(site)
    command = [needed("caddy"), "run", "--config", str(tmp_path / "test.caddy"), "--adapter", "caddyfile"]
    with running(command, tmp_path):
        line = found_by_the_checkup(Proxy(port=port, scheme="https", folder=tmp_path), monkeypatch)
    assert line.outcome is (Outcome.PASSED if ends else Outcome.FAILED)


def test_a_certificate_that_nobody_trusts_is_named(tmp_path: Path) -> None:
    certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "test.pem", tmp_path / "test.key")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for _ in range(7):
                line, _ = listening.accept()
                with line, contextlib.suppress(OSError):
                    context.wrap_socket(line, server_side=True).close()

        thread = threading.Thread(target=serve)
        thread.start()
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/"
        (line,) = examine_http(url, None)
        reached = HeadlessPlatform().request("GET", url, body=None, content_type="", max_bytes=1)
        with pytest.raises(RemoteError, match="certificate is not trusted"):
            run(reached)
        collector = Collector(RelayLink(base=url, digest="0" * 64, organizer_key=bytes(32)))
        assert collector.pass_on(b"a ballot") == Later(away=True)
        outcome = collector.pass_on(b"a ballot")
        assert isinstance(outcome, Later)
        assert outcome.untrusted
        with pytest.raises(RemoteError, match="certificate is not trusted"):
            collector.specification()
        with pytest.raises(RemoteError, match="certificate is not trusted"):
            state_at(Place(server=url, id="0" * 16, digest="0" * 64))
        thread.join()
    assert line.outcome is Outcome.FAILED
    assert "certificate is not trusted" in line.finding
    assert "whole chain" in line.fix


@contextlib.contextmanager
def speaking(folder: Path, protocols: list[str], talk: Callable[[ssl.SSLSocket], None]) -> Iterator[str]:
    """A TLS server that lets somebody talk with the one visitor it has; its address."""
    certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "test.pem", folder / "test.key")
    context.set_alpn_protocols(protocols)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            line, _ = listening.accept()
            with (
                line,
                context.wrap_socket(line, server_side=True) as visitor,
                contextlib.suppress(OSError),
            ):
                talk(visitor)
                over.wait(PATIENCE_SECONDS)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}/"
        over.set()
        thread.join()


def say(*parts: bytes, close: bool = False) -> Callable[[ssl.SSLSocket], None]:
    def talk(visitor: ssl.SSLSocket) -> None:
        visitor.recv(1000)
        for part in parts:
            visitor.sendall(part)
        if close:
            visitor.shutdown(socket.SHUT_RDWR)
            visitor.close()

    return talk


@pytest.mark.parametrize(
    ("talk", "kept"),
    [
        (say(SETTINGS, ANSWER), True),
        (say(SETTINGS, ANSWER, GOAWAY), False),
        (say(SETTINGS + ANSWER[:5], ANSWER[5:] + GOAWAY[:3], GOAWAY[3:]), False),
        (say(SETTINGS, ANSWER, close=True), False),
        (say(b"\0\0\4\3\0\0\0\0\1\0\0\0\0"), True),
        (say(b"HTTP/1.1 400 Bad Request\r\n\r\n", close=True), False),
    ],
    ids=["answer", "goaway", "in pieces", "closed", "reset stream", "nonsense"],
)
def test_the_end_of_a_connection(
    talk: Callable[[ssl.SSLSocket], None], kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "test.pem"))
    monkeypatch.setattr(checkup_http2, "ENDING_SECONDS", 0.2 if kept else PATIENCE_SECONDS)
    with speaking(tmp_path, ["h2"], talk) as url:
        assert keeps_connection(url) is kept


def test_a_server_without_http2_keeps_no_connection_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "test.pem"))
    with speaking(tmp_path, ["http/1.1"], lambda _visitor: None) as url:
        assert keeps_connection(url) is False


def test_a_long_path_arrives_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """HPACK writes lengths from 127 on in several bytes."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "test.pem"))
    heard: list[bytes] = []

    def talk(visitor: ssl.SSLSocket) -> None:
        heard.append(visitor.recv(2000))
        visitor.sendall(SETTINGS + GOAWAY)

    with speaking(tmp_path, ["h2"], talk) as url:
        assert keeps_connection(url + "x" * 300 + "/") is False
    path = b"/" + b"x" * 300 + b"/api/v1/surveys/0000000000000000/submissions"
    number = len(path) - 127
    assert b"\0\5:path\x7f" + bytes([number % 128 + 128, number // 128]) + path in heard[0]
