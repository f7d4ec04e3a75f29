"""What an invitation pins, and what it lets its holder do, in the fragment of its link.

A browser never sends the fragment to a server, so a server cannot tell who came with which invitation, and
opening a link spends nothing. Layout: ``<digest>.<key>.<code>.<token>``, each part or none:

- digest: SHA-256 of the specification, 64 hexadecimal digits;
- key: the organizer's public key, 32 bytes in base64url;
- code: of an invited person, twenty symbols (:mod:`shared.invitation_code`);
- token: one that was fetched elsewhere, 480 bytes in base64url (:mod:`shared.token`), so that a telephone
  can finish by scanning a screen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from shared.envelope import decode_key, encode_key, survey_id
from shared.errors import EnvelopeError, TokenError, VerificationError
from shared.invitation_code import InvitationCode
from shared.token import HeldToken

_HEX: Final = frozenset("0123456789abcdef")
_PARTS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Digest and key that a respondent expects, her code and token; None for what her invitation does not
    say."""

    digest: str | None
    organizer_key: bytes | None
    code: InvitationCode | None = None
    token: HeldToken | None = None

    @classmethod
    def parse_fragment(cls, fragment: str) -> Self:
        """Read ``<digest>.<key>.<code>.<token>``, with or without ``#``; every part may be absent.

        Raises
        ------
        VerificationError
            If a part is there but malformed: a damaged link must not pass for one that says nothing. Nothing
            of the code or the token is repeated.
        """
        parts = fragment.removeprefix("#").split(".")
        if len(parts) > _PARTS:
            raise _damaged("the link has too many parts")
        digest, key, code, token = parts + [""] * (_PARTS - len(parts))
        if digest and (len(digest) != 64 or not set(digest) <= _HEX):
            raise _damaged("the digest is not 64 hexadecimal digits")
        try:
            return cls(
                digest=digest or None,
                organizer_key=decode_key(key) if key else None,
                code=InvitationCode.parse(code) if code else None,
                token=HeldToken.parse_text(token) if token else None,
            )
        except EnvelopeError:
            raise _damaged("the key is not 32 bytes in base64url") from None
        except TokenError as problem:
            raise _damaged(problem.message) from None

    def fragment(self) -> str:
        """The fragment of the link, without ``#``."""
        parts = (
            self.digest or "",
            encode_key(self.organizer_key) if self.organizer_key else "",
            self.code.symbols if self.code else "",
            self.token.to_text() if self.token else "",
        )
        return ".".join(parts).rstrip(".")


def survey_link(
    public_url: str,
    digest: str,
    organizer_key: bytes,
    *,
    code: InvitationCode | None = None,
    token: HeldToken | None = None,
) -> str:
    """Address to give to respondents; with a code or token, to one of them."""
    invitation = Invitation(digest=digest, organizer_key=organizer_key, code=code, token=token)
    return f"{public_url.rstrip('/')}/s/{survey_id(digest)}#{invitation.fragment()}"


def _damaged(message: str) -> VerificationError:
    return VerificationError(
        message,
        where="invitation link",
        expected="the link as it was sent",
        remedy="Copy the whole link from the invitation again.",
        code="verification.invitation",
    )
