"""The desk's application: the gate before everything, one error page, the pages."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from flask import Flask, Response, redirect, render_template, request, url_for
from flask.wrappers import Request as FlaskRequest
from jinja2 import StrictUndefined
from werkzeug.exceptions import HTTPException

from server.collection.storage.data_directory import DataDirectory
from server.collection.web.static_files import find_client
from server.desk import texts
from server.desk.desk import Desk
from server.desk.gate import MAX_FORM_BYTES, MAX_UPLOAD_BYTES, Gate, Refusal, Request
from server.desk.pages import (
    collecting,
    is_part,
    overview,
    population,
    promise,
    publishing,
    questions,
    releasing,
    roles,
    signing,
    trying,
    units,
)
from server.reports.page import colours
from shared.errors import RoomfulError, SetupError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_LOG: Final = logging.getLogger("roomful.desk")
_STYLE: Final = Path(__file__).parent / "style" / "desk.css"
_SCRIPT: Final = Path(__file__).parent / "script" / "desk.mjs"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing but the desk's own files and addresses: a page can load from, and send to, nowhere else."""
HEADERS: Final = (
    ("Content-Security-Policy", POLICY),
    # Not no-referrer: with it browsers send "Origin: null", and the gate could not tell its own forms.
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
    ("Cache-Control", "no-store"),
)


class _InMemory(FlaskRequest):
    """An upload is never put into a temporary file."""

    def _get_file_stream(
        self,
        total_content_length: int | None,  # noqa: ARG002 - werkzeug's signature
        content_type: str | None,  # noqa: ARG002
        filename: str | None = None,  # noqa: ARG002
        content_length: int | None = None,  # noqa: ARG002
    ) -> IO[bytes]:
        return BytesIO()


def create_desk(folder: Path, data: DataDirectory, gate: Gate) -> Flask:
    """Build the application.

    Parameters
    ----------
    folder : Path
        The survey's folder. No page reads or writes a file outside of it and of the data directory.
    data : DataDirectory
        The caller ends it.
    gate : Gate
        What lets requests in.
    """
    app = Flask(__name__, static_folder=None)
    app.request_class = _InMemory
    app.jinja_env.undefined = StrictUndefined
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.config["MAX_CONTENT_LENGTH"] = MAX_UPLOAD_BYTES
    app.config["MAX_FORM_MEMORY_SIZE"] = MAX_FORM_BYTES
    desk = Desk(folder=folder, data=data, gate=gate)
    _common(app, desk)
    for module in (
        overview,
        population,
        units,
        promise,
        trying,
        questions,
        signing,
        publishing,
        collecting,
        releasing,
        roles,
    ):
        module.add(app, desk)
    app.wsgi_app = _Gated(app.wsgi_app, gate)  # type: ignore[method-assign]
    app.extensions["desk"] = desk
    return app


def _common(app: Flask, desk: Desk) -> None:
    library, name = _library()

    @app.get("/desk.css")
    def style() -> Response:
        return Response(f"{colours()}\n{_STYLE.read_text('utf-8')}", content_type="text/css; charset=utf-8")

    @app.get("/desk.mjs")
    def own_script() -> Response:
        return Response(_SCRIPT.read_bytes(), content_type="text/javascript; charset=utf-8")

    @app.get("/htmx.js")
    def script() -> Response:
        return Response(library, content_type="text/javascript; charset=utf-8")

    @app.post("/language")
    def language() -> Response:
        chosen = request.form.get("language", "")
        if chosen in texts.LANGUAGES:
            desk.language = chosen
        return _to(_back())

    @app.before_request
    def prefer() -> None:
        if not desk.language:
            desk.language = request.accept_languages.best_match(texts.LANGUAGES, "en") or "en"

    app.add_template_filter(_page_of, "page_of")
    for write in (
        texts.number,
        texts.written,
        texts.share,
        texts.odds,
        texts.day,
        texts.moment,
        texts.what_failed,
    ):
        app.add_template_filter(partial(_in_language, desk, write), write.__name__)

    @app.context_processor
    def values() -> dict[str, Any]:
        return {
            "t": lambda key, **more: texts.say(desk.language, key, **more),
            "language": desk.language,
            "languages": texts.LANGUAGES,
            "scripted": bool(name),
            "folder": desk.folder,
        }

    @app.errorhandler(RoomfulError)
    def known(error: RoomfulError) -> Response:
        if request.method == "POST" and not is_part():
            desk.problem = error
            desk.entered = {
                k: v for k, v in request.form.items() if "passphrase" not in k and "code" not in k
            }
            return _to(_back())
        return Response(render_template("problem.html.j2", problem=error), HTTPStatus.BAD_REQUEST)

    @app.errorhandler(HTTPException)
    def plain(error: HTTPException) -> Response:
        return Response(
            render_template("problem.html.j2", problem=None, status=error.code or 500), error.code or 500
        )

    @app.errorhandler(Exception)
    def unknown(error: Exception) -> Response:
        # The class alone: a message could hold what stands in a register.
        _LOG.error("request-crashed %s", type(error).__name__)
        return Response(render_template("problem.html.j2", problem=None, status=500), 500)


