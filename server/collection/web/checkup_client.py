"""Whether a server gives browsers the published program: every file, byte for byte, to several visitors.

The program that protects a respondent comes from the server that she need not trust. Here an auditor, or
anybody, loads it as browsers do, and compares it with a build of her own. Nothing of an invitation but the
address is sent.

What this cannot show: what the server gives to somebody else, at another time, or to a visitor that it
recognizes.
"""

from __future__ import annotations

import json
import random
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from server.collection.web import security
from server.collection.web.checkup_line import Line, line
from server.collection.web.own_pages import HTML
from server.collection.web.pages import WORKER
from server.collection.web.rendering import SHOWN_DIGITS, RespondentPages
from server.collection.web.static_files import TEMPLATES, ClientFiles, content_type, decoded
from server.progress import Progress
from shared.board import Board, parse_envelope
from shared.election.result import Result
from shared.envelope import Envelope, survey_digest, survey_id
from shared.errors import InputError, RemoteError
from shared.invitation import Invitation
from shared.specification import Specification

TIMEOUT_SECONDS: Final = 60.0
MAX_BYTES: Final = 64 * 2**20
THREADS: Final = 4
SHOWN_FINDINGS: Final = 10
BRINGING: Final = (
    "Link",
    "Refresh",
    "SourceMap",
    "X-SourceMap",
    "Service-Worker-Allowed",
    "Content-Location",
)
"""Headers by which an answer can bring in what is not in its bytes."""
AGENTS: Final[Mapping[str, str]] = {
    "Chrome on Windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/142.0.0.0 Safari/537.36",
    "Chrome on Android": "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/142.0.0.0 Mobile Safari/537.36",
    "Safari on an iPhone": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
    "Firefox on Linux": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Tor Browser": "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0",
}
"""Visitors, by how they introduce themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A survey at a server, and the digest that an invitation names.

    Attributes
    ----------
    base : str
        Address of the installation, with a slash at its end.
    survey : str
        Id of the survey.
    digest : str or None
    """

    base: str
    survey: str
    digest: str | None

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read a survey's address or an invitation link.

        Raises
        ------
        InputError
            If it is neither.
        """
        parts = urlsplit(url)
        before, _, after = parts.path.partition("/s/")
        survey = after.partition("/")[0]
        if parts.scheme not in ("http", "https") or not parts.hostname or len(survey) != 16:
            raise InputError(
                "not the address of a survey",
                where="--client",
                expected="https://HOST/s/ID, as in the invitation",
            )
        return cls(
            base=f"{parts.scheme}://{parts.netloc}{before}/",
            survey=survey,
            digest=Invitation.parse_fragment(parts.fragment).digest,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What one visitor should be given at one address."""

    name: str
    path: str
    visitor: str
    language: str
    body: bytes
    kind: str
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What was given instead; ``faults`` in words."""

    wanted: _Wanted
    faults: tuple[str, ...]
    body: bytes

    def __str__(self) -> str:
        return (
            f"{self.wanted.name} to {self.wanted.visitor} ({self.wanted.language}): {', '.join(self.faults)}"
        )


class ClientWatch:
    """Loads what a server gives to respondents, and compares it.

    Parameters
    ----------
    place : Place
    client : ClientFiles
        The build to compare with.
    proxy : str, optional
        Address of an HTTP proxy to go through.
    """

    def __init__(self, place: Place, client: ClientFiles, *, proxy: str | None = None) -> None:
        self._place, self._client = place, client
        self._pages = RespondentPages(client, urlsplit(place.base).path)
        proxies = {"http": proxy, "https": proxy} if proxy else {}
        self._opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler(proxies))

    def lines(
        self, *, evidence: Path | None = None, progress: Progress = lambda _done, _total: None
    ) -> tuple[Line, ...]:
        """Compare everything.

        Parameters
        ----------
        evidence : Path, optional
            A new folder for what differs.
        progress : callable
            ``(done, total)`` files.

        Raises
        ------
        RemoteError
            If the server does not answer.
        RoomfulError
            If what it answers is no survey of this version of the protocol.
        InputError
            If the folder of the evidence cannot be made.
        """
        envelope = Envelope.parse(self._document(f"api/v1/surveys/{self._place.survey}/specification"))
        specification = Specification.parse(envelope.payload, needed=())
        given_digest = survey_digest(envelope.payload)
        wanted = list(self._wanted(specification))
        random.SystemRandom().shuffle(wanted)
        different = []
        with ThreadPoolExecutor(THREADS) as pool:
            for done, given in enumerate(pool.map(self._compare, wanted), 1):
                progress(done, len(wanted))
                if given.faults:
                    different.append(given)
        if evidence is not None and different:
            _keep(evidence, different)
        same_survey = survey_id(given_digest) == self._place.survey and self._place.digest in (
            None,
            given_digest,
        )
        return (
            line(
                "client-survey", same_survey, f"It is the survey that the address names: {given_digest}.",
                "The server gives another survey than the one that the address or the link names.",
                "Do not answer. Tell the organizer, and whoever has the same invitation.",
            ),
            *self._findings(wanted, different),
        )  # fmt: skip

    def _wanted(self, specification: Specification) -> Iterator[_Wanted]:
        place, assets = self._place, self._client.assets
        state, trial = self._state()
        board = self._board()
        invited = specification.invited
        policy = security.HEADERS["Content-Security-Policy"]
        worker = policy
        if invited is not None and invited.relay is not None:
            worker = security.relay_policy(f"{invited.relay.url}api/v1/surveys/{place.survey}/submissions")
        address = f"{place.base}s/{place.survey}"
        templates = {assets.get(page) for page in TEMPLATES}
        for number, visitor in enumerate(AGENTS):
            for language in specification.languages:
                pages = {
                    "": self._pages.survey(specification, place.survey, language, state, trial),
                    "/board": self._pages.board(
                        specification, place.survey, language, state, board, address, self._result()
                    ),
                    "/verify": self._pages.verify(specification, place.survey, language),
                }
                for suffix, page in pages.items():
                    if page is not None:
                        path = f"s/{place.survey}{suffix}"
                        yield _Wanted(
                            name=path, path=path, visitor=visitor, language=language,
                            body=page.encode("utf-8"), kind=HTML, policy=policy,
                        )  # fmt: skip
            # Which language asks for a file must make no difference either.
            language = specification.languages[number % len(specification.languages)]
            for name in assets.values():
                if name in templates:
                    continue
                is_worker = name == assets.get(WORKER)
                yield _Wanted(
                    name=name,
                    path=f"static/{name}" + (f"?survey={place.survey}" if is_worker else ""),
                    visitor=visitor,
                    language=language,
                    body=self._client.files[name].bodies["identity"],
                    kind=content_type(name),
                    policy=worker if is_worker else policy,
                )

    def _findings(self, wanted: list[_Wanted], different: list[_Given]) -> Iterator[Line]:
        files = {one.name for one in wanted}
        faulty = {given.wanted.name for given in different}
        told = "; ".join(sorted(map(str, different))[:SHOWN_FINDINGS])
        more = f"; and {len(different) - SHOWN_FINDINGS} more" if len(different) > SHOWN_FINDINGS else ""
        own = self._client.digest
        yield line(
            "client-same", not different,
            f"{len(files)} files, to {len(AGENTS)} kinds of visitor, are byte for byte those of build {own}.",
            f"{len(faulty)} of {len(files)} files are not those of build {own}: {told}{more}.",
            f"If the page's footer shows another version than {own[:SHOWN_DIGITS]}, install that release and "
            "look again. Else do not answer there, keep what was given (--evidence), and make it public.",
        )  # fmt: skip

    def _compare(self, wanted: _Wanted) -> _Given:
        request = urllib.request.Request(  # noqa: S310 - http or https, see Place
            self._place.base + wanted.path,
            headers={
                "User-Agent": AGENTS[wanted.visitor],
                "Accept-Language": wanted.language,
                "Accept-Encoding": "gzip, deflate, br",
                "Accept": "text/html,application/xhtml+xml,*/*;q=0.8" if wanted.kind == HTML else "*/*",
                "Sec-Fetch-Site": "none" if wanted.kind == HTML else "same-origin",
            },
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                headers = answer.headers
                raw = answer.read(MAX_BYTES + 1)
        except urllib.error.HTTPError as error:
            with error:
                return _Given(wanted=wanted, faults=(f"answered {error.code}",), body=b"")
        except (OSError, HTTPException, ValueError):
            return _Given(wanted=wanted, faults=("no answer",), body=b"")
        body = decoded(headers.get("Content-Encoding", "identity"), raw)
        faults = [
            *(["other bytes"] if body != wanted.body else []),
            *(["another type"] if headers.get_all("Content-Type", []) != [wanted.kind] else []),
            *(
                ["another policy"]
                if headers.get_all("Content-Security-Policy", []) != [wanted.policy]
                else []
            ),
            *(f"a header {name}" for name in BRINGING if name in headers),
        ]
        return _Given(wanted=wanted, faults=tuple(faults), body=body)

    def _state(self) -> tuple[str, str | None]:
        """The state, and "test" of a copy to be tried."""
        try:
            said = json.loads(self._document(f"api/v1/surveys/{self._place.survey}/status"))
            return str(said["state"]), "test" if said.get("test") is True else None
        except (ValueError, TypeError, LookupError):
            raise RemoteError("the server does not say whether the survey is open", where="status") from None

    def _result(self) -> Result | None:
        try:
            return Result.parse(self._document(f"api/v1/surveys/{self._place.survey}/board/result"))
        except _AbsentError:
            return None

    def _board(self) -> Board | None:
        try:
            data = self._document(f"api/v1/surveys/{self._place.survey}/board")
        except _AbsentError:
            return None
        return Board.parse(parse_envelope(data).payload)

    def _document(self, path: str) -> bytes:
        address = self._place.base + path
        request = urllib.request.Request(address, headers={"User-Agent": next(iter(AGENTS.values()))})  # noqa: S310
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                data: bytes = answer.read(MAX_BYTES)
                return data
        except urllib.error.HTTPError as error:
            with error:
                kind = _AbsentError if error.code == 404 else RemoteError
                raise kind(f"the server answered {error.code}", where=address) from None
        except (OSError, HTTPException, ValueError) as error:
            raise RemoteError(f"the server cannot be reached ({error})", where=address) from None


class _AbsentError(RemoteError):
    """The server has no such document."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: object, **_more: object) -> None:
        """A redirect is a finding, not to be followed."""


def _keep(folder: Path, different: list[_Given]) -> None:
    """What was given, and what it should have been, to be shown to others."""
    try:
        folder.mkdir(parents=True)
        for number, given in enumerate(different, 1):
            name = f"{number:03d}-{given.wanted.name.replace('/', '_')}"
            (folder / f"{name}.given").write_bytes(given.body)
            (folder / f"{name}.expected").write_bytes(given.wanted.body)
            about = {
                "path": given.wanted.path,
                "visitor": AGENTS[given.wanted.visitor],
                "language": given.wanted.language,
                "faults": list(given.faults),
            }
            (folder / f"{name}.json").write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    except OSError as problem:
        raise InputError(
            f"the evidence cannot be written ({problem.strerror})", where=str(folder), expected="a new folder"
        ) from None
