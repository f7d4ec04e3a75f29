"""All surveys of one server: a folder each under ``DATA/surveys``."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from server import files
from server.collection.storage import database as db
from server.collection.storage.anchor import Anchor, read_generation
from server.collection.storage.creating import create_database
from server.collection.storage.databases import Database, Databases, embedded
from server.collection.storage.ownership import require_own
from server.collection.storage.published import MODEL_NAME, ROLL_NAME, SPECIFICATION_NAME, PublishedSurvey
from server.collection.storage.registrar import REGISTRAR_NAME, RegistrarStore
from server.collection.storage.retention import Now, Today, utc_now, utc_today
from server.collection.storage.states import State
from server.collection.storage.store import DATABASE_NAME, QUIET_SECONDS, TOLD_TOTALS, SurveyStore
from server.collection.storage.taking_back import take_back
from server.keys.parts_folder import write_parts
from shared.ballot import require_invited
from shared.envelope import Envelope, survey_digest, survey_id
from shared.errors import InputError, NotFoundError, RoomfulError, StateError
from shared.parts import Parts, no_parts

_ID: Final = re.compile(r"[0-9a-f]{16}")
RESTORED: Final = ".restored-"
"""How folders are named that hold a backup while it is restored."""


class DataDirectory:
    """The folder that holds everything the server keeps.

    Each survey is opened once and shared by all threads; a survey that another process publishes appears by
    itself.

    Parameters
    ----------
    path : Path
        The folder; it is made when the first survey is published.
    quiet_seconds : float
        See :class:`~server.collection.storage.store.SurveyStore`.
    today : callable
        The clock, by the day in UTC.
    now : callable
        The clock, by the moment in UTC.
    anchors : Path, optional
        Folder of the anchors (:mod:`server.collection.storage.anchor`); by default beside the data directory.
    databases : callable
        Where databases are; by default a file each.

    Raises
    ------
    StorageError
        If the folder, or that of the anchors, belongs to another user, or others can write in it.
    """

    def __init__(
        self,
        path: Path,
        *,
        quiet_seconds: float = QUIET_SECONDS,
        today: Today = utc_today,
        now: Now = utc_now,
        anchors: Path | None = None,
        databases: Databases = embedded,
    ) -> None:
        require_own(path)
        self.path = path
        self._anchors = anchors or path.absolute().with_name(f"{path.absolute().name}.anchors")
        require_own(self._anchors)
        self._surveys = path / "surveys"
        self._quiet_seconds = quiet_seconds
        self._today, self._now = today, now
        self._databases = databases
        self._stores: dict[str, SurveyStore] = {}
        self._registrars: dict[str, RegistrarStore] = {}
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def publish(
        self,
        envelope: bytes,
        model: bytes | None,
        roll: bytes | None = None,
        parts: Parts = no_parts,
        *,
        is_test: bool = False,
    ) -> str:
        """Take a signed specification into the data directory as a draft.

        Publishing the same specification again replaces its envelope while it is a draft, which is how the
        signatures of auditors are added.

        Parameters
        ----------
        envelope : bytes
            The DSSE envelope.
        model : bytes or None
            The canonical model, for a public one.
        roll : bytes or None
            The roll of an invited survey.
        parts : callable, optional
            Contents of the parts of a specification in parts, by digest.
        is_test : bool
            Whether it is a copy to be tried, for ever: its page says so, and simulated people may answer.

        Returns
        -------
        str
            The survey's id.

        Raises
        ------
        VerificationError, SpecificationError, InputError
            If the envelope, the specification or the model is not what it should be.
        StateError
            If it is already open, closed or released; with the code ``state.test`` if it lies here as what it
            is not to be now.
        StorageError
            If it cannot be written; then nothing was.
        """
        published = PublishedSurvey.verify(self.path, envelope, organizer_key=None, parts=parts)
        published.require_model(model)
        published.require_roll(roll)
        folder = self._surveys / published.id
        with files.named_file_errors("surveys"):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._surveys.mkdir(mode=0o700, exist_ok=True)
        with self._publishing(), files.named_file_errors("surveys"):
            if folder.exists():
                return self._publish_again(published, is_test)
            with files.new_folder(folder) as work:
                files.write_new(work / SPECIFICATION_NAME, envelope)
                if model is not None:
                    files.write_new(work / MODEL_NAME, model)
                if roll is not None:
                    files.write_new(work / ROLL_NAME, roll)
                own = {part.digest: parts(part.digest) or b"" for part in published.specification.parts}
                write_parts(work, own, files.write_new)
                create_database(
                    self._databases(work / DATABASE_NAME, published.id),
                    specification_digest=published.digest,
                    organizer_key=published.organizer_key,
                    anchor=self.anchor(published.id, "answers") if published.specification.invited else None,
                    is_test=is_test,
                )
        return published.id

    def discard(self, survey: str) -> None:
        """Delete a draft, which nobody can have answered. There is no way back.

        Guarantee: a survey that was opened, by whomever and at whatever moment, is not deleted.

        Raises
        ------
        NotFoundError
            If there is no such survey.
        StateError
            If it is no draft any more.
        StorageError
            If it cannot be deleted.
        """
        name = self.survey(survey).id
        anchors = [self.anchor(name, kept) for kept in ("answers", "registrar", *TOLD_TOTALS)]
        with self._publishing(), files.named_file_errors(name):
            away = files.beside(self._surveys / name)
            registrar = self.database(name, REGISTRAR_NAME)
            take_back(self.database(name, DATABASE_NAME), (registrar,), anchors, away)
            with self._lock:
                self._forget(name)
            shutil.rmtree(away)

    def folder(self, envelope: bytes) -> Path:
        """Where the survey of an envelope lies, whether it is published yet or not.

        Raises
        ------
        EnvelopeError
            If it is not an envelope.
        """
        return self._surveys / survey_id(survey_digest(Envelope.parse(envelope).payload))

    def open(self, survey: str) -> None:
        """Let a draft take submissions; see :meth:`SurveyStore.open`.

        Raises
        ------
        InputError
            With the code ``input.keys`` if another survey here was opened with the same keys for tokens, or
            the same codes.

        Notes
        -----
        Guarantee: of two surveys of this directory that share a key for tokens or a roll one at most is
        opened. A registrar signs blindly: under one key a code of the one fetches a token of the other. And
        with the proof of a used code, which the board of the one publishes, anybody fetches a token of the
        other.
        """
        store = self.survey(survey)
        with self._publishing():
            self._require_own_codes(store)
            store.open()

    def close(self, survey: str) -> None:
        """End a survey's submissions; see :meth:`SurveyStore.close`."""
        self.survey(survey).close()

    def survey(self, survey: str) -> SurveyStore:
        """The store of a survey by its id, or by its full digest.

        Raises
        ------
        NotFoundError
            If there is none.
        StorageError, VerificationError, SpecificationError
            If it is damaged.
        """
        name = survey[:16]
        if not _ID.fullmatch(name) or (len(survey) > 16 and len(survey) != 64):
            raise NotFoundError("there is no such survey", expected="an id of 16 hexadecimal digits")
        with self._lock:
            store = self._stores.get(name)
            if store is not None and not store.is_there():  # a draft that was taken back, here or elsewhere
                self._forget(name)
                store = None
            if store is None:
                folder = self._surveys / name
                if not self.database(name, DATABASE_NAME).exists():
                    raise NotFoundError("there is no such survey", remedy="List them with roomful status.")
                store = self._stores[name] = SurveyStore(
                    folder,
                    quiet_seconds=self._quiet_seconds,
                    today=self._today,
                    now=self._now,
                    anchor=self.anchor(name, "answers"),
                    databases=self._databases,
                )
        if len(survey) == 64 and store.published.digest != survey:
            raise NotFoundError("there is no such survey")
        return store

    def registrar(self, survey: str) -> RegistrarStore:
        """The codes of an invited survey.

        Raises
        ------
        NotFoundError
            If there is no such survey.
        StateError
            If nobody was invited here yet.
        """
        store = self.survey(survey)
        with self._lock:
            registrar = self._registrars.get(store.id)
            if registrar is None:
                registrar = self._registrars[store.id] = RegistrarStore(
                    self.database(store.id, REGISTRAR_NAME),
                    digest=store.published.digest,
                    anchor=self.anchor(store.id, "registrar"),
                    quiet_seconds=self._quiet_seconds,
                )
        return registrar

    def enrol(self, survey: str) -> int:
        """Make this server the registrar of the published roll; return how many codes it has.

        It can be done again: what is there stays as it is.

        Raises
        ------
        StateError
            If the survey is open to everybody.
        StorageError
            If the published roll is missing or damaged, or something cannot be written.
        """
        store = self.survey(survey)
        invited = require_invited(store.specification)
        digest, anchor = store.published.digest, self.anchor(store.id, "registrar")
        roll = store.published.roll()
        RegistrarStore.create(self.database(store.id, REGISTRAR_NAME), digest=digest, anchor=anchor)
        return self.registrar(survey).add(roll.boxes, people=invited.people)

    def anchor(self, survey: str, database: str) -> Anchor:
        """The anchor of one of a survey's databases."""
        name = f"{survey}.{database}"
        return Anchor(path=self._anchors / name, name=name)

    def require_current(self, survey: str) -> None:
        """Check that no database of an invited survey is older than its anchor.

        Raises
        ------
        StorageError
            With the code ``storage.rolled-back`` or ``storage.anchor-missing``.
        """
        store = self.survey(survey)
        if store.specification.invited is None:
            return
        for name, file in (("answers", DATABASE_NAME), ("registrar", REGISTRAR_NAME)):
            database = self.database(store.id, file)
            if database.exists():
                with closing(database.connect()) as connection, db.named_errors():
                    generation = read_generation(connection)
                self.anchor(store.id, name).require_current(generation)

    def require_countable(self, survey: str) -> None:
        """Check that what an invited survey takes can be counted.

        Raises
        ------
        StorageError
            If an anchor cannot be written.
        """
        store = self.survey(survey)
        if store.specification.invited is not None:
            for name, file in (("answers", DATABASE_NAME), ("registrar", REGISTRAR_NAME)):
                if self.database(store.id, file).exists():
                    self.anchor(survey, name).require_writable()

    def ids(self) -> tuple[str, ...]:
        """The ids of all surveys, in order."""
        if not self._surveys.is_dir():
            return ()
        return tuple(sorted(path.name for path in self._surveys.iterdir() if _ID.fullmatch(path.name)))

    def list(self) -> Iterator[SurveyStore]:
        """All surveys, by id.

        Raises
        ------
        StorageError, VerificationError, SpecificationError
            When it comes to a damaged one.
        """
        for name in self.ids():
            yield self.survey(name)

    def settle(self) -> tuple[tuple[str, RoomfulError], ...]:
        """Prepare for serving: clear what an interrupted publication left; check, expire, sweep all.

        Returns
        -------
        tuple of (str, RoomfulError)
            The surveys that are damaged, and how. The others are ready.
        """
        damaged = []
        self.clear_restored()
        if any(self._surveys.glob(".new-*")):
            with self._publishing():  # what is still there then, nobody fills
                for leftover in self._surveys.glob(".new-*"):
                    shutil.rmtree(leftover, ignore_errors=True)
        for name in self.ids():
            try:
                store = self.survey(name)
                store.check()
                store.close_if_over()
                store.expire()
                store.sweep()
            except RoomfulError as error:
                damaged.append((name, error))
        return tuple(damaged)

    def clear_restored(self) -> None:
        """Remove copies of surveys that a killed restoration left: no day of deletion reaches them."""
        files.clear_abandoned(self._surveys, RESTORED)

    def expire(self) -> tuple[tuple[str, RoomfulError], ...]:
        """Close every survey whose period is over, and delete the answers of those whose days are over.

        See :meth:`SurveyStore.close_if_over` and :meth:`SurveyStore.expire`.

        Returns
        -------
        tuple of (str, RoomfulError)
            The surveys where that failed, and how. The others are as they should be.
        """
        failed = []
        self.clear_restored()
        for name in self.ids():
            try:
                store = self.survey(name)
                store.close_if_over()
                store.expire()
            except RoomfulError as error:
                failed.append((name, error))
        return tuple(failed)

    def end(self) -> None:
        """Store what waits in every survey and let go of the files."""
        with self._lock:
            for registrar in self._registrars.values():
                registrar.end()
            self._registrars.clear()
            for store in self._stores.values():
                store.end()
            self._stores.clear()
            self._databases.end()

    def database(self, survey: str, file: str) -> Database:
        """One of a survey's databases, by the name of its file; it need not exist."""
        return self._databases(self._surveys / survey / file, survey)

    def _require_own_codes(self, store: SurveyStore) -> None:
        """Refuse what another survey that was opened has used to tell who is invited."""
        own = store.specification.invited
        if own is None:
            return
        for other in self.list():
            used = other.specification.invited
            if used is None or other.id == store.id or other.state is State.DRAFT:
                continue
            one_key = not set(own.token_keys).isdisjoint(used.token_keys)
            if one_key or own.codes.roll_id == used.codes.roll_id:
                shared = "keys for tokens" if one_key else "codes"
                raise InputError(
                    f"the survey {other.id} was opened with the same {shared}",
                    where=store.id,
                    expected="keys and codes of this survey alone",
                    remedy="Make new ones (roomful keygen --purpose tokens, roomful codes), then design and"
                    " sign again. Else whoever has a code of the one could answer the other.",
                    code="input.keys",
                )

    def _forget(self, name: str) -> None:
        """Let go of a survey that is not there any more; the caller has the lock."""
        for kept in (self._registrars.pop(name, None), self._stores.pop(name, None)):
            if kept is not None:
                kept.end()

    def _publishing(self) -> AbstractContextManager[None]:
        """Wait until nobody else publishes; only then is a half-filled folder left over."""
        return db.turn(self._surveys / "publishing")

    def _publish_again(self, published: PublishedSurvey, is_test: bool) -> str:
        store = self.survey(published.id)
        if store.published.digest != published.digest:
            raise StateError(
                "another survey with the same id lies here",
                where=published.id,
                remedy="Publish it in another data directory.",
                code="state.other-digest",
            )
        if store.is_test != is_test:
            raise StateError(
                f"this survey lies here already, as a {'test copy' if store.is_test else 'real one'}",
                where=published.id,
                remedy="Keep test copies in a data directory of their own: --data test.",
                code="state.test",
            )
        if published.envelope == store.published.envelope:
            return published.id
        if store.state != "draft":
            raise StateError(
                "this survey is already open; its specification cannot change",
                where=published.id,
                remedy="Signatures can be added only to a draft.",
                code=f"state.{store.state}",
            )
        if published.organizer_key != store.published.organizer_key:
            raise StateError(
                "this survey was published with another organizer's key", where=published.id, code="state.key"
            )
        files.replace(store.published.folder / SPECIFICATION_NAME, published.envelope)
        return published.id
