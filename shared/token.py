"""The token: proof of being invited that nobody can trace to an invitation.

A device draws a prefix, has ``prefix || message`` signed blindly (:mod:`shared.blind_rsa`), and spends
prefix and signature with its ballot. The registrar saw neither, so it cannot tell whose token this is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from shared import base64url, blind_rsa, strict_json
from shared.errors import TokenError
from shared.fields import Fields
from shared.limits import TOKEN_KEY_BYTES

FORMAT: Final = "roomful-token/1"
PREFIX_BYTES: Final = blind_rsa.PREFIX_BYTES
TOKEN_BYTES: Final = PREFIX_BYTES + TOKEN_KEY_BYTES
MAX_FILE_BYTES: Final = 4096


def token_message(specification_digest: str) -> bytes:
    """What a token says: ``roomful-token/1`` || SHA-256 of the specification (32 bytes)."""
    return FORMAT.encode("ascii") + bytes.fromhex(specification_digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token, not yet verified.

    Attributes
    ----------
    prefix : bytes
        32 random bytes that make the token unique; by them it is known to be spent.
    signature : bytes
        384 bytes, over ``prefix || token_message(digest)``.
    """

    prefix: bytes
    signature: bytes

    def __post_init__(self) -> None:
        if len(self.prefix) != PREFIX_BYTES or len(self.signature) != TOKEN_KEY_BYTES:
            raise ValueError("not the parts of a token")

    def __repr__(self) -> str:
        return "Token(...)"

    def message(self, specification_digest: str) -> bytes:
        """The prepared message (RFC 9474, section 4.1): ``prefix || token_message(digest)``."""
        return blind_rsa.prepare(token_message(specification_digest), self.prefix)

    def verify(self, token_key: int, specification_digest: str) -> None:
        """Verify that the registrar of this survey signed the token; run by device, collector and trustees.

        Raises
        ------
        TokenError
            With the code ``token.signature``.
        """
        blind_rsa.verify(token_key, self.message(specification_digest), self.signature)

    def to_text(self) -> str:
        """555 characters: base64url of ``prefix || signature``, for a link and the file."""
        return base64url.encode(self.prefix + self.signature)

    @classmethod
    def parse_text(cls, text: str) -> Self:
        """Read :meth:`to_text`.

        Raises
        ------
        TokenError
            With the code ``token.form``; nothing of the text is repeated.
        """
        data = base64url.decode(text)
        if data is None or len(data) != TOKEN_BYTES:
            raise TokenError(
                "this is not a token",
                where="token",
                expected=f"{TOKEN_BYTES} bytes in base64url, without padding",
                remedy="Use the file or link that was saved.",
                code="token.form",
            )
        return cls(prefix=data[:PREFIX_BYTES], signature=data[PREFIX_BYTES:])

    def to_file(self, specification_digest: str) -> bytes:
        """A file to finish elsewhere with: compact JSON of ``format``, ``specification`` and ``token``."""
        return strict_json.dumps(
            {"format": FORMAT, "specification": specification_digest, "token": self.to_text()}
        )

    @classmethod
    def parse_file(cls, data: bytes, specification_digest: str) -> Self:
        """Read a saved token of this survey.

        Guarantee: for all bytes, either a :class:`TokenError` that repeats nothing of the token, or a token
        of the right form; whether it is genuine, :meth:`verify` says.

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
