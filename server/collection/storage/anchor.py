"""Noticing a database that was restored from an older copy.

Whoever puts yesterday's database back lets codes and tokens that were used since be used again. So every
database of an invited survey counts its commits, and the count is noted a second time outside the data
directory, in its anchor. A database that is behind its anchor was restored; it takes nothing more. A survey's
steps count too: a copy from before the closing cannot take ballots again.

The anchor is written after a commit and before anybody is told of it. A crash between the two leaves the
database ahead, which is no alarm; whoever is next told of anything is told after the anchor has caught up.
The file has two slots of 64 bytes, written in turn, so that a torn write spoils only the newer one::

    generation (20 digits) || " " || 42 hexadecimal digits of SHA-256(name || " " || generation) || "\\n"
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from server.collection.storage.databases import Connection
from server.files import named_file_errors, sync_folder
from shared.errors import StorageError

SLOT_BYTES: Final = 64
GENERATION: Final = "generation"
_DIGITS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The second note of one database's count.

    Attributes
    ----------
    path : Path
        The file, outside the data directory.
    name : str
        Whose count it is, such as ``0123456789abcdef.answers``.
    """

    path: Path
    name: str

    def create(self) -> None:
        """Begin at zero.

        Raises
        ------
        StorageError
            If it cannot be written. An anchor that is there stays: publishing again must not reset it.
        """
        folder = self.path.parent
        with named_file_errors(self.path.name):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, whole = tempfile.mkstemp(dir=folder, prefix=".new-")
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(self._slot(0))
                    stream.flush()
                    os.fsync(stream.fileno())
                with contextlib.suppress(FileExistsError):
                    os.link(whole, self.path)  # unlike a renaming it never replaces one that is there
            finally:
                Path(whole).unlink()
            sync_folder(folder)

    def read(self) -> int:
        """The highest count that was noted.

        Raises
        ------
        StorageError
            With the code ``storage.anchor-missing`` if the file is not there or holds no count.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            raise self._missing("is missing") from None
        except OSError as error:
            raise self._missing(f"cannot be read ({error.strerror})") from None
        found = [
            int(slot[:_DIGITS])
            for slot in (data[:SLOT_BYTES], data[SLOT_BYTES:])
            if slot[:_DIGITS].isdigit() and slot == self._slot(int(slot[:_DIGITS]))
        ]
        if not found:
            raise self._missing("holds no count")
        return max(found)

    def note(self, generation: int) -> None:
        """Note a count, durably, unless it is noted; only one process at a time may do that.

        Raises
        ------
        StorageError
            If it cannot be written; then nobody may be told of the commit.
        """
        if self.read() >= generation:
            return
        with named_file_errors(self.path.name):
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.pwrite(descriptor, self._slot(generation), (generation % 2) * SLOT_BYTES)
                os.fdatasync(descriptor)
            finally:
                os.close(descriptor)

    def require_writable(self) -> None:
        """Check that a count could be noted, before anything is committed that it would have to follow.

        Raises
        ------
        StorageError
            If the file cannot be written.
        """
        with named_file_errors(self.path.name):
            os.close(os.open(self.path, os.O_WRONLY | os.O_CLOEXEC))

    def require_current(self, generation: int) -> None:
        """Check that a database is not older than its anchor.

        Raises
        ------
        StorageError
            With the code ``storage.rolled-back``, or ``storage.anchor-missing``.
        """
        noted = self.read()
        if generation < noted:
            raise StorageError(
                f"the database is older than it was: it counts {generation} commits, its anchor {noted}",
                where=self.name,
                remedy="It was restored from a copy. What was used since could be used again, so nothing more"
                " is accepted: put the newest database back, or close the survey.",
                code="storage.rolled-back",
            )

    def _slot(self, generation: int) -> bytes:
        count = f"{generation:0{_DIGITS}}"
        seal = hashlib.sha256(f"{self.name} {count}".encode()).hexdigest()
        return f"{count} {seal[: SLOT_BYTES - _DIGITS - 2]}\n".encode("ascii")

    def _missing(self, what: str) -> StorageError:
        return StorageError(
            f"the anchor {what}, so nobody can tell whether the database is an old copy",
            where=str(self.path),
            remedy="Bring the folder of anchors along with the data directory, or set anchor_dir to it.",
            code="storage.anchor-missing",
        )


def current_generation(connection: Connection, anchor: Anchor) -> int:
    """The count of a database that was not restored; errors as :meth:`Anchor.require_current`."""
    generation = read_generation(connection)
    anchor.require_current(generation)
    return generation


def next_generation(connection: Connection, anchor: Anchor) -> int:
    """Count one commit, inside its transaction; the caller notes the result after the commit.

    Raises
    ------
    StorageError
        As :meth:`Anchor.require_current`, or if the result could not be noted; the caller's transaction is
        then rolled back, so that nothing is used up of which nobody is told.
    """
    generation = current_generation(connection, anchor) + 1
    anchor.require_writable()
    connection.execute("UPDATE survey SET value = ? WHERE name = ?", (str(generation), GENERATION))
    return generation


def read_generation(connection: Connection) -> int:
    """How many commits a database counts.

    Raises
    ------
    StorageError
        With the code ``storage.corrupt`` if it does not count.
    """
    row = connection.execute("SELECT value FROM survey WHERE name = ?", (GENERATION,)).fetchone()
    if row is None or not str(row[0]).isdecimal():
        raise StorageError("the database is not a survey's", code="storage.corrupt")
    return int(row[0])
