"""The box of an election's ballot: encrypted choices that can be added but are never decrypted one by one.

A ballot is that of :mod:`shared.ballot`, with the contests (:mod:`shared.election.contest`), one after the
other, where a survey's ballot has answers sealed to the trustees. All boxes of an election have one length.
"""

from __future__ import annotations

from dataclasses import dataclass

from shared.ballot import UnsignedBallot
from shared.election.contest import EncryptedContest
from shared.election.terms import Terms, contest_bytes
from shared.errors import ElectionError, SubmissionError


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EncryptedVote:
    """What one ballot says, its proofs not yet verified.

    Attributes
    ----------
    cell : int
        Index of the box of the electorate that the ballot belongs to.
    device_key : bytes
        K, 32 bytes: the proofs are made for this key alone.
    contests : tuple of EncryptedContest
    """

    cell: int
    device_key: bytes
    contests: tuple[EncryptedContest, ...]

    def to_bytes(self) -> bytes:
        """The box."""
        return b"".join(contest.to_bytes() for contest in self.contests)

    @classmethod
    def of(cls, ballot: UnsignedBallot, terms: Terms) -> EncryptedVote:
        """Read the box of a ballot; run by the collector and by whoever verifies.

        Guarantee: for all bytes, either a :class:`SubmissionError`, or a vote with
        ``to_bytes() == ballot.box``, whose numbers are below L and in which no element is the identity.

        Raises
        ------
        SubmissionError
            With the code ``ballot.form``, ``ballot.number`` or ``ballot.element``.
        """
        if len(ballot.box) != terms.box_bytes:
            raise SubmissionError(
                "this is no vote of this election",
                where="box",
                expected=f"{terms.box_bytes} bytes",
                code="ballot.form",
            )
        contests, start = [], 0
        for number, choices in enumerate(terms.choices):
            end = start + contest_bytes(choices)
            try:
                contests.append(EncryptedContest.parse(ballot.box[start:end], choices))
            except ElectionError as error:
                raise of_ballot(error, number) from None
            start = end
        return cls(cell=ballot.cell, device_key=ballot.token.device_key, contests=tuple(contests))


def of_ballot(error: ElectionError, contest: int) -> SubmissionError:
    """What is wrong with a number or an element, as an error of the ballot that holds it."""
    place = f"contest {contest + 1}"
    if error.code == "election.scalar":
        return SubmissionError(error.message, where=place, expected=error.expected, code="ballot.number")
    return SubmissionError(error.message, where=place, expected=error.expected, code="ballot.element")
