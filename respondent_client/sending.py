"""Send a message so that it counts exactly once, whatever happens to the connection."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from respondent_client.platform import Platform, Reply
from respondent_client.session import JSON, Message
from shared.errors import RemoteError, RoomfulError, StateError, SubmissionError

_MAX_REPLY_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof that a message is stored.

    Attributes
    ----------
    digest : str
        SHA-256 of the message, hexadecimal.
    earlier : bool
        That an earlier message of hers had arrived after all, so that this one was not sent.
    """

    digest: str
    earlier: bool = False


class Sender:
    """Sends the messages of one respondent.

    A lost connection leaves open whether the message was stored. Sending the same bytes again is harmless;
    before other bytes are sent, the server is asked for the receipt of the first, so that a respondent who
    changed an answer in between is not counted twice.
    """

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._open: list[Message] = []

    async def send(self, message: Message) -> Receipt:
        """Send, or find that it was sent before.

        Raises
        ------
        RemoteError
            ``remote.unreachable`` or ``remote.*``: it is not known whether the message arrived; call again.
        StateError, SubmissionError
            The server refused it, and will refuse it again.
        """
        for earlier in list(self._open):
            if earlier.body != message.body:
                if await self._is_stored(earlier):
                    return Receipt(digest=earlier.receipt, earlier=True)
                self._open.remove(earlier)
        if message not in self._open:
            self._open.append(message)
        reply = await self._platform.request(
            "POST",
            message.link.api("submissions"),
            body=message.body,
            content_type=JSON,
            max_bytes=_MAX_REPLY_BYTES,
        )
        if reply.status in (200, 201):
            if _object(reply).get("receipt") != message.receipt:
                raise RemoteError("the server's receipt is not that of the message", code="remote.receipt")
            return Receipt(digest=message.receipt)
        if 400 <= reply.status < 500:
            self._open.remove(message)
        raise _refusal(reply)

    async def _is_stored(self, message: Message) -> bool:
        url = message.link.api(f"receipts/{message.receipt}")
        reply = await self._platform.request(
            "GET", url, body=None, content_type="", max_bytes=_MAX_REPLY_BYTES
        )
        if reply.status not in (200, 404):
            raise _refusal(reply)
        return reply.status == 200


def _refusal(reply: Reply) -> RoomfulError:
    """The server's problem document (RFC 9457) as an error of ours."""
    problem = _object(reply)
    code = problem.get("code")
    title, detail = problem.get("title"), problem.get("detail")
    message = (
        title.rstrip(".") if isinstance(title, str) else f"the server answered with status {reply.status}"
    )
    remedy = detail if isinstance(detail, str) else ""
    if isinstance(code, str) and (code == "state" or code.startswith("state.")):
        return StateError(message, remedy=remedy)
    if 400 <= reply.status < 500 and isinstance(code, str):
        return SubmissionError(message, remedy=remedy, code="submission")
    return RemoteError(message, remedy=remedy, code="remote.refused")


def _object(reply: Reply) -> dict[str, Any]:
    try:
        value = json.loads(reply.body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
