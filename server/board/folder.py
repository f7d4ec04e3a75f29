"""The board's files beside a survey: ``checkpoint``, ``receipts.txt`` and ``board.json`` in ``board``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from server.storage import files
from shared.board import Board, parse_envelope
from shared.errors import NotFoundError, StateError

BOARD_FOLDER: Final = "board"
BOARD_FILE: Final = "board.json"
CHECKPOINT_FILE: Final = "checkpoint"
RECEIPTS_FILE: Final = "receipts.txt"
#: Everybody may read what everybody is to check.
_MODE: Final = 0o644


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFiles:
    """The three files, as bytes.

    Attributes
    ----------
    board : bytes
        The envelope of the counts.
    checkpoint : bytes
        The signed note.
    receipts : bytes
        A line for each.
    """

    board: bytes
    checkpoint: bytes
    receipts: bytes


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
    )


def replace_board(survey: Path, board: bytes) -> None:
    """Put a finished ``board.json`` in the place of the first one.

    Raises
    ------
    StorageError
        If it cannot be written; then the first one is still there.
    """
    path = survey / BOARD_FOLDER / BOARD_FILE
    with files.named_file_errors(f"{BOARD_FOLDER}/{BOARD_FILE}"):
        files.replace(path, board)
        path.chmod(_MODE)
