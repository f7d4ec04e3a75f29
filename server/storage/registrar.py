"""The registrar's file: hashes of invitation codes, and which of them fetched a token.

It holds no name and no code, and of a fetched token only a hash of the blinded message, from which nobody can
tell the token. A code is spent by writing that hash, before the signature leaves.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import unquote_to_bytes, urlsplit

from server.storage import database as db
from server.storage.anchor import Anchor, next_generation
from server.storage.creating import create_file
from server.storage.intake import Stored
from server.storage.schema import REGISTRAR_FIELDS
from server.storage.writer import GroupWriter
from shared.errors import StateError, StorageError, TokenError

REGISTRAR_NAME: Final = "registrar.sqlite"
_REMINDED: Final = "reminded"
_LETTERS: Final = "letters_to"
_REMINDERS: Final = "reminders_to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """A code that asks for a token."""

    code: bytes
    request: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Which of some codes wait, and what was known at the last reminder; all of one moment.

    Attributes
    ----------
    waiting : frozenset of bytes
        Hashes of those that are known and fetched no token.
    known : int
        How many of them are known at all.
    issued : int
        Tokens issued to all codes.
    last_day : str
        Day of the last reminder; empty if there was none.
    last_issued : int
        Tokens issued by then.
    """

    waiting: frozenset[bytes] = field(repr=False)
    known: int
    issued: int
    last_day: str
    last_issued: int


class _FetchIntake:
    """Spends codes: implements :class:`server.storage.intake.Intake`."""

    def store(self, connection: sqlite3.Connection, group: Sequence[Fetch]) -> Stored:
        """Note the request of each unspent code; the first of several requests with one code wins."""
        marks = ",".join("?" * len(group))
        known = {
            bytes(code): None if request is None else bytes(request)
            for code, request in connection.execute(
                f"SELECT hash, request FROM code WHERE hash IN ({marks})",  # noqa: S608 - question marks
                [fetch.code for fetch in group],
            )
        }
        fresh: dict[bytes, bytes] = {}
        outcomes: list[Exception | None] = []
        for fetch in group:
            if fetch.code not in known:
                outcomes.append(_unknown())
                continue
            spent = known[fetch.code] or fresh.setdefault(fetch.code, fetch.request)
            outcomes.append(None if spent == fetch.request else _used())
        connection.executemany(
            "UPDATE code SET request = ? WHERE hash = ?", [(fresh[code], code) for code in sorted(fresh)]
        )
        return Stored(outcomes=tuple(outcomes), added=len(fresh))

    def count(self, connection: sqlite3.Connection) -> int:
        """How many codes there are."""
        return int(connection.execute("SELECT count(*) FROM code").fetchone()[0])


