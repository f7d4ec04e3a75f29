"""What a device must not forget: a request that is not answered yet, a token, a message that is not answered.

The registrar spends a code on the first blinded message, and only the blinding in the request turns its
answer into a token. A page that lost the request between the two would have burnt the code. Once the token is
there, it alone is kept: nothing kept then knows the code.

A ballot that was sent is kept as it was sealed until somebody answers for it. If it were sealed anew, the
same token would reach the collector in two ballots, and over a relay perhaps with two pools, whose only
common sender is its owner. What is kept of it can be read by nobody but collector and trustees.
"""

from __future__ import annotations

from typing import Final

from respondent_client.composing import Outgoing, sealed_ballot
from respondent_client.link import Link
from respondent_client.platform import Platform
from respondent_client.sending import Receipt
from respondent_client.token_request import TokenRequest, require_genuine
from shared import base64url, ed25519, strict_json
from shared.ballot import envelope_bytes, most_envelope_bytes, require_invited
from shared.errors import TokenError
from shared.fields import Fields
from shared.invitation_code import InvitationCode
from shared.limits import TOKEN_KEY_BYTES
from shared.soundness import SoundSpecification
from shared.token import PREFIX_BYTES, SECRET_BYTES, HeldToken

FORMAT: Final = "roomful-request/3"
MESSAGE_FORMAT: Final = "roomful-message/1"
MAX_KEPT_MESSAGE_BYTES: Final = 2 * most_envelope_bytes()
_MAX_BYTES: Final = 8192
_MEMBERS: Final = (
    "format",
    "specification",
    "code",
    "cell",
    "prefix",
    "secret",
    "device_key",
    "blinded_message",
    "inverse",
)
_MESSAGE_MEMBERS: Final = ("format", "specification", "receipt", "relayed", "acceptance", "body")


def keep_request(request: TokenRequest) -> str:
    """The text from which :func:`restore` makes the same request again."""
    return strict_json.dumps(
        {
            "format": FORMAT,
            "specification": request.sound.digest,
            "code": request.code.symbols,
            "cell": request.cell,
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


def keep_message(message: Outgoing, answer: Receipt | None = None) -> str:
    """The text from which :func:`restore_message` makes the same message again, or the receipt of it.

    Parameters
    ----------
    message : Outgoing
        A sealed ballot.
    answer : Receipt or None
        Of whoever answered for it; then it alone is kept.
    """
    return strict_json.dumps(
        {
            "format": MESSAGE_FORMAT,
            "specification": message.specification,
            "receipt": message.receipt,
            "relayed": message.relayed,
            "acceptance": None if answer is None else base64url.encode(answer.acceptance),
            "body": None if answer is not None else base64url.encode(message.body),
        }
    ).decode("ascii")


def restore_message(sound: SoundSpecification, link: Link, text: str) -> Outgoing | Receipt:
    """The message that was sent and is not answered yet, or the receipt of one that is.

    Guarantee: it goes where the signed specification says, whatever the text is.

    Raises
    ------
    TokenError
        If it is neither, or of another survey; nothing of the text is repeated.
    """
    value = strict_json.loads(
        text.encode("utf-8"), error=_form, where="kept message", max_bytes=MAX_KEPT_MESSAGE_BYTES
    )
    fields = Fields(value, "", _MESSAGE_MEMBERS, error=_form)
    fields.choice("format", (MESSAGE_FORMAT,))
    if fields.digest("specification") != sound.digest:
        raise _form("the message is for another survey")
    receipt = fields.digest("receipt")
    if fields.raw("body") is None:
        acceptance = base64url.decode(fields.text("acceptance", empty=True))
        return Receipt(
            digest=receipt,
            earlier=True,
            relayed=fields.raw("relayed") is True,
            acceptance=b"" if acceptance is None else acceptance,
        )
    body = base64url.decode(fields.text("body", maximum=MAX_KEPT_MESSAGE_BYTES))
    if body is None or len(body) != envelope_bytes(sound.specification):
        raise _form("the kept message is damaged")
    return sealed_ballot(sound, link, body, receipt)


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
    parts = [base64url.decode(fields.text(name)) for name in _MEMBERS[4:]]
    lengths = (PREFIX_BYTES, SECRET_BYTES, ed25519.KEY_BYTES, TOKEN_KEY_BYTES, TOKEN_KEY_BYTES)
    prefix, secret, device_key, blinded_message, inverse = (
        part if part is not None and len(part) == length else _refuse()
        for part, length in zip(parts, lengths, strict=True)
    )
    invited = require_invited(sound.specification)
    cell = None if invited.election is None else fields.integer("cell", 0, len(invited.token_keys) - 1)
    if cell is None and fields.raw("cell") is not None:
        _refuse()
    if await platform.public_key(secret=secret) != device_key:
        _refuse()  # its code would be spent for a token that cannot sign a ballot
    return TokenRequest(
        sound=sound,
        code=InvitationCode.parse(fields.text("code")),
        cell=cell,
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
