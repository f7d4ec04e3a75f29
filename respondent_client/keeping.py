"""What a page must not forget while it is reloaded: a request that is not answered yet, or a token.

The registrar spends a code on the first blinded message, and only the blinding in the request turns its
answer into a token. A page that lost the request between the two would have burnt the code. Once the token is
there, it alone is kept: nothing kept then knows the code.
"""

from __future__ import annotations

from respondent_client.platform import Platform
from respondent_client.token_request import TokenRequest, require_genuine
from shared import base64url, ed25519, strict_json
from shared.errors import TokenError
from shared.fields import Fields
from shared.invitation_code import InvitationCode
from shared.limits import TOKEN_KEY_BYTES
from shared.soundness import SoundSpecification
from shared.token import PREFIX_BYTES, SECRET_BYTES, HeldToken

FORMAT = "roomful-request/2"
_MAX_BYTES = 8192
_MEMBERS = ("format", "specification", "code", "prefix", "secret", "device_key", "blinded_message", "inverse")


def keep_request(request: TokenRequest) -> str:
    """The text from which :func:`restore` makes the same request again."""
    return strict_json.dumps(
        {
            "format": FORMAT,
            "specification": request.sound.digest,
            "code": request.code.symbols,
            "prefix": base64url.encode(request.prefix),
            "secret": base64url.encode(request.secret),
            "device_key": base64url.encode(request.device_key),
            "blinded_message": base64url.encode(request.blinded_message),
            "inverse": base64url.encode(request.inverse.to_bytes(TOKEN_KEY_BYTES, "big")),
        }
    ).decode("ascii")


def keep_token(token: HeldToken, digest: str) -> str:
    """The text of a token; the same as that of a saved file."""
    return token.to_file(digest).decode("ascii")


async def restore(platform: Platform, sound: SoundSpecification, text: str) -> TokenRequest | HeldToken:
    """What was kept of this survey.

    Guarantee: a token is returned only if the registrar's key signed it and its own key can sign a ballot.

    Raises
    ------
    TokenError
        If it is neither, or of another survey; nothing of the text is repeated.
    """
    data = text.encode("utf-8")
    if f'"{FORMAT}"'.encode("ascii") in data:
        return await _read_request(platform, sound, data)
    return await require_genuine(platform, sound, HeldToken.parse_file(data, sound.digest))


async def _read_request(platform: Platform, sound: SoundSpecification, data: bytes) -> TokenRequest:
    value = strict_json.loads(data, error=_form, where="kept request", max_bytes=_MAX_BYTES)
    fields = Fields(value, "", _MEMBERS, error=_form)
    fields.choice("format", (FORMAT,))
    if fields.digest("specification") != sound.digest:
        raise _form("the request is for another survey")
    parts = [base64url.decode(fields.text(name)) for name in _MEMBERS[3:]]
    lengths = (PREFIX_BYTES, SECRET_BYTES, ed25519.KEY_BYTES, TOKEN_KEY_BYTES, TOKEN_KEY_BYTES)
    prefix, secret, device_key, blinded_message, inverse = (
        part if part is not None and len(part) == length else _refuse()
        for part, length in zip(parts, lengths, strict=True)
    )
    if await platform.public_key(secret=secret) != device_key:
        _refuse()  # its code would be spent for a token that cannot sign a ballot
    return TokenRequest(
        sound=sound,
        code=InvitationCode.parse(fields.text("code")),
        prefix=prefix,
        secret=secret,
        device_key=device_key,
        blinded_message=blinded_message,
        inverse=int.from_bytes(inverse, "big"),
    )


def _refuse() -> bytes:
    raise _form("a part of the kept request is damaged")


def _form(message: str, **parts: str) -> TokenError:
    return TokenError(message, **parts, code="token.form")
