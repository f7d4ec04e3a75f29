"""The ballot of an election: encrypted choices that can be added but are never decrypted one by one.

Layout, integers big-endian, one length for all ballots of an election::

    version 1 (1 byte) || cell (4) || token prefix (32) || device key K (32) || token signature (384)
    || contests (:mod:`shared.election.contest`) || Ed25519 signature by K (64)

What is signed is ``roomful-election-ballot/1`` || SHA-256 of the specification (32 bytes) || everything
before the signature.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from shared import ed25519
from shared.ballot import not_signed
from shared.election.contest import EncryptedContest, contest_bytes
from shared.election.terms import Terms
from shared.errors import ElectionError, SubmissionError
from shared.token import PREFIX_BYTES, TOKEN_BYTES, Token
from shared.words import digest_words

VERSION: Final = 1
HEAD_BYTES: Final = 1 + 4 + TOKEN_BYTES
_SIGNED: Final = b"roomful-election-ballot/1"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UnsignedBallot:
    """A ballot before its device key has signed it: what a voter sees words of, and may test.

    Attributes
    ----------
    cell : int
    token : Token
    contests : tuple of EncryptedContest
    """

    cell: int
    token: Token
    contests: tuple[EncryptedContest, ...]

    @property
    def body(self) -> bytes:
        """Everything before the signature."""
        token = self.token
        head = bytes((VERSION,)) + self.cell.to_bytes(4, "big") + token.prefix + token.device_key
        return head + token.signature + b"".join(contest.to_bytes() for contest in self.contests)

    @property
    def words(self) -> str:
        """Words of SHA-256 of the body: shown before the voter chooses to cast or to test."""
        return digest_words(hashlib.sha256(self.body).hexdigest())

    def to_be_signed(self, specification_digest: str) -> bytes:
        """What the device key signs."""
        return _SIGNED + bytes.fromhex(specification_digest) + self.body

    def signed(self, signature: bytes) -> ElectionBallot:
        """The ballot."""
        return ElectionBallot(cell=self.cell, token=self.token, contests=self.contests, signature=signature)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ElectionBallot(UnsignedBallot):
    """A ballot of the right form; token, signature and proofs are not yet verified.

    Attributes
    ----------
    signature : bytes
        By the token's device key, 64 bytes.
    """

    signature: bytes

    def to_bytes(self) -> bytes:
        """The ballot as it is sealed to the collector, published and hashed."""
        return self.body + self.signature

    @property
    def receipt(self) -> str:
        """SHA-256 of the bytes, hexadecimal: what the public board lists."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def verify_signature(self, specification_digest: str) -> None:
        """Verify that the holder of the token made exactly this ballot.

        Raises
        ------
        SubmissionError
            With the code ``ballot.signature``.
        """
        message = self.to_be_signed(specification_digest)
        if not ed25519.verifies(self.token.device_key, self.signature, message):
            raise not_signed()

    @classmethod
    def parse(cls, data: bytes, terms: Terms) -> ElectionBallot:
        """Read a ballot; run by the collector and by whoever verifies.

        Guarantee: for all bytes, either a :class:`SubmissionError`, or a ballot with ``to_bytes() == data``,
        whose box exists, whose numbers are below L and in which no element is the identity.

        Raises
        ------
        SubmissionError
            With the code ``ballot.form``, ``ballot.cell``, ``ballot.number`` or ``ballot.element``.
        """
        if len(data) != ballot_bytes(terms) or data[0] != VERSION:
            raise SubmissionError(
                "this is not a ballot of this election",
                where="ballot",
                expected=f"version {VERSION} and {ballot_bytes(terms)} bytes",
                code="ballot.form",
            )
        cell = int.from_bytes(data[1:5], "big")
        if cell >= terms.cells:
            raise SubmissionError(
                "there is no such box", where="cell", expected=f"0 to {terms.cells - 1}", code="ballot.cell"
            )
        key_at = 5 + PREFIX_BYTES
        signature_at = key_at + ed25519.KEY_BYTES
        token = Token(
            prefix=data[5:key_at],
            device_key=data[key_at:signature_at],
            signature=data[signature_at:HEAD_BYTES],
        )
        contests, start = [], HEAD_BYTES
        for number, choices in enumerate(terms.choices):
            end = start + contest_bytes(choices)
            try:
                contests.append(EncryptedContest.parse(data[start:end], choices))
            except ElectionError as error:
                raise of_ballot(error, number) from None
            start = end
        return cls(cell=cell, token=token, contests=tuple(contests), signature=data[start:])


def ballot_bytes(terms: Terms) -> int:
    """Length of every ballot of an election."""
    return HEAD_BYTES + sum(map(contest_bytes, terms.choices)) + ed25519.SIGNATURE_BYTES


def of_ballot(error: ElectionError, contest: int) -> SubmissionError:
    """What is wrong with a number or an element, as an error of the ballot that holds it."""
    place = f"contest {contest + 1}"
    if error.code == "election.scalar":
        return SubmissionError(error.message, where=place, expected=error.expected, code="ballot.number")
    return SubmissionError(error.message, where=place, expected=error.expected, code="ballot.element")
