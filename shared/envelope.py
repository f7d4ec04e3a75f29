"""The signed envelope: DSSE with Ed25519.

The payload is signed as it is, so nothing is canonicalized before a signature is checked. The envelope itself
has exactly one accepted byte sequence: its members in a fixed order, compact, base64 without slack. A flipped
bit anywhere is therefore either a broken signature or not this envelope.

The signature primitive is passed in by the caller: ``cryptography`` on the server, WebCrypto in the browser.
``keyid`` carries the public key, so that every signature in an envelope can be checked by everybody; which
key is *expected* comes from the invitation, never from the envelope.

References
----------
Dead Simple Signing Envelope, protocol.md and envelope.md, version 1.0.2 (PAE). RFC 8032 (Ed25519).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared import ed25519, strict_json
from shared.errors import EnvelopeError, SignatureError
from shared.fields import Fields
from shared.limits import MAX_ENVELOPE_BYTES, MAX_SIGNATURES

PAYLOAD_TYPE: Final = "application/vnd.roomful.specification.v1+json"
"""What is signed in most envelopes; the board has a type of its own, so that neither passes for the other."""
_KEYID_PREFIX: Final = "ed25519:"


def pre_authentication_encoding(payload_type: str, payload: bytes) -> bytes:
    """What is signed: ``DSSEv1 SP len SP type SP len SP payload`` (DSSE, PAE)."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def encode_key(public_key: bytes) -> str:
    """A public key as base64url without padding."""
    return base64.urlsafe_b64encode(public_key).rstrip(b"=").decode("ascii")


def decode_key(text: str) -> bytes:
    """The public key of :func:`encode_key`.

    Raises
    ------
    EnvelopeError
        Unless the text is exactly 32 bytes in base64url, and they are a key: the canonical encoding of a
        point of prime order. With a key of small order, such as the identity, anybody can sign anything.
    """
    try:
        key = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (ValueError, binascii.Error):
        key = b""
    if len(key) != ed25519.KEY_BYTES or encode_key(key) != text or not ed25519.is_key(key):
        raise EnvelopeError(
            "not a public key",
            where="key",
            expected="32 bytes in base64url without padding, a point of prime order in canonical form",
        )
    return key


def survey_digest(payload: bytes) -> str:
    """SHA-256 of the payload, hexadecimal: the identity of the survey."""
    return hashlib.sha256(payload).hexdigest()


def survey_id(digest: str) -> str:
    """Short identity for addresses and the command line: the first 64 bits of the digest."""
    return digest[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureClaim:
    """What has to be verified: that ``signature`` over ``message`` is by ``public_key``."""

    public_key: bytes
    signature: bytes
    message: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedPayload:
    """A payload all of whose signatures verified; only :meth:`Envelope.verified` makes one.

    Attributes
    ----------
    organizer_key : bytes
        The key that signed first.
    auditor_keys : tuple of bytes
        Keys that signed after it.
    """

    payload: bytes
    organizer_key: bytes
    auditor_keys: tuple[bytes, ...]

    @property
    def digest(self) -> str:
        """Identity of the survey."""
        return survey_digest(self.payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A payload with signatures that nobody has verified yet.

    Attributes
    ----------
    payload : bytes
        Unverified; of no use but to be verified.
    signatures : tuple of (bytes, bytes)
        Public key and signature, the organizer's first.
    payload_type : str
        What the payload is; part of what is signed.
    """

    payload: bytes
    signatures: tuple[tuple[bytes, bytes], ...]
    payload_type: str = PAYLOAD_TYPE

    @classmethod
    def parse(cls, data: bytes, payload_type: str = PAYLOAD_TYPE) -> Envelope:
        """Read an envelope of one type of payload.

        Guarantee: for all bytes, either an :class:`EnvelopeError` or an envelope whose ``to_bytes`` returns
        those bytes.
        """
        value = strict_json.loads(data, error=EnvelopeError, where="envelope", max_bytes=MAX_ENVELOPE_BYTES)
        fields = Fields(value, "", ("payload", "payloadType", "signatures"), error=EnvelopeError)
        fields.choice("payloadType", (payload_type,))
        signatures = []
        for i, item in enumerate(fields.items("signatures", MAX_SIGNATURES, minimum=1)):
            inner = Fields(item, f"signatures[{i}]", ("keyid", "sig"), error=EnvelopeError)
            keyid = inner.text("keyid", maximum=64)
            if not keyid.startswith(_KEYID_PREFIX):
                raise inner.fail("keyid", "unknown kind of key", f"{_KEYID_PREFIX}...")
            signature = _decode(inner, "sig")
            if not ed25519.is_canonical(signature):
                raise inner.fail("sig", "not an Ed25519 signature", "64 bytes, with S below L")
            signatures.append((decode_key(keyid.removeprefix(_KEYID_PREFIX)), signature))
        if len({key for key, _ in signatures}) != len(signatures):
            raise fields.fail("signatures", "a key signed twice", "distinct keys")
        envelope = cls(
            payload=_decode(fields, "payload"), signatures=tuple(signatures), payload_type=payload_type
        )
        if envelope.to_bytes() != data:
            raise EnvelopeError(
                "not in canonical form", where="envelope", expected="the bytes as they were signed"
            )
        return envelope

    def to_bytes(self) -> bytes:
        """The one byte sequence of this envelope."""
        return strict_json.dumps(
            {
                "payload": base64.b64encode(self.payload).decode("ascii"),
                "payloadType": self.payload_type,
                "signatures": [
                    {
                        "keyid": _KEYID_PREFIX + encode_key(key),
                        "sig": base64.b64encode(signature).decode("ascii"),
                    }
                    for key, signature in self.signatures
                ],
            }
        )

    @property
    def claims(self) -> tuple[SignatureClaim, ...]:
        """Every signature, to be verified by the platform's primitive."""
        message = pre_authentication_encoding(self.payload_type, self.payload)
        return tuple(
            SignatureClaim(public_key=key, signature=signature, message=message)
            for key, signature in self.signatures
        )

    def with_signature(self, public_key: bytes, signature: bytes) -> Envelope:
        """The envelope with one more signature, such as an auditor's."""
        return replace(self, signatures=(*self.signatures, (public_key, signature)))

    def verified(self, outcomes: Sequence[bool], expected_key: bytes | None) -> VerifiedPayload:
        """The payload, once every signature has verified.

        Parameters
        ----------
        outcomes : sequence of bool
            Result of the platform's primitive for each of :attr:`claims`.
        expected_key : bytes or None
            The organizer's key from the invitation; None if the respondent compares it herself.

        Raises
        ------
        SignatureError
            If a signature did not verify, or the organizer's is by another key.
        """
        if len(outcomes) != len(self.signatures) or not all(outcome is True for outcome in outcomes):
            raise SignatureError(
                "a signature does not verify",
                where="signatures",
                expected="every signature to be genuine",
                remedy="The document was changed after it was signed, or it is not the organizer's.",
            )
        organizer_key, *others = (key for key, _ in self.signatures)
        if expected_key is not None and organizer_key != expected_key:
            raise SignatureError(
                "signed by another key than the one in the invitation",
                where="signatures[0]",
                expected=encode_key(expected_key),
            )
        return VerifiedPayload(payload=self.payload, organizer_key=organizer_key, auditor_keys=tuple(others))


def _decode(fields: Fields, name: str) -> bytes:
    text = fields.text(name, maximum=MAX_ENVELOPE_BYTES)
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise fields.fail(name, "not base64", "base64") from None
