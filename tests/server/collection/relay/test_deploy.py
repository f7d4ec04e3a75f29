"""The examples of deploy/relay: syntax where the program is installed, and that they keep no address."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import json
import re
import shutil
import socket
import ssl
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from server.collection.web.api import MAX_SUBMISSION_BYTES
from shared.ballot import CONTENT_TYPE
from tests.invited import digest_of
from tests.programs import free_port
from tests.server.collection.relay.process import RelayProcess
from tests.server.collection.relay.survey import envelope_of, link_text, relayed, sealed, stub_collector
from tests.waiting import PATIENCE_SECONDS, until

FOLDER = Path(__file__).resolve().parents[4] / "deploy" / "relay"
GUIDE = FOLDER.parents[1] / "docs" / "operator-guide.md"
MARKS = {
    "User-Agent": "canary-agent",
    "Referer": "https://canary.example/",
    "Origin": "https://canary.example",
    "Cookie": "canary=1",
    "Accept-Language": "canary",
    "Sec-CH-UA": "canary",
    "X-Canary": "canary",
    "X-Forwarded-For": "192.0.2.77",
    "X-Real-IP": "192.0.2.77",
    "Forwarded": "for=192.0.2.77",
}
#: Another site of the same machine, which came first and logs everything.
NEIGHBOUR = "server {{ listen 127.0.0.1:{port} ssl; server_name neighbour.example; {certificate} }}\n"


def text_of(name: str) -> str:
    """A file without its comments."""
    return without_comments((FOLDER / name).read_text("utf-8"))


def without_comments(text: str) -> str:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy that runs: where it listens, and how one visits it."""

    port: int
    scheme: str
    folder: Path

    def visit(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, Message]:
        """Send a request as soon as somebody answers; status and headers."""
        request = urllib.request.Request(
            f"{self.scheme}://127.0.0.1:{self.port}{path}", data=body, headers=headers, method=method
        )
        trusting = ssl._create_unverified_context()  # noqa: S323 - a certificate of the test's own
        answers: list[tuple[int, Message]] = []

        def answered() -> bool:
            try:
                with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS, context=trusting) as answer:
                    answers.append((int(answer.status), answer.headers))
            except urllib.error.HTTPError as error:
                with error:
                    answers.append((error.code, error.headers))
            except urllib.error.URLError as error:  # whatever has been heard is not said twice
                if not isinstance(error.reason, ConnectionRefusedError):
                    raise
            return bool(answers)

        until(answered, lambda: "the proxy does not answer")
        return answers[0]


@contextlib.contextmanager
def running(command: list[str], folder: Path) -> Iterator[None]:
    """Run a program in the foreground; what it says goes to a log that is looked at."""
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(folder))
    with (folder / "output.log").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=homes)
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE_SECONDS)


