"""The relay over HTTP: it takes sealed ballots at the collector's path, and says what it is.

The respondent's page comes from the collector and sends here, to another origin, so a browser first asks
leave (CORS). Leave is given to every page alike: there is no cookie and no right that a foreign page could
borrow, and an answer that is the same for all depends on no header of the visitor.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, request

from server.collection.config import Config, is_loopback
from server.collection.relay.link import RelayLink
from server.collection.relay.pool import RelayPool, key_for, open_store, relay_of
from server.collection.relay.turns import Turns
from server.collection.storage.databases import databases_at
from server.collection.storage.holding import holding
from server.collection.storage.published import PublishedSurvey
from server.collection.web import problems, security
from server.collection.web.api import JSON_TYPE, read_body
from server.collection.web.app import answer_errors, harden
from server.collection.web.event_log import set_up_logging
from server.collection.web.monitoring import watch_relay
from server.collection.web.own_pages import OwnPages
from server.collection.web.sending import send
from server.collection.web.serving import listen, make_server, run
from server.collection.web.supervisor import supervise
from server.keys.core_dumps import forbid_core_dumps
from server.keys.relay_key import RelayKey
from shared import base64url
from shared.ballot import CONTENT_TYPE
from shared.errors import NotFoundError, SetupError

ALLOW_ORIGIN: Final = "Access-Control-Allow-Origin"
_LEAVE: Final = {
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": "Content-Type",
    # A browser asks once a day, so that whoever answers early and late is not seen twice.
    "Access-Control-Max-Age": "86400",
}


def create_relay_app(config: Config, pools: Mapping[str, RelayPool], directory: Path) -> Flask:
    """Build the relay's application.

    Parameters
    ----------
    config : Config
        The frozen configuration; its address is the one that the specifications name.
    pools : mapping
        By the surveys' ids. The caller ends them.
    directory : Path
        The relay's directory.

    Returns
    -------
    Flask
        Without cookies, sessions, access log, entity tags or dates of files.
    """
    app = Flask(__name__, static_folder=None)
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    site = _RelaySite(config, pools)
    app.register_blueprint(site.blueprint())
    app.register_blueprint(watch_relay(directory))

    def answer(problem: problems.Problem) -> Response:
        if request.path.startswith("/api/"):
            return Response(problem.to_bytes(), problem.status, content_type=problems.CONTENT_TYPE)
        return site.problem_page(problem)

    answer_errors(app, answer)
    fixed = security.headers(https=config.https)
    return harden(app, config, fixed | {"Cache-Control": security.NO_STORE, ALLOW_ORIGIN: "*"})


class _RelaySite:
    def __init__(self, config: Config, pools: Mapping[str, RelayPool]) -> None:
        self._own, self._pools = OwnPages(config), pools

    def blueprint(self) -> Blueprint:
        routes = Blueprint("relay", __name__)
        path = "/api/v1/surveys/<survey>/submissions"
        routes.add_url_rule("/", "index", self.index)
        routes.add_url_rule("/static/<path:name>", "static", self.static)
        routes.add_url_rule(path, "accept", self.accept, methods=["POST"], provide_automatic_options=False)
        routes.add_url_rule(path, "leave", self.leave, methods=["OPTIONS"], provide_automatic_options=False)
        return routes

    def accept(self, survey: str) -> Response:
        """Take a sealed ballot. The answer says nothing of the pool: it is the same for each, but for a
        signature of just these bytes where the specification names the relay's key."""
        body = read_body((CONTENT_TYPE,))
        acceptance = self._pool(survey).accept(body)
        signed = {} if acceptance is None else {"acceptance": base64url.encode(acceptance)}
        return Response(json.dumps({"accepted": True} | signed), 202, content_type=JSON_TYPE)

    def leave(self, survey: str) -> Response:
        """Let a browser send from the collector's page."""
        self._pool(survey)
        return Response(b"", 204, headers=_LEAVE)

    def index(self) -> Response:
        """What this is, for whom, and by which rule; nothing of what it holds."""
        pools = sorted(self._pools.values(), key=lambda pool: pool.survey.id)
        return self._own.render("relay.html.j2", title="Relay", surveys=[_listed(pool) for pool in pools])

    def static(self, name: str) -> Response:
        """The style sheet."""
        if name != self._own.style_name:
            raise NotFoundError("no such file")
        return send(self._own.style)

    def problem_page(self, problem: problems.Problem) -> Response:
        """An error as a page."""
        return self._own.problem(problem)

    def _pool(self, survey: str) -> RelayPool:
        pool = self._pools.get(survey[:16])
        if pool is None or survey not in (pool.survey.id, pool.survey.digest):
            raise NotFoundError("this relay does not serve this survey")
        return pool


