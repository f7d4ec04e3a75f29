"""The receipt that a respondent keeps: enough to find her ballot on the board, nothing about its contents.

Text form: ``ROOMFUL-RECEIPT:<survey id, 16 hex>:<SHA-256 of the ballot, 64 hex>``, and if the collector took
the ballot itself, ``:<its acceptance, 128 hex>`` (:mod:`shared.acceptance`); in capitals, so that a QR code
holds it in its alphanumeric mode. Reading is forgiving: a whole letter or file around it, blanks and
line breaks inside the digits, small letters, and the 64 digits alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from shared.complaint import find_sealed
from shared.envelope import survey_id
from shared.errors import BoardError

PREFIX: Final = "ROOMFUL-RECEIPT:"
_TEXT: Final = re.compile(
    r"ROOMFUL-RECEIPT\s*:\s*((?:[0-9A-F]\s*){16}):\s*((?:[0-9A-F]\s*){63}[0-9A-F])(?![0-9A-F])"
    r"(?:\s*:\s*((?:[0-9A-F]\s*){127}[0-9A-F])(?![0-9A-F]))?"
)
_DIGITS: Final = re.compile(r"\s*((?:[0-9A-F]\s*){64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotReceipt:
    """A respondent's receipt.

    Attributes
    ----------
    survey : str or None
        Id of the survey; None if only the digits were given.
    digest : bytes
        SHA-256 of the ballot.
    acceptance : bytes
        The collector's signature over it, or a relay's over the sealed ballot, not verified; empty if it is
        not known.
    sealed : bytes
        The sealed ballot of an election, if it stands beside the receipt; else empty.
    """

    survey: str | None
    digest: bytes
    acceptance: bytes = b""
    sealed: bytes = b""

    @classmethod
    def of(cls, specification_digest: str, receipt: str, acceptance: bytes = b"") -> BallotReceipt:
        """The receipt of a survey's ballot; `receipt` as the collector answered it, hexadecimal."""
        survey = survey_id(specification_digest)
        return cls(survey=survey, digest=bytes.fromhex(receipt), acceptance=acceptance)

    @classmethod
    def parse(cls, text: str) -> BallotReceipt:
        """Find the receipt in a text.

        Raises
        ------
        BoardError
            With the code ``board.receipt-form`` if there is none, or more than one.
        """
        upper = text.upper()
        found = {tuple(re.sub(r"\s", "", part) for part in parts) for parts in _TEXT.findall(upper)}
        alone = _DIGITS.fullmatch(upper)
        if not found and alone:
            return cls(survey=None, digest=bytes.fromhex(re.sub(r"\s", "", alone[1])))
        if len(found) != 1:
            raise BoardError(
                "several receipts stand here" if found else "no receipt stands here",
                where="receipt",
                expected=f"{PREFIX}... or 64 hexadecimal digits",
                code="board.receipt-form",
            )
        survey, digest, acceptance = found.pop()
        return cls(
            survey=survey.lower(),
            digest=bytes.fromhex(digest),
            acceptance=bytes.fromhex(acceptance),
            sealed=find_sealed(text) or b"",
        )

    def to_text(self) -> str:
        """The text form.

        Raises
        ------
        ValueError
            If the survey is not known.
        """
        if self.survey is None:
            raise ValueError("a receipt without its survey has no text form")
        parts = (self.survey, self.digest.hex(), *([self.acceptance.hex()] if self.acceptance else ()))
        return f"{PREFIX}{':'.join(parts).upper()}"
