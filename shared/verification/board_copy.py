"""The board's files in the trustees' export: counted again before anything is opened.

An opening rests on two numbers: how many tokens a cell has, and that each is of a different invited person.
The first the trustees count themselves; for the second they have the roll and the used codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.board import Board
from shared.board_counts import Survey
from shared.board_recount import PublishedBoard, recount
from shared.errors import OpeningError
from shared.hash_list import LINE_BYTES, format_hashes
from shared.limits import MAX_BOARD_BYTES, MAX_CHECKPOINT_BYTES, MAX_RECEIPTS
from shared.roll import MAX_ROLL_BYTES, count_used
from shared.specification import Specification
from shared.verification.export import SignedSurvey
from shared.verification.files import BOARD_FILE, CHECKPOINT_FILE, ROLL_FILE, USED_CODES_FILE, ExportFiles
from shared.verification.library import Library

COPIED_FILES: Final = (BOARD_FILE, ROLL_FILE, USED_CODES_FILE)
"""Files of the board that an export has, beside the checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedBoard:
    """What the board of an export says of tokens.

    Attributes
    ----------
    surplus : int
        How many submissions are more than tokens were issued: so many may be of nobody who was invited.
    used : tuple of int
        Used codes of each box of an election; of a survey all in one.
    admitted : int
        Ballots that complaints brought back: the collector had signed that it took them, and left them out.
    """

    surplus: int
    used: tuple[int, ...]
    admitted: int


def require_final(board: Board | None, specification: Specification) -> None:
    """Refuse the board of an election to which complaints can still add ballots.

    Raises
    ------
    OpeningError
        With the code ``opening.provisional``.
    """
    invited = specification.invited
    if (
        board is not None
        and board.complaints is None
        and invited is not None
        and invited.election is not None
    ):
        raise OpeningError(
            "the board is provisional: complaints can still bring ballots back",
            where=BOARD_FILE,
            expected="the final board, which the organizer signs with roomful board finish",
            remedy="Wait until the time for complaints is over. State and decrypt nothing before.",
            code="opening.provisional",
        )


def require_board(
    files: ExportFiles,
    survey: SignedSurvey,
    receipts: Sequence[bytes],
    accepted: str | None,
    library: Library,
) -> CountedBoard:
    """Count the board of an export again, and ask for a decision if its counts contradict each other.

    Parameters
    ----------
    files : ExportFiles
        The export.
    survey : SignedSurvey
    receipts : sequence of bytes
        Of the ballots in the export, ascending.
    accepted : str or None
        ``SUBMISSIONS/TOKENS`` of the discrepancy that the trustees accept.
    library : Library

    Raises
    ------
    BoardError
        If the board is not the organizer's, or not of these ballots, or a used code is not on the roll.
    OpeningError
        With the code ``opening.discrepancy`` if there is one, and exactly this one was not accepted; nobody
        accepts one of an election, whose board is refused before; with ``opening.provisional`` if the board
        of an election is not final.
    """

    published = PublishedBoard.parse(
        board=files.read(BOARD_FILE, 2 * MAX_BOARD_BYTES),
        checkpoint=files.read(CHECKPOINT_FILE, MAX_CHECKPOINT_BYTES),
        receipts=format_hashes(receipts),
        roll=files.read(ROLL_FILE, MAX_ROLL_BYTES),
        used_codes=files.read(USED_CODES_FILE, LINE_BYTES * MAX_RECEIPTS),
    )
    known = Survey(
        specification=survey.specification, digest=survey.digest, organizer_key=survey.organizer_key
    )
    board_claims, note_claims = published.claims(known.board_keys)
    outcomes = ([library.verifies(c) for c in board_claims], [library.verifies(c) for c in note_claims])
    recounted = recount(published, outcomes, known, None)
    if recounted.refusal is not None:
        raise recounted.refusal
    board = recounted.board
    require_final(board, survey.specification)
    surplus = 0 if board is None else max(0, board.submissions - board.tokens_issued)
    figures = f"{board.submissions}/{board.tokens_issued}" if board is not None and surplus else None
    if accepted == figures:
        complaints = None if board is None else board.complaints
        return CountedBoard(
            surplus=surplus,
            used=count_used(published.used_codes, published.roll),
            admitted=0 if complaints is None else len(complaints.admitted),
        )
    raise OpeningError(
        "there is no such discrepancy"
        if figures is None
        else f"the organizer signed a discrepancy: {board.discrepancy if board else ''}",
        where="--accept-discrepancy",
        expected="no such option" if figures is None else "as many submissions as tokens, or fewer",
        remedy="Leave the option out."
        if figures is None
        else f"At least {surplus} of the ballots may be of nobody who was invited. Ask why. If all trustees"
        f" decide to open all the same: --accept-discrepancy {figures}. Then only groups are opened that stay"
        f" large enough without any {surplus} of their ballots.",
        code="opening.discrepancy",
    )
