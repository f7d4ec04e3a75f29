"""The examples of deploy/relay: syntax where the program is installed, and that they keep no address."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from server.web.api import MAX_SUBMISSION_BYTES
from shared.ballot import CONTENT_TYPE
from tests.server.web.process import free_port

FOLDER = Path(__file__).resolve().parents[3] / "deploy" / "relay"
MARKS = {
    "User-Agent": "canary-agent",
    "Referer": "https://canary.example/",
    "Cookie": "canary=1",
    "Accept-Language": "canary",
    "X-Forwarded-For": "192.0.2.77",
    "X-Real-IP": "192.0.2.77",
    "Forwarded": "for=192.0.2.77",
}


def text_of(name: str) -> str:
    """A file without its comments."""
    text = (FOLDER / name).read_text("utf-8")
    return re.sub(r"(?m)(^|\s)#.*$", "", text)


def needed(program: str) -> str:
    """Where a program is; the test is left out without it."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


class Seen:
    """What reached the relay behind a proxy."""

    def __init__(self) -> None:
        self.port = 0
        self.headers: list[dict[str, str]] = []
        self.lengths: list[int] = []


@pytest.fixture
def behind() -> Iterator[Seen]:
    """Somebody in the relay's place, who remembers what a proxy passes on."""
    seen = Seen()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            seen.headers.append(dict(self.headers))
            seen.lengths.append(len(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    seen.port = server.server_address[1]
    yield seen
    server.shutdown()
    thread.join()
    server.server_close()


def visit(port: int, body: bytes) -> int:
    """Send through a proxy as a browser that says much about itself."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/surveys/x/submissions",
        data=body,
        headers=MARKS | {"Content-Type": CONTENT_TYPE},
    )
    for _ in range(200):
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the proxy does not answer")


def check(seen: Seen, port: int, folder: Path) -> None:
    """Nothing of the visitor comes through, a ballot of every length does, and nothing of it is written."""
    assert visit(port, b"c" * MAX_SUBMISSION_BYTES) == 202
    assert visit(port, b"c" * 2_000_000) in (413, 502)  # an error is what proxies like to log
    assert seen.lengths[0] == MAX_SUBMISSION_BYTES
    headers = seen.headers[0]
    told = json.dumps(headers).lower()
    assert "canary" not in told
    assert "192.0.2" not in told
    assert "127.0.0.1" not in told.replace(f"127.0.0.1:{port}", "").replace(f"127.0.0.1:{seen.port}", "")
    usual = {"Host", "Content-Length", "Content-Type", "Accept-Encoding", "Connection"}
    assert set(headers) <= usual | {"User-Agent"}  # Caddy puts an empty one or its own
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert b"canary" not in data, path
            assert b"c" * 64 not in data, path
            if path.suffix not in (".conf", ".json", ".caddy"):
                assert b"127.0.0.1" not in data, path


def test_nginx_passes_on_and_keeps_nothing(behind: Seen, tmp_path: Path) -> None:
    program, port = needed("nginx"), free_port()
    site = (FOLDER / "nginx.conf").read_text("utf-8")
    site = re.sub(r"listen 443 ssl;", f"listen 127.0.0.1:{port};", site)
    site = re.sub(r"(?m)^\s*(listen \[|ssl_certificate).*$", "", site)
    site = site.replace("127.0.0.1:8001", f"127.0.0.1:{behind.port}")
    paths = "".join(
        f"{kind}_temp_path {tmp_path}/temp-{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(
        f"daemon off; master_process off; pid {tmp_path}/nginx.pid; error_log {tmp_path}/main.log;\n"
        f"events {{}}\nhttp {{ {paths} access_log {tmp_path}/access.log;\n{site} }}\n"
    )
    command = [program, "-p", str(tmp_path), "-c", str(configuration), "-e", str(tmp_path / "main.log")]
    tested = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        check(behind, port, tmp_path)
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_caddy_passes_on_and_keeps_nothing(behind: Seen, tmp_path: Path) -> None:
    program, port = needed("caddy"), free_port()
    site = (FOLDER / "Caddyfile").read_text("utf-8")
    site = site.replace("relay.example {", f"http://127.0.0.1:{port} {{")
    site = site.replace("127.0.0.1:8001", f"127.0.0.1:{behind.port}")
    configuration = tmp_path / "test.caddy"
    configuration.write_text(site)
    with (tmp_path / "output.log").open("wb") as output:
        process = subprocess.Popen(
            [program, "run", "--config", str(configuration), "--adapter", "caddyfile"],
            stdout=output,
            stderr=output,
            env={"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)},
        )
        try:
            check(behind, port, tmp_path)
        finally:
            process.terminate()
            process.wait(timeout=20)


def test_tor_understands_its_lines(tmp_path: Path) -> None:
    program = needed("tor")
    text = (
        (FOLDER / "torrc").read_text("utf-8").replace("/var/lib/tor/roomful-relay", str(tmp_path / "onion"))
    )
    (tmp_path / "torrc").write_text(text)
    done = subprocess.run(
        [program, "--verify-config", "-f", tmp_path / "torrc", "--DataDirectory", tmp_path / "data"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    warnings = [line for line in done.stdout.splitlines() if "[warn]" in line]
    assert all("running Tor as root" in line for line in warnings)


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    program = needed("systemd-analyze")
    unit = tmp_path / "roomful-relay.service"
    text = (FOLDER / "roomful-relay.service").read_text("utf-8")
    unit.write_text(text.replace("/opt/roomful/bin/roomful", "/bin/true"))
    done = subprocess.run([program, "verify", unit], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "roomful-relay.service" not in done.stderr


def test_the_settings_that_keep_it_honest_are_there() -> None:
    """Read without any program, so that nobody takes one out unnoticed."""
    nginx = text_of("nginx.conf")
    assert "access_log off;" in nginx
    assert "error_log  /dev/null emerg;" in nginx
    assert not re.search(
        r"\$(remote_addr|proxy_add_x_forwarded_for|binary_remote_addr)|limit_(req|conn)", nginx
    )
    for name in ("X-Forwarded-For", "X-Real-IP", "Forwarded", "User-Agent", "Referer", "Cookie"):
        assert re.search(rf'proxy_set_header {name}\s+"";', nginx)
    size = re.search(r"client_max_body_size\s+(\d+)k;", nginx)
    buffered = re.search(r"client_body_buffer_size\s+(\d+)k;", nginx)
    assert size is not None
    assert buffered is not None
    assert int(buffered[1]) * 1024 >= int(size[1]) * 1024 >= MAX_SUBMISSION_BYTES
    assert f"{MAX_SUBMISSION_BYTES:,} bytes" in (FOLDER / "nginx.conf").read_text("utf-8")
    caddy = text_of("Caddyfile")
    assert "output discard" in caddy
    assert "header_up -X-Forwarded-For" in caddy
    tor = text_of("torrc")
    assert "HiddenServiceExportCircuitID none" in tor
    assert "HiddenServicePort 80 127.0.0.1:8001" in tor


def test_the_unit_starts_the_command_as_it_is() -> None:
    from server.cli.relay import relay

    unit = text_of("roomful-relay.service")
    words = re.findall(r"(--[a-z-]+)", next(line for line in unit.splitlines() if "ExecStart" in line))
    known = {option for parameter in relay.params for option in parameter.opts}
    assert set(words) <= known
    assert "--port 8001" in unit


def test_a_proxy_before_registrar_and_collector_writes_nothing_of_a_request() -> None:
    text = re.sub(r"(?m)(^|\s)#.*$", "", (FOLDER.parent / "roles" / "nginx.conf").read_text("utf-8"))
    for line in (
        "access_log off;",
        "error_log /dev/null emerg;",
        "client_body_buffer_size 80k;",
        "proxy_max_temp_file_size 0;",
        "ssl_session_tickets off;",
    ):
        assert line in text, line
