"""Counting a public board again: everything on it that an outsider can compute.

Run by anybody: the command line, with the organizer's key from an invitation; the respondent's page does the
same in JavaScript. Each line has a stable code and figures, and is passed, refused, or not run because there
is nothing to compare yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared import board_counts as counts
from shared.board import Board, parse_envelope, parse_receipts
from shared.board_counts import ReleasedTable, Survey
from shared.checkpoint import Checkpoint, SignedCheckpoint, board_origin
from shared.envelope import Envelope, SignatureClaim
from shared.errors import BoardError, SignatureError
from shared.invitation_code import InvitationCode
from shared.merkle import MerkleTree, verify_inclusion
from shared.receipt import BallotReceipt
from shared.roll import Roll, parse_used_codes, roll_hash

PASSED, REFUSED, NOT_RUN = "passed", "refused", "not-run"
LINES: Final = (
    "board.signature",
    "board.specification",
    "board.checkpoint",
    "board.receipts",
    "board.root",
    "board.submissions",
    "board.complaints",
    "board.roll",
    "board.used-codes",
    "board.tokens",
    "board.groups",
    "board.total",
    "board.release",
)
"""Codes of the lines, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLine:
    """Outcome of one comparison.

    Attributes
    ----------
    code : str
        One of :data:`LINES`, ``board.provisional``, ``board.receipt`` or ``board.code``.
    outcome : str
        ``passed``, ``refused`` or ``not-run``.
    figures : mapping of str to str
        What was counted.
    error : BoardError or None
        Why it was refused.
    """

    code: str
    outcome: str
    figures: Mapping[str, str] = field(default_factory=dict)
    error: BoardError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedBoard:
    """The five files, parsed and not verified."""

    envelope: Envelope
    checkpoint: SignedCheckpoint
    receipts: tuple[bytes, ...]
    roll: Roll
    used_codes: tuple[bytes, ...]

    @classmethod
    def parse(
        cls, *, board: bytes, checkpoint: bytes, receipts: bytes, roll: bytes, used_codes: bytes
    ) -> PublishedBoard:
        """Read the files.

        Raises
        ------
        BoardError
            If one has not its form.
        """
        return cls(
            envelope=parse_envelope(board),
            checkpoint=SignedCheckpoint.parse(checkpoint),
            receipts=parse_receipts(receipts),
            roll=Roll.parse(roll),
            used_codes=parse_used_codes(used_codes),
        )

    def claims(self, keys: Sequence[bytes]) -> tuple[tuple[SignatureClaim, ...], tuple[SignatureClaim, ...]]:
        """Signatures to verify by the platform's primitive: those of the board, those of the checkpoint."""
        return self.envelope.claims, self.checkpoint.claims(keys)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recounted:
    """The lines of a recount, and what they vouch for.

    Attributes
    ----------
    lines : tuple of BoardLine
    board : Board or None
        The board, if it is the organizer's.
    """

    lines: tuple[BoardLine, ...]
    board: Board | None

    @property
    def refusal(self) -> BoardError | None:
        """Why the board is not to be believed; None if every line passed or had nothing to compare."""
        return next((line.error for line in self.lines if line.error is not None), None)


