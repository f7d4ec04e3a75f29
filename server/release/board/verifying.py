"""`roomful board verify`: everything on a board counted again, with nothing but what everybody can get."""

from __future__ import annotations

from dataclasses import dataclass

from server.collection.board_folder import BoardFiles
from server.keys.signing import verify_envelope
from server.keys.signing_keys import verifies
from server.release.board.released import PACKAGE_FILE, Reader, count_release
from server.release.board.sources import Source
from shared.board_counts import Survey
from shared.board_recount import (
    LINES,
    REFUSED,
    BoardLine,
    PublishedBoard,
    Recounted,
    find_code,
    find_provisional,
    find_receipt,
    recount,
)
from shared.checkpoint import SignedCheckpoint, board_origin
from shared.complaint import Complaint
from shared.envelope import Envelope
from shared.errors import BoardError, VerificationError
from shared.invitation import Invitation
from shared.invitation_code import InvitationCode
from shared.receipt import BallotReceipt
from shared.specification import Specification


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was counted.

    Attributes
    ----------
    survey : Survey
        The specification and key that were trusted.
    published : PublishedBoard
        The files.
    recounted : Recounted
        The lines.
    pinned : bool
        Whether key and digest came from an invitation; else words are to be compared.
    """

    survey: Survey
    published: PublishedBoard
    recounted: Recounted
    pinned: bool = True


def verify_files(contents: BoardFiles, survey: Survey, release: Reader) -> Verification:
    """Count a board's files again.

    Parameters
    ----------
    contents : BoardFiles
    survey : Survey
        What is trusted.
    release : callable
        Contents of a released file by its name, or None if it is not at hand.

    Raises
    ------
    BoardError
        If a file has not its form. What does not agree is told by the lines instead.
    """
    published = contents.parse()
    board, checkpoint = published.claims(survey.board_keys)
    outcomes = ([verifies(claim) for claim in board], [verifies(claim) for claim in checkpoint])
    recounted = recount(published, outcomes, survey, None)
    if recounted.board is not None and recounted.board.release is not None and release(PACKAGE_FILE):
        try:
            table = count_release(release, survey.specification).table
        except BoardError as error:
            last = BoardLine(code=LINES[-1], outcome=REFUSED, error=error)
            recounted = Recounted(lines=(*recounted.lines[:-1], last), board=recounted.board)
        else:
            recounted = recount(published, outcomes, survey, table)
    return Verification(survey=survey, published=published, recounted=recounted)


def verify_board(
    source: Source,
    invitation: Invitation,
    receipt: BallotReceipt | None = None,
    code: InvitationCode | None = None,
    provisional: bytes | None = None,
) -> Verification:
    """Verify a board from a folder or a server.

    Parameters
    ----------
    source : Source
        Where the files are.
    invitation : Invitation
        What is pinned; without a key that of the signed specification is taken, and words must be compared.
    receipt : BallotReceipt or None
        One to look for; its line comes after the others.
    code : InvitationCode or None
        One to look for among the used codes; its line comes last. It leaves this process for nowhere.
    provisional : bytes or None
        The checkpoint of an election's provisional board, as somebody kept it: this one must follow.

    Raises
    ------
    VerificationError, SpecificationError
        If the specification is not genuine, or not the one of the invitation.
    BoardError
        If a file has not its form.
    InputError, RemoteError, NotFoundError
        If a file cannot be had.
    """
    verified = verify_envelope(Envelope.parse(source.specification()), invitation.organizer_key)
    if invitation.digest not in (None, verified.digest):
        raise VerificationError(
            "the specification is not the one of the invitation",
            where="specification",
            expected=str(invitation.digest),
            code="check.digest",
        )
    survey = Survey(
        specification=Specification.parse(verified.payload),
        digest=verified.digest,
        organizer_key=verified.organizer_key,
    )
    found = verify_files(source.board(), survey, source.released)
    lines = found.recounted.lines
    if provisional is not None:
        kept = SignedCheckpoint.parse(provisional)
        keys = survey.board_keys
        outcomes = [verifies(claim) for claim in kept.claims(keys)]
        seen = kept.verified(outcomes, keys, board_origin(survey.digest))
        lines = (*lines, find_provisional(found.recounted, seen))
    if receipt is not None:
        accepted = _is_accepted(receipt, survey)
        lines = (*lines, find_receipt(found.published, receipt, survey.digest, accepted=accepted))
    if code is not None:
        lines = (*lines, find_code(found.published, code))
    return Verification(
        survey=survey,
        published=found.published,
        recounted=Recounted(lines=lines, board=found.recounted.board),
        pinned=invitation.digest is not None and invitation.organizer_key is not None,
    )


def _is_accepted(receipt: BallotReceipt, survey: Survey) -> bool:
    """Whether collector or relay signed that it took the ballot of a receipt."""
    invited = survey.specification.invited
    if invited is None:
        return False
    complaint = Complaint(acceptance=receipt.acceptance, sealed=receipt.sealed)
    return any(map(verifies, complaint.claims(invited, survey.digest, receipt.digest)))
