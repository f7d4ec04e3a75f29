"""One contest of a ballot: an encrypted 0 or 1 for each choice, and the proofs that exactly one is 1.

Layout for m choices, 288 m + 128 bytes::

    m x (R, S) || m x (A0, B0, A1, B1) || As || Bs || e || m x (c0, z0, z1) || zs

Elements have 32 bytes; numbers too, little-endian and below L. R = rG, S = rY + vG.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from shared.edwards import L
from shared.election.group import ELEMENT_BYTES, IDENTITY, decode_scalar, encode_scalar, not_an_element
from shared.election.hashing import hash_scalar, u16, u32
from shared.election.terms import Terms

Ciphertext = tuple[bytes, bytes]
"""R and S."""
Commitments = tuple[bytes, bytes, bytes, bytes]
"""A0, B0, A1 and B1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a contest stands: what its proofs are bound to beside the terms.

    Attributes
    ----------
    device_key : bytes
        K, 32 bytes.
    cell : int
        Index of the box.
    contest : int
        Index of the contest.
    """

    device_key: bytes
    cell: int
    contest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptedContest:
    """A contest as it stands in a ballot, its proofs not yet verified.

    Attributes
    ----------
    ciphertexts : tuple of (bytes, bytes), length m
    commitments : tuple of (bytes, bytes, bytes, bytes), length m
    sum_commitments : (bytes, bytes)
        As and Bs.
    challenge : int
        e.
    responses : tuple of (int, int, int), length m
        c0, z0 and z1; c1 = e - c0.
    sum_response : int
        zs.
    """

    ciphertexts: tuple[Ciphertext, ...]
    commitments: tuple[Commitments, ...]
    sum_commitments: tuple[bytes, bytes]
    challenge: int
    responses: tuple[tuple[int, int, int], ...]
    sum_response: int

    @property
    def elements(self) -> tuple[bytes, ...]:
        """R, S, A and B of everything."""
        return (*chain(*self.ciphertexts), *chain(*self.commitments), *self.sum_commitments)

    def to_bytes(self) -> bytes:
        """The layout above."""
        numbers = (self.challenge, *chain(*self.responses), self.sum_response)
        return b"".join(self.elements) + b"".join(map(encode_scalar, numbers))

    @classmethod
    def parse(cls, data: bytes, choices: int) -> EncryptedContest:
        """Read :func:`shared.election.terms.contest_bytes` bytes.

        Raises
        ------
        ElectionError
            ``election.scalar`` for a number of L or more, ``election.element`` for an identity. Whether the
            others are elements, is asked where they are used.
        """
        words = [data[i : i + ELEMENT_BYTES] for i in range(0, len(data), ELEMENT_BYTES)]
        elements, numbers = words[: 6 * choices + 2], [decode_scalar(w) for w in words[6 * choices + 2 :]]
        if IDENTITY in elements:
            raise not_an_element()
        pairs, fours = elements[: 2 * choices], elements[2 * choices : -2]
        return cls(
            ciphertexts=tuple((pairs[i], pairs[i + 1]) for i in range(0, len(pairs), 2)),
            commitments=tuple(
                (fours[i], fours[i + 1], fours[i + 2], fours[i + 3]) for i in range(0, len(fours), 4)
            ),
            sum_commitments=(elements[-2], elements[-1]),
            challenge=numbers[0],
            responses=tuple(
                (numbers[i], numbers[i + 1], numbers[i + 2]) for i in range(1, len(numbers) - 1, 3)
            ),
            sum_response=numbers[-1],
        )


def challenge(
    terms: Terms,
    place: Place,
    ciphertexts: Sequence[Ciphertext],
    commitments: Sequence[Commitments],
    sum_commitments: tuple[bytes, bytes],
) -> int:
    """e: the hash of everything that is proven, and of all commitments, those to the sum among them.

    H("roomful-election/1", digest, K, cell u32, contest u16, m u16, Y, all R and S, all A and B, As and Bs
    last). Left out, the commitments to the sum could be chosen after e, and a ballot with three votes would
    pass.
    """
    return hash_scalar(
        "roomful-election/1",
        bytes.fromhex(terms.digest),
        place.device_key,
        u32(place.cell),
        u16(place.contest),
        u16(len(ciphertexts)),
        terms.key,
        b"".join(chain(*ciphertexts)),
        b"".join(chain(*commitments, sum_commitments)),
    )


def other_challenge(whole: int, c0: int) -> int:
    """c1 = e - c0."""
    return (whole - c0) % L
