"""The folder that goes from the collector to the trustees, and the check that it is what the board says.

========================  ================================================================================
file                      contents
========================  ================================================================================
specification.dsse.json   the signed specification, as published
checkpoint                the board's checkpoint, signed by the organizer
board.json                the board's counts, signed by the organizer
roll.txt, used-codes.txt  whose codes were invited, and which were used
rehearsal.json            of an election the trustees' signatures of the specification
ballots.bin               per ballot its length (4 bytes, big endian) and its bytes, ascending by receipt
========================  ================================================================================
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from server import files
from server.keys.signing import examine_envelope, verify_envelope
from server.keys.signing_keys import verifies
from server.progress import StageProgress
from shared.ballot import Ballot
from shared.checkpoint import Checkpoint, SignedCheckpoint, board_origin
from shared.envelope import Envelope
from shared.errors import InputError, OpeningError, SubmissionError
from shared.invitation import Invitation
from shared.invited import Invited, board_keys
from shared.limits import MAX_CHECKPOINT_BYTES, MAX_ENVELOPE_BYTES, MAX_RECEIPTS
from shared.merkle import MerkleTree
from shared.specification import Specification

SPECIFICATION_FILE: Final = "specification.dsse.json"
BALLOTS_FILE: Final = "ballots.bin"
CHECKPOINT_FILE: Final = "checkpoint"
SIGNATURES_FILE: Final = "rehearsal.json"
"""Of an election: every trustee's signature of its specification."""
_LENGTH_BYTES: Final = 4
_EXPORTED: Final = "a file in the folder that roomful trustees export or challenge wrote"
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


def write_export(
    out: Path, *, envelope: bytes, checkpoint: bytes, board: Mapping[str, bytes], ballots: Iterable[Ballot]
) -> int:
    """Write the folder, all or nothing.

    Parameters
    ----------
    out : Path
        Must not exist.
    envelope, checkpoint : bytes
    board : mapping of str to bytes
        The board's other files, by name.
    ballots : iterable of Ballot
        Ascending by receipt.

    Returns
    -------
    int
        How many ballots were written.
    """
    if out.exists():
        raise OpeningError(
            "the folder exists already", where=str(out), expected="a new folder", code="opening.exists"
        )
    count = 0
    with files.named_file_errors(str(out)):
        out.parent.mkdir(parents=True, exist_ok=True)
        with files.new_folder(out) as work:
            files.write_new(work / SPECIFICATION_FILE, envelope)
            files.write_new(work / CHECKPOINT_FILE, checkpoint)
            for name, data in board.items():
                files.write_new(work / name, data)
            files.write_new(work / BALLOTS_FILE, b"")
            with (work / BALLOTS_FILE).open("wb") as stream:
                for ballot in ballots:
                    data = ballot.to_bytes()
                    stream.write(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
                    count += 1
                stream.flush()
                os.fsync(stream.fileno())
    return count


def read_survey(folder: Path, invitation: Invitation) -> SignedSurvey:
    """The signed specification in a folder; see :func:`verified_survey`."""
    return verified_survey(_read(folder / SPECIFICATION_FILE, MAX_ENVELOPE_BYTES), invitation)


def verified_survey(data: bytes, invitation: Invitation) -> SignedSurvey:
    """The specification, verified as a respondent's device verifies it.

    Parameters
    ----------
    data : bytes
        The signed specification.
    invitation : Invitation
        With the organizer's key, and better with the digest too.

    Raises
    ------
    VerificationError, SoundnessError, SpecificationError
        If it is not by this organizer, not this survey, malformed or unsound.
    OpeningError
        With the code ``opening.not-invited`` if the survey is open to everybody, so that nothing is sealed.
    """
    envelope = Envelope.parse(data)
    refusal = examine_envelope(envelope, invitation).refusal
    if refusal is not None and refusal.error is not None:
        raise refusal.error
    verified = verify_envelope(envelope, invitation.organizer_key)
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
    """The ballots of an export, read as often as needed without keeping them in memory."""

    def __init__(self, path: Path, specification: Specification) -> None:
        self._path, self._specification = path, specification
        try:
            self._stream = path.open("rb")
            self._size = os.fstat(self._stream.fileno()).st_size
        except OSError as problem:
            raise InputError(
                f"cannot be read ({problem.strerror})", where=str(path), expected=_EXPORTED
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

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
            length = int.from_bytes(self._bytes(at, _LENGTH_BYTES), "big")
            data = self._bytes(at, _LENGTH_BYTES + length)[_LENGTH_BYTES:]
            at += _LENGTH_BYTES + length
            yield at, data

    def _bytes(self, at: int, number: int) -> bytes:
        data = b""
        if at + number <= self._size:
            try:
                self._stream.seek(at)
                data = self._stream.read(number)
            except OSError as problem:
                raise _wrong(f"cannot be read ({problem.strerror})", self._path.name) from None
        if len(data) < number:
            raise _wrong("the file is cut off, or a length in it is wrong", f"{self._path.name}, byte {at}")
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
                    f"{self._path.name}, entry {number}",
                ) from None
            yield end, data, ballot


def verified_checkpoint(data: bytes, survey: SignedSurvey) -> Checkpoint:
    """What the organizer signed about this survey's board.

    Raises
    ------
    BoardError
        With the code ``board.checkpoint``.
    """
    signed = SignedCheckpoint.parse(data)
    keys = board_keys(survey.organizer_key, survey.invited)
    outcomes = [verifies(claim) for claim in signed.claims(keys)]
    return signed.verified(outcomes, keys, board_origin(survey.digest))


def verify_export(
    folder: Path, survey: SignedSurvey, ballots: BallotFile, progress: StageProgress
) -> tuple[bytes, tuple[bytes, ...]]:
    """Check that the ballots are exactly those that the organizer signed on the board.

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
    checkpoint = verified_checkpoint(_read(folder / CHECKPOINT_FILE, MAX_CHECKPOINT_BYTES), survey)
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


def _read(path: Path, limit: int) -> bytes:
    return files.read_file(path, _EXPORTED, limit)


def _wrong(message: str, where: str) -> OpeningError:
    return OpeningError(
        message,
        where=where,
        expected="exactly the ballots under the signed checkpoint",
        remedy=_REMEDY,
        code="opening.export",
    )
