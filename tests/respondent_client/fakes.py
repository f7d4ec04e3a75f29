"""A server in memory behind the platform seam, with the faults that a network has."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.link import Link
from respondent_client.platform import Reply
from shared.envelope import Envelope, encode_key, survey_digest
from shared.errors import RemoteError
from shared.invitation import survey_link
from tests.builders import ORGANIZER_KEY, public_bytes, small_envelope, small_model

KEY = encode_key(public_bytes(ORGANIZER_KEY))


class FakePlatform(HeadlessPlatform):
    """Answers from memory; signatures and entropy are real.

    Attributes
    ----------
    stored : list of bytes
        Messages that arrived, each once.
    lose : int
        So many of the next answers are lost after the request has been carried out.
    refuse : Reply or None
        What every submission is answered with.
    broken : int
        HTTP status of every answer, if not 0.
    """

    def __init__(self, envelope: bytes | None = None, model: bytes | None = None) -> None:
        self.notices: list[Mapping[str, Any]] = []
        super().__init__(self.notices.append)
        self.envelope = small_envelope() if envelope is None else envelope
        self.model = small_model() if model is None else model
        self.parts: dict[str, bytes] = {}
        self.stored: list[bytes] = []
        self.lose = 0
        self.refuse: Reply | None = None
        self.broken = 0
        self.requests: list[tuple[str, str]] = []

    async def request(self, method: str, url: str, *, body: bytes | None, **_limits: object) -> Reply:
        self.requests.append((method, url))
        reply = self.reply_to(url.rpartition("/v1/")[2], body)
        if self.lose:
            self.lose -= 1
            raise RemoteError("the server cannot be reached", code="remote.unreachable")
        return reply

    def reply_to(self, path: str, body: bytes | None) -> Reply:
        if self.broken:
            return Reply(status=self.broken, body=b"")
        if path.endswith("/specification"):
            return Reply(status=200, body=self.envelope)
        if path.endswith("/model"):
            return Reply(status=200, body=self.model)
        if "/parts/" in path and path.rpartition("/")[2] in self.parts:
            return Reply(status=200, body=self.parts[path.rpartition("/")[2]])
        if path.endswith("/submissions") and body is not None:
            if self.refuse is not None:
                return self.refuse
            if body not in self.stored:
                self.stored.append(body)
            return Reply(status=201, body=json.dumps({"receipt": hashlib.sha256(body).hexdigest()}).encode())
        if "/receipts/" in path:
            known = any(hashlib.sha256(m).hexdigest() == path.rpartition("/")[2] for m in self.stored)
            return Reply(status=200 if known else 404, body=b"{}")
        return Reply(status=404, body=b"")


def link_to(envelope: bytes, *, pinned: bool = True) -> Link:
    """The invitation to an envelope's survey."""
    digest = survey_digest(Envelope.parse(envelope).payload)
    url = survey_link("https://example.org/surveys/", digest, public_bytes(ORGANIZER_KEY))
    return Link.parse(url if pinned else url.partition("#")[0])
