"""The ballots of an export, and the check that they are what the board says."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from shared.ballot import Ballot
from shared.checkpoint import Checkpoint, SignedCheckpoint, board_origin
from shared.envelope import Envelope
from shared.errors import OpeningError, SubmissionError
from shared.invitation import Invitation
from shared.invited import Invited, board_keys
from shared.limits import MAX_RECEIPTS
from shared.merkle import MerkleTree
from shared.soundness import examine
from shared.specification import Specification
from shared.verification.files import BALLOTS_FILE, SPECIFICATION_FILE
from shared.verification.library import Library
from shared.verification.lines import LineProgress

LENGTH_BYTES: Final = 4
"""Of the length before each ballot."""
_REMEDY: Final = (
    "Ask the collector for the export again. If it stays so, tell the other trustees: open nothing."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedSurvey:
    """A specification of an invited survey that passed the checks of a respondent's device."""

    specification: Specification
    invited: Invited
    digest: str
    organizer_key: bytes


def verified_survey(data: bytes, invitation: Invitation, library: Library) -> SignedSurvey:
    """The specification, verified as a respondent's device verifies it.

    Parameters
    ----------
    data : bytes
        The signed specification.
    invitation : Invitation
        With the organizer's key, and better with the digest too. What it lacks has to be compared in words.
    library : Library

    Raises
    ------
    VerificationError, SoundnessError, SpecificationError
        If it is not by this organizer, not this survey, malformed or unsound.
    OpeningError
        With the code ``opening.not-invited`` if the survey is open to everybody, so that nothing is sealed.
    """
    envelope = Envelope.parse(data)
    outcomes = [library.verifies(claim) for claim in envelope.claims]
    refusal = examine(envelope, outcomes, invitation).refusal
    if refusal is not None and refusal.error is not None:
        raise refusal.error
    verified = envelope.verified(outcomes, invitation.organizer_key)
    specification = Specification.parse(verified.payload)
    if specification.invited is None:
        raise OpeningError(
            "this survey is open to everybody; its answers are not sealed",
            where=SPECIFICATION_FILE,
            expected="an invited survey",
            code="opening.not-invited",
        )
    return SignedSurvey(
        specification=specification,
        invited=specification.invited,
        digest=verified.digest,
        organizer_key=verified.organizer_key,
    )


class BallotFile:
    """The ballots of an export, read as often as needed without keeping them in memory.

    Parameters
    ----------
    stream : binary file
        That can be sought in.
    specification : Specification
    """

    def __init__(self, stream: BinaryIO, specification: Specification) -> None:
        self._stream, self._specification = stream, specification
        self._size = stream.seek(0, io.SEEK_END)

    @property
    def size_bytes(self) -> int:
        """Length of the file as it was opened."""
        return self._size

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Where each ballot ends in the file, and its bytes.

        Raises
        ------
        OpeningError
            With the code ``opening.export`` where the file is cut, also while it is read, or a length is
            absurd.

        Notes
        -----
        The file is not mapped into memory: whoever shortens a mapped file ends the process that reads it.
        """
        at = 0
        while at < self._size:
            length = int.from_bytes(self._bytes(at, LENGTH_BYTES), "big")
            data = self._bytes(at, LENGTH_BYTES + length)[LENGTH_BYTES:]
            at += LENGTH_BYTES + length
            yield at, data

    def _bytes(self, at: int, number: int) -> bytes:
        data = b""
        if at + number <= self._size:
            try:
                self._stream.seek(at)
                data = self._stream.read(number)
            except OSError as problem:
                raise _wrong(f"cannot be read ({problem.strerror})", BALLOTS_FILE) from None
        if len(data) < number:
            raise _wrong("the file is cut off, or a length in it is wrong", f"{BALLOTS_FILE}, byte {at}")
        return data

    def ballots(self) -> Iterator[tuple[int, bytes, Ballot]]:
        """As :meth:`frames`, with the ballot itself.

        Raises
        ------
        OpeningError
            With the code ``opening.export`` for anything that is not a ballot of this survey.
        """
        for number, (end, data) in enumerate(self.frames(), 1):
            try:
                ballot = Ballot.parse(data, self._specification)
            except SubmissionError as problem:
                raise _wrong(
                    f"an entry is not a ballot of this survey ({problem.code}: {problem.message})",
                    f"{BALLOTS_FILE}, entry {number}",
                ) from None
            yield end, data, ballot


def verified_checkpoint(data: bytes, survey: SignedSurvey, library: Library) -> Checkpoint:
    """What the organizer signed about this survey's board.

    Raises
    ------
    BoardError
        With the code ``board.checkpoint``.
    """
    signed = SignedCheckpoint.parse(data)
    keys = board_keys(survey.organizer_key, survey.invited)
    outcomes = [library.verifies(claim) for claim in signed.claims(keys)]
    return signed.verified(outcomes, keys, board_origin(survey.digest))


def verify_export(
    note: bytes, survey: SignedSurvey, ballots: BallotFile, library: Library, progress: LineProgress
) -> tuple[bytes, tuple[bytes, ...]]:
    """Check that the ballots are exactly those that the organizer signed on the board.

    Parameters
    ----------
    note : bytes
        The board's checkpoint.
    survey : SignedSurvey
    ballots : BallotFile
    library : Library
    progress : LineProgress

    Returns
    -------
    root : bytes
        Root of the tree over the receipts.
    receipts : tuple of bytes
        SHA-256 of each ballot, ascending.

    Raises
    ------
    BoardError
        With the code ``board.checkpoint`` if the checkpoint is malformed, of another survey or by another
        key.
    OpeningError
        With the code ``opening.export`` if a ballot was removed, added, changed, doubled or moved.

    Notes
    -----
    Guarantee: if it returns, the ballots of the file are those under the root that the organizer signed, or
    SHA-256 has a collision.
    """
    checkpoint = verified_checkpoint(note, survey, library)
    receipts: list[bytes] = []
    for end, data, _ in ballots.ballots():
        receipt = hashlib.sha256(data).digest()
        if receipts and receipts[-1] >= receipt:
            twice = receipts[-1] == receipt
            raise _wrong(
                "a ballot stands twice" if twice else "the ballots are not in the order of their receipts",
                f"{BALLOTS_FILE}, entry {len(receipts) + 1}",
            )
        receipts.append(receipt)
        if len(receipts) > MAX_RECEIPTS:
            raise _wrong("there are too many ballots", BALLOTS_FILE)
        progress("receipts", end, ballots.size_bytes)
    if len(receipts) != checkpoint.size:
        raise _wrong(f"{len(receipts)} ballots are here, and the board lists {checkpoint.size}", BALLOTS_FILE)
    root = MerkleTree.of(receipts).root
    if root != checkpoint.root:
        raise _wrong("the ballots are not those on the board: at least one differs", BALLOTS_FILE)
    return root, tuple(receipts)


def _wrong(message: str, where: str) -> OpeningError:
    return OpeningError(
        message,
        where=where,
        expected="exactly the ballots under the signed checkpoint",
        remedy=_REMEDY,
        code="opening.export",
    )
