"""Running the application: waitress, set up so that it keeps nothing of a request.

waitress reads a request in full before a thread works on it, so that a slow or hostile visitor holds a
connection and never a thread. What it answers and logs by itself is replaced here.
"""

from __future__ import annotations

import copy
import errno
import logging
import os
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import create_server
from waitress.task import ErrorTask
from waitress.utilities import Error

from server.collection.config import Config, is_loopback
from server.collection.publishing.publication import MAX_PUBLICATION_BYTES
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.holding import holding
from server.collection.storage.states import State
from server.collection.web import problems, security
from server.collection.web.api import MAX_SUBMISSION_BYTES
from server.collection.web.app import create_app
from server.collection.web.connections import Task
from server.collection.web.event_log import set_up_logging
from server.collection.web.publishing import is_publication
from server.collection.web.reloading import Reloading
from server.collection.web.repeating import repeating
from server.collection.web.static_files import ClientFiles, client_folder, find_client
from server.collection.web.supervisor import supervise
from server.keys.core_dumps import forbid_core_dumps
from shared.errors import RoomfulError, SetupError, StateError
from shared.invitation import survey_link

IDLE_SECONDS: Final = 30
EXPIRY_SECONDS: Final = 3600.0
"""How often each worker looks for answers whose days are over."""
_LOG: Final = logging.getLogger("roomful.web")
MAX_HEADER_BYTES: Final = 16_384


class _LengthRequiredError(Error):
    code = 411
    reason = "Length Required"


class _RefusedError(Error):
    """A request that is refused by its headers, before its body is read."""

    def __init__(self, problem: problems.Problem) -> None:
        super().__init__("")
        self.problem, self.code, self.reason = problem, problem.status, HTTPStatus(problem.status).phrase


class _Parser(HTTPRequestParser):
    """Refuses chunked bodies, whose length nobody declares, before reading them, and what nobody may send.

    Attributes
    ----------
    admit : callable or None
        Judges a publication, the only large body, by its headers; None where nothing is published.
    """

    admit: Callable[[Mapping[str, str]], object] | None = None

    def parse_header(self, header_plus: bytes) -> None:
        """Parse, then refuse."""
        try:
            super().parse_header(header_plus)
        except ValueError:  # a length of thousands of digits, which Python refuses to read
            raise ParsingError("length") from None
        if self.chunked:
            self.expect_continue = False
            self.error = _LengthRequiredError("")
            self.completed = True
        elif self.admit is not None and is_publication(*_first_line(self)):
            self.adj: Any = copy.copy(self.adj)
            self.adj.max_request_body_size = MAX_PUBLICATION_BYTES + 1
            try:
                self.admit(self.headers)
            except RoomfulError as error:
                self.expect_continue = False
                self.error = _RefusedError(problems.from_error(error))
                self.completed = True
        elif self.content_length > MAX_SUBMISSION_BYTES:
            self.expect_continue = False  # waitress would ask for the body before refusing it


def _first_line(request: Any) -> tuple[str, str]:
    return request.command, request.path  # the stubs have neither right


def _error_task(fixed: dict[str, str]) -> type[ErrorTask]:
    """A task that answers malformed requests as the application does."""

    class ProblemTask(ErrorTask):
        def execute(self) -> None:
            error: Error = self.request.error  # type: ignore[attr-defined] # the stubs have it wrong
            problem = error.problem if isinstance(error, _RefusedError) else problems.from_status(error.code)
            body = problem.to_bytes()
            self.status = f"{problem.status} {HTTPStatus(problem.status).phrase}"
            self.response_headers = [
                *fixed.items(),
                ("Content-Type", problems.CONTENT_TYPE),
                ("Cache-Control", security.NO_STORE),
            ]
            self.set_close_on_finish()
            self.content_length = len(body)
            self.write(body)

    return ProblemTask


def make_server(app: Flask, config: Config, listener: socket.socket) -> Any:
    """A waitress server on a socket that listens; ``run()`` serves until SystemExit."""

    publishing = app.extensions.get("publishing")

    class Parser(_Parser):
        admit = None if publishing is None else staticmethod(publishing.admit)

    class Channel(HTTPChannel):
        parser_class = Parser
        task_class = Task
        error_task_class = _error_task(security.headers(https=config.https))

    server: Any = create_server(
        app,
        sockets=[listener],
        threads=config.threads,
        connection_limit=config.connections,
        channel_timeout=IDLE_SECONDS,
        cleanup_interval=5,
        max_request_body_size=MAX_SUBMISSION_BYTES + 1,
        max_request_header_size=MAX_HEADER_BYTES,
        ident=None,
        log_socket_errors=False,
        clear_untrusted_proxy_headers=False,  # nobody here reads them
        expose_tracebacks=False,
        url_scheme="https" if config.https else "http",
    )
    server.channel_class = Channel
    return server


def run(server: Any) -> None:
    """Serve until SystemExit or KeyboardInterrupt; give what was begun five seconds, then close."""
    try:
        server.run()
    finally:
        _close(server)


