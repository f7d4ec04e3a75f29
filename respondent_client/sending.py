"""Send a message so that it counts exactly once, whatever happens to the connection."""

from __future__ import annotations

from dataclasses import dataclass

from respondent_client.composing import Message
from respondent_client.platform import Platform, Reply
from respondent_client.replies import refusal, reply_object
from shared.errors import RemoteError

_MAX_REPLY_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof that a message is stored, or that a relay has taken it.

    Attributes
    ----------
    digest : str
        SHA-256 of the message, or of the ballot in it, hexadecimal.
    earlier : bool
        That an earlier message of hers had arrived after all, so that this one was not sent.
    relayed : bool
        That a relay took it: it is stored later, and the public board shows whether it was.
    """

    digest: str
    earlier: bool = False
    relayed: bool = False


class Sender:
    """Sends the messages of one respondent.

    A lost connection leaves open whether the message arrived. Sending the same bytes again is harmless; so
    before other bytes are sent, it is made sure of the first: of an open survey the server is asked for their
    receipt, of an invited one they are sent again, because asking would tell the collector whose ballot it
    is, and one token counts once.
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
        StateError, SubmissionError, TokenError
            The server refused it, and will refuse it again.
        """
        for earlier in [other for other in self._open if other.body != message.body]:
            if earlier.sealed:
                reply = await self._post(earlier)
                if reply.status < 300:
                    return self._receipt(earlier, reply, earlier=True)
                if not 400 <= reply.status < 500:
                    raise refusal(reply)
            elif await self._is_stored(earlier):
                return Receipt(digest=earlier.receipt, earlier=True)
            self._open.remove(earlier)
        if message not in self._open:
            self._open.append(message)
        reply = await self._post(message)
        if reply.status < 300:
            return self._receipt(message, reply, earlier=False)
        if 400 <= reply.status < 500:
            self._open.remove(message)
        raise refusal(reply)

    async def _post(self, message: Message) -> Reply:
        return await self._platform.request(
            "POST",
            message.url,
            body=message.body,
            content_type=message.content_type,
            max_bytes=_MAX_REPLY_BYTES,
        )

    @staticmethod
    def _receipt(message: Message, reply: Reply, *, earlier: bool) -> Receipt:
        value = reply_object(reply)
        if message.relayed and reply.status == 202 and value.get("accepted") is True:
            return Receipt(digest=message.receipt, earlier=earlier, relayed=True)
        if message.relayed or value.get("receipt") != message.receipt:
            raise RemoteError("the server's receipt is not that of the message", code="remote.receipt")
        return Receipt(digest=message.receipt, earlier=earlier)

    async def _is_stored(self, message: Message) -> bool:
        url = message.link.api(f"receipts/{message.receipt}")
        reply = await self._platform.request(
            "GET", url, body=None, content_type="", max_bytes=_MAX_REPLY_BYTES
        )
        if reply.status not in (200, 404):
            raise refusal(reply)
        return reply.status == 200
