"""The submissions of one survey."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from server.collection.board_folder import RECEIPTS_FILE, has_board, read_board_file, read_counts
from server.collection.storage import database as db
from server.collection.storage.anchor import Anchor, read_generation
from server.collection.storage.ballot_intake import BallotIntake, BallotRow, final, read_ballots
from server.collection.storage.copying import require_arrived
from server.collection.storage.creating import TEST
from server.collection.storage.databases import Databases, embedded
from server.collection.storage.open_intake import OpenIntake, has_receipt, read_answers
from server.collection.storage.published import SPECIFICATION_NAME, PublishedSurvey, stamp
from server.collection.storage.registrar import REGISTRAR_NAME
from server.collection.storage.retention import (
    DELETED_ON,
    Now,
    Retention,
    Today,
    delete_if_due,
    read_retention,
    utc_now,
)
from server.collection.storage.server_keys import HeldKeys
from server.collection.storage.states import NOT_CLOSED, State, as_state, at, refusal, require_step
from server.collection.storage.steps import count_commit, take_step
from server.collection.storage.writer import GroupWriter
from shared.ballot import Ballot
from shared.envelope import decode_key, survey_id
from shared.errors import StateError, StorageError, VerificationError
from shared.specification import Specification

DATABASE_NAME: Final = "answers.sqlite"
QUIET_SECONDS: Final = 3.0
TOLD_TOTALS: Final = ("total-ballots", "total-tokens")
"""What is kept of an open invited survey besides, see :meth:`SurveyStore.told`."""
T = TypeVar("T")


class SurveyStore:
    """What one survey has been told, and where it stands.

    Safe for use by many threads, and by several processes at once: the state is read inside the transaction
    that writes, so a survey that another process closes takes nothing more.

    Parameters
    ----------
    folder : Path
        The survey's folder in the data directory.
    anchor : Anchor
        Where commits of an invited survey are counted a second time; an open survey has none.
    quiet_seconds : float
        How long after the last submission the file is rewritten in key order.
    today : callable
        The clock: the day in UTC. Asked at closing and for the retention, never at a submission.
    now : callable
        The clock: the moment in UTC. Compared with the signed period, and never stored.
    databases : callable
        Where databases are.

    Raises
    ------
    StorageError, VerificationError
        If the folder is not a survey, is damaged, or its specification is not the one that was published.
    """

    def __init__(
        self,
        folder: Path,
        *,
        today: Today,
        anchor: Anchor,
        quiet_seconds: float = QUIET_SECONDS,
        now: Now = utc_now,
        databases: Databases = embedded,
    ) -> None:
        self._today, self._anchor, self._clock = today, anchor, now
        #: Of an invited survey; shared by all who need them, so that they are dropped in one place.
        self.keys = HeldKeys(folder)
        self._database = databases(folder / DATABASE_NAME, folder.name)
        self._registrar = databases(folder / REGISTRAR_NAME, folder.name)
        self._reader = self._database.connect()
        self._identity = self._database.identity()
        self._reading = Lock()
        try:
            require_arrived(self._reader, folder.name)
            self._organizer_key = decode_key(self._value("organizer_key"))
            self._digest = self._value("specification")
            self._is_test = self._has(TEST)
            self._specification_path = str(folder / SPECIFICATION_NAME)
            self._stamp = stamp(self._specification_path)
            self._published = self._load(folder)
        except BaseException:
            self._reader.close()
            raise
        self._intake: OpenIntake | BallotIntake
        if self._published.specification.invited is None:
            self._intake = OpenIntake(self._now, self._digest, self._met)
        else:
            self._intake = BallotIntake(self._now, self._digest, self.keys, self._met, self._is_provisional)
        self._writer: GroupWriter[Any] = GroupWriter(
            self._database, self._intake, self._counted(), quiet_seconds
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def is_there(self) -> bool:
        """Whether this is still the survey of the data directory: a draft can be taken back."""
        return self._database.identity() == self._identity

    # What was published

    @property
    def published(self) -> PublishedSurvey:
        """The published files: envelope, model, released tables.

        Raises
        ------
        VerificationError
            If somebody changed the specification's file since; signatures may be added to a draft.
        """
        found = stamp(self._specification_path)
        if found != self._stamp:
            self._published = self._load(self._published.folder)
            self._stamp = found
        return self._published

    @property
    def id(self) -> str:
        """The first 16 hex digits of the specification's digest."""
        return survey_id(self._digest)

    @property
    def specification(self) -> Specification:
        """The verified specification."""
        return self.published.specification

    # Where it stands

    @property
    def state(self) -> State:
        """The state as of now, whoever set it."""
        return as_state(self._value("state"))

    @property
    def is_test(self) -> bool:
        """Whether this is a copy to be tried: its answers are nobody's."""
        return self._is_test

    @property
    def is_election(self) -> bool:
        """Whether it is one: then its codes are exchanged in a phase of their own."""
        invited = self.specification.invited
        return invited is not None and invited.election is not None

    @property
    def met(self) -> State:
        """The state as respondents meet it: an open survey takes answers within its signed period alone."""
        return self._met(self.state)

    def total(self) -> int | None:
        """The number of submissions, or None if they were deleted: then nobody knows any more.

        There is no count of anything smaller while a survey is open.
        """
        with self._reading, self._database.snapshot(self._reader) as connection:
            total = self._intake.count(connection)
            query = "SELECT count(*) FROM survey WHERE name = ?"
            deleted = connection.execute(query, (DELETED_ON,)).fetchone()[0]
        return None if deleted else total

    def told(self, name: str) -> Path:
        """Where the number that is told of an open invited survey is kept: beside its anchor.

        So all collectors of one database tell the same, and a data directory that is restored tells no other
        number of a day of which one was told: from several draws, or moments, the true number would follow.

        Parameters
        ----------
        name : str
            One of :data:`TOLD_TOTALS`.
        """
        return self._anchor.path.with_name(f"{self.id}.{name}")

    @property
    def retention(self) -> Retention:
        """How long the answers are kept."""
        days = self.specification.retention_days
        with self._reading, db.named_errors():
            return read_retention(self._reader, days)

    def is_overdue(self) -> bool:
        """Whether answers are there that should have been deleted."""
        return self.retention.is_due(self._today())

    def has_receipt(self, receipt: str) -> bool:
        """Whether an open survey's submission with this receipt is stored; False for what is no receipt.

        Raises
        ------
        StateError
            With the code ``state.board`` if the survey is invited: asking would tell the collector whose
            ballot it is, so receipts are found on the public board.
        """
        if self.specification.invited is not None:
            raise StateError(
                "receipts of this survey are on its public board",
                remedy="Look there after the survey is closed. Sending the same ballot again is harmless.",
                code="state.board",
            )
        try:
            digest = bytes.fromhex(receipt)
        except ValueError:
            return False
        with self._reading, db.named_errors():
            return has_receipt(self._reader, digest)

    def check(self) -> None:
        """Read the whole file for damage.

        Raises
        ------
        StorageError
            With the code ``storage.corrupt``.
        """
        with self._reading:
            self._database.check(self._reader)

    def settings(self) -> dict[str, int | str]:
        """The durability settings as SQLite reports them."""
        with self._reading:
            return self._database.settings(self._reader)

    # Steps

    def open(self) -> None:
        """Make a draft take submissions. There is no way back.

        An election takes two such steps: first its codes are exchanged, and then ballots are taken.

        Raises
        ------
        StateError
            If it is neither a draft nor an election that exchanges codes, or its signed period is over.
        """
        period = self.specification.period
        if period is not None and period.is_over(self._clock()):
            raise StateError(
                f"this survey was to take answers until {period.closes}, and that is over",
                remedy="Design and sign it with another period.",
                code="state.closed",
            )
        exchanged = self.state is State.TOKENS or not self.is_election
        self._step(State.OPEN if exchanged else State.TOKENS)

    def require_promised_end(self) -> None:
        """Check that closing now would not break what respondents were told, in a signed document.

        Raises
        ------
        StateError
            With the code ``state.period`` if it is open and its signed period is not over.
        """
        period = self.specification.period
        if self.state is State.OPEN and period is not None and period.closes is not None:
            raise StateError(
                f"this survey promises its respondents to take answers until {period.closes}",
                remedy="Wait: it is closed by itself then. If it must end now, say so (close --early).",
                code="state.period",
            )

    def close(self) -> None:
        """End the submissions for good.

        Guarantee: for every submission, either it is stored before this returns, or it is never stored.
        The day is stored with it: from there the days until the deletion of the answers count.

        Raises
        ------
        StateError
            If it is not open.
        SetupError
            If the clock is plainly wrong.
        StorageError
            If it cannot be written; the message says in which state the survey was left.
        """
        try:
            self._step(State.CLOSED)
            self.keys.drop()
            self.sweep()
            with self._reading, self._database.turn():
                self._database.forget_commits()
        except StorageError as problem:
            raise self._left_by(problem) from problem

    def close_if_over(self) -> bool:
        """Close an open survey whose signed period is over; whether this call did.

        Answers are refused from the first moment on, whether this was called or not.
        """
        if self.state is not State.OPEN or self.met is not State.CLOSED:
            return False
        try:
            self.close()
        except StateError:
            return False  # another process was first
        return True

    def mark_released(self, release_folder: Path) -> None:
        """Copy the released files into the survey's folder and end its life.

        Raises
        ------
        StateError
            If it is not closed.
        StorageError
            If the files cannot be copied; the state stays closed.
        """
        require_step(self.state, State.RELEASED)
        self._published.take_release(release_folder)
        self._step(State.RELEASED)

    def sweep(self) -> None:
        """Rewrite the file in key order now, unless that is already so."""
        with closing(self._database.connect()) as connection, self._database.turn():
            self._database.sweep(connection)

    def expire(self) -> int | None:
        """Delete all answers and receipts if their days are over; before that day do nothing.

        Of an invited survey the private keys and the invitation codes that are here are deleted too; from
        memory they are dropped as soon as the survey is closed, whoever closed it.

        Returns
        -------
        int or None
            How many answers this call deleted; None if there was nothing to delete.

        Raises
        ------
        StorageError
            If that fails; then all are still there, or all are gone and the file is yet to be swept.

        Notes
        -----
        Guarantee: whenever this is interrupted, calling it again ends in the same file. State, digest and the
        published release stay.
        """
        if self.state not in NOT_CLOSED:
            self.keys.drop()
        days = self.specification.retention_days
        return delete_if_due(self._database, self._registrar, self._intake, days, self._today())

    # Submissions

    def acceptance(self, receipt: str) -> bytes | None:
        """The collector's signature that a ballot is stored; None for a survey that is open to everybody."""
        invited = self.specification.invited
        if invited is None:
            return None
        return self.keys.collector(invited).accept(self.published.digest, bytes.fromhex(receipt))

    def submit(self, message: bytes) -> str:
        """Store one submission durably.

        Parameters
        ----------
        message : bytes
            The submission as sent.

        Returns
        -------
        str
            The receipt, SHA-256 of the message in hex. The same message again gives the same receipt and is
            stored once, also after closing.

        Raises
        ------
        SubmissionError
            If the message is malformed or does not belong to the survey.
        TokenError
            If a ballot's token is not genuine, or another ballot was stored with it.
        StateError
            If the survey is not open at the moment of storing.
        StorageError
            If it could not be stored.

        Notes
        -----
        Guarantee: a receipt is returned only for a submission that is on the disk.
        """
        try:
            row = self._intake.read(message)
        except StateError:  # without a key nothing can be read; what the state says comes first
            if (state := self.met) is not State.OPEN:
                raise refusal(state, "take submissions") from None
            raise
        self._writer.store(row)
        return row.receipt.hex()

    def complain(self, message: bytes) -> tuple[str, bool]:
        """Admit a ballot that the provisional board of an election does not list, although it was accepted.

        Parameters
        ----------
        message : bytes
            A :class:`shared.complaint.Complaint`, as sent.

        Returns
        -------
        receipt : str
            Of the ballot, in hex.
        listed : bool
            Whether the board lists it already, so that there is nothing to complain about. Else it is stored,
            and will be on the final board. The same complaint again is stored once.

        Raises
        ------
        SubmissionError
            With the code ``complaint.acceptance`` if the collector did not sign that it took this ballot; or
            if it is malformed.
        TokenError
            With the code ``token.spent`` if another ballot was stored with its token.
        StateError
            If there is no election or it is not closed; with the code ``state.final`` if its board is final.
        NotFoundError
            If it has no board yet.
        """
        if not self.is_election or self.state is not State.CLOSED:
            raise refusal(self.state, "take complaints", election=self.is_election)
        listed = read_board_file(self.published.folder, RECEIPTS_FILE)
        if not isinstance(self._intake, BallotIntake):
            raise TypeError("an election takes ballots")
        row = self._intake.read_complaint(message)
        receipt = row.receipt.hex()
        if f"{receipt}\n".encode() in listed:
            return receipt, True
        if not self._is_provisional():
            raise final()
        self._admit(self._intake, row)
        return receipt, False

    def _admit(self, intake: BallotIntake, row: BallotRow) -> None:
        """Store a ballot of a complaint, alone; a restored database takes it too."""
        anchor, generation = self._counted(), None
        with self._reading, closing(self._database.connect()) as held, self._database.turn():
            with self._database.transaction(held) as connection:
                stored = intake.store(connection, (row,))
                if stored.added and anchor is not None:
                    generation = count_commit(connection, anchor, restored=True)
                    self._database.mark(connection)
            if anchor is not None and generation is not None:
                anchor.note(generation)
            self._database.sweep(held)
            self._database.forget_commits()
        for refused in filter(None, stored.outcomes):
            raise refused

    @contextmanager
    def unchanging(self) -> Iterator[None]:
        """Let nobody store anything meanwhile, in this process or another."""
        with self._database.turn():
            yield

    def rehearse(self, message: bytes) -> str:
        """The receipt of a submission that is checked like every other, and stored nowhere."""
        return self._intake.read(message).receipt.hex()

    def answers(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The cell and the answers of each submission, in the random order of their keys.

        Raises
        ------
        StateError
            If the survey is not closed: nobody looks at answers before the release. With the code
            ``state.expired`` from the day on which they are to be deleted, whether they are already or not;
            with the code ``state.sealed`` if the survey is invited: only the trustees can read its answers.
        """
        self._require_readable("read answers")
        if self.specification.invited is not None:
            raise StateError(
                "the answers are sealed to the trustees",
                remedy="Export them with roomful trustees export, and release what the trustees opened.",
                code="state.sealed",
            )
        return self._rows(read_answers)

    def ballots(self) -> Iterator[Ballot]:
        """The sealed ballots of an invited survey, in the random order of their tokens.

        Raises
        ------
        StateError
            As :meth:`answers`; with the code ``state.open-survey`` if the survey has no ballots.
        """
        self._require_readable("read ballots")
        if self.specification.invited is None:
            raise StateError("an open survey has no ballots", code="state.open-survey")
        return self._rows(read_ballots)

    def old_copy(self) -> StorageError | None:
        """Why this file may lack ballots that were acknowledged: it was restored from an old copy.

        Returns
        -------
        StorageError or None
            With the code ``storage.rolled-back`` or ``storage.anchor-missing``; None if it is the newest, or
            an open survey's, which is not counted.
        """
        if self.specification.invited is None:
            return None
        try:
            with self._reading, db.named_errors():
                self._anchor.require_current(read_generation(self._reader))
        except StorageError as error:
            if error.code in ("storage.rolled-back", "storage.anchor-missing"):
                return error
            raise
        return None

    def ballot_receipts(self) -> tuple[str, ...]:
        """The receipts of all ballots, ascending; errors as :meth:`ballots`."""
        return tuple(sorted(ballot.receipt for ballot in self.ballots()))

    def end(self) -> None:
        """Store what waits, sweep, and let go of the file."""
        self._writer.end()
        with self._reading:
            self._reader.close()

    # Inside

    def _now(self) -> Specification:
        return self.specification

    def _is_provisional(self) -> bool:
        folder = self._published.folder
        return self.is_election and has_board(folder) and read_counts(folder).complaints is None

    def _met(self, state: State) -> State:
        return at(state, self.specification.period, self._clock())

    def _require_readable(self, step: str) -> None:
        state = self.state
        if state not in (State.CLOSED, State.RELEASED):
            raise refusal(state, step)
        self.retention.require_kept(self._today())

    def _load(self, folder: Path) -> PublishedSurvey:
        published = PublishedSurvey.load(folder, organizer_key=self._organizer_key)
        if published.digest != self._digest:
            raise VerificationError(
                "the specification file is not the one that was published",
                where=folder.name,
                remedy="Put the published file back; a published specification cannot change.",
                code="verification.specification-changed",
            )
        return published

    def _one(self, query: str, parameters: Sequence[bytes | str]) -> tuple[Any, ...]:
        with self._reading, db.named_errors():
            row = self._reader.execute(query, parameters).fetchone()
        if row is None:
            raise StorageError(
                "the database is not a survey's", where=self._database.path.name, code="storage.corrupt"
            )
        return tuple(row)

    def _has(self, name: str) -> bool:
        return bool(self._one("SELECT count(*) FROM survey WHERE name = ?", (name,))[0])

    def _value(self, name: str) -> str:
        return str(self._one("SELECT value FROM survey WHERE name = ?", (name,))[0])

    def _rows(self, read: Callable[[Any], Iterator[T]]) -> Iterator[T]:
        with closing(self._database.connect()) as connection, db.named_errors():
            yield from read(connection)

    def _left_by(self, problem: StorageError) -> StorageError:
        """An error of closing that says which state it left, and what is left to do."""
        left, remedy = "the survey is still open", "close it again"
        if self.state is State.CLOSED:
            left = "the survey is closed, but its file could not be rewritten"
            remedy = "start roomful serve once, which does that"
        return StorageError(
            f"{left}: {problem.message}",
            where=problem.where or self.id,
            expected=problem.expected,
            remedy=f"{problem.remedy or 'Make room.'} Then {remedy}.",
            code=problem.code,
        )

    def _step(self, target: State) -> None:
        take_step(
            self._database,
            target,
            anchor=self._counted(),
            today=self._today,
            election=self.is_election,
        )

    def _counted(self) -> Anchor | None:
        """The anchor, if the file counts its commits."""
        return None if self._published.specification.invited is None else self._anchor
