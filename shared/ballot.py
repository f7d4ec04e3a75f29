"""The ballot: what an invited respondent's device gives to the collector, and nobody else can read.

Two layers of HPKE. The inner one, the box, holds the answers for the trustees: the bytes of
:func:`shared.submission.encode`, padded to a size class. The ballot puts cell and token beside the box, and
the outer layer seals all of it to the collector, so that a relay in between sees only a length. Layout of a
ballot, integers big endian::

    version 1 (1 byte) || cell (4) || token prefix (32) || token signature (384) || box
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from shared.errors import SubmissionError
from shared.invited import Invited
from shared.limits import SIZE_CLASSES, TOKEN_KEY_BYTES
from shared.sealing import Suite
from shared.specification import Specification
from shared.token import PREFIX_BYTES, Token

VERSION = 1
CONTENT_TYPE = "application/vnd.roomful.ballot"
HEAD_BYTES = 1 + 4 + PREFIX_BYTES + TOKEN_KEY_BYTES
"""Bytes of a ballot before its box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """One token's sealed answers.

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
        return f"Ballot({len(self.box)} sealed bytes)"

    def to_bytes(self) -> bytes:
        """The ballot as it is sealed to the collector, exported and hashed."""
        head = VERSION.to_bytes(1, "big") + self.cell.to_bytes(4, "big")
        return head + self.token.prefix + self.token.signature + self.box

    @property
    def receipt(self) -> str:
        """SHA-256 of the bytes, hexadecimal: what the public board lists."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    @classmethod
    def parse(cls, data: bytes, specification: Specification) -> Ballot:
        """Read a ballot; run by the collector and by the trustees' tool.

        Guarantee: for all bytes, either a :class:`SubmissionError`, or a ballot whose cell exists and whose
        box has a length that sealing one size class gives. The token is not verified here.

        Raises
        ------
        SubmissionError
            With the code ``ballot.form`` or ``ballot.cell``.
        """
        invited = require_invited(specification)
        if len(data) - HEAD_BYTES not in box_lengths(invited.suite) or data[0] != VERSION:
            raise SubmissionError(
                "this is not a ballot",
                where="ballot",
                expected=f"version {VERSION} and one of the lengths of this suite",
                code="ballot.form",
            )
        cell = int.from_bytes(data[1:5], "big")
        if cell >= specification.cells.count:
            raise SubmissionError(
                "there is no such cell",
                where="cell",
                expected=f"0 to {specification.cells.count - 1}",
                code="ballot.cell",
            )
        signature_at = 5 + PREFIX_BYTES
        token = Token(prefix=data[5:signature_at], signature=data[signature_at:HEAD_BYTES])
        return cls(cell=cell, token=token, box=data[HEAD_BYTES:])


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


def box_lengths(suite: Suite) -> tuple[int, ...]:
    """Lengths that a box can have: each size class, sealed."""
    return tuple(size + suite.overhead for size in SIZE_CLASSES)


def envelope_lengths(suite: Suite) -> tuple[int, ...]:
    """Lengths of a ballot sealed to the collector: what travels, and all that a relay can tell apart."""
    return tuple(HEAD_BYTES + length + suite.overhead for length in box_lengths(suite))
