"""What a server answered instead of what was asked for, as an error of ours."""

from __future__ import annotations

import re
from typing import Any, Final

from respondent_client.platform import Reply
from shared import strict_json
from shared.errors import RemoteError, RoomfulError, StateError, StorageError, SubmissionError, TokenError


def refusal(reply: Reply) -> RoomfulError:
    """The server's problem document (RFC 9457)."""
    problem = reply_object(reply)
    code = problem.get("code")
    title, remedy = (_one_line(problem.get(name)) for name in ("title", "detail"))
    message = title.rstrip(".") or f"the server answered with status {reply.status}"
    if isinstance(code, str) and _STATE.fullmatch(code):
        return StateError(message, remedy=remedy, code=code)
    if code == "complaint.acceptance":
        return SubmissionError(message, remedy=remedy, code=code)
    if code in _TOKEN_CODES:
        return TokenError(message, remedy=remedy, code=str(code))
    if code == "storage.rolled-back":
        return StorageError(message, remedy=remedy, code=code)
    if 400 <= reply.status < 500 and isinstance(code, str):
        return SubmissionError(message, remedy=remedy, code="submission")
    return RemoteError(message, remedy=remedy, code="remote.refused")


_MAX_SAID: Final = 500
_STATE: Final = re.compile(r"state(\.[a-z-]{1,40})?")
_TOKEN_CODES: Final = ("token.code", "token.box", "token.spent", "token.signature")
"""Codes that have words of their own on the respondent's page."""


def _one_line(text: object) -> str:
    """What the server says, short and in one line, so that it does not look like lines of ours."""
    return " ".join(text[:_MAX_SAID].split()) if isinstance(text, str) else ""


def reply_object(reply: Reply) -> dict[str, Any]:
    """The JSON object of a reply; empty if it is none."""
    try:
        value = strict_json.loads(reply.body, error=RemoteError, where="reply", max_bytes=len(reply.body))
    except RemoteError:
        return {}
    return value if isinstance(value, dict) else {}
