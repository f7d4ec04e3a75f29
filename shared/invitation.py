"""What an invitation pins: the survey's digest and the organizer's key, in the fragment of its link.

A browser never sends the fragment to a server, so a server cannot tell who came with which invitation.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.envelope import decode_key, encode_key, survey_id
from shared.errors import EnvelopeError, VerificationError

_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """Digest and key that a respondent expects; None for what her invitation does not say."""

    digest: str | None
    organizer_key: bytes | None

    @classmethod
    def parse_fragment(cls, fragment: str) -> Invitation:
        """Read ``<digest>.<key>``, with or without ``#``; both parts may be absent.

        Raises
        ------
        VerificationError
            If a part is there but malformed: a damaged link must not pass for one that says nothing.
        """
        digest, _, key = fragment.removeprefix("#").partition(".")
        if digest and (len(digest) != 64 or not set(digest) <= _HEX):
            raise _damaged("the digest is not 64 hexadecimal digits")
        try:
            organizer_key = decode_key(key) if key else None
        except EnvelopeError:
            raise _damaged("the key is not 32 bytes in base64url") from None
        return cls(digest=digest or None, organizer_key=organizer_key)

    def fragment(self) -> str:
        """The fragment of the link, without ``#``."""
        key = encode_key(self.organizer_key) if self.organizer_key else ""
        return f"{self.digest or ''}.{key}" if key else self.digest or ""


def survey_link(public_url: str, digest: str, organizer_key: bytes) -> str:
    """Address to give to respondents."""
    invitation = Invitation(digest=digest, organizer_key=organizer_key)
    return f"{public_url.rstrip('/')}/s/{survey_id(digest)}#{invitation.fragment()}"


def _damaged(message: str) -> VerificationError:
    return VerificationError(
        message,
        where="invitation link",
        expected="the link as it was sent",
        remedy="Copy the whole link from the invitation again.",
        code="verification.invitation",
    )
