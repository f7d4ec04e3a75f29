"""The ballot: what an invited respondent's device gives to the collector, and nobody else can read.

Two layers of HPKE. The inner one, the box, holds the answers for the trustees: the bytes of
:func:`shared.submission.encode`, all of one length. Of an election it is no HPKE but encrypted choices that
can be added (:mod:`shared.election.vote`). The ballot puts cell and token beside the box, and the
one-time key in the token signs all of it: whoever changes the cell, the token or the box has no ballot any
more. The outer layer seals it to the collector, so that a relay in between sees nothing: not even the length
tells one ballot of a survey from another. Layout of a ballot, integers big endian::

    version 2 (1 byte) || cell (4) || token prefix (32) || device key (32) || token signature (384) || box
    || signature by the device key (64)

What is signed is ``roomful-ballot-signature/1`` || SHA-256 of the specification (32 bytes) || everything
before the signature.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from shared import ed25519
from shared.election.contests import sizes_of
from shared.election.terms import contest_bytes
from shared.errors import SubmissionError
from shared.invited import Invited
from shared.limits import MAX_MESSAGE_BYTES
from shared.sealing import SUITES
from shared.specification import Specification
from shared.token import PREFIX_BYTES, TOKEN_BYTES, Token
from shared.words import digest_words

VERSION: Final = 2
CONTENT_TYPE: Final = "application/vnd.roomful.ballot"
HEAD_BYTES: Final = 1 + 4 + TOKEN_BYTES
"""Bytes of a ballot before its box."""
TAIL_BYTES: Final = ed25519.SIGNATURE_BYTES
"""Bytes after it."""
_SIGNED: Final = b"roomful-ballot-signature/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsignedBallot:
    """A ballot before its device key has signed it.

    Attributes
    ----------
    cell : int
        Index of the respondent's cell.
    token : Token
        Spent by this ballot.
    box : bytes
        The answers, sealed to the trustees: encapsulated key || ciphertext.
    """

    cell: int
    token: Token
    box: bytes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.box)} sealed bytes)"

    @property
    def body(self) -> bytes:
        """Everything before the signature."""
        token = self.token
        head = VERSION.to_bytes(1, "big") + self.cell.to_bytes(4, "big")
        return head + token.prefix + token.device_key + token.signature + self.box

    @property
    def words(self) -> str:
        """Words of SHA-256 of the body: of an election, shown before the voter casts or tests it."""
        return digest_words(hashlib.sha256(self.body).hexdigest())

    def to_be_signed(self, specification_digest: str) -> bytes:
        """What the device key signs."""
        return _SIGNED + bytes.fromhex(specification_digest) + self.body

    def signed(self, signature: bytes) -> Ballot:
        """The ballot."""
        return Ballot(cell=self.cell, token=self.token, box=self.box, signature=signature)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Ballot(UnsignedBallot):
    """One token's sealed answers.

    Attributes
    ----------
    signature : bytes
        By the token's device key, 64 bytes.
    """

    signature: bytes

    def to_bytes(self) -> bytes:
        """The ballot as it is sealed to the collector, exported and hashed."""
        return self.body + self.signature

    @property
    def receipt(self) -> str:
        """SHA-256 of the bytes, hexadecimal: what the public board lists."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def verify(self, specification_digest: str) -> None:
        """Verify that the holder of the token made exactly this ballot; run by the device.

        Collector and trustees do the same with a library: ``server/collection/tokens/verifying.py``. Whether
        the
        registrar signed the token, :meth:`Token.verify` says.

        Guarantee: whoever cannot sign with the device key has no second ballot with this token; not even
        another signature of the same one.

        Raises
        ------
        SubmissionError
            With the code ``ballot.signature``.
        """
        message = self.to_be_signed(specification_digest)
        if not ed25519.verifies(self.token.device_key, self.signature, message):
            raise not_signed()

    @classmethod
    def parse(cls, data: bytes, specification: Specification) -> Ballot:
        """Read a ballot; run by the collector and by the trustees' tool.

        Guarantee: for all bytes, either a :class:`SubmissionError`, or a ballot whose cell exists and whose
        box has the one length of this survey's boxes. Token, signature and box are not verified here.

        Raises
        ------
        SubmissionError
            With the code ``ballot.form`` or ``ballot.cell``.
        """
        return cls.read(data, box=box_bytes(specification), cells=specification.cells.count)

    @classmethod
    def read(cls, data: bytes, *, box: int, cells: int) -> Ballot:
        """As :meth:`parse`, where the length of a box and the number of cells are known otherwise."""
        if len(data) != HEAD_BYTES + box + TAIL_BYTES or data[0] != VERSION:
            raise SubmissionError(
                "this is not a ballot",
                where="ballot",
                expected=f"version {VERSION} and the length of this survey's ballots",
                code="ballot.form",
            )
        cell = int.from_bytes(data[1:5], "big")
        if cell >= cells:
            raise SubmissionError(
                "there is no such cell",
                where="cell",
                expected=f"0 to {cells - 1}",
                code="ballot.cell",
            )
        key_at = 5 + PREFIX_BYTES
        signature_at = key_at + ed25519.KEY_BYTES
        token = Token(
            prefix=data[5:key_at],
            device_key=data[key_at:signature_at],
            signature=data[signature_at:HEAD_BYTES],
        )
        return cls(cell=cell, token=token, box=data[HEAD_BYTES:-TAIL_BYTES], signature=data[-TAIL_BYTES:])


def not_signed() -> SubmissionError:
    """The error of a ballot that its token's device key did not sign."""
    return SubmissionError(
        "the ballot is not signed by the key of its token",
        where="ballot",
        expected="cell, token and box as the device signed them",
        remedy="Send the ballot as the device made it.",
        code="ballot.signature",
    )


def require_invited(specification: Specification) -> Invited:
    """The keys of an invited survey.

    Raises
    ------
    SubmissionError
        With the code ``ballot.open-survey`` if the survey is open to everybody.
    """
    if specification.invited is None:
        raise SubmissionError(
            "this survey takes no ballots: it is open to everybody", where="ballot", code="ballot.open-survey"
        )
    return specification.invited


def box_bytes(specification: Specification) -> int:
    """Length of every box of an invited survey: its one message length, sealed; of an election its votes."""
    invited = require_invited(specification)
    if invited.election is not None:
        return sum(map(contest_bytes, sizes_of(specification.questionnaire)))
    return specification.message_bytes + invited.suite.overhead


def envelope_bytes(specification: Specification) -> int:
    """Length of every ballot as it travels, sealed to the collector."""
    overhead = require_invited(specification).suite.overhead
    return HEAD_BYTES + box_bytes(specification) + TAIL_BYTES + overhead


def most_envelope_bytes() -> int:
    """Length of the longest ballot of any survey: the longest message in both layers of its suite."""
    overhead = max(suite.overhead for suite in SUITES.values())
    return HEAD_BYTES + MAX_MESSAGE_BYTES + TAIL_BYTES + 2 * overhead