class RegistrarStore:
    """The codes of one survey. Safe for many threads and several processes.

    Parameters
    ----------
    folder : Path
        The survey's folder.
    digest : str
        The survey's identity.
    anchor : Anchor
        Where commits are counted a second time.
    quiet_seconds : float
        How long after the last request the file is rewritten in key order.

    Raises
    ------
    StateError
        With the code ``state.no-invitations`` if nobody was invited here.
    StorageError
        If the file is damaged or another survey's.
    """

    def __init__(self, folder: Path, *, digest: str, anchor: Anchor, quiet_seconds: float) -> None:
        self._path, self._anchor = folder / REGISTRAR_NAME, anchor
        if not self._path.is_file():
            raise StateError(
                "nobody was invited here yet",
                where=folder.name,
                remedy="Invite people first: roomful invite.",
                code="state.no-invitations",
            )
        if self._read("SELECT value FROM survey WHERE name = 'specification'") != digest:
            raise StorageError("the codes are another survey's", where=folder.name, code="storage.corrupt")
        self._intake = _FetchIntake()
        self._writer = GroupWriter(self._path, self._intake, anchor, quiet_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @classmethod
    def create(cls, folder: Path, *, digest: str, anchor: Anchor) -> None:
        """Make the file of a survey without codes, unless it is there.

        Several processes may do so at once: one makes it, and none replaces what another has made.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        create_file(
            folder / REGISTRAR_NAME, fields=REGISTRAR_FIELDS, rows={"specification": digest}, anchor=anchor
        )

    def add(self, hashes: Iterable[bytes], *, people: int, letters_to: Path | None = None) -> int:
        """Invite: add the hashes of new codes; those that are there stay as they are.

        Parameters
        ----------
        hashes : iterable of bytes
            32 bytes each.
        people : int
            The number of invitations that the specification allows.
        letters_to : Path, optional
            Where the letters with these codes will be; kept until :meth:`note_finished`.

        Returns
        -------
        int
            How many codes there are now.

        Raises
        ------
        StateError
            With the code ``state.invitations`` if there would be more than allowed; nothing is added then.
        StorageError
            If it cannot be written, or the file was restored from an old copy.
        """
        with self._change(sweep=True) as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO code VALUES (?, NULL)", [(value,) for value in sorted(hashes)]
            )
            total = self._intake.count(connection)
            if total > people:
                raise StateError(
                    f"there would be {total} invitations",
                    expected=f"at most {people}, as the specification says",
                    remedy="Invite fewer people; the number was signed and cannot grow.",
                    code="state.invitations",
                )
            if letters_to is not None:
                _keep(connection, _LETTERS, letters_to.absolute().as_uri())
        return total

    def letters_to(self, *, reminders: bool = False) -> Path | None:
        """Where the letters of a run were to be that was stored and has not come to its end.

        Of invitations, or of reminders.
        """
        name = _REMINDERS if reminders else _LETTERS
        with closing(db.connect(self._path).conn) as connection, db.named_errors():
            row = connection.execute("SELECT value FROM survey WHERE name = ?", (name,)).fetchone()
        return None if row is None else Path(os.fsdecode(unquote_to_bytes(urlsplit(str(row[0])).path)))

    def note_finished(self, *, reminders: bool = False) -> None:
        """Note that the letters are where they were to be: those of invitations, or of reminders.

        Raises
        ------
        StorageError
            If it cannot be written, or the file was restored from an old copy.
        """
        with self._change() as connection:
            name = _REMINDERS if reminders else _LETTERS
            connection.execute("DELETE FROM survey WHERE name = ?", (name,))

    def spend(self, code: bytes, blinded_message: bytes) -> None:
        """Spend a code for a blinded message, durably; the same message again is welcome.

        Guarantee: for each code there is at most one blinded message for which this ever returns.

        Raises
        ------
        TokenError
            With the code ``token.code-unknown``, or ``token.code-used`` for another message.
        StorageError
            If it could not be stored.
        """
        self._writer.store(Fetch(code=code, request=hashlib.sha256(blinded_message).digest()))

    def issued(self) -> int:
        """How many codes fetched a token."""
        return int(self._read("SELECT count(request) FROM code"))

    def invited(self) -> int:
        """How many codes there are."""
        return int(self._read("SELECT count(*) FROM code"))

    def fetched(self, hashes: Iterable[bytes]) -> Fetched:
        """What a reminder needs to know; see :mod:`server.invitations.batches` for when it may."""
        wanted = frozenset(hashes)
        with closing(db.connect(self._path).conn) as connection, db.named_errors():
            connection.execute("BEGIN")
            rows = connection.execute("SELECT hash, request IS NULL FROM code").fetchall()
            last_day, last_issued = _last_reminder(connection)
            connection.execute("ROLLBACK")
        known = {bytes(code): waits for code, waits in rows}
        return Fetched(
            waiting=frozenset(code for code in wanted if known.get(code)),
            known=len(wanted & known.keys()),
            issued=sum(not waits for waits in known.values()),
            last_day=last_day,
            last_issued=last_issued,
        )

    def note_reminder(self, seen: Fetched, day: str, *, letters_to: Path) -> None:
        """Note that people are reminded, by what was seen, and where their letters will be.

        The place is kept until :meth:`note_finished`.

        Raises
        ------
        StateError
            With the code ``state.reminder`` if somebody else reminded in between.
        StorageError
            If it cannot be written, or the file was restored from an old copy.
        """
        with self._change() as connection:
            if _last_reminder(connection) != (seen.last_day, seen.last_issued):
                raise StateError(
                    "another reminder was made at the same time",
                    remedy="Use its letters; the next reminder can be made tomorrow.",
                    code="state.reminder",
                )
            _keep(connection, _REMINDED, f"{day} {seen.issued}")
            _keep(connection, _REMINDERS, letters_to.absolute().as_uri())

    def end(self) -> None:
        """Store what waits, sweep, and let go of the file."""
        self._writer.end()

    @contextmanager
    def _change(self, *, sweep: bool = False) -> Iterator[sqlite3.Connection]:
        """Make a durable change, alone, which the anchor counts."""
        database = db.connect(self._path)
        with closing(database.conn), db.turn(self._path):
            with db.transaction(database) as connection:
                generation = next_generation(connection, self._anchor)
                yield connection
            self._anchor.note(generation)
            if sweep:
                db.sweep(database)

    def _read(self, query: str) -> str:
        with closing(db.connect(self._path).conn) as connection, db.named_errors():
            row = connection.execute(query).fetchone()
        if row is None:
            raise StorageError("the codes' file is damaged", code="storage.corrupt")
        return str(row[0])


def delete_codes(folder: Path) -> None:
    """Delete all codes, the day of the last reminder and the places of letters.

    The survey's digest and its count of commits stay.

    Raises
    ------
    StorageError
        If that fails; then all are still there, or all are gone and the file is yet to be swept.
    """
    path = folder / REGISTRAR_NAME
    database = db.connect(path)
    with closing(database.conn), db.turn(path):
        with db.transaction(database) as connection:
            connection.execute("DELETE FROM code")
            connection.execute(
                "DELETE FROM survey WHERE name IN (?, ?, ?)", (_REMINDED, _LETTERS, _REMINDERS)
            )
            connection.execute(f"PRAGMA user_version={db.DIRTY}")
        db.sweep(database)


def _keep(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO survey VALUES (?, ?)", (name, value))


def _last_reminder(connection: sqlite3.Connection) -> tuple[str, int]:
    row = connection.execute("SELECT value FROM survey WHERE name = ?", (_REMINDED,)).fetchone()
    if row is None:
        return "", 0
    day, _, issued = str(row[0]).partition(" ")
    if not issued.isdecimal():
        raise StorageError("the codes' file is damaged", code="storage.corrupt")
    return day, int(issued)


def _unknown() -> TokenError:
    return TokenError(
        "nobody was invited with this code",
        where="code",
        remedy="Compare it with the letter, group by group; or it is for another survey.",
        code="token.code-unknown",
    )


def _used() -> TokenError:
    return TokenError(
        "this code has fetched its token already",
        where="code",
        remedy="Go on where it was fetched, or open the token that was saved there.",
        code="token.code-used",
    )
