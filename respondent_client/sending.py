"""Send a message so that it counts exactly once, whatever happens to the connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from respondent_client.composing import Outgoing
from respondent_client.platform import Platform, Reply
from respondent_client.replies import refusal, reply_object
from shared import base64url
from shared.acceptance import acceptance_claim, passed_on_claim
from shared.errors import RemoteError

_MAX_REPLY_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof that a message is stored, or that a relay has taken it.

    Attributes
    ----------
    digest : str
        SHA-256 of the message, or of the ballot in it, hexadecimal.
    earlier : bool
        That an earlier message of hers counts and not this one.
    relayed : bool
        That a relay took it: it is stored later, and the public board shows whether it was.
    acceptance : bytes
        The signature of the collector, or of a relay with a key, that it took the ballot; empty for an open
        survey and over a relay without a key.
    sealed : bytes
        What was accepted, as it was sent: of an election a complaint needs it; empty without an acceptance.
    """

    digest: str
    earlier: bool = False
    relayed: bool = False
    acceptance: bytes = b""
    sealed: bytes = b""


class Sender:
    """Sends the messages of one respondent.

    A lost connection leaves open whether the message arrived. Sending the same bytes again is harmless; other
    bytes, after she changed her answers, must not count beside them:

    - Of an open survey the server is asked for the receipt of the first.
    - Of an invited survey one token counts once, so the changed message is sent; only if the token is spent
      the first is sent again, which shows that it was hers. What never arrived is not sent any more.
    - Over a relay nobody can tell which of two would reach the collector first, so the first is sent again
      in place of the changed one, and the receipt says so.
    """

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._open: list[Outgoing] = []

    def resume(self, message: Outgoing) -> None:
        """Remember a message that was sent before the program was started anew, and is not answered yet."""
        self._open = [message]

    def forget(self) -> None:
        """Drop what is not answered: it was somebody else's."""
        self._open = []

    @property
    def unanswered(self) -> Outgoing | None:
        """The message that was sent first and is not answered yet."""
        return self._open[0] if self._open else None

    async def send(self, message: Outgoing) -> Receipt:
        """Send, or find that it was sent before.

        Raises
        ------
        RemoteError
            ``remote.unreachable`` or ``remote.*``: it is not known whether the message arrived; call again.
        StateError, SubmissionError, TokenError
            The server refused it, and will refuse it again.
        """
        for earlier in self._others(message):
            if earlier.relayed:
                reply = await self._post(earlier)
                if reply.status < 300:
                    return await self._receipt(earlier, reply, earlier=True)
                if not 400 <= reply.status < 500:
                    raise refusal(reply)
                self._forget(earlier)
            elif not earlier.sealed:
                if await self._is_stored(earlier):
                    return Receipt(digest=earlier.receipt, earlier=True)
                self._forget(earlier)
        if message not in self._open:
            self._open.append(message)
        reply = await self._post(message)
        if reply.status < 300:
            return await self._receipt(message, reply, earlier=False)
        problem = refusal(reply)
        if problem.code == "token.spent":
            for earlier in self._others(message):
                again = await self._post(earlier)
                if again.status < 300:
                    return await self._receipt(earlier, again, earlier=True)
                if not 400 <= again.status < 500:
                    raise refusal(again)
                self._forget(earlier)
        if 400 <= reply.status < 500:
            self._forget(message)
        raise problem

    def _others(self, message: Outgoing) -> list[Outgoing]:
        """Messages of which nobody knows whether they arrived, without this one."""
        return [other for other in self._open if other.body != message.body]

    def _forget(self, message: Outgoing) -> None:
        self._open = [other for other in self._open if other.body != message.body]

    async def _post(self, message: Outgoing) -> Reply:
        return await self._platform.request(
            "POST",
            message.url,
            body=message.body,
            content_type=message.content_type,
            max_bytes=_MAX_REPLY_BYTES,
        )

    async def _receipt(self, message: Outgoing, reply: Reply, *, earlier: bool) -> Receipt:
        value = reply_object(reply)
        if message.relayed and reply.status == 202 and value.get("accepted") is True:
            if message.acceptance_key is None:
                return Receipt(digest=message.receipt, earlier=earlier, relayed=True)
            return await self._signed(message, value, earlier=earlier)
        if message.relayed or value.get("receipt") != message.receipt:
            raise RemoteError("the server's receipt is not that of the message", code="remote.receipt")
        if message.acceptance_key is None:
            return Receipt(digest=message.receipt, earlier=earlier)
        return await self._signed(message, value, earlier=earlier)

    async def _signed(self, message: Outgoing, reply: dict[str, Any], *, earlier: bool) -> Receipt:
        """The receipt with the signature of whoever took the ballot."""
        return Receipt(
            digest=message.receipt,
            earlier=earlier,
            relayed=message.relayed,
            acceptance=await self._acceptance(message, reply),
            sealed=message.body,
        )

    async def _acceptance(self, message: Outgoing, reply: dict[str, Any]) -> bytes:
        """The signature of whoever took the ballot: without it a lost ballot could not be proven."""
        acceptance, key = (
            base64url.decode(str(reply.get("acceptance", ""))) or b"",
            message.acceptance_key or b"",
        )
        claim = (
            passed_on_claim(key, message.specification, message.body, acceptance)
            if message.relayed
            else acceptance_claim(key, message.specification, bytes.fromhex(message.receipt), acceptance)
        )
        if claim is None or not await self._platform.verify(
            public_key=claim.public_key, signature=claim.signature, message=claim.message
        ):
            raise RemoteError(
                "the server did not sign that it took the answers", where="acceptance", code="remote.receipt"
            )
        return acceptance

    async def _is_stored(self, message: Outgoing) -> bool:
        url = message.link.api(f"receipts/{message.receipt}")
        reply = await self._platform.request(
            "GET", url, body=None, content_type="", max_bytes=_MAX_REPLY_BYTES
        )
        if reply.status not in (200, 404):
            raise refusal(reply)
        return reply.status == 200
