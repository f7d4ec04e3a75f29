"""The registrar's file: the roll's hashes of codes, and which of them fetched a token.

It holds no name and no code; of a used code its proof, which its device showed (:mod:`shared.roll`), and of a
fetched token only a hash of the blinded message, from which nobody can tell the token. A code is spent by
writing both, before the signature leaves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from server.collection.storage import database as db
from server.collection.storage.anchor import Anchor, next_generation
from server.collection.storage.creating import create_tables
from server.collection.storage.databases import Connection, Database
from server.collection.storage.intake import Stored
from server.collection.storage.schema import REGISTRAR_FIELDS
from server.collection.storage.writer import GroupWriter
from shared.errors import StateError, StorageError, TokenError
from shared.roll import roll_hash

REGISTRAR_NAME: Final = "registrar.sqlite"
_ASKED: Final = "waiting_asked_on"
_LISTED: Final = "waiting_listed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """A code that asks for a token of a box: its proof, and the hash of its blinded message."""

    proof: bytes
    request: bytes
    box: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Which codes wait, and how many do not; all of one moment.

    Attributes
    ----------
    waiting : frozenset of bytes
        Roll hashes of those that fetched no token.
    issued : int
        Tokens issued to the others.
    """

    waiting: frozenset[bytes] = field(repr=False)
    issued: int


class _FetchIntake:
    """Spends codes: implements :class:`server.collection.storage.intake.Intake`."""

    def store(self, connection: Connection, group: Sequence[Fetch]) -> Stored:
        """Note the request of each unspent code; the first of several requests with one code wins."""
        codes = [roll_hash(fetch.proof) for fetch in group]
        marks = ",".join("?" * len(group))
        known = {
            bytes(code): (box, None if request is None else bytes(request))
            for code, box, request in connection.execute(
                f"SELECT hash, box, request FROM code WHERE hash IN ({marks})",  # noqa: S608 - question marks
                codes,
            )
        }
        fresh: dict[bytes, Fetch] = {}
        outcomes: list[Exception | None] = []
        for code, fetch in zip(codes, group, strict=True):
            if code not in known:
                outcomes.append(_refused())
                continue
            box, request = known[code]
            if box != fetch.box:
                outcomes.append(_other_box(box, fetch.box))
                continue
            spent = request or fresh.setdefault(code, fetch).request
            outcomes.append(None if spent == fetch.request else _refused())
        connection.executemany(
            "UPDATE code SET proof = ?, request = ? WHERE hash = ?",
            [(fresh[code].proof, fresh[code].request, code) for code in sorted(fresh)],
        )
        return Stored(outcomes=tuple(outcomes), added=len(fresh))

    def count(self, connection: Connection) -> int:
        """How many codes there are."""
        return int(connection.execute("SELECT count(*) FROM code").fetchone()[0])


