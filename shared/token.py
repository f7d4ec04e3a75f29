"""The token: proof of being invited that nobody can trace to an invitation.

A device draws a prefix and makes a one-time Ed25519 key, has ``prefix || message`` signed blindly
(:mod:`shared.blind_rsa`), where the message commits to the key, and spends prefix, key and signature with its
ballot, which the key signs. The registrar saw none of them, so it cannot tell whose token this is; and a
token without the private half of its key is worth nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Self

from shared import base64url, blind_rsa, ed25519, strict_json
from shared.errors import TokenError
from shared.fields import Fields
from shared.limits import TOKEN_KEY_BYTES

FORMAT: Final = "roomful-token/2"
PREFIX_BYTES: Final = blind_rsa.PREFIX_BYTES
TOKEN_BYTES: Final = PREFIX_BYTES + ed25519.KEY_BYTES + TOKEN_KEY_BYTES
SECRET_BYTES: Final = 32
MAX_FILE_BYTES: Final = 4096


def token_message(specification_digest: str, device_key: bytes) -> bytes:
    """What a token says: ``roomful-token/2`` || SHA-256 of the specification (32) || device key (32)."""
    if len(device_key) != ed25519.KEY_BYTES:
        raise ValueError(f"a device key has {ed25519.KEY_BYTES} bytes")
    return FORMAT.encode("ascii") + bytes.fromhex(specification_digest) + device_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as it stands in a ballot, not yet verified.

    Attributes
    ----------
    prefix : bytes
        32 random bytes that make the token unique; by them it is known to be spent.
    device_key : bytes
        Ed25519 public key, 32 bytes, made for this token alone; it signs the one ballot.
    signature : bytes
        384 bytes, over ``prefix || token_message(digest, device_key)``.
    """

    prefix: bytes
    device_key: bytes
    signature: bytes

    def __post_init__(self) -> None:
        lengths = len(self.prefix), len(self.device_key), len(self.signature)
        if lengths != (PREFIX_BYTES, ed25519.KEY_BYTES, TOKEN_KEY_BYTES):
            raise ValueError("not the parts of a token")

    def __repr__(self) -> str:
        return "Token(...)"

    def message(self, specification_digest: str) -> bytes:
        """The prepared message (RFC 9474, section 4.1): ``prefix || token_message(digest, device_key)``."""
        return blind_rsa.prepare(token_message(specification_digest, self.device_key), self.prefix)

    def verify(self, token_key: int, specification_digest: str) -> None:
        """Verify that the registrar of this survey signed the token, and that its key is one.

        Run by the device. Collector and trustees do the same with a library, see
        ``server/collection/tokens/verifying.py``.

        Raises
        ------
        TokenError
            With the code ``token.signature`` or ``token.device-key``.
        """
        blind_rsa.verify(token_key, self.message(specification_digest), self.signature)
        self.require_device_key()

    def require_device_key(self) -> None:
        """Refuse a device key that is not the canonical encoding of a point of prime order.

        Raises
        ------
        TokenError
            With the code ``token.device-key``: under such a key one signature may fit many ballots, or verify
            here and not there.
        """
        if not ed25519.is_key(self.device_key):
            raise TokenError(
                "the device key of the token is none",
                where="token",
                expected="an Ed25519 key of prime order, canonically encoded",
                remedy="Use the page of the survey, or roomful respond, which make good keys.",
                code="token.device-key",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldToken:
    """A token with the private half of its device key: what the owner keeps, and nobody else may see.

    Attributes
    ----------
    token : Token
    secret : bytes
        Private Ed25519 key (RFC 8032, section 5.1.5), 32 random bytes. That it belongs to
        ``token.device_key`` is not known before the platform has said so.
    """

    token: Token
    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.secret) != SECRET_BYTES:
            raise ValueError("not the parts of a token")

    def __repr__(self) -> str:
        return "HeldToken(...)"

    def to_text(self) -> str:
        """640 characters: base64url of ``secret || prefix || device key || signature``, for link and file."""
        token = self.token
        return base64url.encode(self.secret + token.prefix + token.device_key + token.signature)

    @classmethod
    def parse_text(cls, text: str) -> Self:
        """Read :meth:`to_text`.

        Raises
        ------
        TokenError
            With the code ``token.form``; nothing of the text is repeated.
        """
        data = base64url.decode(text)
        if data is None or len(data) != SECRET_BYTES + TOKEN_BYTES:
            raise TokenError(
                "this is not a token",
                where="token",
                expected=f"{SECRET_BYTES + TOKEN_BYTES} bytes in base64url, without padding",
                remedy="Use the file or link that was saved.",
                code="token.form",
            )
        key_at = SECRET_BYTES + PREFIX_BYTES
        signature_at = key_at + ed25519.KEY_BYTES
        token = Token(
            prefix=data[SECRET_BYTES:key_at],
            device_key=data[key_at:signature_at],
            signature=data[signature_at:],
        )
        return cls(token=token, secret=data[:SECRET_BYTES])

    def to_file(self, specification_digest: str) -> bytes:
        """A file to finish elsewhere with: compact JSON of ``format``, ``specification`` and ``token``."""
        return strict_json.dumps(
            {"format": FORMAT, "specification": specification_digest, "token": self.to_text()}
        )

    @classmethod
    def parse_file(cls, data: bytes, specification_digest: str) -> Self:
        """Read a saved token of this survey.

        Guarantee: for all bytes, either a :class:`TokenError` that repeats nothing of the token, or a token
        of the right form; whether it is genuine, :meth:`Token.verify` says.

        Raises
        ------
        TokenError
            With the code ``token.form``, or ``token.survey`` for a token of another survey.
        """
        value = strict_json.loads(data, error=_form, where="token file", max_bytes=MAX_FILE_BYTES)
        fields = Fields(value, "", ("format", "specification", "token"), error=_form)
        fields.choice("format", (FORMAT,))
        if fields.digest("specification") != specification_digest:
            raise TokenError(
                "the token is for another survey",
                where="token file",
                expected=f"a token for {specification_digest}",
                remedy="Open the file that was saved for this survey.",
                code="token.survey",
            )
        return cls.parse_text(fields.text("token"))


def _form(_message: str, **parts: str) -> TokenError:
    # The reader's message may quote a name or a value of the file.
    return TokenError("this is not the file of a token", **parts, code="token.form")