def certificate(folder: Path) -> str:
    """The lines that name a certificate, which is made for this test."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now, here = datetime.datetime.now(datetime.UTC), ipaddress.ip_address("127.0.0.1")
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(here)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "test.pem").write_bytes(made.public_bytes(Encoding.PEM))
    (folder / "test.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return f"ssl_certificate {folder}/test.pem; ssl_certificate_key {folder}/test.key;"


def nginx_files(site: str, folder: Path) -> list[str]:
    """Put a site where Debian does, beside settings that log all they can; the command that runs it."""
    paths = "".join(
        f"{kind}_temp_path {folder}/temp-{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/main.log info;\n"
        f"events {{}}\nhttp {{ {paths} access_log {folder}/access.log; gzip on;\n{site} }}\n"
    )
    command = [needed("nginx"), "-p", str(folder), "-c", str(configuration), "-e", str(folder / "main.log")]
    tested = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    return command


@contextlib.contextmanager
def nginx(text: str, servers: dict[str, int], folder: Path) -> Iterator[Proxy]:
    """Run a site of ours on another port, with another certificate, before servers on other ports."""
    needed("nginx")
    port, lines = free_port(), certificate(folder)
    text = re.sub(r"(?m)^\s*(listen \[|ssl_certificate).*$", "", text)
    text = re.sub(r"listen 443 ssl", f"{lines} listen 127.0.0.1:{port} ssl", text)
    for address, behind in servers.items():
        text = text.replace(address, f"127.0.0.1:{behind}")
    command = nginx_files(NEIGHBOUR.format(port=port, certificate=lines) + text, folder)
    with running(command, folder):
        yield Proxy(port=port, scheme="https", folder=folder)


@contextlib.contextmanager
def caddy(port_behind: int, folder: Path) -> Iterator[Proxy]:
    """Run our Caddyfile without TLS, whose certificate it would ask the world for."""
    program, port = needed("caddy"), free_port()
    site = (FOLDER / "Caddyfile").read_text("utf-8")
    site = site.replace("relay.example {", f"http://127.0.0.1:{port} {{")
    site = site.replace("127.0.0.1:8001", f"127.0.0.1:{port_behind}")
    site = re.sub(r"\ttls \{[^}]*\}\n", "", site)
    configuration = folder / "test.caddy"
    configuration.write_text(site)
    command = [program, "run", "--config", str(configuration), "--adapter", "caddyfile"]
    with running(command, folder):
        yield Proxy(port=port, scheme="http", folder=folder)


@contextlib.contextmanager
def proxy(program: str, port_behind: int, folder: Path) -> Iterator[Proxy]:
    """One of the two before a relay."""
    if program == "caddy":
        with caddy(port_behind, folder) as found:
            yield found
    else:
        site = (FOLDER / "nginx.conf").read_text("utf-8")
        with nginx(site, {"127.0.0.1:8001": port_behind}, folder) as found:
            yield found


def check_nothing_written(folder: Path) -> None:
    """No file but the configuration holds an address or a part of a request."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".conf", ".json", ".caddy"):
            data = path.read_bytes()
            for trace in (b"canary", b"192.0.2", b"127.0.0.1", b"c" * 64):
                assert trace not in data, (path, trace)


@pytest.mark.parametrize("program", ["nginx", "caddy"])
def test_a_proxy_passes_on_the_ballot_alone_and_writes_nothing(
    program: str, behind: Seen, tmp_path: Path
) -> None:
    headers = MARKS | {"Content-Type": CONTENT_TYPE}
    path = "/api/v1/surveys/canary/submissions"
    with proxy(program, behind.port, tmp_path) as found:
        assert found.visit("POST", path, b"c" * MAX_SUBMISSION_BYTES, headers)[0] == 202
        # An error is what proxies like to log.
        assert found.visit("POST", path, b"c" * 2_000_000, headers)[0] in (413, 502)
        with socket.create_connection(("127.0.0.1", found.port)) as stranger:
            stranger.sendall(b"canary canary\r\n\r\n")
            stranger.recv(100)
    assert behind.lengths[0] == MAX_SUBMISSION_BYTES
    told = json.dumps(behind.headers[0]).lower()
    assert "canary" not in told
    assert "192.0.2" not in told
    assert set(behind.headers[0]) <= {"Host", "Content-Length", "Content-Type", "Connection"}
    assert behind.headers[0]["Content-Type"] == CONTENT_TYPE
    assert str(found.port) not in behind.headers[0]["Host"]
    check_nothing_written(tmp_path)


@pytest.mark.parametrize("program", ["nginx", "caddy"])
def test_ballots_and_leave_of_a_real_relay_come_through_a_proxy(program: str, tmp_path: Path) -> None:
    port = free_port()
    specification = relayed(f"http://127.0.0.1:{port}/", messages=2, seconds=1)
    digest = digest_of(specification)
    path = f"/api/v1/surveys/{digest[:16]}/submissions"
    folder = tmp_path / "proxy"
    folder.mkdir()
    with (
        stub_collector(envelope_of(specification)) as stub,
        RelayProcess(link_text(specification, stub.base), tmp_path / "relay", port),
        proxy(program, port, folder) as found,
    ):
        asked = {"Origin": "https://c.example", "Access-Control-Request-Method": "POST"}
        status, headers = found.visit("OPTIONS", path, None, asked)
        assert (status, headers["Access-Control-Allow-Origin"]) == (204, "*")
        assert headers["Access-Control-Allow-Headers"] == "Content-Type"
        for number in range(2):
            kind = {"Content-Type": CONTENT_TYPE}
            status, headers = found.visit("POST", path, sealed(digest, number), kind)
            assert (status, headers["Access-Control-Allow-Origin"]) == (202, "*")
        status, headers = found.visit("POST", path, b"x", {"Content-Type": "text/plain"})
        assert (status, headers["Access-Control-Allow-Origin"]) == (415, "*")
        assert found.visit("GET", "/", None, {})[0] == 200
        until(lambda: len(stub.bodies) == 2)
    check_nothing_written(folder)


