"""The trustees of an election: keys that lie on one polynomial, and what so many of them can do.

Nobody has the secret of the key Y. Trustee i has x_i, the value of a polynomial of degree t - 1 at i, and
VK_i = x_i G is public; Y is the polynomial's value at 0, times G.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from shared import base64url
from shared.edwards import L
from shared.election import schnorr
from shared.election.group import ELEMENT_BYTES, Group, PythonGroup
from shared.election.hashing import u16
from shared.election.schnorr import Proof
from shared.errors import ElectionError, RoomfulError
from shared.fields import Fields
from shared.limits import MAX_TRUSTEES

GROUP_NAME: Final = "ristretto255"
_SPECIFICATION: Final = "roomful-election-key/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trustees:
    """Keys of an election, in a specification or at the end of a ceremony.

    Attributes
    ----------
    key : bytes
        Y.
    verification_keys : tuple of bytes, length n
        VK_1 to VK_n.
    threshold : int
        t, at least 2: so many decrypt together.
    transcript : str
        SHA-256 of the public messages of the ceremony, hexadecimal.
    """

    key: bytes
    verification_keys: tuple[bytes, ...]
    threshold: int
    transcript: str

    def __post_init__(self) -> None:
        if not 2 <= self.threshold <= len(self.verification_keys) <= MAX_TRUSTEES:
            raise ValueError("at least two trustees decrypt together, and not more than there are")

    def to_object(self) -> dict[str, Any]:
        """What a specification or a key file says beside key and threshold."""
        return {
            "group": GROUP_NAME,
            "verification_keys": [base64url.encode(key) for key in self.verification_keys],
            "transcript": self.transcript,
        }

    @classmethod
    def parse(
        cls, value: Any, where: str, *, key: bytes, threshold: int, shares: int, error: type[RoomfulError]
    ) -> Self:
        """Read :meth:`to_object`.

        Guarantee: for all values, either an error, or keys of one polynomial.

        Raises
        ------
        ElectionError
            As :meth:`require_one_polynomial`.
        """
        fields = Fields(value, where, ("group", "verification_keys", "transcript"), error=error)
        fields.choice("group", (GROUP_NAME,))
        keys = tuple(base64url.decode(text) or b"" for text in fields.texts("verification_keys", shares))
        if len(keys) != shares or len(key) != ELEMENT_BYTES:
            raise fields.fail("verification_keys", f"{len(keys)} keys stand here", f"{shares}")
        found = cls(
            key=key,
            verification_keys=keys,
            threshold=threshold,
            transcript=fields.digest("transcript"),
        )
        found.require_one_polynomial(PythonGroup())
        return found

    def require_one_polynomial(self, group: Group) -> None:
        """Refuse keys that t trustees cannot decrypt with, whichever t they are.

        Raises
        ------
        ElectionError
            ``election.element`` for an identity or what is no element; ``election.key`` if Y or one of
            VK_{t+1} to VK_n is not the value of the polynomial through VK_1 to VK_t.

        Notes
        -----
        Guarantee: if it returns, every t of the secrets behind the verification keys decrypt what is
        encrypted with Y.
        """
        group.require((self.key, *self.verification_keys))
        first = self.verification_keys[: self.threshold]
        numbers = range(1, self.threshold + 1)
        for at in (0, *range(self.threshold + 1, len(self.verification_keys) + 1)):
            expected = self.verification_keys[at - 1] if at else self.key
            if group.combine(lagrange(numbers, at), first) != expected:
                raise ElectionError(
                    "the keys do not belong together",
                    where=f"verification key {at}" if at else "key",
                    expected="the keys of one ceremony",
                    remedy="Take no part in this election.",
                    code="election.key",
                )


def lagrange(numbers: Sequence[int], at: int = 0) -> tuple[int, ...]:
    """Coefficients, modulo L, that give a polynomial's value at a place from those at distinct numbers."""
    found = []
    for i in numbers:
        above = below = 1
        for j in numbers:
            if j != i:
                above, below = above * (j - at) % L, below * (j - i) % L
        found.append(above * pow(below, -1, L) % L)
    return tuple(found)


def sign_specification(secret: int, trustee: int, digest: str, fresh: bytes, group: Group) -> Proof:
    """A trustee's signature that her key is for this specification; she gives it for one alone."""
    return schnorr.prove(secret, _SPECIFICATION, _parts(digest, trustee), fresh, group)


def verify_specification(trustees: Trustees, digest: str, signatures: Sequence[Proof], group: Group) -> None:
    """Verify that all n trustees signed the specification that names them.

    Raises
    ------
    ElectionError
        With the code ``election.key-signature``.
    """
    if len(signatures) != len(trustees.verification_keys):
        raise _not_signed(f"{len(signatures)} signatures", "one of each trustee")
    for number, (key, signature) in enumerate(zip(trustees.verification_keys, signatures, strict=True), 1):
        try:
            schnorr.verify(key, signature, _SPECIFICATION, _parts(digest, number), group)
        except ElectionError:
            raise _not_signed(f"trustee {number}", "her signature of this specification") from None


def _parts(digest: str, trustee: int) -> tuple[bytes, ...]:
    return bytes.fromhex(digest), u16(trustee)


def _not_signed(where: str, expected: str) -> ElectionError:
    return ElectionError(
        "the specification is not signed by the keys that it names",
        where=where,
        expected=expected,
        remedy="Take no part in this election.",
        code="election.key-signature",
    )
