"""Everything about an export that is verified before a trustee signs for it, and again before it is opened.

The steps are those of docs/protocol.md, "The opening". Nothing of a box is decrypted here, and no share is
needed.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shared.ballot import Ballot
from shared.election.electorate import election_terms
from shared.election.verifying import verify_batch
from shared.election.vote import EncryptedVote
from shared.errors import InputError, OpeningError, SubmissionError, TokenError
from shared.invitation import Invitation
from shared.limits import MAX_CHECKPOINT_BYTES, MAX_ENVELOPE_BYTES
from shared.roll import require_token_counts
from shared.specification import Specification
from shared.statements import Stated, groups_digest
from shared.verification.board_copy import require_board
from shared.verification.export import (
    BallotFile,
    SignedSurvey,
    verified_checkpoint,
    verified_survey,
    verify_export,
)
from shared.verification.files import BALLOTS_FILE, CHECKPOINT_FILE, SPECIFICATION_FILE, ExportFiles
from shared.verification.library import BallotSignatures, Library
from shared.verification.lines import LineProgress
from shared.verification.permitted import Permitted
from shared.words import digest_words

BATCH: Final = 256
"""Votes verified in one sum: more are hardly faster, and one bad vote costs a whole batch again."""
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_WORDS: Final = re.compile(r"[a-z]{5}(-[a-z]{5}){7}")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBoard:
    """What a trustee knows of the board from elsewhere than the folder she is given.

    Attributes
    ----------
    root : str
        The root as 64 hexadecimal digits, or as the eight words that the board's page shows; empty if a
        checkpoint is given.
    checkpoint : bytes
        A checkpoint fetched from elsewhere; empty if the root is given.
    """

    root: str = ""
    checkpoint: bytes = b""

    def __post_init__(self) -> None:
        if bool(self.root) == bool(self.checkpoint):
            raise InputError(
                "nothing says which board this should be",
                where="--root",
                expected="--root WORDS as the board's page shows them, or --checkpoint FILE from there",
                remedy="Look at the board yourself, on another computer than the organizer's.",
                code="input.root",
            )
        if self.root and not (_HEX.fullmatch(self.root) or _WORDS.fullmatch(self.root)):
            raise InputError(
                "this is no root of a board",
                where="--root",
                expected="eight words of five letters with hyphens, or 64 hexadecimal digits",
                code="input.root",
            )

    def require(self, survey: SignedSurvey, root: bytes, library: Library) -> None:
        """Refuse another board than the known one.

        Raises
        ------
        OpeningError
            With the code ``opening.root``.
        BoardError
            With the code ``board.checkpoint`` if the known checkpoint is not the organizer's for this survey.
        """
        if self.checkpoint:
            expected = verified_checkpoint(self.checkpoint, survey, library).root.hex()
        else:
            expected = self.root
        found = root.hex()
        if expected not in (found, digest_words(found)):
            raise OpeningError(
                f"the ballots are those of another board ({digest_words(found)})",
                where="checkpoint",
                expected=f"the board that was seen elsewhere ({_words_of(expected)})",
                remedy="Compare the words letter by letter. If they differ, keep the folder: two signed "
                "boards are evidence. State and open nothing, and tell the other trustees.",
                code="opening.root",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedExport:
    """An export as a trustee gets it, and what she knows from elsewhere.

    Attributes
    ----------
    files : ExportFiles
        From ``roomful trustees export``.
    invitation : Invitation
        The organizer's key, and the digest if an invitation link is at hand.
    known : KnownBoard or None
        The board as it was seen elsewhere; None only for who compares its words with others afterwards.
    accepted : str or None
        See :func:`shared.verification.board_copy.require_board`.
    tokens : tuple of int or None
        Of an election: tokens of each box, as its registrar published them before the vote.
    """

    files: ExportFiles
    invitation: Invitation
    known: KnownBoard | None
    accepted: str | None = None
    tokens: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """An export that passed.

    Attributes
    ----------
    survey : SignedSurvey
    receipts : tuple of bytes
        SHA-256 of each ballot, ascending.
    surplus : int
        How many more ballots there are than codes were used, which the trustees have accepted.
    counts : tuple of int
        Distinct valid tokens of each cell.
    permitted : Permitted
        Groups that the signed rule lets be opened.
    stated : Stated
        What trustees sign of it.
    admitted : int
        Of an election the ballots that came in by complaints, each a fault of the collector.
    votes : tuple of EncryptedVote
        Of an election those whose proofs hold.
    refused : tuple of (str, SubmissionError)
        Of an election the receipts of ballots whose vote is not counted, and the line that each fails: the
        collector should not have taken them.
    """

    survey: SignedSurvey
    receipts: tuple[bytes, ...]
    surplus: int
    counts: tuple[int, ...]
    permitted: Permitted
    stated: Stated
    admitted: int = 0
    votes: tuple[EncryptedVote, ...] = ()
    refused: tuple[tuple[str, SubmissionError], ...] = ()


def examine_export(
    received: ReceivedExport,
    library: Library,
    permit: Callable[[Sequence[int], Specification, int], Permitted],
    progress: LineProgress,
) -> Examined:
    """Verify all that can be verified without a share.

    Parameters
    ----------
    received : ReceivedExport
    library : Library
    permit : callable
        What the signed rule lets be opened, from distinct tokens of each cell, the specification and the
        surplus that was accepted.
    progress : LineProgress

    Raises
    ------
    VerificationError, SpecificationError, BoardError, OpeningError, ReleaseError
        Each refusal by its code.

    Notes
    -----
    Guarantee: if it returns, the ballots are those under the root that the organizer signed and that was seen
    elsewhere; each has a distinct token of the registrar, and the holder of the token made exactly this
    ballot.
    """
    files = received.files
    progress("specification", 0, 1)  # 1
    survey = verified_survey(files.read(SPECIFICATION_FILE, MAX_ENVELOPE_BYTES), received.invitation, library)
    with files.open(BALLOTS_FILE) as stream:
        ballots = BallotFile(stream, survey.specification)
        progress("receipts", 0, 1)  # 2
        note = files.read(CHECKPOINT_FILE, MAX_CHECKPOINT_BYTES)
        root, receipts = verify_export(note, survey, ballots, library, progress)
        progress("board", 0, 1)
        board = require_board(files, survey, receipts, received.accepted, library)
        if received.known is not None:
            progress("known-board", 0, 1)  # 3
            received.known.require(survey, root, library)
        progress("tokens", 0, 1)  # 4
        counts = _count_tokens(survey, ballots, receipts, library, progress)
        votes: tuple[EncryptedVote, ...] = ()
        refused: tuple[tuple[str, SubmissionError], ...] = ()
        if survey.invited.election is not None:
            if received.tokens is not None:
                progress("token-numbers", 0, 1)
                require_token_counts(received.tokens, board.used)
            progress("codes", 0, 1)
            _require_codes(counts, board.used)
            progress("proofs", 0, 1)
            votes, refused = _verify_votes(survey, ballots, receipts, library, progress)
            found = Counter(vote.cell for vote in votes)
            counts = tuple(found[cell] for cell in range(len(counts)))
    progress("groups", 0, 1)  # 5
    permitted = permit(counts, survey.specification, board.surplus)
    stated = Stated(specification=survey.digest, root=root.hex(), groups=groups_digest(permitted.groups))
    return Examined(
        survey=survey,
        receipts=receipts,
        surplus=board.surplus,
        counts=counts,
        permitted=permitted,
        stated=stated,
        admitted=board.admitted,
        votes=votes,
        refused=refused,
    )


def verified_ballots(ballots: BallotFile, receipts: Sequence[bytes]) -> Iterator[tuple[int, Ballot]]:
    """The ballots once more, and where each ends: exactly those that were verified, whoever touched the file.

    Else a cell could be counted by other ballots than those whose boxes are then opened.

    Raises
    ------
    OpeningError
        With the code ``opening.export``.
    """
    number = 0
    for end, data, ballot in ballots.ballots():
        if number >= len(receipts) or hashlib.sha256(data).digest() != receipts[number]:
            raise _changed()
        yield end, ballot
        number += 1
    if number < len(receipts):
        raise _changed()


def _changed() -> OpeningError:
    return OpeningError(
        "the file changed while it was read",
        where=BALLOTS_FILE,
        remedy="Copy the export to this computer and start again.",
        code="opening.export",
    )


def _count_tokens(
    survey: SignedSurvey,
    ballots: BallotFile,
    receipts: Sequence[bytes],
    library: Library,
    progress: LineProgress,
) -> tuple[int, ...]:
    """Distinct valid tokens of each cell, each with a ballot that its own key signed."""
    verifier = library.ballots(survey.invited, survey.digest)
    counts = [0] * survey.specification.cells.count
    seen: set[bytes] = set()
    for number, (end, ballot) in enumerate(verified_ballots(ballots, receipts), 1):
        where = f"{BALLOTS_FILE}, entry {number}"
        _require_genuine(verifier, ballot, where)
        if ballot.token.prefix in seen:
            raise OpeningError(
                "two ballots have one token",
                where=where,
                expected="each token once",
                remedy="The collector counted somebody twice. Open nothing, and tell the organizer.",
                code="opening.token-twice",
            )
        seen.add(ballot.token.prefix)
        counts[ballot.cell] += 1
        progress("tokens", end, ballots.size_bytes)
    return tuple(counts)


def _require_codes(counts: Sequence[int], used: Sequence[int]) -> None:
    """Refuse a box of an election that somebody with the registrar's keys has filled.

    Raises
    ------
    OpeningError
        With the code ``opening.box``.
    """
    for box, (ballots, codes) in enumerate(zip(counts, used, strict=True)):
        if ballots > codes:
            raise OpeningError(
                f"box {box} has {ballots} ballots, and {codes} of its codes were used",
                where=BALLOTS_FILE,
                expected="a used code of the box for each of its ballots",
                remedy="The registrar signed tokens for nobody. Decrypt nothing, and tell everybody.",
                code="opening.box",
            )


def _verify_votes(
    survey: SignedSurvey,
    ballots: BallotFile,
    receipts: Sequence[bytes],
    library: Library,
    progress: LineProgress,
) -> tuple[tuple[EncryptedVote, ...], tuple[tuple[str, SubmissionError], ...]]:
    """Votes whose proofs hold, and why the others are not counted."""
    terms = election_terms(survey.specification, survey.digest)
    votes: list[EncryptedVote] = []
    refused: list[tuple[str, SubmissionError]] = []
    batch: list[tuple[str, EncryptedVote]] = []

    def verify() -> None:
        found = verify_batch([vote for _, vote in batch], terms, library.group, library.random_bytes)
        for (receipt, vote), refusal in zip(batch, found, strict=True):
            if refusal is None:
                votes.append(vote)
            else:
                refused.append((receipt, refusal))
        batch.clear()

    for end, ballot in verified_ballots(ballots, receipts):
        try:
            batch.append((ballot.receipt, EncryptedVote.of(ballot, terms)))
        except SubmissionError as refusal:
            refused.append((ballot.receipt, refusal))
        if len(batch) == BATCH:
            verify()
            progress("proofs", end, ballots.size_bytes)
    if batch:
        verify()
        progress("proofs", ballots.size_bytes, ballots.size_bytes)
    return tuple(votes), tuple(refused)


def _require_genuine(verifier: BallotSignatures, ballot: Ballot, where: str) -> None:
    try:
        verifier.verify_token(ballot.token, ballot.cell)
        verifier.verify_signature(ballot)
    except TokenError:
        raise OpeningError(
            "the token of a ballot is not signed by this survey's registrar, or has no sound key",
            where=where,
            expected="a ballot of an invited person",
            remedy="The collector took what it must refuse. Open nothing, and tell the organizer.",
            code="opening.token",
        ) from None
    except SubmissionError:
        raise OpeningError(
            "a ballot is not signed by the key of its token",
            where=where,
            expected="cell, token and box as the device of the invited person signed them",
            remedy="The collector changed it, or took what it must refuse. Open nothing, and tell everybody.",
            code="opening.signature",
        ) from None


def _words_of(root: str) -> str:
    return digest_words(root) if _HEX.fullmatch(root) else root
