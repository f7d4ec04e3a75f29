"""Errors as HTTP answers (RFC 9457), from this one table.

Guarantee: the text of an answer depends on the error's class and code alone, never on what was sent. An
error's own message may quote a value, so it stays out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from shared.errors import (
    AnswerError,
    InputError,
    NotFoundError,
    RemoteError,
    RoomfulError,
    SetupError,
    SpecificationError,
    StateError,
    StorageError,
    SubmissionError,
    TokenError,
    VerificationError,
)

CONTENT_TYPE: Final = "application/problem+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An error as it is answered.

    Attributes
    ----------
    status : int
        HTTP status.
    code : str
        The stable code of the error.
    title, remedy : str
        What happened and what to do, in plain words.
    """

    status: int
    code: str
    title: str
    remedy: str

    def to_bytes(self) -> bytes:
        """The body of the answer."""
        return json.dumps(
            {
                "type": f"urn:roomful:problem:{self.code}",
                "title": self.title,
                "status": self.status,
                "code": self.code,
                "detail": self.remedy,
            },
            ensure_ascii=False,
        ).encode()


_TABLE: Final[dict[type[RoomfulError], tuple[int, str, str]]] = {
    SubmissionError: (
        400,
        "The submission is malformed or not for this survey.",
        "Reload the page and start again.",
    ),
    TokenError: (400, "The code or token cannot be used.", "Compare the code with the letter."),
    AnswerError: (400, "An answer is outside what the survey allows.", "Reload the page and start again."),
    InputError: (400, "The request cannot be used.", "Check it against the API document."),
    NotFoundError: (404, "There is nothing at this address.", "Check the address you were given."),
    StateError: (409, "The survey's state does not allow this.", "Look at the survey's page."),
    StorageError: (503, "The server could not store this; nothing was kept.", "Try again in a few minutes."),
    VerificationError: (500, "The survey on this server is damaged.", "Tell the organizer."),
    SpecificationError: (500, "The survey on this server is damaged.", "Tell the organizer."),
    SetupError: (503, "The server is not set up completely.", "Tell the operator to run roomful checkup."),
    RemoteError: (502, "Another server failed.", "Try again later."),
    RoomfulError: (500, "The server failed.", "Tell the operator."),
}

_SENTENCES: Final = {
    "state.draft": ("The survey is not open yet.", "Come back when it is."),
    "state.tokens": (
        "The election exchanges codes, and takes no ballots yet.",
        "Come back with your token when the voting has begun.",
    ),
    "state.closed": ("The survey is closed; nothing was kept.", "There is nothing left to do."),
    "state.released": ("The survey is over and its table released; nothing was kept.", "Look at the table."),
    "token.blinded-message": ("The blinded message cannot be signed.", "Reload the page and start again."),
    "token.fault": (
        "The registrar's machine miscalculated; nothing was sent.",
        "Try again; tell the operator.",
    ),
    "state.period": (
        "The survey promises to take answers longer.",
        "Wait until its closing time.",
    ),
    "state.final": (
        "The board is final, and nothing enters it any more.",
        "Show the receipt to trustees and observers: it proves that the collector had the ballot.",
    ),
    "complaint.acceptance": (
        "The collector did not sign that it took this ballot.",
        "Open the file in which receipt and ballot were saved together. Nothing was kept.",
    ),
    "not-found.part": ("This survey has no such part.", "Load the page again."),
    "not-found.board": ("There is no public board yet.", "Come back when it is published."),
    "state.role": (
        "This server has another part in the survey.",
        "Ask the server that the invitation names.",
    ),
    "state.board": ("Receipts of this survey are on its public board.", "Look there after it is closed."),
    "token.spent": ("Another ballot was stored with this token.", "The ballot that came first counts."),
    "token.box": (
        "The roll has this code in another box.",
        "Nothing is spent. Compare what you said with your letter. If the roll is wrong, say so.",
    ),
    "token.code": (
        "This code fetches no token: nobody was invited with it, or it was used already.",
        "Compare it with the letter, group by group. If it is right, go on where it was used.",
    ),
    "ballot.signature": ("The ballot is not signed by the key of its token.", "Send it again from the page."),
    "token.signature": ("The token is not genuine.", "Fetch it again with the code on your letter."),
    "token.publishing": (
        "This is no publishing code of this server that can be used.",
        "Ask its operator for a new one: roomful publishing-code.",
    ),
    "token.publishing-often": ("Too many wrong publishing codes were sent.", "Wait a minute, and try again."),
    "input.foreign-origin": ("Nothing is published from a page of a browser.", "Use roomful publish --to."),
    "input.publication": (
        "What was sent is no survey that devices would take: damaged, not signed, or not sound.",
        "Look at it: roomful verify. Nothing was published, and the code was not used.",
    ),
    "setup.not-encrypted": (
        "This server takes no publications, because people do not reach it encrypted.",
        "Tell the operator to set public_url to an https address.",
    ),
    "state.other-digest": ("Another survey has the same id here.", "Use another data directory."),
    "storage.rolled-back": (
        "The server was restored from an old copy and takes nothing more.",
        "Tell the organizer.",
    ),
    "storage.pool-full": (
        "The relay holds as many messages as it can; this one was not kept.",
        "Try again in a few minutes.",
    ),
    "storage.stopping": ("The server is restarting; nothing was kept.", "Send it again in a minute."),
}
"""Codes with a better sentence than their class has."""

_STATUSES: Final = {
    "token.spent": 409,
    "complaint.acceptance": 403,
    "token.box": 403,
    "token.code": 403,
    "token.blinded-message": 422,
    "token.fault": 500,
    "token.publishing": 403,
    "token.publishing-often": 429,
    "input.foreign-origin": 403,
    "input.publication": 422,
    "setup.not-encrypted": 403,
}
"""Codes with another status than their class."""

_HTTP: Final = {
    400: ("The request is malformed.", "Check it against the API document."),
    404: ("There is nothing at this address.", "Check the address you were given."),
    405: ("This address does not take this method.", "The answer's Allow header lists those it takes."),
    406: ("This cannot be answered in the form asked for.", "Ask for another type."),
    411: ("The length of the body must be declared.", "Send a Content-Length, and no chunked encoding."),
    413: ("The body is too large.", "A submission has at most 68389 bytes, a publication 96 MB."),
    414: ("The address is too long.", "Use a shorter one."),
    415: ("The body's type is not accepted.", "Send the type that the API document names, uncompressed."),
    431: ("The request's header fields are too large.", "Send fewer or shorter ones."),
    500: ("The server failed.", "Tell the operator."),
    501: ("This is not implemented.", "Check the request against the API document."),
    503: ("The server cannot answer now.", "Try again in a few minutes."),
}


def from_error(error: RoomfulError) -> Problem:
    """The answer for one of our errors, by the nearest class in the table."""
    status, title, remedy = next(_TABLE[kind] for kind in type(error).__mro__ if kind in _TABLE)
    title, remedy = _SENTENCES.get(error.code, (title, remedy))
    status = _STATUSES.get(error.code, status)
    return Problem(status=status, code=error.code, title=title, remedy=remedy)


def from_status(status: int) -> Problem:
    """The answer for a plain HTTP error; its code is ``http.<status>``."""
    title, remedy = _HTTP.get(status, (HTTPStatus(status).phrase + ".", ""))
    return Problem(status=status, code=f"http.{status}", title=title, remedy=remedy)
