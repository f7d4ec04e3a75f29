"""The application factory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web import api, connections, problems, security
from server.collection.web.board import BoardSite
from server.collection.web.monitoring import watch_server
from server.collection.web.pages import PageSite
from server.collection.web.publishing import Publishing
from server.collection.web.static_files import ClientFiles, find_client
from shared.errors import RoomfulError, SetupError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_LOG: Final = logging.getLogger("roomful.web")


def create_app(
    config: Config,
    data_directory: DataDirectory,
    *,
    client: Callable[[], ClientFiles] = find_client,
    keeps: bool = True,
) -> Flask:
    """Build the application.

    Parameters
    ----------
    config : Config
        The frozen configuration.
    data_directory : DataDirectory
        Where the surveys are. The caller ends it.
    client : callable
        Finds the built files of the respondent's client. If it raises a SetupError the server runs without:
        the pages of surveys then say that it is missing, and so does the checkup.

    keeps : bool
        Whether submissions are stored; a preview checks them and forgets them, and its pages say so.

    Returns
    -------
    Flask
        Without cookies, sessions, access log, entity tags or dates of files.
    """
    app = Flask(__name__, static_folder=None)
    # No address leads to another one: a redirect would be made from the Host header, which anybody can send.
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    try:
        files: ClientFiles | None = client()
    except SetupError as error:
        _LOG.warning("client-missing %s", error.code)
        files = None
    site = PageSite(config=config, data=data_directory, client=files, keeps=keeps)
    app.register_blueprint(api.blueprint(config, data_directory, keeps=keeps))
    publishing = app.extensions["publishing"] = Publishing(config, data_directory)
    app.register_blueprint(publishing.blueprint())
    app.register_blueprint(site.blueprint())
    app.register_blueprint(BoardSite(config=config, data=data_directory, client=files).blueprint())
    app.register_blueprint(watch_server(config, data_directory, files))
    fixed = security.headers(https=config.https) | {"Cache-Control": security.NO_STORE}

    def answer(problem: problems.Problem) -> Response:
        if request.path.startswith("/api/"):
            return Response(problem.to_bytes(), problem.status, content_type=problems.CONTENT_TYPE)
        return site.problem_page(problem)

    answer_errors(app, answer)
    return harden(app, config, fixed)


def harden(app: Flask, config: Config, fixed: Mapping[str, str]) -> Flask:
    """Serve under the sub-path, put the fixed headers on every answer, end connections after what is sent."""
    app.wsgi_app = _Hardened(_SubPath(app.wsgi_app, config.base), fixed)  # type: ignore[method-assign]
    return app


def answer_errors(app: Flask, answer: Callable[[problems.Problem], Response]) -> None:
    """Turn every error into an answer that repeats nothing of the request.

    Parameters
    ----------
    app : Flask
        The application.
    answer : callable
        The form of an answer.
    """

    @app.errorhandler(RoomfulError)
    def known(error: RoomfulError) -> Response:
        problem = problems.from_error(error)
        if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            _LOG.error("request-failed %s", problem.code)
        return answer(problem)

    @app.errorhandler(HTTPException)
    def plain(error: HTTPException) -> Response:
        response = answer(problems.from_status(error.code or 500))
        for name, value in error.get_headers():
            if name == "Allow":
                response.headers[name] = value
        return response

    @app.errorhandler(Exception)
    def unknown(error: Exception) -> Response:
        # The class alone: a message or a traceback could hold what was sent.
        _LOG.error("request-crashed %s", type(error).__name__)
        return answer(problems.from_status(500))


class _Hardened:
    """Put the fixed headers on every answer, whoever made it, unless it has its own of the name.

    After a request with a body the connection ends, unless the application says otherwise: see
    :mod:`server.collection.web.connections`.
    """

    def __init__(self, application: WSGIApplication, fixed: Mapping[str, str]) -> None:
        self._application = application
        self._fixed = [(name.lower(), (name, value)) for name, value in fixed.items()]

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:
            present = {name.lower() for name, _ in headers}
            headers.extend(pair for name, pair in self._fixed if name not in present)
            return start_response(status, headers, *more)

        environ[connections.END] = environ.get("REQUEST_METHOD") == "POST"
        return self._application(environ, start)


class _SubPath:
    """Serve under a sub-path, whether or not the proxy in front takes it off.

    The reserved first segments (see :data:`server.collection.config.RESERVED`) keep the two cases apart.
    """

    def __init__(self, application: WSGIApplication, base: str) -> None:
        self._application = application
        self._base = base

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path: str = environ.get("PATH_INFO", "")
        script: Any = self._base.rstrip("/")
        if script:
            if path == script or path.startswith(self._base):
                path = path[len(script) :] or "/"
            environ["SCRIPT_NAME"] = script
            environ["PATH_INFO"] = path
        return self._application(environ, start_response)
