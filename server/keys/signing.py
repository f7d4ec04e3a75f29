"""Signing a designed survey, countersigning it as an auditor, verifying it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from server.files import read_file, write_file
from server.keys.parts_folder import parts_in
from server.keys.signing_keys import verifies
from shared.checks import Floor
from shared.envelope import PAYLOAD_TYPE, Envelope, VerifiedPayload, pre_authentication_encoding
from shared.errors import InputError, KeyFileError, SignatureError
from shared.invitation import Invitation
from shared.limits import MAX_ENVELOPE_BYTES, MAX_SPECIFICATION_BYTES
from shared.parts import Parts, no_parts
from shared.soundness import Examination, examine
from shared.specification import Specification

DESIGN_FILE: Final = "design.json"
ENVELOPE_FILE: Final = "survey.dsse.json"
MODEL_FILE: Final = "model.csv"
ROLL_FILE: Final = "roll.txt"
SALT_FILE: Final = "model.salt"


def envelope_at(path: Path) -> Path:
    """The file of a signed survey, which may be named by its folder."""
    return path / ENVELOPE_FILE if path.is_dir() else path


def sign_design(folder: Path, key: Ed25519PrivateKey) -> VerifiedPayload:
    """Sign ``design.json`` as the organizer; writes ``survey.dsse.json`` beside it.

    Guarantee: nothing is signed that the checks of a respondent's device would refuse.

    Raises
    ------
    SpecificationError, SoundnessError
        If the design is malformed or unsound.
    InputError
        If there is no design, or it is signed already with other contents.
    """
    payload = read_file(folder / DESIGN_FILE, "a design; run roomful design first", MAX_SPECIFICATION_BYTES)
    parts = parts_in(folder)
    _require_spare(Specification.parse(payload, parts), key)
    envelope = _add(Envelope(payload=payload, signatures=()), key)
    _refuse_unsound(envelope, parts)
    path = folder / ENVELOPE_FILE
    if path.exists() and path.read_bytes() != envelope.to_bytes():
        raise InputError(
            "another signed survey is there",
            where=str(path),
            remedy="Move it away if it was never published.",
        )
    write_file(path, envelope.to_bytes())
    return verify_envelope(envelope, None)


def _require_spare(specification: Specification, key: Ed25519PrivateKey) -> None:
    """A spare key that is the signing key itself would be lost together with it."""
    invited = specification.invited
    if invited is not None and key.public_key().public_bytes_raw() in invited.spare_keys:
        raise KeyFileError(
            "this key is a spare key of the survey, and cannot stand in for itself",
            where="invited.spare_keys",
            expected="another key to sign with",
            remedy="Sign with the other key, or name another spare key and design again.",
        )


def countersign(path: Path, key: Ed25519PrivateKey) -> VerifiedPayload:
    """Add an auditor's signature to a signed survey.

    Raises
    ------
    SignatureError
        If a signature in it does not verify, or the key has signed already.
    SoundnessError
        If a check refuses it.
    """
    envelope = Envelope.parse(read_file(path, "a signed survey", MAX_ENVELOPE_BYTES))
    verify_envelope(envelope, None)
    _refuse_unsound(envelope, parts_in(path.parent))
    if any(public == key.public_key().public_bytes_raw() for public, _ in envelope.signatures):
        raise SignatureError("this key has signed already", where=str(path), expected="another key")
    signed = _add(envelope, key)
    write_file(path, signed.to_bytes())
    return verify_envelope(signed, None)


def verify_envelope(envelope: Envelope, expected_key: bytes | None) -> VerifiedPayload:
    """Payload of an envelope all of whose signatures verify.

    Raises
    ------
    SignatureError
        If one does not, or the organizer's is by another key than the expected one.
    """
    return envelope.verified([verifies(claim) for claim in envelope.claims], expected_key)


def examine_envelope(
    envelope: Envelope, invitation: Invitation, floor: Floor | None = None, parts: Parts = no_parts
) -> Examination:
    """The checks of a respondent's device on all parts, with this platform's signature primitive."""
    return examine(envelope, [verifies(claim) for claim in envelope.claims], invitation, floor, parts)


def _add(envelope: Envelope, key: Ed25519PrivateKey) -> Envelope:
    message = pre_authentication_encoding(PAYLOAD_TYPE, envelope.payload)
    return envelope.with_signature(key.public_key().public_bytes_raw(), key.sign(message))


def _refuse_unsound(envelope: Envelope, parts: Parts) -> None:
    payload = verify_envelope(envelope, None)
    invitation = Invitation(digest=payload.digest, organizer_key=payload.organizer_key)
    refusal = examine_envelope(envelope, invitation, parts=parts).refusal
    if refusal is not None and refusal.error is not None:
        raise refusal.error
