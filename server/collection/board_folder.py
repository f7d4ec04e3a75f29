"""The board's files beside a survey, in ``board``: the counts, the signed note, and the lists under them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from server import files
from shared.board import Board, parse_envelope
from shared.board_recount import PublishedBoard
from shared.errors import NotFoundError, StateError

BOARD_FOLDER: Final = "board"
BOARD_FILE: Final = "board.json"
CHECKPOINT_FILE: Final = "checkpoint"
RECEIPTS_FILE: Final = "receipts.txt"
ROLL_FILE: Final = "roll.txt"
USED_CODES_FILE: Final = "used-codes.txt"
BALLOTS_FILE: Final = "ballots.bin"
REHEARSAL_FILE: Final = "rehearsal.json"
RESULT_FILE: Final = "result.json"
"""Of an election whose result was published, beside the others."""
_MODE: Final = 0o644
"""Everybody may read what everybody is to check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFiles:
    """The five files, as bytes.

    Attributes
    ----------
    board : bytes
        The envelope of the counts.
    checkpoint : bytes
        The signed note.
    receipts : bytes
        A line for each.
    roll : bytes
        The signed roll.
    used_codes : bytes
        A line for the proof of each.
    """

    board: bytes
    checkpoint: bytes
    receipts: bytes
    roll: bytes
    used_codes: bytes

    def parse(self) -> PublishedBoard:
        """The files, parsed and not verified.

        Raises
        ------
        BoardError
            If one has not its form.
        """
        return PublishedBoard.parse(
            board=self.board,
            checkpoint=self.checkpoint,
            receipts=self.receipts,
            roll=self.roll,
            used_codes=self.used_codes,
        )


def has_board(survey: Path) -> bool:
    """Whether a survey's folder has a board."""
    return (survey / BOARD_FOLDER / BOARD_FILE).is_file()


def read_board_file(survey: Path, name: str) -> bytes:
    """One file of a survey's board.

    Raises
    ------
    NotFoundError
        With the code ``not-found.board`` if the survey has none yet.
    StorageError
        If it cannot be read.
    """
    path = survey / BOARD_FOLDER / name
    with files.named_file_errors(f"{BOARD_FOLDER}/{name}"):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            raise NotFoundError(
                "this survey has no public board yet",
                where=survey.name,
                remedy="It is made after closing: roomful board create.",
                code="not-found.board",
            ) from None


def read_board(survey: Path) -> BoardFiles:
    """All files of a survey's board; errors as :func:`read_board_file`."""
    return BoardFiles(
        board=read_board_file(survey, BOARD_FILE),
        checkpoint=read_board_file(survey, CHECKPOINT_FILE),
        receipts=read_board_file(survey, RECEIPTS_FILE),
        roll=read_board_file(survey, ROLL_FILE),
        used_codes=read_board_file(survey, USED_CODES_FILE),
    )


def publish_board(survey: Path, contents: BoardFiles) -> None:
    """Put a new board beside a survey, all or nothing.

    Raises
    ------
    StateError
        With the code ``state.board-published`` if another one is there: two signed boards of one survey would
        let the organizer show different lists to different people.
    StorageError
        If it cannot be written.
    """
    if has_board(survey):
        if _same(read_board(survey), contents):
            return
        raise StateError(
            "this survey has another board already",
            where=survey.name,
            remedy="A published board never changes; only the release is added to it.",
            code="state.board-published",
        )
    with files.named_file_errors(BOARD_FOLDER), files.new_folder(survey / BOARD_FOLDER) as work:
        for name, data in (
            (ROLL_FILE, contents.roll),
            (USED_CODES_FILE, contents.used_codes),
            (RECEIPTS_FILE, contents.receipts),
            (CHECKPOINT_FILE, contents.checkpoint),
            (BOARD_FILE, contents.board),
        ):
            files.write_new(work / name, data)
            (work / name).chmod(_MODE)


def _same(there: BoardFiles, contents: BoardFiles) -> bool:
    """Whether a board is the one that is there, perhaps finished since."""
    first, second = (Board.parse(parse_envelope(files.board).payload) for files in (there, contents))
    return (
        replace(first, release=None) == second
        and there.checkpoint == contents.checkpoint
        and there.receipts == contents.receipts
        and there.roll == contents.roll
        and there.used_codes == contents.used_codes
    )


def read_counts(survey: Path) -> Board:
    """The counts of a survey's board, whose signature was verified when it was published."""
    return Board.parse(parse_envelope(read_board_file(survey, BOARD_FILE)).payload)


def replace_board(survey: Path, contents: BoardFiles) -> None:
    """Put a finished board in the place of the first one.

    Raises
    ------
    StorageError
        If it cannot be written; done again, it ends in the same files.
    """
    with files.named_file_errors(BOARD_FOLDER):
        for name, data in (
            (BOARD_FILE, contents.board),
            (RECEIPTS_FILE, contents.receipts),
            (CHECKPOINT_FILE, contents.checkpoint),  # the last: who keeps a list in memory goes by it
        ):
            path = survey / BOARD_FOLDER / name
            files.replace(path, data)
            path.chmod(_MODE)
