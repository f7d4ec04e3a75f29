"""Publishing on a server that somebody else runs, with a code of its operator."""

from __future__ import annotations

import http.client
import json
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from server.collection.config import is_loopback
from server.collection.publishing.publication import PATH, Publication
from server.collection.storage.states import State
from server.files import PRIVATE, write_file
from server.keys.signing import ENVELOPE_FILE
from shared import strict_json
from shared.envelope import survey_id
from shared.errors import InputError, RemoteError, TokenError
from shared.invitation_code import InvitationCode

PLACE_FILE: Final = "published.json"
"""Beside the signed file: where it was published."""
TIMEOUT_SECONDS: Final = 120.0
_MOST_ANSWER_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a survey was published.

    Attributes
    ----------
    server : str
        Address of the server, with a slash at its end.
    id, digest : str
        Of the survey.
    """

    server: str
    id: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a server says of a survey in public: its state, and how many answers it has, if it says so."""

    state: str
    total: int | None


def hand_over(source: Path, server: str, code: str, *, is_test: bool = False) -> Place:
    """Send a signed survey to a server, which publishes it as a draft, and note where it is.

    Nothing but the signed file, a public model and a roll is sent, and nothing before the server has said
    that the code is one of its own. If no answer came, the same can be sent again with the same code.

    Parameters
    ----------
    source : Path
        The folder with ``survey.dsse.json``, or the signed file itself.
    server : str
        Address of the server.
    code : str
        Of its operator.
    is_test : bool
        Whether it is to be a copy to be tried.

    Raises
    ------
    InputError
        If a file is missing or does not fit, or the address is none, or not encrypted.
    VerificationError, SpecificationError
        If the survey is not signed, or devices would refuse it.
    TokenError
        If it is no code, or the server does not take it.
    RemoteError
        If the server cannot be reached, or does not publish; the message says why.
    """
    base = server_address(server)
    publication = Publication.read(source, is_test=is_test)
    published = publication.require_sound()
    text = InvitationCode.parse(code).text
    _ask(base, "GET", PATH, code=text)
    answer = _ask(base, "POST", PATH, code=text, body=publication.to_bytes())
    if answer.get("digest") != published.digest:
        raise RemoteError("the server published something else", where=base, code="remote.other-survey")
    place = Place(server=base, id=survey_id(published.digest), digest=published.digest)
    beside = source if source.is_dir() else source.parent
    _note(beside / PLACE_FILE, place)
    return place


def place_of(folder: Path) -> Place | None:
    """Where the signed survey of a folder was published by :func:`hand_over`; None if nowhere."""
    path = folder / PLACE_FILE
    if not (path.is_file() and (folder / ENVELOPE_FILE).is_file()):
        return None
    try:
        value = strict_json.loads(
            path.read_bytes(), error=InputError, where=PLACE_FILE, max_bytes=_MOST_ANSWER_BYTES
        )
        return Place(**{name: str(value[name]) for name in ("server", "id", "digest")})
    except (InputError, OSError, TypeError, KeyError):
        return None


def state_at(place: Place) -> Said:
    """Ask the server what it tells everybody.

    Raises
    ------
    RemoteError
        If it cannot be reached, or answers something else.
    """
    value = _ask(place.server, "GET", f"/api/v1/surveys/{place.digest}/status")
    state, total = value.get("state"), value.get("total")
    if state not in list(State) or not (total is None or (type(total) is int and total >= 0)):
        raise RemoteError(
            "the server says nothing of this survey", where=place.server, code="remote.not-published"
        )
    return Said(state=str(state), total=total)


def server_address(text: str) -> str:
    """The address of a server with a slash at its end.

    Raises
    ------
    InputError
        If it is none, or with the code ``input.not-encrypted`` if a code would travel in the open.
    """
    parts = urlsplit(text.strip())
    try:
        host = parts.hostname or ""
        parts.port  # noqa: B018 - refuses a port that is no number
    except ValueError:
        host = ""
    if (
        parts.scheme not in ("http", "https")
        or not host
        or "@" in parts.netloc
        or parts.query
        or parts.fragment
    ):
        raise InputError(
            "this is no address of a server", where="--to", expected="https://HOST/ with its path"
        )
    if parts.scheme != "https" and not is_loopback(host):
        raise InputError(
            "this address is not encrypted, and whoever sees the code on its way can use it first",
            where="--to",
            expected="an address that begins with https://",
            code="input.not-encrypted",
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/"


def _ask(base: str, method: str, path: str, *, code: str = "", body: bytes | None = None) -> dict[str, Any]:
    """One request. No redirection is followed: the code is for this server alone."""
    parts = urlsplit(base)
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(parts.netloc, timeout=TIMEOUT_SECONDS, context=context)
    else:
        connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT_SECONDS)
    headers = {"Authorization": f"Bearer {code}"} if code else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, f"{parts.path.rstrip('/')}{path}", body=body, headers=headers)
        response = connection.getresponse()
        status, data = response.status, response.read(_MOST_ANSWER_BYTES)
    except (OSError, http.client.HTTPException) as problem:
        raise _unreachable(base, problem) from None
    finally:
        connection.close()
    value = _object(data)
    if status in (200, 201):
        return value
    said = f"{value.get('title', '')} {value.get('detail', '')}".strip()
    told = str(value.get("code", ""))
    if told.startswith("token.publishing"):
        raise TokenError(said, where=base, code=told)
    if status == 404:
        said = "It knows nothing of publications: is this the address of a Roomful server of this version?"
    raise RemoteError(
        f"the server answered {status}{f' ({told})' if told else ''}. {said}".rstrip(),
        where=base,
        code="remote.not-published",
    )


def _unreachable(base: str, problem: Exception) -> RemoteError:
    if isinstance(problem, ssl.SSLCertVerificationError):
        return RemoteError(
            f"the server's certificate is not trusted: {problem.verify_message}",
            where=base,
            remedy="Ask the operator. Nothing was sent, and the code was not used.",
            code="remote.untrusted",
        )
    return RemoteError(
        f"the server cannot be reached ({type(problem).__name__})",
        where=base,
        remedy="Send the same again, with the same code: it publishes once.",
        code="remote.unreachable",
    )


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = strict_json.loads(data, error=InputError, where="answer", max_bytes=_MOST_ANSWER_BYTES)
    except InputError:
        return {}
    return value if isinstance(value, dict) else {}


def _note(path: Path, place: Place) -> None:
    value = {"server": place.server, "id": place.id, "digest": place.digest}
    write_file(path, json.dumps(value, indent=1).encode("utf-8"), mode=PRIVATE)
