"""The bridge's steps for invited respondents: from what she has to the token that her ballot spends."""

from __future__ import annotations

from typing import Any

from respondent_client.composing import Outgoing
from respondent_client.invitation_text import read_entry
from respondent_client.keeping import keep_request, keep_token, restore, restore_message
from respondent_client.link import Link
from respondent_client.platform import Platform
from respondent_client.token_request import (
    OF_THE_CODE,
    TokenRequest,
    fetch_token,
    prepare_request,
    require_genuine,
)
from shared.errors import StateError, TokenError
from shared.invitation import survey_link
from shared.invitation_code import SYMBOLS, InvitationCode, read_symbols
from shared.soundness import SoundSpecification
from shared.token import HeldToken


class Entrance:
    """Holds one respondent's request and token.

    Parameters
    ----------
    platform : Platform
        What the worker offers.
    link : Link
        As she opened it.
    sound : SoundSpecification
        The survey that passed the checks.
    organizer_key : bytes
        The key that signed it.
    """

    def __init__(
        self, platform: Platform, link: Link, sound: SoundSpecification, organizer_key: bytes
    ) -> None:
        self._platform = platform
        self._link = link
        self._sound = sound
        self._organizer_key = organizer_key
        self._request: TokenRequest | None = None
        self.token: HeldToken | None = None

    async def begin(self, kept: str | None) -> dict[str, Any]:
        """Take what the page kept over a reload, or else what the link holds; nothing is spent.

        What was kept comes first: it may hold a code that is already spent. If it is of no use, the link
        counts. If the link brings something else, ``{"other": true}`` says so: the person who opened it need
        not be the one whose token the tab keeps, and only she can tell.
        """
        try:
            found = await restore(self._platform, self._sound, kept) if kept else None
        except TokenError:
            found = None
        invitation = self._link.invitation
        if found is None:
            if invitation.token is not None:
                return await self._accept(invitation.token)
            return {"code": invitation.code.text if invitation.code else ""}
        brought = invitation.token or invitation.code
        same = brought is None or brought in (found, found.code if isinstance(found, TokenRequest) else None)
        if isinstance(found, HeldToken):
            held = self._have(found)
        else:
            self._request = found
            held = {"pending": True, "code": found.code.text, "kept": kept}
        return held if same else held | {"other": True}

    async def use(self, text: str, cell: int) -> dict[str, Any]:
        """Take a code or a saved token; nothing is spent yet.

        `cell` is hers, in which a token of an election is to count. A request of this code that is not
        answered stays as it is: it may have spent the code.

        Returns
        -------
        dict
            ``{"pending", "code", "kept"}`` for a code: the page keeps the request, then calls :meth:`fetch`.
            For a token see :meth:`_have`.
        """
        entry = read_entry(text, self._sound.digest)
        if isinstance(entry, HeldToken):
            return await self._accept(entry)
        if self._request is None or self._request.code != entry:
            self._request = await prepare_request(self._platform, self._sound, entry, cell)
        return {"pending": True, "code": entry.text, "kept": keep_request(self._request)}

    async def fetch(self) -> dict[str, Any]:
        """Exchange the code; after a lost connection it may be called again, and sends the same bytes."""
        if self._request is None:
            raise StateError("there is no code yet", remedy="Enter the code on your letter.")
        try:
            token = await fetch_token(self._platform, self._link, self._request)
        except TokenError as problem:
            if problem.code in OF_THE_CODE:
                self._request = None
            raise
        return self._have(token)

    def forget(self) -> dict[str, Any]:
        """Drop request and token."""
        self._request = self.token = None
        return {"code": ""}

    def restore_message(self, text: str) -> Outgoing | None:
        """The ballot that an earlier load of the page sent; None if it is of no use."""
        try:
            found = restore_message(self._sound, self._link, text)
        except TokenError:
            return None
        return found if isinstance(found, Outgoing) else None

    def board_link(self, receipt_text: str) -> str:
        """Address of the survey's board; survey, key and receipt stand in the fragment alone."""
        return f"{self._pinned('board')}.{receipt_text}"

    def verify_link(self) -> str:
        """Address of the page on which another device makes a ballot again; nothing of hers is in it."""
        return self._pinned("verify")

    def _pinned(self, page: str) -> str:
        link = survey_link(self._link.base, self._sound.digest, self._organizer_key)
        address, _, fragment = link.partition("#")
        return f"{address}/{page}#{fragment}"

    async def _accept(self, token: HeldToken) -> dict[str, Any]:
        return self._have(await require_genuine(self._platform, self._sound, token))

    def _have(self, token: HeldToken) -> dict[str, Any]:
        """What the page shows of a token: the link and the content of the file to finish elsewhere with."""
        self.token, self._request = token, None
        text = keep_token(token, self._sound.digest)
        link = survey_link(self._link.base, self._sound.digest, self._organizer_key, token=token)
        return {"token": {"file": text, "link": link}, "kept": text}


def look_at_code(text: str) -> dict[str, Any]:
    """What can be said of a code while it is typed.

    Returns
    -------
    dict
        ``symbols`` and ``wanted`` (how many), ``foreign`` (characters that occur in no code), ``good``, and
        the code as it is printed, if it is good.
    """
    symbols, foreign = read_symbols(text)
    seen = {"symbols": len(symbols), "wanted": SYMBOLS, "foreign": "".join(dict.fromkeys(foreign))}
    try:
        return seen | {"good": True, "text": InvitationCode.parse(text).text}
    except TokenError:
        return seen | {"good": False, "text": ""}
