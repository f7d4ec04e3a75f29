"""An invited survey on real servers in this process, which note everything that arrives."""

from __future__ import annotations

import contextlib
import io
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask

from respondent_client.build import build
from server.collection.config import Config
from server.collection.relay.pool import RelayPool, prepare
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.registrar import RegistrarStore
from server.collection.storage.store import SurveyStore
from server.collection.web.app import create_app
from server.collection.web.relay import create_relay_app
from server.collection.web.static_files import ClientFiles
from shared.ballot import CONTENT_TYPE
from shared.invitation import survey_link
from shared.invitation_code import InvitationCode
from shared.specification import Specification
from tests.builders import ORGANIZER_KEY, public_bytes
from tests.invited import code, digest_of, invited_specification
from tests.programs import free_port
from tests.served import running
from tests.server.collection.relay.survey import link_of, open_collector, relayed

CODES = tuple(map(code, range(6)))
UNKNOWN = InvitationCode.create(b"nobody's code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """One request as a server saw it; ``text`` is everything of it but the body."""

    method: str
    path: str
    text: str
    body: bytes


@dataclass(kw_only=True)
class Recorder:
    """Stands before an application, notes every request, and loses answers on demand.

    Attributes
    ----------
    lose : int
        So many of the next answers about tokens and submissions break off after the server has done what was
        asked.
    """

    app: Callable[..., Iterable[bytes]]
    arrived: list[Arrived] = field(default_factory=list)
    lose: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        environ["wsgi.input"] = io.BytesIO(body)
        text = "\n".join(f"{name}={value}" for name, value in environ.items() if isinstance(value, str))
        path = environ["PATH_INFO"]
        with self._lock:
            self.arrived.append(Arrived(method=environ["REQUEST_METHOD"], path=path, text=text, body=body))
            posted = environ["REQUEST_METHOD"] == "POST"
            losing = posted and path.endswith(("/tokens", "/submissions")) and self.lose > 0
            self.lose -= losing
        answer = b"".join(self.app(environ, start_response))
        return [answer[:4] if losing else answer]  # shorter than its announced length

    def posted(self, resource: str) -> list[bytes]:
        """Bodies that were sent to a resource."""
        return [a.body for a in self.arrived if a.method == "POST" and a.path.endswith(resource)]


@dataclass(kw_only=True)
class Office:
    """Registrar and collector in one, and a relay if the survey has one."""

    base: str
    digest: str
    data: DataDirectory
    store: SurveyStore
    web: Recorder
    relay_url: str
    relay: Recorder | None = None
    pool: RelayPool | None = None

    def link(self, code: InvitationCode | None = None, query: str = "") -> str:
        """The link of a letter."""
        link = survey_link(self.base, self.digest, public_bytes(ORGANIZER_KEY), code=code)
        return link.replace("#", f"{query}#")

    def registrar(self) -> RegistrarStore:
        """Which codes fetched a token."""
        return self.data.registrar(self.store.id)

    def everything(self) -> Iterator[Arrived]:
        """Every request to every server."""
        yield from self.web.arrived
        yield from self.relay.arrived if self.relay else ()


@contextlib.contextmanager
def office(
    folder: Path,
    change: Callable[[Specification], Specification] | None = None,
    *,
    over_relay: bool = False,
    voting: bool = True,
) -> Iterator[Office]:
    """Open an invited survey with five invitations."""
    port, relay_port = free_port(), free_port()
    relay_url = f"http://127.0.0.1:{relay_port}/"
    specification = relayed(relay_url, messages=100) if over_relay else invited_specification()
    if change:
        specification = change(specification)
    client = ClientFiles.load(build(progress=False))
    config = Config(port=port, threads=4)
    with contextlib.ExitStack() as stack:
        data = stack.enter_context(DataDirectory(folder / "data", quiet_seconds=60))
        store = open_collector(data, specification, voting=voting)
        web = _record(create_app(config, data, client=lambda: client))
        stack.enter_context(running(web.app, config))
        result = Office(
            base=f"http://127.0.0.1:{port}/",
            digest=digest_of(specification),
            data=data,
            store=store,
            web=web.recorder,
            relay_url=relay_url,
        )
        if over_relay:
            link = link_of(specification, config.public_url)
            pool = stack.enter_context(RelayPool(prepare(folder / "relay", link), link, quiet_seconds=60))
            relay_config = Config(port=relay_port, threads=4)
            relay = _record(create_relay_app(relay_config, {pool.survey.id: pool}, folder / "relay"))
            stack.enter_context(running(relay.app, relay_config))
            result.relay, result.pool = relay.recorder, pool
        yield result


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    app: Flask
    recorder: Recorder


def _record(app: Flask) -> _Recorded:
    recorder = Recorder(app=app.wsgi_app)
    app.wsgi_app = recorder  # type: ignore[method-assign]
    return _Recorded(app=app, recorder=recorder)


def is_ballot(arrived: Arrived) -> bool:
    """Whether a request carries a sealed ballot."""
    return CONTENT_TYPE in arrived.text and arrived.method == "POST"
