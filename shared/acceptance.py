"""Acceptances: signatures of those who took a ballot, so that a missing one can be proven.

The collector signs the receipt of the ballot that it opened and stored. A relay with a key in the
specification signs the sealed bytes, of which it knows no more: that it took them to pass them on.

A receipt alone is a number that anybody can make. With the acceptance it shows to everybody that the
collector had the ballot: if the board does not list it, the collector or the organizer dropped it.
"""

from __future__ import annotations

import hashlib
from typing import Final

from shared.ed25519 import SIGNATURE_BYTES
from shared.envelope import SignatureClaim
from shared.merkle import HASH_BYTES

_LABEL: Final = b"roomful-acceptance/1"
_PASSED_ON: Final = b"roomful-passed-on/1"


def acceptance_message(specification_digest: str, receipt: bytes) -> bytes:
    """What the collector signs with Ed25519.

    Layout: ``roomful-acceptance/1`` || SHA-256 of the specification (32 bytes) || receipt (32 bytes).

    Raises
    ------
    ValueError
        If the receipt has another length.
    """
    if len(receipt) != HASH_BYTES:
        raise ValueError(f"a receipt has {HASH_BYTES} bytes")
    return _LABEL + bytes.fromhex(specification_digest) + receipt


def acceptance_claim(
    acceptance_key: bytes, specification_digest: str, receipt: bytes, acceptance: bytes
) -> SignatureClaim | None:
    """What the platform's primitive has to verify; None for bytes that cannot be a signature."""
    if len(acceptance) != SIGNATURE_BYTES:
        return None
    message = acceptance_message(specification_digest, receipt)
    return SignatureClaim(public_key=acceptance_key, signature=acceptance, message=message)


def passed_on_message(specification_digest: str, sealed: bytes) -> bytes:
    """What a relay signs with Ed25519 once a sealed ballot is on its disk.

    Layout: ``roomful-passed-on/1`` || SHA-256 of the specification (32 bytes) || SHA-256 of the sealed ballot
    (32 bytes). The same bytes have the same signature, so it tells no time and no order.
    """
    return _PASSED_ON + bytes.fromhex(specification_digest) + hashlib.sha256(sealed).digest()


def passed_on_claim(
    relay_key: bytes, specification_digest: str, sealed: bytes, signature: bytes
) -> SignatureClaim | None:
    """What the platform's primitive has to verify; None for bytes that cannot be a signature."""
    if len(signature) != SIGNATURE_BYTES:
        return None
    message = passed_on_message(specification_digest, sealed)
    return SignatureClaim(public_key=relay_key, signature=signature, message=message)
