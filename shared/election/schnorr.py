"""Knowledge of a secret number behind an element, bound to a text: statements, signatures and coefficients.

References
----------
Schnorr: Efficient signature generation by smart cards (1991), with key and text in the hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from shared import base64url
from shared.edwards import L
from shared.election.group import GENERATOR, SCALAR_BYTES, Group, decode_scalar, encode_scalar
from shared.election.hashing import hash_scalar
from shared.errors import ElectionError

FRESH_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A challenge and its response, not yet verified.

    Attributes
    ----------
    challenge, response : int
        c and z, below L.
    """

    challenge: int
    response: int

    def to_text(self) -> str:
        """64 bytes, challenge first, in base64url."""
        return base64url.encode(encode_scalar(self.challenge) + encode_scalar(self.response))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read :meth:`to_text`.

        Raises
        ------
        ElectionError
            With the code ``election.scalar``.
        """
        data = base64url.decode(text) or b""
        return cls(challenge=decode_scalar(data[:SCALAR_BYTES]), response=decode_scalar(data[SCALAR_BYTES:]))


def nonce(secret: int, fresh: bytes, label: str, parts: Sequence[bytes]) -> int:
    """w = H("roomful-nonce/1", secret, 32 fresh random bytes, label, parts...).

    Guarantee: another text gives another nonce even if the random bytes repeat, and random bytes that nobody
    knows give one that nobody knows even if the text repeats.
    """
    if len(fresh) != FRESH_BYTES:
        raise ValueError(f"a nonce needs {FRESH_BYTES} fresh bytes")
    return hash_scalar("roomful-nonce/1", encode_scalar(secret), fresh, label.encode("ascii"), *parts)


def prove(secret: int, label: str, parts: Sequence[bytes], fresh: bytes, group: Group) -> Proof:
    """Sign the parts under a label with a secret x: c = H(label, parts..., xG, wG), z = w + c x."""
    w = nonce(secret, fresh, label, parts)
    public, commitment = (group.combine((number,), (GENERATOR,)) for number in (secret, w))
    c = hash_scalar(label, *parts, public, commitment)
    return Proof(challenge=c, response=(w + c * secret) % L)


def verify(public: bytes, proof: Proof, label: str, parts: Sequence[bytes], group: Group) -> None:
    """Verify that whoever knows the secret of `public` signed the parts under the label.

    Raises
    ------
    ElectionError
        ``election.element`` if `public` is none; ``election.proof``.
    """
    group.require((public,))
    c = proof.challenge
    commitment = group.combine((proof.response, (L - c) % L), (GENERATOR, public))
    if hash_scalar(label, *parts, public, commitment) != c:
        raise ElectionError(
            "this is not signed by the key that it names",
            expected="a proof made for exactly this",
            code="election.proof",
        )