class RegistrarStore:
    """The codes of one survey. Safe for many threads and several processes.

    Parameters
    ----------
    database : Database
        The survey's own, beside that of its ballots.
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

    def __init__(self, database: Database, *, digest: str, anchor: Anchor, quiet_seconds: float) -> None:
        self._database, self._anchor = database, anchor
        where = database.path.parent.name
        if not database.exists():
            raise StateError(
                "this server holds no roll of codes",
                where=where,
                remedy="Publish the survey here with --token-key, which makes this server its registrar.",
                code="state.no-invitations",
            )
        if self._read("SELECT value FROM survey WHERE name = 'specification'") != digest:
            raise StorageError("the codes are another survey's", where=where, code="storage.corrupt")
        self._intake = _FetchIntake()
        self._writer = GroupWriter(database, self._intake, anchor, quiet_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @classmethod
    def create(cls, database: Database, *, digest: str, anchor: Anchor) -> None:
        """Make the file of a survey without codes, unless it is there.

        Several processes may do so at once: one makes it, and none replaces what another has made.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        create_tables(database, fields=REGISTRAR_FIELDS, rows={"specification": digest}, anchor=anchor)

    def add(self, boxes: Iterable[Iterable[bytes]], *, people: int) -> int:
        """Add the roll's hashes of codes; those that are there stay as they are.

        Parameters
        ----------
        boxes : iterable of iterable of bytes
            32 bytes each, those of each box of an election; of a survey all in one.
        people : int
            The number of invitations that the specification allows.

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
                "INSERT INTO code VALUES (?, ?, NULL, NULL) ON CONFLICT DO NOTHING",
                sorted((value, box) for box, hashes in enumerate(boxes) for value in hashes),
            )
            total = self._intake.count(connection)
            if total > people:
                raise StateError(
                    f"there would be {total} invitations",
                    expected=f"at most {people}, as the specification says",
                    remedy="Invite fewer people; the number was signed and cannot grow.",
                    code="state.invitations",
                )
        return total

    def spend(self, proof: bytes, blinded_message: bytes, box: int = 0) -> None:
        """Spend a code for a blinded message under the key of a box, durably; the same again is welcome.

        Guarantee: for each code there is at most one blinded message for which this ever returns. A code that
        is not on the roll and one that was spent for another message are refused alike.

        Raises
        ------
        TokenError
            With the code ``token.code``; ``token.box`` if the roll has the code in another box, which spends
            nothing.
        StorageError
            If it could not be stored.
        """
        request = hashlib.sha256(blinded_message).digest()
        self._writer.store(Fetch(proof=proof, request=request, box=box))

    def issued(self) -> int:
        """How many codes fetched a token."""
        return int(self._read("SELECT count(request) FROM code"))

    def issued_by_box(self, boxes: int) -> tuple[int, ...]:
        """How many codes of each box fetched a token."""
        with closing(self._database.connect()) as connection, db.named_errors():
            found = dict(connection.execute("SELECT box, count(request) FROM code GROUP BY box"))
        return tuple(int(found.get(box, 0)) for box in range(boxes))

    def invited(self) -> int:
        """How many codes there are."""
        return int(self._read("SELECT count(*) FROM code"))

    def used_codes(self) -> tuple[bytes, ...]:
        """Proofs of all codes that fetched a token, ascending."""
        with closing(self._database.connect()) as connection, db.named_errors():
            rows = connection.execute("SELECT proof FROM code WHERE request IS NOT NULL").fetchall()
        return tuple(sorted(bytes(proof) for (proof,) in rows))

    def ask_for_waiting(self, day: str) -> Fetched:
        """What a list of waiting codes needs to know; see :mod:`server.invitations.reminding`.

        Raises
        ------
        StateError
            With the code ``state.reminder`` if the list was made, or asked for on this day or a later one.
        StorageError
            If that it was asked for cannot be noted, or the file was restored from an old copy.
        """
        with self._change() as connection:
            rows = dict(connection.execute("SELECT name, value FROM survey"))
            if _LISTED in rows:
                raise _too_often("the list of this survey was made already, and there is only one", "")
            asked = str(rows.get(_ASKED, ""))
            if asked >= day:
                raise _too_often(f"it was asked for on {asked} already", "Ask again on a later day. ")
            _keep(connection, _ASKED, day)
            found = connection.execute("SELECT hash, request IS NULL FROM code").fetchall()
        waiting = frozenset(bytes(code) for code, waits in found if waits)
        return Fetched(waiting=waiting, issued=len(found) - len(waiting))

    def note_waiting_listed(self) -> None:
        """Note that the list is made, so that there is never another one.

        Raises
        ------
        StorageError
            If it cannot be written, or the file was restored from an old copy.
        """
        with self._change() as connection:
            _keep(connection, _LISTED, "yes")

    def end(self) -> None:
        """Store what waits, sweep, and let go of the file."""
        self._writer.end()

    @contextmanager
    def _change(self, *, sweep: bool = False) -> Iterator[Connection]:
        """Make a durable change, alone, which the anchor counts."""
        database = self._database
        with closing(database.connect()) as held, database.turn():
            with database.transaction(held) as connection:
                generation = next_generation(connection, self._anchor)
                yield connection
            self._anchor.note(generation)
            if sweep:
                database.sweep(held)

    def _read(self, query: str) -> str:
        with closing(self._database.connect()) as connection, db.named_errors():
            row = connection.execute(query).fetchone()
        if row is None:
            raise StorageError("the codes' file is damaged", code="storage.corrupt")
        return str(row[0])


def delete_codes(database: Database) -> None:
    """Delete all codes, and what is known of the list of those that wait.

    The survey's digest and its count of commits stay.

    Raises
    ------
    StorageError
        If that fails; then all are still there, or all are gone and the file is yet to be swept.
    """
    with closing(database.connect()) as held, database.turn():
        with database.transaction(held) as connection:
            database.empty(connection, "code")
            connection.execute("DELETE FROM survey WHERE name IN (?, ?)", (_ASKED, _LISTED))
            database.mark(connection)
        database.forget_log()
        database.sweep(held)


def _keep(connection: Connection, name: str, value: str) -> None:
    connection.execute(
        "INSERT INTO survey VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def _too_often(message: str, remedy: str) -> StateError:
    return StateError(
        message,
        remedy=f"{remedy}Everybody can be reminded without it: roomful invite --reminder.",
        code="state.reminder",
    )


def _other_box(box: int, said: int) -> TokenError:
    """The holder of a code may know the box that it is on the roll with: it stands on her letter."""
    return TokenError(
        f"the roll has this code in box {box}, and what was said leads to box {said}",
        where="code",
        expected="what the roll says of her",
        remedy="Compare what was entered with the letter. If the roll is wrong, tell whoever invited you:"
        " nothing is spent yet.",
        code="token.box",
    )


def _refused() -> TokenError:
    """One answer for a code that nobody was invited with and one that was used: nobody learns which."""
    return TokenError(
        "this code fetches no token: nobody was invited with it, or it was used already",
        where="code",
        remedy="Compare it with the letter, group by group. If it is right, go on where it was used, or open"
        " the token that was saved there. If nobody of you used it, tell whoever invited you.",
        code="token.code",
    )
