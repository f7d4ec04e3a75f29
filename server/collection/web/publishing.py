"""Publishing from another machine: ``api/v1/publications``, with a one-time code of the operator.

A publication may be large, so the code is judged twice: before the body is read, and again when it is used.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from flask import Blueprint, Response, request

from server.collection.config import Config
from server.collection.publishing.codes import PublishingCodes
from server.collection.publishing.publication import MAX_PUBLICATION_BYTES, PATH, Publication
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.store import SurveyStore
from server.collection.web.api import JSON_TYPE, read_body
from shared.errors import (
    InputError,
    NotFoundError,
    SetupError,
    SpecificationError,
    TokenError,
    VerificationError,
)

WRONG_CODES: Final = 10
WRONG_SECONDS: Final = 60.0
"""So many wrong codes in so many seconds, in one process; then none is looked at, the right one neither."""
_SCHEME: Final = "Bearer "
_LOG: Final = logging.getLogger("roomful.web")


class Publishing:
    """The route and its gate, which a server asks before it reads a body.

    Parameters
    ----------
    config : Config
        By its address it is known whether people reach the server encrypted.
    data : DataDirectory
        Where to publish.
    clock : callable
        Seconds that only grow.
    """

    def __init__(
        self, config: Config, data: DataDirectory, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._config, self._data, self._clock = config, data, clock
        self._codes = PublishingCodes(data.path)
        self._wrong: deque[float] = deque(maxlen=WRONG_CODES)
        self._counting, self._working = threading.Lock(), threading.Lock()

    def admit(self, headers: Mapping[str, str]) -> str:
        """The code of a request, judged by its headers alone.

        Parameters
        ----------
        headers : mapping
            Names as in an environment of WSGI, without ``HTTP_``.

        Raises
        ------
        SetupError
            With the code ``setup.not-encrypted`` if people do not reach this server encrypted.
        InputError
            With the code ``input.foreign-origin`` if a page of some browser sends it.
        TokenError
            With the code ``token.publishing`` without a code that was made here, and
            ``token.publishing-often`` after too many wrong ones.
        """
        if not self._config.secure_context:
            raise SetupError("this server is not reached encrypted", code="setup.not-encrypted")
        if "ORIGIN" in headers or headers.get("SEC_FETCH_SITE", "none") != "none":
            raise InputError("no page publishes", code="input.foreign-origin")
        with self._counting:
            now = self._clock()
            if len(self._wrong) == WRONG_CODES and now - self._wrong[0] < WRONG_SECONDS:
                raise TokenError("too many wrong codes", code="token.publishing-often")
            code = headers.get("AUTHORIZATION", "")
            try:
                if not code.startswith(_SCHEME):
                    raise TokenError("no publishing code was sent", code="token.publishing")
                self._codes.check(code.removeprefix(_SCHEME))
            except TokenError:
                self._wrong.append(now)
                raise
        return code.removeprefix(_SCHEME)

    def blueprint(self) -> Blueprint:
        """The routes."""
        routes = Blueprint("publishing", __name__)
        routes.add_url_rule(PATH, "ask", self._ask, methods=["GET"])
        routes.add_url_rule(PATH, "publish", self._publish, methods=["POST"])
        return routes

    def _ask(self) -> Response:
        """Whether a code is one of this server, before much is sent with it."""
        return _json({"last_day": self._codes.check(self.admit(_headers()))}, 200)

    def _publish(self) -> Response:
        code = self.admit(_headers())
        body = read_body((JSON_TYPE,), MAX_PUBLICATION_BYTES)
        with self._working:  # one after the other: each may take memory and seconds
            try:
                publication = Publication.parse(body)
                digest = publication.require_sound().digest
            except (InputError, SpecificationError, VerificationError) as problem:
                _LOG.warning("publication-refused %s", problem.code)
                raise InputError(problem.message, code="input.publication") from None
            with self._codes.using(code, body) as done:
                if not done:
                    self._data.publish(
                        publication.envelope,
                        publication.model,
                        publication.roll,
                        publication.parts.get,
                        is_test=publication.is_test,
                    )
                store = self._published(digest)
        _LOG.info("survey-published")
        return _json({"id": store.id, "digest": store.published.digest, "state": store.state.value}, 201)

    def _published(self, digest: str) -> SurveyStore:
        """The survey; TokenError if it was deleted since, because its code publishes once."""
        try:
            return self._data.survey(digest)
        except NotFoundError:
            raise TokenError("this draft was deleted", code="token.publishing") from None


def is_publication(command: str, path: str) -> bool:
    """Whether a request, by its first line, brings a publication."""
    return command == "POST" and path.rstrip("/").endswith(PATH)


def _headers() -> dict[str, str]:
    return {
        name.removeprefix("HTTP_"): str(value)
        for name, value in request.environ.items()
        if name.startswith("HTTP_")
    }


def _json(value: dict[str, object], status: int) -> Response:
    return Response(json.dumps(value), status, content_type=JSON_TYPE)