@contextmanager
def in_background(server: Any) -> Iterator[None]:
    """Run a server of :func:`make_server` in a thread; at the end close its connections too."""
    thread = threading.Thread(target=server.run, name="server", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.task_dispatcher.shutdown()
        # Only ends the loop: what is called here may run before the pipe that wakes the loop is written to.
        server.trigger.pull_trigger(server._map.clear)
        thread.join()
        _close(server)


def _close(server: Any) -> None:
    """Close a server whose loop has ended, and its connections with all that waits to be sent on them.

    The pipe that wakes the loop stays open while a thread still answers: the thread would write into it, and
    the number of a closed one soon is that of another file, which may be a database.
    """
    for channel in list(server.active_channels.values()):
        channel.handle_close()  # closes what waits to be sent as well, which may be a file
    wasyncore.dispatcher.close(server)
    if not server.task_dispatcher.threads:
        server.trigger.close()


def listen(config: Config) -> socket.socket:
    """The socket to serve on.

    Raises
    ------
    SetupError
        If the address cannot be listened on; it names the reason.
    """
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    try:
        return socket.create_server((config.host, config.port), family=family, backlog=1024)
    except OSError as error:
        where = f"{config.host} port {config.port}"
        if error.errno == errno.EADDRINUSE:
            raise SetupError(
                "the port is in use",
                where=where,
                remedy="End the other server or choose another --port.",
                code="setup.port-in-use",
            ) from None
        if error.errno == errno.EACCES:
            raise SetupError(
                "this user may not listen on this port",
                where=where,
                remedy="Choose a --port above 1023 and put a proxy in front.",
                code="setup.port-forbidden",
            ) from None
        raise SetupError(
            "this machine does not have this address",
            where=where,
            remedy="Choose another --host.",
            code="setup.host",
        ) from None


def warnings(config: Config) -> tuple[str, ...]:
    """What an operator should know before anybody comes."""
    found = []
    if not is_loopback(config.host) and not config.https:
        found.append(
            f"WARNING: listening on {config.host} without https. Anybody on the way can read and change what "
            "respondents send, and browsers refuse to check the survey. Put a proxy with a certificate in "
            "front and set --public-url to its https address."
        )
    elif not config.secure_context:
        found.append(
            f"WARNING: {config.public_url} is not encrypted; browsers will refuse to check the survey there."
        )
    try:
        tempfile.TemporaryFile().close()
    except OSError:  # waitress keeps there what waits for a slow visitor
        found.append(
            "WARNING: no temporary file can be written, so connections will stand still after large files. "
            "Name a folder that this user can write in as TMPDIR."
        )
    return tuple(found)


def invitations(config: Config, data: DataDirectory) -> tuple[tuple[str, str], ...]:
    """Title and invitation address of every open survey.

    The part after ``#`` never reaches the server: by it the device knows the survey and the organizer's key.
    """
    found = []
    for survey in data.ids():
        try:
            store = data.survey(survey)
            if store.state is State.OPEN:
                published = store.published
                title = published.specification.title[published.specification.languages[0]]
                link = survey_link(config.public_url, published.digest, published.organizer_key)
                found.append((title, link))
        except RoomfulError:
            continue
    return tuple(found)


def expire(data: DataDirectory) -> None:
    """Delete the answers whose days are over; log the code of each failure."""
    for _survey, error in data.expire():
        _LOG.error("answers-not-deleted %s", error.code)


def serve(config: Config, path: Path, say: Callable[[str], None], *, reload: bool = False) -> None:
    """Serve until SIGTERM or SIGINT; then finish what was begun, sweep the databases and return.

    At the start and about once an hour the answers whose days are over are deleted; never by a request.

    Parameters
    ----------
    config : Config
        The configuration.
    path : Path
        The data directory.
    say : callable
        Tells the operator a line.
    reload : bool
        Whether a client that is built again is served without a restart.

    Raises
    ------
    SetupError
        If the address cannot be listened on, or the worker processes keep ending.
    StateError
        With the code ``state.serving`` if somebody moves, saves or restores the surveys.
    """
    os.umask(0o077)
    forbid_core_dumps()
    set_up_logging()
    with holding(path, alone=False) as beside_others:
        if not beside_others:
            raise StateError(
                "the surveys of this data directory are being moved, saved or restored",
                where=str(path),
                remedy="Wait until that is done.",
                code="state.serving",
            )
        _serve(config, path, say, reload)


def _serve(config: Config, path: Path, say: Callable[[str], None], reload: bool) -> None:
    listener = listen(config)
    for warning in warnings(config):
        say(warning)
    # Everything with a lock or a thread belongs to the workers: this one only looks, closes, and forks.
    with config.open_data(path) as data:
        for survey, error in data.settle():
            say(f"WARNING: survey {survey} is damaged and not served: {error}")
        open_surveys = invitations(config, data)
    client: ClientFiles | SetupError
    try:
        client = find_client()
    except SetupError as error:
        client = error
        say(f"WARNING: {error}")

    def built() -> ClientFiles:
        if isinstance(client, SetupError):
            raise client
        return client

    def work() -> None:
        with config.open_data(path) as own:
            app = create_app(config, own, client=built)
            if reload:
                latest = Reloading(lambda: create_app(config, own).wsgi_app, client_folder())
                app.wsgi_app = latest  # type: ignore[method-assign]
            server = make_server(app, config, listener)
            with repeating(lambda: expire(own), every_seconds=EXPIRY_SECONDS, name="expiry"):
                run(server)

    say(f"Serving {config.public_url}")
    for title, address in open_surveys:
        say(f"Open: {title}\n  {address}")
    if not open_surveys:
        say("No survey takes answers yet. Next: roomful publish and roomful open; this server notices both.")
    supervise(work, config.processes)
    say("Stopped.")
