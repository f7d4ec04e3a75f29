"""A trustee's statement key, derived from her share, and the statements that she signs with it.

References
----------
RFC 5869 (HKDF).
"""

from __future__ import annotations

from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from shamir_mnemonic.share import Share as LibraryShare

from server.release.trustees.shares import Share
from shared.errors import OpeningError
from shared.invited import Invited
from shared.statements import Stated, Statement

_KEY_LABEL: Final = b"roomful-statement-key/1"


def sign_statement(stated: Stated, share: Share) -> Statement:
    """The statement of the owner of a share; the same each time."""
    signature = statement_key(share).sign(stated.message(share.number))
    return Statement(stated=stated, trustee=share.number, signature=signature)


def statement_key(share: Share) -> Ed25519PrivateKey:
    """The key with which the owner of a share signs.

    HKDF with SHA-256 and no salt over the share's 32 bytes; ``info`` is ``roomful-statement-key/1`` ||
    ceremony (2 bytes, big endian) || number of the share (1) || threshold (1).

    Guarantee: the public half says of the share only what a hash of 32 random bytes says.
    """
    place = share.ceremony.to_bytes(2, "big") + bytes((share.number, share.threshold))
    derived = HKDF(SHA256(), 32, salt=None, info=_KEY_LABEL + place)
    return Ed25519PrivateKey.from_private_bytes(derived.derive(LibraryShare.from_mnemonic(share.words).value))


def public_statement_key(share: Share) -> bytes:
    """Its public half, 32 bytes."""
    return statement_key(share).public_key().public_bytes_raw()


def require_statement_key(invited: Invited, share: Share) -> None:
    """Refuse a share whose statement key is not the one that was signed.

    Raises
    ------
    OpeningError
        With the code ``opening.share-of-another-key``.
    """
    keys = invited.statement_keys
    if share.number > len(keys) or public_statement_key(share) != keys[share.number - 1]:
        raise OpeningError(
            "this share is not one of those that the specification was signed for",
            where=share.where,
            expected=f"share {share.number} of the ceremony in which the key of this survey was made",
            remedy="Compare the words of the opening key on the share with those of the survey.",
            code="opening.share-of-another-key",
        )
