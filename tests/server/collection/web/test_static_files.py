"""Files with hashed names: type, encoding, caching."""

from __future__ import annotations

import gzip
import json
import mimetypes
import shutil
from pathlib import Path

import brotli
import pytest
from flask.testing import FlaskClient

from server.collection.web.static_files import ClientFiles, StaticFile, content_type
from shared.errors import SetupError
from tests.server.collection.web.conftest import SOURCES

WASM = "/static/pyodide/pyodide.asm.0123456789abcdef.wasm"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.wasm", "application/wasm"),
        ("a.mjs", "text/javascript; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.css", "text/css; charset=utf-8"),
        ("a.WASM", "application/wasm"),
        ("a.exe", "application/octet-stream"),
        ("a", "application/octet-stream"),
    ],
)
def test_types_do_not_depend_on_the_machine(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mimetypes, "guess_type", lambda _name: ("text/wrong", None))
    assert content_type(name) == kind


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("br, gzip", "br"),
        ("gzip", "gzip"),
        ("gzip;q=1, br;q=0", "gzip"),
        ("br;q=0.1, gzip;q=0.9", "br"),
        ("*", "br"),
        ("*;q=0", None),
        ("identity", None),
        ("", None),
        ("deflate", None),
    ],
)
def test_the_encoding_is_one_that_the_request_accepts(
    client: FlaskClient, accepted: str, encoding: str | None
) -> None:
    answer = client.get(WASM, headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == encoding
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.content_type == "application/wasm"
    decode = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}[encoding]
    assert decode(answer.data) == SOURCES["pyodide/pyodide.asm.wasm"]


def test_hashed_files_are_kept_for_ever(client: FlaskClient) -> None:
    answer = client.get(WASM)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "ETag" not in answer.headers
    assert "Last-Modified" not in answer.headers


def test_the_pages_own_style_is_hashed_and_served(client: FlaskClient) -> None:
    page = client.get("/").get_data(as_text=True)
    address = page.split('rel="stylesheet" href="')[1].partition('"')[0]
    answer = client.get(address, headers={"Accept-Encoding": "br"})
    assert answer.status_code == 200
    assert answer.content_type == "text/css; charset=utf-8"
    assert b"prefers-color-scheme: dark" in brotli.decompress(answer.data)
    assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize(
    "name",
    [
        "secret.txt",
        "manifest.json",
        "survey.0123456789abcdef.html",
        "../app.py",
        "..%2f..%2fapp.py",
        "/etc/passwd",
    ],
)
def test_only_files_of_the_manifest_are_served(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/static/{name}", follow_redirects=True)
    assert answer.status_code == 404


def test_bytes_that_do_not_shrink_are_sent_as_they_are() -> None:
    file = StaticFile.compress("text/plain", b"x")
    assert file.choose({"br": 1.0, "gzip": 1.0}) == "identity"


def test_a_client_that_is_not_built_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError) as caught:
        ClientFiles.load(tmp_path)
    assert caught.value.code == "setup.client-missing"
    assert "respondent_client.build" in caught.value.remedy


@pytest.mark.parametrize("manifest", ["[]", '{"a": 1}', '{"survey.html": "gone.html"}', '{"a.js": "a.js"}'])
def test_a_damaged_client_is_named(tmp_path: Path, manifest: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(SetupError) as caught:
        ClientFiles.load(tmp_path)
    assert caught.value.code == "setup.client-damaged"


def test_the_manifest_maps_logical_names(client_folder: Path) -> None:
    files = ClientFiles.load(client_folder)
    assert dict(files.assets) == json.loads((client_folder / "manifest.json").read_text())
    assert files.assets["survey.html"] not in files.files


def test_a_file_that_has_gone_since_the_start_is_named(client_folder: Path, tmp_path: Path) -> None:
    """Bodies are read when they are sent."""
    folder = shutil.copytree(client_folder, tmp_path / "static")
    files = ClientFiles.load(folder)
    name = files.assets["app.mjs"]
    assert files.files[name].bodies["identity"] == (client_folder / name).read_bytes()
    (folder / name).unlink()
    with pytest.raises(SetupError, match="has gone since the server started") as caught:
        files.files[name].bodies["identity"]
    assert caught.value.code == "setup.client-damaged"
