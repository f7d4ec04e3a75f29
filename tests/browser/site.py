"""A tiny server of the respondent's pages, with faults that a real one should never have.

The whole way with the real server is walked in ``test_walk.py``; here a connection is cut after the message
was stored, a file has the wrong type, the policy forbids WebAssembly, and so on.
"""

from __future__ import annotations

import hashlib
import json
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import brotli
from jinja2 import Environment, StrictUndefined, Template

from respondent_client.build import NODE_MODULES, WEB
from server.collection.web.statement import statement
from shared.envelope import Envelope, survey_digest, survey_id
from shared.errors import RoomfulError
from shared.specification import Specification
from tests.builders import small_specification

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
TYPES = {
    ".mjs": "text/javascript",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
    ".html": "text/html; charset=utf-8",
}


def name_of(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


@cache
def _compiled(page: str) -> Template:
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(page)


class Site:
    """Serves one survey from memory.

    Attributes
    ----------
    state : str
        What the page says of the survey.
    stored : list of bytes
        Messages as they arrived, each once.
    faults : set of str
        ``wasm-type``, ``wasm-policy``, ``lost-answer``, ``unreachable``, ``closed``, ``missing:<name part>``.
    parts : dict of str to bytes
        Of a specification in parts, by digest.
    requests : list of (method, path, headers)
        Everything that was asked for.
    """

    def __init__(
        self,
        static: Path,
        envelope: bytes,
        model: bytes | None,
        *,
        extra: Path | None = None,
        parts: dict[str, bytes] | None = None,
    ) -> None:
        self.parts = parts or {}
        self.static = static
        self.assets: dict[str, str] = json.loads((static / "manifest.json").read_bytes())
        self.texts = {
            name[6:-5]: json.loads((static / hashed).read_bytes())
            for name, hashed in self.assets.items()
            if name.startswith("texts/")
        }
        self.envelope = envelope
        self.model = model
        self.extra = extra
        self.state = "open"
        self.trial: str | None = None
        self.stored: list[bytes] = []
        self.faults: set[str] = set()
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.specification = small_specification()
        self.digest = survey_digest(self.specification.to_bytes())
        try:
            payload = Envelope.parse(envelope).payload
            self.digest = survey_digest(payload)
            self.specification = Specification.parse(payload, self.parts.get)
        except RoomfulError:
            pass  # a hostile server shows a page all the same
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_args: Any) -> None:
                pass

            def do_GET(self) -> None:
                site.answer(self, b"")

            def do_POST(self) -> None:
                site.answer(self, self.rfile.read(int(self.headers["Content-Length"])))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}/sub/"

    def close(self) -> None:
        """Stop serving."""
        self.server.shutdown()
        self.server.server_close()

    @property
    def id(self) -> str:
        """The survey's id in addresses."""
        return survey_id(self.digest)

    def link(self, key: str = "", digest: str | None = None) -> str:
        """The invitation's link."""
        digest = self.digest if digest is None else digest
        fragment = f"#{digest}.{key}" if key else f"#{digest}" if digest else ""
        return f"{self.base}s/{self.id}{fragment}"

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        """Answer one request, with the faults that are switched on."""
        url = urlsplit(request.path)
        self.requests.append((request.command, request.path, dict(request.headers)))
        path = url.path.removeprefix("/sub/")
        if "unreachable" in self.faults and path.startswith("api/"):
            request.connection.close()
            request.close_connection = True
            return
        status, kind, data, immutable = self._find(request.command, path, url.query, body)
        if "lost-answer" in self.faults and request.command == "POST":
            request.close_connection = True
            request.connection.close()
            return
        request.send_response(status)
        request.send_header("Content-Type", kind)
        policy = POLICY.replace(" 'wasm-unsafe-eval'", "") if "wasm-policy" in self.faults else POLICY
        request.send_header("Content-Security-Policy", policy)
        request.send_header("X-Content-Type-Options", "nosniff")
        request.send_header(
            "Cache-Control", "public, max-age=31536000, immutable" if immutable else "no-store"
        )
        if immutable and "br" in request.headers.get("Accept-Encoding", ""):
            compressed = self.static / (path.removeprefix("static/") + ".br")
            if compressed.is_file():
                data = compressed.read_bytes()
                request.send_header("Content-Encoding", "br")
        elif path.startswith("api/") and "br" in request.headers.get("Accept-Encoding", ""):
            data = brotli.compress(data, quality=5)
            request.send_header("Content-Encoding", "br")
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data)

    def _find(self, method: str, path: str, query: str, body: bytes) -> tuple[int, str, bytes, bool]:
        api = f"api/v1/surveys/{self.id}/"
        folder, _, name = path.partition("/")
        faults = tuple(self.faults)  # a test may change them meanwhile
        missing = any(fault.startswith("missing:") and fault[8:] in name for fault in faults)
        if missing and folder in ("static", "extra"):
            return 404, "text/plain", b"not here", False
        if path.startswith("static/"):
            return self._static(path.removeprefix("static/"))
        if path == f"s/{self.id}":
            return 200, TYPES[".html"], self._page(query), False
        if path == api + "specification":
            return 200, "application/vnd.roomful.specification+json", self.envelope, False
        if path == api + "model" and self.model is not None:
            return 200, "text/csv", self.model, False
        if path.startswith(api + "parts/") and name_of(path) in self.parts:
            return 200, "application/json", self.parts[name_of(path)], True
        if path == api + "submissions" and method == "POST":
            return self._submit(body)
        if path.startswith(api + "receipts/"):
            found = any(hashlib.sha256(m).hexdigest() == path.rpartition("/")[2] for m in self.stored)
            return (200 if found else 404), "application/json", b"{}", False
        if path.startswith("extra/"):
            file = self._extra(path.removeprefix("extra/"))
            if file.is_file():
                return 200, TYPES[file.suffix], file.read_bytes(), False
        return 404, "text/plain", b"not here", False

    def _extra(self, name: str) -> Path:
        """A test's own file, a module of the page by itself, or a built file by its logical name."""
        folders = (*([self.extra] if self.extra else ()), WEB, NODE_MODULES / "pyodide")
        found = (folder / name for folder in folders if (folder / name).is_file())
        return next(found, self.static / self.assets.get(name, name))

    def _static(self, name: str) -> tuple[int, str, bytes, bool]:
        file = self.static / name
        if not file.is_file():
            return 404, "text/plain", b"not here", False
        kind = TYPES[file.suffix]
        if "wasm-type" in self.faults and file.suffix == ".wasm":
            kind = "application/octet-stream"
        return 200, kind, file.read_bytes(), True

    def _submit(self, body: bytes) -> tuple[int, str, bytes, bool]:
        if "closed" in self.faults:
            problem = {"title": "closed", "status": 409, "code": "state"}
            return 409, "application/problem+json", json.dumps(problem).encode(), False
        if body not in self.stored:
            self.stored.append(body)
        receipt = {"receipt": hashlib.sha256(body).hexdigest()}
        return 201, "application/json", json.dumps(receipt).encode(), False

    def _page(self, query: str) -> bytes:
        specification = self.specification
        template = (self.static / self.assets["survey.html"]).read_text("utf-8")
        wanted = query.removeprefix("lang=")
        language = wanted if wanted in specification.languages else specification.languages[0]
        said = statement(specification, language, self.texts)
        return (
            _compiled(template)
            .render(
                language=language,
                languages=specification.languages,
                title=specification.title[language],
                description=specification.description[language],
                organizer=f"{specification.organizer.name} ({specification.organizer.contact})",
                id=self.id,
                base="/sub/",
                assets=self.assets,
                build="0123456789abcdef",
                state=self.state,
                invited=specification.invited is not None,
                relayed=False,
                statement=said.promise,
                more=said.more,
                logo=self.specification.logo,
                period=specification.period,
                trial=self.trial,
            )
            .encode()
        )
