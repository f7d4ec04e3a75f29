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

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from server import files
from server.release.trustees.library import library
from server.release.trustees.new_paths import require_new
from shared.ballot import Ballot
from shared.errors import InputError
from shared.invitation import Invitation
from shared.limits import MAX_ENVELOPE_BYTES
from shared.verification.export import LENGTH_BYTES, SignedSurvey, verified_survey
from shared.verification.files import BALLOTS_FILE, CHECKPOINT_FILE, EXPORTED, SPECIFICATION_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderFiles:
    """Implements :class:`shared.verification.files.ExportFiles` with a folder.

    Attributes
    ----------
    folder : Path
        From ``roomful trustees export``.
    """

    folder: Path

    def read(self, name: str, most: int) -> bytes:
        return files.read_file(self.folder / name, EXPORTED, most)

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        try:
            return (self.folder / name).open("rb")
        except OSError as problem:
            raise InputError(
                f"cannot be read ({problem.strerror})", where=str(self.folder / name), expected=EXPORTED
            ) from None


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
    require_new(out, "folder")
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
                    stream.write(len(data).to_bytes(LENGTH_BYTES, "big") + data)
                    count += 1
                stream.flush()
                os.fsync(stream.fileno())
    return count


def read_survey(folder: Path, invitation: Invitation) -> SignedSurvey:
    """The signed specification in a folder; see :func:`shared.verification.export.verified_survey`."""
    data = FolderFiles(folder=folder).read(SPECIFICATION_FILE, MAX_ENVELOPE_BYTES)
    return verified_survey(data, invitation, library())
