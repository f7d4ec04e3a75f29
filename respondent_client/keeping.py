"""What a page must not forget while it is reloaded: a request that is not answered yet, or a token.

The registrar spends a code on the first blinded message, and only the blinding in the request turns its
answer into a token. A page that lost the request between the two would have burnt the code. Once the token is
there, it alone is kept: nothing kept then knows the code.
"""

from __future__ import annotations

from respondent_client.token_request import TokenRequest
from shared import base64url, strict_json
from shared.ballot import require_invited
from shared.errors import TokenError
from shared.fields import Fields
from shared.invitation_code import InvitationCode
from shared.limits import TOKEN_KEY_BYTES
from shared.soundness import SoundSpecification
from shared.token import PREFIX_BYTES, Token

FORMAT = "roomful-request/1"
_MAX_BYTES = 8192
_MEMBERS = ("format", "specification", "code", "prefix", "blinded_message", "inverse")


def keep_request(request: TokenRequest) -> str:
    """The text from which :func:`restore` makes the same request again."""
    return strict_json.dumps(
        {
            "format": FORMAT,
            "specification": request.sound.digest,
            "code": request.code.symbols,
            "prefix": base64url.encode(request.prefix),
            "blinded_message": base64url.encode(request.blinded_message),
            "inverse": base64url.encode(request.inverse.to_bytes(TOKEN_KEY_BYTES, "big")),
        }
    ).decode("ascii")


def keep_token(token: Token, digest: str) -> str:
    """The text of a token; the same as that of a saved file."""
    return token.to_file(digest).decode("ascii")


def restore(sound: SoundSpecification, text: str) -> TokenRequest | Token:
    """What was kept of this survey.

    Guarantee: a token is returned only if the registrar's key signed it.

    Raises
    ------
    TokenError
        If it is neither, or of another survey; nothing of the text is repeated.
    """
    data = text.encode("utf-8")
    if f'"{FORMAT}"'.encode("ascii") in data:
        return _read_request(sound, data)
    token = Token.parse_file(data, sound.digest)
    token.verify(require_invited(sound.specification).token_key, sound.digest)
    return token


def _read_request(sound: SoundSpecification, data: bytes) -> TokenRequest:
    value = strict_json.loads(data, error=_form, where="kept request", max_bytes=_MAX_BYTES)
    fields = Fields(value, "", _MEMBERS, error=_form)
    fields.choice("format", (FORMAT,))
    if fields.digest("specification") != sound.digest:
        raise _form("the request is for another survey")
    parts = [base64url.decode(fields.text(name)) for name in _MEMBERS[3:]]
    lengths = (PREFIX_BYTES, TOKEN_KEY_BYTES, TOKEN_KEY_BYTES)
    prefix, blinded_message, inverse = (
        part if part is not None and len(part) == length else _refuse()
        for part, length in zip(parts, lengths, strict=True)
    )
    return TokenRequest(
        sound=sound,
        code=InvitationCode.parse(fields.text("code")),
        prefix=prefix,
        blinded_message=blinded_message,
        inverse=int.from_bytes(inverse, "big"),
    )


def _refuse() -> bytes:
    raise _form("a part of the kept request is damaged")


def _form(message: str, **parts: str) -> TokenError:
    return TokenError(message, **parts, code="token.form")
