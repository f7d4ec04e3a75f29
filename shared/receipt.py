"""The receipt that a respondent keeps: enough to find her ballot on the board, nothing about its contents.

Text form: ``ROOMFUL-RECEIPT:<survey id, 16 hex>:<SHA-256 of the ballot, 64 hex>`` in capitals, so that a QR
code holds it in its alphanumeric mode. Reading is forgiving: a whole letter or file around it, blanks and
line breaks inside the digits, small letters, and the 64 digits alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from shared.envelope import survey_id
from shared.errors import BoardError

PREFIX = "ROOMFUL-RECEIPT:"
_TEXT = re.compile(
    r"ROOMFUL-RECEIPT\s*:\s*((?:[0-9A-F]\s*){16}):\s*((?:[0-9A-F]\s*){63}[0-9A-F])(?![0-9A-F])"
)
_DIGITS = re.compile(r"\s*((?:[0-9A-F]\s*){64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotReceipt:
    """A respondent's receipt.

    Attributes
    ----------
    survey : str or None
        Id of the survey; None if only the digits were given.
    digest : bytes
        SHA-256 of the ballot.
    """

    survey: str | None
    digest: bytes

    @classmethod
    def of(cls, specification_digest: str, receipt: str) -> BallotReceipt:
        """The receipt of a survey's ballot; `receipt` as the collector answered it, hexadecimal."""
        return cls(survey=survey_id(specification_digest), digest=bytes.fromhex(receipt))

    @classmethod
    def parse(cls, text: str) -> BallotReceipt:
        """Find the receipt in a text.

        Raises
        ------
        BoardError
            With the code ``board.receipt-form`` if there is none, or more than one.
        """
        upper = text.upper()
        found = {
            (re.sub(r"\s", "", survey), re.sub(r"\s", "", digest)) for survey, digest in _TEXT.findall(upper)
        }
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
        survey, digest = found.pop()
        return cls(survey=survey.lower(), digest=bytes.fromhex(digest))

    def to_text(self) -> str:
        """The text form.

        Raises
        ------
        ValueError
            If the survey is not known.
        """
        if self.survey is None:
            raise ValueError("a receipt without its survey has no text form")
        return f"{PREFIX}{self.survey.upper()}:{self.digest.hex().upper()}"
