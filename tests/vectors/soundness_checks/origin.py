"""Checks 1 and 2: whose specification it is."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from shared.envelope import PAYLOAD_TYPE, Envelope
from tests.builders import AUDITOR_KEY, ORGANIZER_KEY, sign, small_model, small_specification
from tests.vectors.soundness_checks.making import signed, vector
from tests.vectors.surveys import STRANGER_KEY, SoundnessVector, fragment_of, small_boxes


def signature() -> Iterator[SoundnessVector]:
    honest = signed(small_specification())
    text, model = honest.to_bytes(), small_model()

    def refused(name: str, comment: str, data: bytes, **more: Any) -> SoundnessVector:
        more.setdefault("invitation", fragment_of(honest))
        return vector(name, comment, "check.signature", data, number=1, model=model, **more)

    (key, signature), payload = honest.signatures[0], honest.payload
    identity = bytes([1]) + bytes(31)
    yield refused(
        "signed-by-the-identity",
        "The identity for a key: R = identity, S = 0 is a signature of everything.",
        Envelope(payload=payload, signatures=((identity, identity + bytes(32)),)).to_bytes(),
        invitation=fragment_of(honest).partition(".")[0],
    )
    flipped = bytes([signature[0] ^ 1]) + signature[1:]
    yield refused(
        "signature-bit-flipped",
        "The first bit of the signature is another.",
        Envelope(payload=payload, signatures=((key, flipped),)).to_bytes(),
    )
    weaker = payload.replace(b'"retention_days":365', b'"retention_days":366')
    yield refused(
        "payload-changed-after-signing",
        "The collector keeps the answers a day longer than was signed.",
        Envelope(payload=weaker, signatures=honest.signatures).to_bytes(),
    )
    yield refused(
        "signed-by-another-key",
        "A genuine signature, by a key that is not the one in the invitation.",
        sign(payload, STRANGER_KEY).to_bytes(),
    )
    yield refused(
        "organizer-signed-second",
        "The organizer's key comes after a stranger's: the first key is the organizer's.",
        sign(payload, STRANGER_KEY, ORGANIZER_KEY).to_bytes(),
    )
    yield refused(
        "auditor-signature-broken",
        "The organizer's signature is genuine, the auditor's is not.",
        Envelope(
            payload=payload,
            signatures=(*honest.signatures, (_public(AUDITOR_KEY), AUDITOR_KEY.sign(b"something else"))),
        ).to_bytes(),
    )
    yield refused(
        "key-signed-twice",
        "The same key signs twice, to look like an auditor.",
        Envelope(payload=payload, signatures=honest.signatures * 2).to_bytes(),
    )
    yield refused("whitespace-appended", "A line break after the envelope.", text + b"\n")
    _, members = text.split(b'"payload":', 1)
    value, rest = members.split(b",", 1)
    yield refused(
        "members-reordered",
        "The members of the envelope in another order.",
        b"{" + rest.removesuffix(b"}") + b',"payload":' + value + b"}",
    )
    yield refused(
        "other-payload-type",
        "A document of another type, signed by the same key.",
        text.replace(PAYLOAD_TYPE.encode(), b"application/vnd.roomful.specification.v2+json"),
    )
    encoded = base64.b64encode(payload)
    yield refused(
        "base64-broken-into-lines",
        "The payload's base64 has a line break.",
        text.replace(encoded, encoded[:76] + b"\\n" + encoded[76:]),
    )


def digest() -> Iterator[SoundnessVector]:
    honest, model = signed(small_specification()), small_model()

    def refused(name: str, comment: str, envelope: Envelope) -> SoundnessVector:
        return vector(
            name,
            comment,
            "check.digest",
            envelope,
            number=2,
            invitation=fragment_of(honest),
            model=model,
        )

    yield refused(
        "swapped-specification",
        "Another sound survey of the same organizer in place of the one in the invitation.",
        signed(small_specification(cells=small_boxes())),
    )
    yield refused(
        "changed-and-signed-again",
        "The organizer changed the retention after the invitations were sent.",
        signed(small_specification(retention_days=3650)),
    )


def _public(key: Any) -> bytes:
    return bytes(key.public_key().public_bytes_raw())