def _in_language(desk: Desk, write: Callable[..., str], value: Any) -> str:
    """A number or a day as the desk's language writes it."""
    return write(desk.language, value)


def _back() -> str:
    """The page that the form stood on, by the name in the form; never an address from outside."""
    name = request.form.get("page", "overview")
    return url_for(name if name in PAGES else "overview")


def _page_of(problem: RoomfulError) -> str:
    """Endpoint of the other page that makes the part of survey.toml which a problem names, if any."""
    for word in re.findall(r"[a-z_]+", problem.where or ""):
        if word in _PAGE_OF:
            return "" if request.endpoint == _PAGE_OF[word] else _PAGE_OF[word]
    return ""


_PAGE_OF: Final = {
    "participation": "promise", "anonymity": "promise", "design": "promise", "units": "units",
    "model": "population", "attributes": "population", "questionnaire": "questions", "questions": "questions",
    "title": "about", "description": "about", "organizer": "about", "languages": "about", "period": "about",
    "retention_days": "about", "invited": "roles",
}  # fmt: skip
"""Endpoint of the page that makes each part of survey.toml."""
PAGES: Final = (
    "overview", "population", "units", "promise", "about", "questions", "design", "sign", "publish",
    "collect", "release", "roles",
)  # fmt: skip
"""Endpoints that a form may name as its page."""


def _to(address: str) -> Response:
    response = redirect(address, HTTPStatus.SEE_OTHER)
    assert isinstance(response, Response)  # noqa: S101 - flask's own
    return response


def _library() -> tuple[bytes, str]:
    """htmx from the built client; without it the pages work by forms alone."""
    try:
        client = find_client()
        name = client.assets["htmx.js"]
        return client.files[name].bodies["identity"], name
    except (SetupError, KeyError):
        return b"", ""


class _Gated:
    """Ask the gate first; put the fixed headers on every answer; take the secret off the path."""

    def __init__(self, application: WSGIApplication, gate: Gate) -> None:
        self._application, self._gate = application, gate

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path: str = environ.get("PATH_INFO", "")
        length: str = environ.get("CONTENT_LENGTH") or ""
        refusal = self._gate.judge(
            Request(
                method=environ["REQUEST_METHOD"],
                path=path,
                host=environ.get("HTTP_HOST", ""),
                origin=environ.get("HTTP_ORIGIN", ""),
                fetch_site=environ.get("HTTP_SEC_FETCH_SITE", ""),
                length=int(length) if length.isascii() and length.isdigit() else None,
            )
        )

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:
            present = {name.lower() for name, _ in headers}
            headers.extend(pair for pair in HEADERS if pair[0].lower() not in present)
            return start_response(status, headers, *more)

        if refusal is not None:
            return _refuse(refusal, start)
        environ["SCRIPT_NAME"] = f"/{self._gate.secret}"
        environ["PATH_INFO"] = path[len(self._gate.secret) + 1 :] or "/"
        return self._application(environ, start)


def _refuse(refusal: Refusal, start: StartResponse) -> Iterable[bytes]:
    status = f"{refusal.status.value} {refusal.status.phrase}"
    start(status, [("Content-Type", "text/plain; charset=utf-8")])
    return [refusal.reason.encode() + b"\n"]