@pytest.mark.parametrize("name", ["relay", "roles"])
def test_nginx_gives_no_ticket_by_which_a_visitor_is_known_again(
    name: str, behind: Seen, tmp_path: Path
) -> None:
    site = (FOLDER.parent / name / "nginx.conf").read_text("utf-8")
    servers = dict.fromkeys(("127.0.0.1:8001", "127.0.0.1:8002"), behind.port)
    with nginx(site, servers, tmp_path) as found:
        assert found.visit("POST", "/", b"x", {})[0] == 202
        trusting = ssl._create_unverified_context()  # noqa: S323 - a certificate of the test's own
        with (
            socket.create_connection(("127.0.0.1", found.port)) as line,
            trusting.wrap_socket(line) as visitor,
        ):
            visitor.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
            assert b"202" in visitor.recv(1000)
            assert visitor.version() == "TLSv1.3"
            assert visitor.session is None or not visitor.session.has_ticket
    check_nothing_written(tmp_path)


def connections(port: int, paths: list[str], version: str) -> list[int]:
    """How many connections curl, which keeps them, opens for each of some requests."""
    words = [needed("curl")]
    for path in paths:
        words += ["--next", "-sk", version, "-d", "x", "-o", "/dev/null", "-w", "%{num_connects}\\n"]
        words += [f"https://127.0.0.1:{port}{path}"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)
    return [int(number) for number in done.stdout.split()]


SURVEY = "/sub/api/v1/surveys/0123456789abcdef"
WAY = [f"{SURVEY}/other", f"{SURVEY}/other", f"{SURVEY}/tokens", f"{SURVEY}/submissions", f"{SURVEY}/other"]


@pytest.mark.parametrize("version", ["--http1.1", "--http2"])
def test_nginx_lets_no_connection_carry_a_code_and_a_ballot(
    version: str, behind: Seen, tmp_path: Path
) -> None:
    """Over HTTP/2 it would; so it is not spoken, and curl falls back."""
    site = (FOLDER.parent / "roles" / "nginx.conf").read_text("utf-8")
    servers = dict.fromkeys(("127.0.0.1:8001", "127.0.0.1:8002"), behind.port)
    with nginx(site, servers, tmp_path) as found:
        assert found.visit("POST", "/", b"x", {})[0] == 202
        assert connections(found.port, WAY, version) == [1, 0, 0, 1, 1]
    folder = tmp_path / "relay"
    folder.mkdir()
    with nginx((FOLDER / "nginx.conf").read_text("utf-8"), servers, folder) as found:
        assert found.visit("POST", "/", b"x", {})[0] == 202
        assert connections(found.port, WAY[:2], version) == [1, 1]


