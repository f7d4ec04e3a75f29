"""What is known of an election before any ballot: all that proofs are bound to."""

from __future__ import annotations

from dataclasses import dataclass

from shared.election.group import ELEMENT_BYTES, IDENTITY
from shared.limits import MAX_CONTEST_CHOICES, MIN_CONTEST_CHOICES


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a ballot, a decryption and a result refer to.

    Attributes
    ----------
    digest : str
        SHA-256 of the specification, hexadecimal.
    key : bytes
        The election's key Y, the encoding of an element that is not the identity.
    choices : tuple of int
        How many choices each contest has, 2 to 50.
    cells : int
        How many boxes there are.
    """

    digest: str
    key: bytes
    choices: tuple[int, ...]
    cells: int

    def __post_init__(self) -> None:
        if len(bytes.fromhex(self.digest)) != 32 or len(self.key) != ELEMENT_BYTES or self.key == IDENTITY:
            raise ValueError("a digest and a key have 32 bytes, and no key is the identity")
        if not self.choices or not all(MIN_CONTEST_CHOICES <= m <= MAX_CONTEST_CHOICES for m in self.choices):
            raise ValueError(
                f"a contest has {MIN_CONTEST_CHOICES} to {MAX_CONTEST_CHOICES} choices, and there is one"
            )
        if self.cells < 1:
            raise ValueError("there is at least one box")

    @property
    def box_bytes(self) -> int:
        """Length of every box."""
        return sum(map(contest_bytes, self.choices))


def contest_bytes(choices: int) -> int:
    """Length of a contest with so many choices (:mod:`shared.election.contest`)."""
    return 288 * choices + 128