def _listed(pool: RelayPool) -> dict[str, object]:
    specification = pool.survey.specification
    language = specification.languages[0]
    return {
        "title": specification.title[language],
        "language": language,
        "organizer": specification.organizer.name,
        "id": pool.survey.id,
        "messages": pool.rule.messages,
        "wait": in_words(pool.rule.seconds),
    }


def in_words(seconds: int) -> str:
    """A time in the largest unit that fits."""
    for length, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= length and seconds % length == 0:
            count = seconds // length
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{seconds} second{'' if seconds == 1 else 's'}"


def warnings(config: Config, links: Iterable[RelayLink]) -> tuple[str, ...]:
    """What an operator should know before anybody comes."""
    found = []
    if not is_loopback(config.host) and not config.https:
        found.append(
            f"WARNING: listening on {config.host} without https. Anybody on the way sees each ballot and when"
            " it came, and finds it again on its way to the collector. Put a proxy with a"
            " certificate in front."
        )
    if not _encrypted(config.public_url):
        found.append(
            f"WARNING: {config.public_url} is not encrypted; browsers refuse to send there from a"
            " page that is."
        )
    found += [
        f"WARNING: {base} is not encrypted. Anybody between here and there sees which ballots leave together,"
        " and can answer in the collector's place, so that they are lost. Use a link with its https address."
        for base in sorted({link.base for link in links})
        if not _encrypted(base)
    ]
    return tuple(found)


def _encrypted(address: str) -> bool:
    """Whether nobody reads on the way: over https or Tor, or because there is no way."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    return parts.scheme == "https" or is_loopback(host) or host.endswith(".onion")


def serve_relay(
    config: Config,
    directory: Path,
    surveys: Sequence[tuple[PublishedSurvey, RelayLink]],
    say: Callable[[str], None],
    key: RelayKey | None = None,
) -> None:
    """Take messages and pass them on until SIGTERM or SIGINT; then finish the message that is being sent.

    Parameters
    ----------
    config : Config
        The configuration.
    directory : Path
        The relay's directory.
    surveys : sequence of (PublishedSurvey, RelayLink)
        Prepared by :func:`server.collection.relay.pool.prepare`.
    say : callable
        Tells the operator a line.
    key : RelayKey or None
        With which it signs what it takes of surveys that name it.

    Raises
    ------
    SetupError
        If the address cannot be listened on, another relay works in the directory, or a specification names
        another key.
    """
    keys = {survey.id: key_for(survey, key) for survey, _ in surveys}
    os.umask(0o077)
    forbid_core_dumps()
    set_up_logging()
    with holding(directory, alone=True) as alone:
        if not alone:
            raise SetupError(
                "another relay works in this directory",
                where=str(directory),
                remedy="End it, or give this one its own --data.",
                code="setup.relay-running",
            )
        databases = databases_at(config.database)
        for survey, _ in surveys:
            with open_store(survey, databases=databases) as store:
                store.require_alone()
        databases.end()  # before any process is forked
        listener = listen(config)
        for warning in warnings(config, [link for _, link in surveys]):
            say(warning)

        def work() -> None:
            with ExitStack() as stack:
                databases = databases_at(config.database)
                stack.callback(databases.end)
                turns = Turns(tuple(float(relay_of(survey)[1].seconds) for survey, _ in surveys))
                pools = {
                    survey.id: stack.enter_context(
                        RelayPool(
                            survey,
                            link,
                            quiet_seconds=config.quiet_seconds,
                            turn=turns.of(number),
                            databases=databases,
                            key=keys[survey.id],
                        )
                    )
                    for number, (survey, link) in enumerate(surveys)
                }
                run(make_server(create_relay_app(config, pools, directory), config, listener))

        say(f"Relaying at {config.public_url}")
        for survey, link in surveys:
            say(f"  survey {survey.id}, to {link.base}")
        supervise(work, 1)
    say("Stopped. What waits stays, and is passed on after the next start.")