@pytest.mark.parametrize("version", ["--http1.1", "--http2"])
def test_caddy_lets_no_connection_carry_a_code_and_a_ballot(
    version: str, behind: Seen, tmp_path: Path
) -> None:
    """As the operator's guide shows it, and before a relay; over HTTP/2 too."""
    (guide,) = (block for block in blocks_of_the_guide() if "reverse_proxy" in block)
    relay = (FOLDER / "Caddyfile").read_text("utf-8")
    relay = re.sub(r"\ttls \{[^}]*\}\n", "", relay)
    for number, (site, name) in enumerate(((guide, "example.org {"), (relay, "relay.example {"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        port = free_port()
        certificate(folder)
        tls = f"https://127.0.0.1:{port} {{\n\ttls {folder}/test.pem {folder}/test.key"
        site = site.replace(name, tls).replace("127.0.0.1:8000", f"127.0.0.1:{behind.port}")
        site = site.replace("127.0.0.1:8001", f"127.0.0.1:{behind.port}").replace("/surveys/*", "")
        options = "{\n\tauto_https disable_redirects" if "admin off" in site else None
        site = site.replace("{", options or "{\n\tadmin off\n\tauto_https disable_redirects", 1)
        (folder / "test.caddy").write_text(site)
        command = [needed("caddy"), "run", "--config", str(folder / "test.caddy"), "--adapter", "caddyfile"]
        with running(command, folder):
            found = Proxy(port=port, scheme="https", folder=folder)
            assert found.visit("POST", "/", b"x", {"Content-Type": CONTENT_TYPE})[0] == 202
            assert connections(port, WAY[2:], version) == [1, 1, 1]


def test_nginx_sends_requests_for_tokens_to_the_registrar(behind: Seen, tmp_path: Path) -> None:
    site = (FOLDER.parent / "roles" / "nginx.conf").read_text("utf-8")
    servers = {"127.0.0.1:8001": free_port(), "127.0.0.1:8002": behind.port}
    with nginx(site, servers, tmp_path) as found:
        survey = "/sub/api/v1/surveys/0123456789abcdef"
        body = b"c" * MAX_SUBMISSION_BYTES
        assert found.visit("POST", f"{survey}/tokens", body, MARKS)[0] == 202
        for path in (f"{survey}/submissions", f"{survey}/tokens/more", "/s/0123456789abcdef", "/tokens"):
            assert found.visit("POST", path, body, MARKS)[0] == 502, path  # nobody is the collector here
    assert behind.lengths == [MAX_SUBMISSION_BYTES]
    assert "127.0.0.1" not in json.dumps(behind.headers[0]).replace(f"127.0.0.1:{behind.port}", "")
    check_nothing_written(tmp_path)


def test_caddy_understands_the_file_as_it_is(tmp_path: Path) -> None:
    check_caddyfile(FOLDER / "Caddyfile", tmp_path)


def check_caddyfile(path: Path, folder: Path) -> None:
    done = subprocess.run(
        [needed("caddy"), "validate", "--config", path, "--adapter", "caddyfile"],
        capture_output=True,
        text=True,
        check=False,
        env={"HOME": str(folder)},
    )
    assert done.returncode == 0, done.stderr


def blocks_of_the_guide() -> list[str]:
    """The configurations that the operator's guide shows."""
    part = GUIDE.read_text("utf-8").partition("## In front of it")[2].partition("\n## ")[0]
    found = re.findall(r"(?m)(?:^ {4}.*\n|^\n(?= {4}))+", part)
    return [re.sub(r"(?m)^ {4}", "", block) for block in found]


def test_nginx_understands_what_the_operators_guide_shows(tmp_path: Path) -> None:
    (location,) = (block for block in blocks_of_the_guide() if "proxy_pass" in block)
    nginx_files(f"server {{ listen 127.0.0.1:{free_port()}; {location} }}", tmp_path)
    for name in ("client_max_body_size", "client_body_buffer_size"):
        size = re.search(rf"{name} (\d+)k;", location)
        assert size is not None
        assert int(size[1]) * 1024 >= MAX_SUBMISSION_BYTES


def test_caddy_understands_what_the_operators_guide_shows(tmp_path: Path) -> None:
    (site,) = (block for block in blocks_of_the_guide() if "reverse_proxy" in block)
    (tmp_path / "Caddyfile").write_text(site)
    check_caddyfile(tmp_path / "Caddyfile", tmp_path)


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
    assert "proxy_pass_request_headers off;" in nginx
    assert "keepalive_timeout 0;" in nginx
    assert "http2" not in nginx
    assert "NumTickets 0;" in nginx
    size = re.search(r"client_max_body_size\s+(\d+)k;", nginx)
    buffered = re.search(r"client_body_buffer_size\s+(\d+)k;", nginx)
    assert size is not None
    assert buffered is not None
    assert int(buffered[1]) * 1024 >= int(size[1]) * 1024 >= MAX_SUBMISSION_BYTES
    assert f"{MAX_SUBMISSION_BYTES:,} bytes" in (FOLDER / "nginx.conf").read_text("utf-8")
    caddy = text_of("Caddyfile")
    assert "output discard" in caddy
    assert "header Connection close" in caddy
    assert "protocols h1 h2\n" in caddy
    assert "request_header -**" in caddy
    assert "header_up -X-Forwarded-*" in caddy
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
    text = without_comments((FOLDER.parent / "roles" / "nginx.conf").read_text("utf-8"))
    assert text.count("keepalive_timeout 0;") == 2
    assert "http2" not in text
    for line in (
        "access_log off;",
        "error_log /dev/null emerg;",
        "client_body_buffer_size 80k;",
        "proxy_max_temp_file_size 0;",
        "ssl_session_tickets off;",
        "NumTickets 0;",
    ):
        assert line in text, line
