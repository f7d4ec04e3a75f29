"""Read what an invited respondent types, pastes, scans or opens: a code, a link, or a saved token."""

from __future__ import annotations

from typing import Final

from shared.errors import TokenError, VerificationError
from shared.invitation import Invitation
from shared.invitation_code import InvitationCode
from shared.token import MAX_FILE_BYTES, HeldToken

_LONGEST_CODE: Final = 200


def read_entry(text: str, digest: str) -> InvitationCode | HeldToken:
    """The code or the token in a text; run on the respondent's device.

    Parameters
    ----------
    text : str
        A code as people type it, the link of a letter or of a saved token, the content of a saved file, or
        the token alone.
    digest : str
        SHA-256, hexadecimal, of the survey's specification.

    Raises
    ------
    TokenError
        ``token.code-form``, ``token.form``, or ``token.survey`` for a link or file of another survey; nothing
        of the text is repeated.
    """
    text = text.strip()
    if len(text) > MAX_FILE_BYTES:
        raise _neither("this is far too long")
    if text.startswith("{"):
        return HeldToken.parse_file(text.encode("utf-8"), digest)
    if "#" in text:
        return _read_link(text.partition("#")[2], digest)
    if len(text) > _LONGEST_CODE:
        return HeldToken.parse_text("".join(text.split()))
    return InvitationCode.parse(text)


def _read_link(fragment: str, digest: str) -> InvitationCode | HeldToken:
    try:
        invitation = Invitation.parse_fragment(fragment)
    except VerificationError as problem:
        raise _neither(problem.message) from None
    if invitation.digest is not None and invitation.digest != digest:
        raise TokenError(
            "the link is for another survey",
            where="invitation link",
            expected=f"a link to {digest}",
            remedy="Use the letter of this survey.",
            code="token.survey",
        )
    found = invitation.token or invitation.code
    if found is None:
        raise _neither("this link holds neither a code nor a token")
    return found


def _neither(message: str) -> TokenError:
    return TokenError(
        message,
        where="invitation",
        expected="the code on the letter, its link, or a saved token",
        remedy="Copy it once more, or type the code.",
        code="token.form",
    )
