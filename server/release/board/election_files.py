"""What anybody needs to verify an election, on the server's board: ballots, rehearsal and result."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from server import files
from server.collection.board_folder import (
    BALLOTS_FILE,
    BOARD_FILE,
    BOARD_FOLDER,
    CHECKPOINT_FILE,
    REHEARSAL_FILE,
    RESULT_FILE,
    ROLL_FILE,
    USED_CODES_FILE,
    has_board,
    read_board_file,
)
from server.collection.storage.published import SPECIFICATION_NAME, PublishedSurvey
from server.files import read_file
from server.progress import StageProgress
from server.release.board.sources import ServerSource
from server.release.trustees.export import FolderFiles
from server.release.trustees.tallying import verify_result
from shared.election.key_signatures import MAX_SIGNATURES_BYTES
from shared.election.result import MAX_RESULT_BYTES, Result
from shared.errors import NotFoundError, StateError
from shared.invitation import Invitation
from shared.verification.election import Election
from shared.verification.examining import KnownBoard, ReceivedExport
from shared.verification.files import GivenFiles

MAX_BALLOTS_BYTES: Final = 1 << 30
_PUBLISHED: Final = (
    (BALLOTS_FILE, MAX_BALLOTS_BYTES),
    (REHEARSAL_FILE, MAX_SIGNATURES_BYTES),
    (RESULT_FILE, MAX_RESULT_BYTES),
)


def publish_result(
    published: PublishedSurvey, export: Path, result: bytes, progress: StageProgress
) -> Election:
    """Put ballots, rehearsal and result of an election on its board, once they are verified.

    Raises
    ------
    NotFoundError
        With the code ``not-found.board`` if there is no board yet.
    StateError
        With the code ``state.board-published`` if another result is there.
    VerificationError, SpecificationError, BoardError, OpeningError, ElectionError, ReleaseError
        If the result does not hold with the ballots of this board.
    """
    folder = published.folder
    checkpoint = read_board_file(folder, CHECKPOINT_FILE)
    received = ReceivedExport(
        files=FolderFiles(folder=export),
        invitation=Invitation(digest=published.digest, organizer_key=published.organizer_key),
        known=KnownBoard(checkpoint=checkpoint),
    )
    verified = verify_result(received, Result.parse(result), progress)
    board = folder / BOARD_FOLDER
    if has_board(folder) and (board / RESULT_FILE).exists() and (board / RESULT_FILE).read_bytes() != result:
        raise StateError(
            "this election has another result already",
            where=published.id,
            remedy="A published result never changes.",
            code="state.board-published",
        )
    contents = {name: read_file(export / name, "a file of the export", most) for name, most in _PUBLISHED[:2]}
    with files.named_file_errors(BOARD_FOLDER):
        for name, data in (contents | {RESULT_FILE: result}).items():
            files.replace(board / name, data)
            (board / name).chmod(0o644)
    return verified


def fetch_election(source: ServerSource) -> GivenFiles:
    """An election's files from a server's board: an export beside its result.

    Raises
    ------
    NotFoundError
        With the code ``not-found.result`` if the server has no result: then it gives no ballots either.
    RemoteError
        If the server cannot be reached.
    """
    try:
        own = {name: source.election_file(name.partition(".")[0], most) for name, most in _PUBLISHED}
    except NotFoundError:
        raise NotFoundError(
            "the ballots cannot be had from this server",
            where=source.survey,
            expected="an election whose result was published (roomful election publish)",
            remedy="Ask the organizer for the folder of roomful trustees export and for result.json.",
            code="not-found.result",
        ) from None
    board = source.board()
    return GivenFiles(
        contents=own
        | {
            SPECIFICATION_NAME: source.specification(),
            CHECKPOINT_FILE: board.checkpoint,
            BOARD_FILE: board.board,
            ROLL_FILE: board.roll,
            USED_CODES_FILE: board.used_codes,
        }
    )
