"""Each failure of an installation is found and its fix named."""

from __future__ import annotations

import dataclasses
import http.server
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from datetime import date
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace

import pytest

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web import checkup, checkup_http
from server.collection.web.checkup import examine_server
from server.collection.web.checkup_http import examine_http
from server.collection.web.checkup_line import Line, Outcome
from server.collection.web.static_files import ClientFiles
from shared.errors import InputError
from tests.server.collection.storage import sample


def _by_code(lines: tuple[Line, ...]) -> dict[str, Line]:
    found = {line.code: line for line in lines}
    assert len(found) == len(lines)
    for line in lines:
        assert line.finding
        assert bool(line.fix) is (line.outcome is not Outcome.PASSED), line
    return found


@pytest.fixture
def files(client_folder: Path) -> ClientFiles:
    """The built client."""
    return ClientFiles.load(client_folder)


def test_a_good_installation_passes(data: DataDirectory, store: SurveyStore, files: ClientFiles) -> None:
    lines = _by_code(examine_server(Config(operator="Office"), data, files))
    assert {line.outcome for line in lines.values()} == {Outcome.PASSED}
    assert set(lines) == {
        "python", "sqlite", "data-writable", "data-private", "disk-space", "clock", "client-built",
        "client-complete", "client-intact", "client-compressed", "secure-context", "operator", "surveys",
        "durability", "retention",
    }  # fmt: skip


def _too_old(patch: pytest.MonkeyPatch, _path: Path) -> None:
    patch.setattr(checkup, "driver_version", lambda: (3, 7, 0))


def _full(patch: pytest.MonkeyPatch, _path: Path) -> None:
    patch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=10**7))


def _filling(patch: pytest.MonkeyPatch, _path: Path) -> None:
    patch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=5 * 10**8))


def _past(patch: pytest.MonkeyPatch, _path: Path) -> None:
    patch.setattr(checkup.time, "time", lambda: 0.0)


def _old_python(patch: pytest.MonkeyPatch, _path: Path) -> None:
    patch.setattr(checkup, "MIN_PYTHON", (9, 9))


def _locked(patch: pytest.MonkeyPatch, _path: Path) -> None:
    patch.setattr(checkup.os, "access", lambda _path, _mode: False)


def _public(_patch: pytest.MonkeyPatch, path: Path) -> None:
    path.chmod(0o755)


def _weak(patch: pytest.MonkeyPatch, _path: Path) -> None:
    patch.setattr(SurveyStore, "settings", lambda _self: dict(checkup.DURABLE) | {"synchronous": 1})


def _overdue(_patch: pytest.MonkeyPatch, path: Path) -> None:
    with DataDirectory(path, today=lambda: date(2025, 1, 1)) as directory:
        directory.close(sample.digest())


def _damaged(_patch: pytest.MonkeyPatch, path: Path) -> None:
    (path / "surveys" / sample.digest()[:16] / "specification.dsse.json").write_bytes(b"{}")


@pytest.mark.parametrize(
    ("breakage", "code", "outcome"),
    [
        (_old_python, "python", Outcome.FAILED),
        (_too_old, "sqlite", Outcome.FAILED),
        (_full, "disk-space", Outcome.FAILED),
        (_filling, "disk-space", Outcome.WARNING),
        (_past, "clock", Outcome.FAILED),
        (_locked, "data-writable", Outcome.FAILED),
        (_public, "data-private", Outcome.WARNING),
        (_weak, "durability", Outcome.FAILED),
        (_overdue, "retention", Outcome.FAILED),
        (_damaged, "surveys", Outcome.FAILED),
    ],
)
def test_each_failure_is_found(
    data: DataDirectory,
    store: SurveyStore,
    files: ClientFiles,
    monkeypatch: pytest.MonkeyPatch,
    breakage: Callable[[pytest.MonkeyPatch, Path], None],
    code: str,
    outcome: Outcome,
) -> None:
    breakage(monkeypatch, data.path)
    if code == "surveys":
        data.end()
    lines = _by_code(examine_server(Config(operator="Office"), data, files))
    assert lines[code].outcome is outcome
    assert [line.code for line in lines.values() if line.outcome is not Outcome.PASSED] == [code]
    assert str(data.path) not in repr(lines)


def test_a_missing_client_and_address_are_found(data: DataDirectory) -> None:
    lines = _by_code(examine_server(Config(public_url="http://example.org/"), data, None))
    failed = [line.code for line in lines.values() if line.outcome is Outcome.FAILED]
    assert failed == ["client-built", "secure-context"]
    assert lines["operator"].outcome is Outcome.WARNING


def test_an_incomplete_and_uncompressed_client_is_found(data: DataDirectory, files: ClientFiles) -> None:
    assets = {name: hashed for name, hashed in files.assets.items() if name != "roomful.zip"}
    bare = {
        name: dataclasses.replace(file, bodies={"identity": file.bodies["identity"]})
        for name, file in files.files.items()
    }
    broken = dataclasses.replace(files, assets=assets, files=bare)
    lines = _by_code(examine_server(Config(operator="x"), data, broken))
    assert lines["client-complete"].outcome is Outcome.FAILED
    assert "roomful.zip" in lines["client-complete"].finding
    assert lines["client-compressed"].outcome is Outcome.WARNING


