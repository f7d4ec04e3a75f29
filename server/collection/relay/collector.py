"""The relay's line to the collector: one connection that is kept, and what an answer means."""

from __future__ import annotations

import http.client
import re
import ssl
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from server.collection.relay.link import RelayLink
from shared import strict_json
from shared.ballot import CONTENT_TYPE
from shared.errors import InputError, RemoteError
from shared.limits import MAX_ENVELOPE_BYTES

TIMEOUT_SECONDS: Final = 60.0
_MAX_ANSWER_BYTES: Final = 65_536
_CODE: Final = re.compile(r"(ballot|token)\.[a-z-]{1,40}|state\.(closed|released)")
_STATES: Final = ("draft", "tokens", "open", "closed", "released")
_RECEIPT: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Passed:
    """The collector has it, now or since before.

    Attributes
    ----------
    receipt : bytes
        Of the ballot inside, 32 bytes: the same for the same ballot, however often it was sealed.
    """

    receipt: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """The collector will never take it."""

    code: str


@dataclass(frozen=True, slots=True)
class Later:
    """Nobody knows whether the collector has it; the same bytes are sent again.

    Attributes
    ----------
    away : bool
        Whether there is no use in trying the next message at once.
    status : int
        The answer's, for the operator; 0 without an answer.
    untrusted : bool
        Whether the collector's certificate is not trusted, so that nothing was sent.
    """

    away: bool
    status: int = field(default=0, compare=False)
    untrusted: bool = field(default=False, compare=False)


Outcome = Passed | Refused | Later


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the collector says of the survey in public.

    Attributes
    ----------
    state : str
        ``draft``, ``open``, ``closed`` or ``released``.
    total : int or None
        Ballots that it has: exactly once the survey is closed, about so many while it is open.
    """

    state: str
    total: int | None

    @property
    def exact(self) -> int | None:
        """The total, if it is one that can be held against the collector."""
        return self.total if self.state in ("closed", "released") else None


class Collector:
    """Passes messages on. Used by one thread.

    Nothing travels but the message: no address, no header of the respondent's browser, no time. An answer
    that is not plainly the collector's own, such as a proxy's, never makes the relay delete anything.

    Parameters
    ----------
    link : RelayLink
        Whose collector.
    """

    def __init__(self, link: RelayLink) -> None:
        self._link = link
        parts = urlsplit(link.base)
        self._secure, self._host = parts.scheme == "https", parts.netloc
        self._connection: http.client.HTTPConnection | None = None

    def specification(self) -> bytes:
        """The signed specification, which nobody has verified yet.

        Raises
        ------
        RemoteError
            If it does not arrive.
        """
        try:
            status, body = self._request("GET", "specification", None, MAX_ENVELOPE_BYTES)
        except ssl.SSLCertVerificationError as error:
            raise RemoteError(
                f"the collector's certificate is not trusted: {error.verify_message}",
                where=self._link.base,
                remedy="Ask its operator; nothing is passed on to a server that may be another one.",
                code="remote.untrusted",
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise RemoteError(
                f"the collector cannot be reached ({type(error).__name__})",
                where=self._link.base,
                remedy="Look at the address in the link, and whether the collector is running.",
                code="remote.unreachable",
            ) from None
        finally:
            self.close()
        if status != 200:
            raise RemoteError(
                f"the collector answered {status}",
                where=self._link.base,
                remedy="Publish the survey there first; compare the id in the link.",
            )
        return body

    def pass_on(self, body: bytes) -> Outcome:
        """Send one message, on the connection that is kept."""
        kept = self._connection is not None
        try:
            status, answer = self._request("POST", "submissions", body, _MAX_ANSWER_BYTES)
        except TimeoutError:
            self.close()
            return Later(away=True)
        except ssl.SSLCertVerificationError:
            self.close()
            return Later(away=True, untrusted=True)
        except (OSError, http.client.HTTPException):
            self.close()
            # A connection that was kept may have been closed by the other side meanwhile.
            return self.pass_on(body) if kept else Later(away=True)
        return read_answer(status, answer)

    def said(self) -> Said | None:
        """The survey's state; None if nobody says, or something else than a collector would."""
        kept = self._connection is not None
        try:
            status, body = self._request("GET", "status", None, _MAX_ANSWER_BYTES)
        except TimeoutError:
            self.close()
            return None
        except (OSError, http.client.HTTPException):
            self.close()
            return self.said() if kept else None  # the other side may have ended a kept one, as in pass_on
        value = _object(body) if status == 200 else {}
        state, total = value.get("state"), value.get("total")
        if state not in _STATES or not (total is None or (type(total) is int and total >= 0)):
            return None
        return Said(state=str(state), total=total)

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _request(self, method: str, resource: str, body: bytes | None, most: int) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = (
                http.client.HTTPSConnection(
                    self._host, timeout=TIMEOUT_SECONDS, context=ssl.create_default_context()
                )
                if self._secure
                else http.client.HTTPConnection(self._host, timeout=TIMEOUT_SECONDS)
            )
        headers = {} if body is None else {"Content-Type": CONTENT_TYPE}
        self._connection.request(method, urlsplit(self._link.api(resource)).path, body=body, headers=headers)
        response = self._connection.getresponse()
        data = response.read(most + 1)
        if len(data) > most or not response.isclosed():
            self.close()
        return (0, b"") if len(data) > most else (response.status, data)


def read_answer(status: int, body: bytes) -> Outcome:
    """What the collector's answer to a ballot means.

    Guarantee: a message counts as passed only if a receipt came back, and as refused only if the collector
    names a code that no second try can change. Everything else is tried again.
    """
    value = _object(body)
    receipt = value.get("receipt")
    if status == 201 and isinstance(receipt, str) and _RECEIPT.fullmatch(receipt):
        return Passed(bytes.fromhex(receipt))
    code = value.get("code")
    if 400 <= status < 500 and isinstance(code, str) and _CODE.fullmatch(code):
        return Refused(code)
    return Later(away=status == 0 or status == 429 or status >= 500, status=status)


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = strict_json.loads(body, error=InputError, where="answer", max_bytes=_MAX_ANSWER_BYTES)
    except InputError:
        return {}
    return value if isinstance(value, dict) else {}
