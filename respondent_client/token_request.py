"""Exchange an invitation code for a token that nobody can trace to it.

The code is spent by the first blinded message that reaches the registrar; only the device that drew its
blinding can finish the token. So a request is made once and kept until it is answered: asking again with the
same bytes is harmless, and a new request with the same code is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from respondent_client.composing import JSON
from respondent_client.link import Link
from respondent_client.platform import Platform
from respondent_client.replies import refusal
from respondent_client.token_box import cell_of
from shared import base64url, blind_rsa, strict_json
from shared.ballot import require_invited
from shared.errors import RemoteError, TokenError
from shared.fields import Fields
from shared.invitation_code import InvitationCode
from shared.limits import TOKEN_KEY_BYTES
from shared.soundness import SoundSpecification
from shared.token import PREFIX_BYTES, SECRET_BYTES, HeldToken, Token, token_message

_MAX_REPLY_BYTES: Final = 4096

OF_THE_CODE: Final = ("token.code", "token.box")
"""Refusals of the code, or of the box it was shown for: its request is of no use any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRequest:
    """One code's request; its blinding and the private half of its device key never leave the device.

    Of an election ``cell`` is the box in which the token will count; of a survey None, and nobody is told.
    """

    sound: SoundSpecification
    code: InvitationCode
    cell: int | None
    prefix: bytes
    secret: bytes
    device_key: bytes
    blinded_message: bytes
    inverse: int

    def __repr__(self) -> str:
        return "TokenRequest(...)"

    @property
    def body(self) -> bytes:
        """What is sent to the registrar; the same each time. The code itself never is.

        Guarantee: as long for every box. Blanks stand behind what is shorter: who sees nothing but the length
        of what is sent would learn how many digits the number of hers has.
        """
        proof = self.code.proof(require_invited(self.sound.specification).codes.roll_id)
        request: dict[str, Any] = {
            "code_proof": base64url.encode(proof),
            "blinded_message": base64url.encode(self.blinded_message),
        }
        if self.cell is None:
            return strict_json.dumps(request)
        longest = request | {"cell": self.sound.specification.cells.count}
        return strict_json.dumps(request | {"cell": self.cell}).ljust(len(strict_json.dumps(longest)))

    @property
    def token_key(self) -> int:
        """The key that the token will be signed with."""
        return require_invited(self.sound.specification).token_key(self.cell or 0)


async def prepare_request(
    platform: Platform, sound: SoundSpecification, code: InvitationCode, cell: int
) -> TokenRequest:
    """Draw a token's prefix, its one-time key and its blinding (RFC 9474, sections 4.1 and 4.2).

    Parameters
    ----------
    cell : int
        Hers; what is drawn for a survey does not depend on it.

    Raises
    ------
    SubmissionError
        With the code ``ballot.open-survey`` if the survey needs no token.
    TokenError
        With the code ``token.key`` if the registrar's key is not sound.
    """
    invited = require_invited(sound.specification)
    n = invited.token_key(cell)
    prefix = platform.entropy(PREFIX_BYTES)
    r = blind_rsa.blinding_factor(n, platform.entropy(TOKEN_KEY_BYTES + blind_rsa.SURPLUS_BYTES))
    secret = platform.entropy(SECRET_BYTES)
    device_key = await platform.public_key(secret=secret)
    prepared = blind_rsa.prepare(token_message(sound.digest, device_key), prefix)
    salt = platform.entropy(blind_rsa.SALT_BYTES)
    blinded, inverse = blind_rsa.blind(n, prepared, salt=salt, r=r)
    return TokenRequest(
        sound=sound,
        code=code,
        cell=None if invited.election is None else cell,
        prefix=prefix,
        secret=secret,
        device_key=device_key,
        blinded_message=blinded,
        inverse=inverse,
    )


async def fetch_token(platform: Platform, link: Link, request: TokenRequest) -> HeldToken:
    """Spend the code and finish the token (RFC 9474, section 4.4).

    Guarantee: a token is returned only if it verifies under the key in the signed specification, so a
    registrar cannot mark people by signing with another.

    Raises
    ------
    RemoteError
        ``remote.unreachable``: nobody knows whether the code is spent; ask again with the same request.
    TokenError, StateError
        The registrar refused it.
    """
    reply = await platform.request(
        "POST", link.api("tokens"), body=request.body, content_type=JSON, max_bytes=_MAX_REPLY_BYTES
    )
    if reply.status != 200:
        raise refusal(reply)
    blind_signature = _read_signature(reply.body)
    n = request.token_key
    prepared = blind_rsa.prepare(token_message(request.sound.digest, request.device_key), request.prefix)
    signature = blind_rsa.finalize(n, prepared, blind_signature, request.inverse)
    token = Token(prefix=request.prefix, device_key=request.device_key, signature=signature)
    return HeldToken(token=token, secret=request.secret)


async def require_genuine(platform: Platform, sound: SoundSpecification, held: HeldToken) -> HeldToken:
    """A token that came from a file, a link or a scan, once it is known to be of use.

    Guarantee: if it returns, the registrar of this survey signed the token, and the secret beside it is that
    of its device key, so that a ballot can be signed with it.

    Raises
    ------
    TokenError
        ``token.signature``, ``token.device-key``, or ``token.form`` if the secret is another's; nothing of
        the token is repeated.
    """
    cell_of(held.token, sound)
    if await platform.public_key(secret=held.secret) != held.token.device_key:
        raise TokenError(
            "the token and its secret do not belong together",
            where="token",
            expected="the token as it was saved",
            remedy="Use the file or link that was saved.",
            code="token.form",
        )
    return held


def _read_signature(body: bytes) -> bytes:
    value = strict_json.loads(body, error=_refused, where="reply", max_bytes=_MAX_REPLY_BYTES)
    fields = Fields(value, "", ("blind_signature",), error=_refused)
    signature = base64url.decode(fields.text("blind_signature"))
    if signature is None or len(signature) != TOKEN_KEY_BYTES:
        raise _refused("the registrar's signature has a wrong form")
    return signature


def _refused(message: str, **parts: str) -> RemoteError:
    return RemoteError(message, **parts, code="remote.blind-signature")
