"""Examine an envelope as a device does, with the platform's Ed25519."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from shared.checks import Floor
from shared.envelope import Envelope, SignatureClaim, VerifiedPayload
from shared.errors import EnvelopeError
from shared.invitation import Invitation
from shared.recount import Recount
from shared.soundness import Examination, examine, refused_envelope


def genuine(claim: SignatureClaim) -> bool:
    """Whether a signature is by its key."""
    try:
        Ed25519PublicKey.from_public_bytes(claim.public_key).verify(claim.signature, claim.message)
    except (InvalidSignature, ValueError):
        return False
    return True


def outcomes(envelope: Envelope) -> list[bool]:
    """Of every signature."""
    return [genuine(claim) for claim in envelope.claims]


def verify(data: bytes, expected_key: bytes | None = None) -> VerifiedPayload:
    """Payload of an envelope, or an error."""
    envelope = Envelope.parse(data)
    return envelope.verified(outcomes(envelope), expected_key)


def examine_bytes(
    data: bytes, invitation: str, model: bytes | None = None, floor: Floor | None = None
) -> Examination:
    """All eleven checks, check 10 with the model given."""
    try:
        envelope = Envelope.parse(data)
    except EnvelopeError as problem:
        return refused_envelope(problem)
    examination = examine(envelope, outcomes(envelope), Invitation.parse_fragment(invitation), floor)
    if not examination.must_recount or model is None:
        return examination
    return Recount(examination, model).finish()
