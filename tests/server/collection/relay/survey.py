"""An invited survey with a relay, its ballots, and stand-ins for the collector."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterable, Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from server.collection.relay.collector import Passed
from server.collection.relay.link import RelayLink
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.published import PublishedSurvey
from server.collection.storage.server_keys import install_keys
from server.collection.storage.store import SurveyStore
from server.keys.private_pem import private_pem
from shared.ballot import Ballot, require_invited
from shared.invitation import survey_link
from shared.invited import Relay
from shared.sealing import DEFAULT_SUITE, ELECTION_SUITE, SUITES
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, public_bytes, sign, small_model
from tests.elections import BOX_KEYS_FILE, COLLECTOR_SECRET, election_roll
from tests.invited import (
    COLLECTOR_KEY,
    TOKEN_KEY_FILE,
    digest_of,
    invited,
    invited_specification,
    issue_token,
    make_ballot,
    roll,
    seal_ballot,
)

RELAY_URL = "http://127.0.0.1:8001/"


def relayed(url: str = RELAY_URL, messages: int = 5, seconds: int = 1) -> Specification:
    """The small survey of the builders, whose ballots go over a relay."""
    relay = Relay(url=url, messages=messages, seconds=seconds)
    return invited_specification(invited=invited(relay=relay))


def envelope_of(specification: Specification) -> bytes:
    """Signed by the organizer of the tests."""
    return sign(specification.to_bytes(), ORGANIZER_KEY).to_bytes()


def published(specification: Specification, folder: Path) -> PublishedSurvey:
    """As a relay has verified it."""
    return PublishedSurvey.verify(folder, envelope_of(specification), organizer_key=None)


def link_text(specification: Specification, base: str) -> str:
    """The invitation that everybody gets."""
    return survey_link(base, digest_of(specification), public_bytes(ORGANIZER_KEY))


def link_of(specification: Specification, base: str) -> RelayLink:
    """As a relay reads it."""
    return RelayLink.parse(link_text(specification, base))


def open_collector(data: DataDirectory, specification: Specification, *, voting: bool = True) -> SurveyStore:
    """The survey, open at a collector; an election in its voting phase, or in that of codes."""
    is_election = require_invited(specification).election is not None
    codes = election_roll() if is_election else roll()
    store = data.survey(data.publish(envelope_of(specification), small_model(), codes.to_bytes()))
    key = data.path / "collector.pem"
    suite, secret = (
        (ELECTION_SUITE, COLLECTOR_SECRET)
        if is_election
        else (DEFAULT_SUITE, COLLECTOR_KEY.private_bytes_raw())
    )
    key.write_bytes(private_pem(SUITES[suite], secret))
    install_keys(
        store.published, token_key=BOX_KEYS_FILE if is_election else TOKEN_KEY_FILE, collector_key=key
    )
    data.enrol(store.id)
    store.open()
    if is_election and voting:
        store.open()
    return store


@cache
def ballot(digest: str, number: int) -> Ballot:
    """The n-th person's ballot, in one of the cells."""
    token = issue_token(digest, hashlib.sha256(b"person %d" % number).digest())
    return make_ballot(digest, number % 8, token)


def sealed(digest: str, number: int) -> bytes:
    """The same as it travels; sealed anew each time."""
    return seal_ballot(digest, ballot(digest, number))


def taken(body: bytes) -> Passed:
    """A collector's word that it has a message, each of another ballot."""
    return Passed(hashlib.sha256(body).digest())


def take_all(keys: Iterable[bytes]) -> dict[bytes, bytes]:
    """The same for what is on its way, by the keys."""
    return {key: key for key in keys}


class StubCollector:
    """A collector that answers what it is told to, and remembers what came."""

    def __init__(self, envelope: bytes = b"") -> None:
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.connections: set[Any] = set()
        self.answers: list[tuple[int, dict[str, Any]]] = []
        self.envelope = envelope
        self.base = ""

    def answer(self) -> tuple[int, dict[str, Any]]:
        """The next answer; it takes what came last, unless told otherwise."""
        if self.answers:
            return self.answers.pop(0)
        return 201, {"receipt": taken(self.bodies[-1]).receipt.hex()}


@contextlib.contextmanager
def stub_collector(envelope: bytes = b"") -> Iterator[StubCollector]:
    """Run one on a free port."""
    stub = StubCollector(envelope)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(200 if stub.envelope else 404, stub.envelope)

        def do_POST(self) -> None:
            stub.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            stub.headers.append(dict(self.headers))
            stub.connections.add(self.client_address)
            status, value = stub.answer()
            self._send(status, json.dumps(value).encode())

        def _send(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    stub.base = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        yield stub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
