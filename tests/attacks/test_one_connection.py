"""Somebody before the servers sees which requests share a connection: no code and ballot may.

Twelve people answer. Once with the published client, and once with one that keeps a connection as long as the
server lets it, as browsers do. The same through nginx and Caddy:
`tests/server/collection/relay/test_deploy.py`.
"""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from respondent_client.headless import respondent as headless
from respondent_client.headless.platform import HeadlessPlatform
from respondent_client.headless.respondent import HeadlessRespondent
from respondent_client.platform import Reply
from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.web.app import create_app
from shared.invitation import survey_link
from tests.builders import ANSWERS, ORGANIZER_KEY, public_bytes
from tests.invited import code
from tests.recording_proxy import Recording, recording_proxy
from tests.served import no_client, serving
from tests.server.collection.storage.ballots import DIGEST, store_of

PEOPLE = 12
CODES = list(map(code, range(PEOPLE)))
PERSON = {"age": "43", "sex": "male"}


class KeepingPlatform(HeadlessPlatform):
    """Uses one connection for everything, until the server closes it."""

    def __init__(self, *_: object) -> None:
        super().__init__()
        self.line: http.client.HTTPConnection | None = None

    async def request(
        self, method: str, url: str, *, body: bytes | None, content_type: str, max_bytes: int
    ) -> Reply:
        parts = urlsplit(url)
        if self.line is None:
            self.line = http.client.HTTPConnection(parts.netloc)
            self._opened.append(self.line)
        headers = {"Content-Type": content_type} if body is not None else {}
        self.line.request(method, parts.path, body=body, headers=headers)  # opens it again if it was closed
        answer = self.line.getresponse()
        return Reply(status=answer.status, body=answer.read(max_bytes))


@contextmanager
def installation(folder: Path) -> Iterator[Recording]:
    with DataDirectory(folder, quiet_seconds=60) as data:
        store = store_of(data)
        app = create_app(Config(), data, client=no_client)
        with serving(app) as port, recording_proxy(port) as seen:
            yield seen
        assert store.total() == PEOPLE


@pytest.mark.parametrize("platform", [HeadlessPlatform, KeepingPlatform])
def test_no_connection_ties_a_code_to_a_ballot(
    platform: type[HeadlessPlatform], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(headless, "HeadlessPlatform", platform)
    with installation(tmp_path) as seen:
        link = survey_link(f"http://127.0.0.1:{seen.port}/", DIGEST, public_bytes(ORGANIZER_KEY))
        for own in CODES:
            respondent = HeadlessRespondent(link)
            respondent.prepare()
            respondent.respond(PERSON, ANSWERS, own)
            respondent.close()
        found = seen.requests()
    assert seen.tied() == 0
    assert sum(requests.count("POST tokens") for requests in found) == PEOPLE
    assert sum(requests.count("POST submissions") for requests in found) == PEOPLE
    for requests in found:  # nor does a ballot share one with the code of the next person
        assert not any(name.startswith("POST") for name in requests[:-1])