def recount(
    published: PublishedBoard,
    outcomes: tuple[Sequence[bool], Sequence[bool]],
    survey: Survey,
    released: ReleasedTable | None,
) -> Recounted:
    """Compare everything on a board with everything else.

    Parameters
    ----------
    published : PublishedBoard
        The files.
    outcomes : pair of sequences of bool
        Results of the platform's primitive for :meth:`PublishedBoard.claims`.
    survey : Survey
        What is trusted.
    released : ReleasedTable or None
        What was counted in the released files; None if there are none yet.

    Returns
    -------
    Recounted
        All thirteen lines. When the signature of the board or of the checkpoint is refused, those that need
        it are not run.

    Notes
    -----
    Guarantee: if no line is refused, then a key of the organizer signed this list of distinct receipts and
    these counts; no more receipts than tokens and no more tokens than invitations are claimed; no group on
    the board has fewer answers than the signed minimum; and released, withheld and invalid submissions are
    together all receipts. The final board of an election lists every receipt of a provisional one, and beside
    these only what the collector had accepted. n receipts take 2n hashes.
    """
    lines: list[BoardLine] = []

    def run(code: str, check: Callable[[], Mapping[str, str] | None]) -> None:
        try:
            figures = check()
        except BoardError as error:
            lines.append(BoardLine(code=code, outcome=REFUSED, error=error))
        else:
            outcome = NOT_RUN if figures is None else PASSED
            lines.append(BoardLine(code=code, outcome=outcome, figures=figures or {}))

    board: Board | None = None
    checkpoint: Checkpoint | None = None
    root = MerkleTree.of(published.receipts).root

    def signature() -> Mapping[str, str]:
        nonlocal board
        try:
            signer = published.envelope.signatures[0][0]
            spare = signer != survey.organizer_key and signer in survey.board_keys
            verified = published.envelope.verified(outcomes[0], signer if spare else survey.organizer_key)
        except SignatureError as problem:
            raise BoardError(
                problem.message,
                where="board",
                expected=problem.expected,
                remedy=counts.REMEDY,
                code="board.signature",
            ) from None
        board = Board.parse(verified.payload)
        key = "spare" if spare else "organizer"
        return {"key": key, "further_signatures": str(len(verified.auditor_keys))}

    def note() -> Mapping[str, str]:
        nonlocal checkpoint
        origin = board_origin(survey.digest)
        checkpoint = published.checkpoint.verified(outcomes[1], survey.board_keys, origin)
        return {"size": str(checkpoint.size)}

    run(LINES[0], signature)
    run(LINES[1], lambda: None if board is None else counts.same_survey(board, survey))
    run(LINES[2], note)
    run(LINES[3], lambda: {"receipts": str(len(published.receipts))})  # their form was checked in parsing
    run(LINES[4], lambda: counts.same_root(root, board, checkpoint))
    run(LINES[5], lambda: counts.same_size(len(published.receipts), board, checkpoint))
    specification = survey.specification
    run(
        LINES[6],
        lambda: None if board is None else counts.same_complaints(published.receipts, board, specification),
    )
    run(LINES[7], lambda: counts.same_roll(published.roll, specification))
    run(LINES[8], lambda: counts.used_codes_on_roll(published.used_codes, published.roll, board))
    run(LINES[9], lambda: None if board is None else counts.tokens_suffice(board, specification))
    release = None if board is None else board.release
    run(
        LINES[10],
        lambda: None if release is None else counts.groups_may_be_shown(release, survey.specification),
    )
    run(LINES[11], lambda: None if board is None else counts.adds_up(board, specification))
    run(LINES[12], lambda: counts.same_release(release, released))
    return Recounted(lines=tuple(lines), board=board)


def find_provisional(found: Recounted, provisional: Checkpoint) -> BoardLine:
    """Whether a board follows from a provisional one whose checkpoint somebody kept and verified."""
    if found.board is None:
        return BoardLine(code="board.provisional", outcome=NOT_RUN)
    try:
        figures = counts.follows(found.board, provisional)
    except BoardError as error:
        return BoardLine(code="board.provisional", outcome=REFUSED, error=error)
    return BoardLine(code="board.provisional", outcome=PASSED, figures=figures)


def find_receipt(
    published: PublishedBoard, receipt: BallotReceipt, digest: str, *, accepted: bool = False
) -> BoardLine:
    """Whether a receipt is on the board, with its inclusion proof.

    The root of the checkpoint is compared by :func:`recount`.

    Parameters
    ----------
    published : PublishedBoard
    receipt : BallotReceipt
    digest : str
        Of the specification.
    accepted : bool
        Whether the receipt's acceptance verified: then a missing ballot is proven, and not only told.
    """
    tree = MerkleTree.of(published.receipts)
    try:
        if receipt.survey not in (None, digest[:16]):
            raise BoardError(
                "the receipt is of another survey",
                where="receipt",
                expected=digest[:16],
                code="board.receipt",
            )
        if receipt.digest not in published.receipts:
            signed = "it is not on the board, and collector or relay signed to have taken it: this proves it"
            raise BoardError(
                signed if accepted else "the receipt is not on the board",
                where="receipt",
                expected="one of the list",
                remedy=counts.REMEDY,
                code="board.receipt",
            )
        index = published.receipts.index(receipt.digest)
        proof = tree.proof(index)
        verify_inclusion(
            root=published.checkpoint.checkpoint.root,
            leaf=tree.levels[0][index],
            index=index,
            size=published.checkpoint.checkpoint.size,
            proof=proof,
        )
    except BoardError as error:
        return BoardLine(code="board.receipt", outcome=REFUSED, error=error)
    figures = {"number": str(index + 1), "of": str(tree.size), "proof_hashes": str(len(proof))}
    return BoardLine(code="board.receipt", outcome=PASSED, figures=figures)


def find_code(published: PublishedBoard, code: InvitationCode) -> BoardLine:
    """Whether a code fetched a token; computed where the code is, which tells nobody.

    Refused if the code is not of this survey. The lists themselves are compared by :func:`recount`.
    """
    proof = code.proof(published.roll.roll_id)
    if roll_hash(proof) not in published.roll.hashes:
        error = BoardError(
            "nobody was invited to this survey with this code",
            where="code",
            expected="a code whose hash is on the roll",
            remedy="Compare it with the letter, group by group; or it is for another survey.",
            code="board.code",
        )
        return BoardLine(code="board.code", outcome=REFUSED, error=error)
    used = "yes" if proof in published.used_codes else "no"
    return BoardLine(code="board.code", outcome=PASSED, figures={"used": used})