@pytest.mark.parametrize("encoding", ["identity", "br", "gzip"])
def test_a_client_whose_bytes_changed_is_not_called_intact(
    data: DataDirectory, files: ClientFiles, encoding: str
) -> None:
    name = files.assets["app.mjs"]
    bodies = dict(files.files[name].bodies) | {encoding: b"export const a = 2;"}
    changed = dict(files.files) | {name: dataclasses.replace(files.files[name], bodies=bodies)}
    lines = _by_code(examine_server(Config(operator="x"), data, dataclasses.replace(files, files=changed)))
    assert lines["client-intact"].outcome is Outcome.FAILED
    assert name in lines["client-intact"].finding
    other_page = dataclasses.replace(files, page=files.page + " ")
    assert other_page.damaged() == (files.assets["survey.html"],)
    assert files.damaged() == ()


# From outside


class _Proxy:
    """A stand-in for a server behind a proxy, whose answers a test bends."""

    def __init__(self, files: ClientFiles) -> None:
        self.bend: Callable[[str, dict[str, str]], int] = lambda _path, _headers: 200
        self.told: str | None = None
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = b"{}"
                if self.path == "/api/v1/openapi.json":
                    body = json.dumps({"servers": [{"url": proxy.told or proxy.url}]}).encode()
                headers = dict(checkup_http.HEADERS) | {"Date": formatdate(usegmt=True)}
                name = self.path.removeprefix("/static/")
                if name in files.files:
                    headers |= {"Content-Type": files.files[name].content_type, "Content-Encoding": "br"}
                status = proxy.bend(self.path, headers)
                self.send_response_only(status)
                for header, value in (headers | {"Content-Length": str(len(body))}).items():
                    self.send_header(header, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_arguments: object) -> None:
                """Quiet."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"


@pytest.fixture
def proxy(files: ClientFiles) -> Iterator[_Proxy]:
    """A faithful proxy."""
    found = _Proxy(files)
    thread = threading.Thread(target=found.server.serve_forever, args=(0.02,))
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


def test_a_faithful_proxy_passes(proxy: _Proxy, files: ClientFiles) -> None:
    lines = _by_code(examine_http(proxy.url, files))
    assert {line.outcome for line in lines.values()} == {Outcome.PASSED}
    assert {"http-wasm", "http-mjs", "http-compression", "http-headers", "http-public-url"} <= set(lines)


def test_the_real_server_passes(port: int, files: ClientFiles) -> None:
    lines = _by_code(examine_http(f"http://127.0.0.1:{port}/", files))
    different = [line.code for line in lines.values() if line.outcome is not Outcome.PASSED]
    assert different == ["http-public-url"]  # this test's server did not know its port beforehand


def _set(name: str, value: str, only: str = "") -> Callable[[str, dict[str, str]], int]:
    def bend(path: str, headers: dict[str, str]) -> int:
        if path.endswith(only):
            headers[name] = value
        return 200

    return bend


def _drop(name: str) -> Callable[[str, dict[str, str]], int]:
    def bend(_path: str, headers: dict[str, str]) -> int:
        headers.pop(name, None)
        return 200

    return bend


@pytest.mark.parametrize(
    ("bend", "code", "outcome"),
    [
        (_set("Content-Type", "application/octet-stream", ".wasm"), "http-wasm", Outcome.FAILED),
        (_set("Content-Type", "text/plain", ".mjs"), "http-mjs", Outcome.FAILED),
        (_drop("Content-Encoding"), "http-compression", Outcome.WARNING),
        (_drop("Referrer-Policy"), "http-headers", Outcome.FAILED),
        (_set("X-Frame-Options", "SAMEORIGIN"), "http-headers", Outcome.FAILED),
        (_set("X-Request-Id", "1"), "http-marks", Outcome.WARNING),
        (_set("Set-Cookie", "lb=1"), "http-marks", Outcome.WARNING),
        (_set("Date", "Thu, 01 Jan 1970 00:00:00 GMT"), "http-clock", Outcome.WARNING),
        (_set("Date", "yesterday"), "http-clock", Outcome.WARNING),
        (lambda path, _headers: 404 if path.endswith(".wasm") else 200, "http-wasm", Outcome.FAILED),
        (lambda _path, _headers: 502, "http-reachable", Outcome.FAILED),
    ],
)
def test_each_fault_of_a_proxy_is_found(
    proxy: _Proxy, files: ClientFiles, bend: Callable[[str, dict[str, str]], int], code: str, outcome: Outcome
) -> None:
    proxy.bend = bend
    lines = _by_code(examine_http(proxy.url, files))
    assert lines[code].outcome is outcome
    assert lines[code].fix


def test_a_wrong_public_address_is_found(proxy: _Proxy, files: ClientFiles) -> None:
    proxy.told = "https://elsewhere.example"
    lines = _by_code(examine_http(proxy.url, files))
    assert lines["http-public-url"].outcome is Outcome.FAILED
    assert "public_url" in lines["http-public-url"].fix


def test_a_server_that_is_not_there_is_found() -> None:
    lines = examine_http("http://127.0.0.1:9/", None)
    assert [(line.code, line.outcome) for line in lines] == [("http-reachable", Outcome.FAILED)]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "example.org", "ftp://example.org/"])
def test_only_web_addresses_are_looked_at(url: str) -> None:
    with pytest.raises(InputError):
        examine_http(url, None)
