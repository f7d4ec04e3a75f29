"""An application over a small survey, with a stand-in for the built client."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import brotli
import pytest
from flask import Flask
from flask.testing import FlaskClient

from respondent_client.build import WEB
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from server.collection.web.static_files import ClientFiles
from tests.served import serving
from tests.server.collection.storage import sample

PAGE = """<!doctype html><html lang="{{ language }}"><head><meta charset="utf-8"><title>{{ title }}</title>
<link rel="stylesheet" href="{{ base }}static/{{ assets['survey.css'] }}"></head>
<body data-base="{{ base }}" data-id="{{ id }}" data-state="{{ state }}"><h1>{{ title }}</h1>
<p>{{ description }}</p><p>{{ organizer }}</p>
<ul>{% for line in statement + more %}<li>{{ line }}</li>{% endfor %}</ul>
{% for other in languages %}<a href="?lang={{ other }}">{{ other }}</a>{% endfor %}
<script type="module" src="{{ base }}static/{{ assets['app.mjs'] }}"></script></body></html>"""
ENGLISH = {
    "statement.stay": "{details} stay here.",
    "statement.group": "A group of at least {smallest} people.",
    "statement.nobody": "Nobody knows if {share} take part.",
    "percent": "{number}%",
    "list.pair": "{first} and {last}",
    "statement.asks.one": "{count} question.",
    "statement.asks.other": "{count} questions.",
    "statement.free-text": "Free text.",
    "statement.release.withhold": "At least {k} answered.",
    "statement.retention.other": "Deleted after {count} days.",
}
GERMAN = {"statement.stay": "{details} bleiben hier."}


def of_links(language: str) -> dict[str, str]:
    """The client's own words about a link that was changed."""
    texts = json.loads((WEB / "texts" / f"{language}.json").read_bytes())
    return {key: text for key, text in texts.items() if key == "direction" or key.startswith("link.")}


SOURCES = {
    "texts/en.json": json.dumps(ENGLISH | of_links("en")).encode(),
    "texts/de.json": json.dumps(GERMAN | of_links("de")).encode(),
    "survey.html": PAGE.encode(),
    "survey.css": b"body { color: black; }\n" * 20,
    "app.mjs": b"export const a = 1;\n" * 20,
    "pyodide/pyodide.asm.wasm": b"\0asm\x01\0\0\0" * 3000,
    "roomful.zip": b"PK\x05\x06" + b"\0" * 18,
}


@pytest.fixture(scope="session")
def client_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built client of five files."""
    folder = tmp_path_factory.mktemp("static")
    manifest = {}
    for name, content in SOURCES.items():
        stem, _, suffix = name.rpartition(".")
        hashed = f"{stem}.0123456789abcdef.{suffix}"
        manifest[name] = hashed
        path = folder / hashed
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        path.with_name(path.name + ".br").write_bytes(brotli.compress(content))
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(content))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    sums = [f"{hashlib.sha256(SOURCES[name]).hexdigest()}  {hashed}\n" for name, hashed in manifest.items()]
    (folder / "SHA256SUMS").write_text("".join(sums))
    (folder / "secret.txt").write_text("not in the manifest")
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Iterator[DataDirectory]:
    """A data directory."""
    with DataDirectory(tmp_path / "data", quiet_seconds=60) as directory:
        yield directory


@pytest.fixture
def store(data: DataDirectory) -> SurveyStore:
    """An open survey."""
    found = data.survey(data.publish(sample.envelope(), sample.MODEL))
    found.open()
    return found


@pytest.fixture
def make_app(data: DataDirectory, client_folder: Path) -> Callable[..., Flask]:
    """Build an application with some settings."""

    def build(**settings: object) -> Flask:
        config = Config(**settings)  # type: ignore[arg-type] # a test's business
        return create_app(config, data, client=lambda: ClientFiles.load(client_folder))

    return build


@pytest.fixture
def client(make_app: Callable[..., Flask]) -> FlaskClient:
    """A visitor of the application at the root of its address."""
    return make_app().test_client()


@pytest.fixture
def port(make_app: Callable[..., Flask]) -> Iterator[int]:
    """The port of a real server in this process."""
    with serving(make_app()) as port:
        yield port
