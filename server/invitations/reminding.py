"""Letters for those who have not fetched a token, in batches (:mod:`server.invitations.batches`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from server.design.design import StageProgress
from server.invitations import folder
from server.invitations.batches import require_batch, shown_total
from server.invitations.mail_merge import MailMerge
from server.invitations.mailing import Addressee, fill, finish_earlier, frame_of
from server.storage.data_directory import DataDirectory
from server.storage.registrar import RegistrarStore
from server.storage.retention import Today, utc_today
from server.storage.states import State, refusal
from server.storage.store import SurveyStore
from shared.ballot import require_invited
from shared.errors import RoomfulError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """What was made.

    Attributes
    ----------
    people : int
        Who get a reminder.
    of : int or None
        Whose codes were given; not known of a run that was interrupted.
    issued_at_least : int
        Tokens that were issued to all by then, rounded down.
    folder : str
        Where the letters are.
    files : tuple of str
        In the folder.
    finished_earlier : bool
        The letters are those of a run that was interrupted after it was noted, and no codes were read.
    """

    people: int
    of: int | None
    issued_at_least: int
    folder: str
    files: tuple[str, ...]
    finished_earlier: bool = False


def remind(
    data: DataDirectory,
    survey: str,
    read: Callable[[], MailMerge],
    out: Path,
    *,
    public_url: str,
    language: str | None = None,
    letters: bool = True,
    progress: StageProgress = folder.silent,
    waiting: Callable[[], None] = folder.silent_waiting,
    today: Today = utc_today,
) -> Reminders:
    """Make letters and mail-merge rows for those whose codes have not fetched a token.

    Parameters
    ----------
    data : DataDirectory
        The registrar's.
    survey : str
        The survey's id.
    read : callable
        Reads the mail-merge file of the invitations.
    out : Path
        Folder that must not exist.
    public_url, language, letters, progress, waiting
        As for :func:`~server.invitations.inviting.invite`.
    today : callable
        The day in UTC.

    Raises
    ------
    StateError
        With the code ``state.reminder`` if single people would be told apart, ``state.<state>`` if the survey
        is not open, ``state.no-invitations``.
    InputError, StorageError
        If something cannot be read or written.

    Notes
    -----
    The run is noted, by day and number of tokens, after the letters are made and before the folder gets its
    name. A run that was cut off before leaves an unfinished folder, which the next one with the same `out`
    removes. With the note the place of the folder is stored: the letters of a run that was cut off after it
    are finished by the next. If they are gone, only a reminder is lost: the codes are where they were.
    """
    store = data.survey(survey)
    require_invited(store.specification)
    if (state := store.state) is not State.OPEN:
        raise refusal(state, "remind people")
    frame = frame_of(store.published, language, public_url, reminder=True)
    with data.inviting(survey, waiting):
        data.require_current(survey)
        registrar = data.registrar(survey)
        earlier = _finish_earlier(registrar, store)
        if earlier is not None:
            return earlier
        folder.require_free(out)
        merged = read()
        digest = store.published.digest
        hashes = {person.code.symbols: person.code.hash(digest) for person in merged.recipients}
        found, day = registrar.fetched(hashes.values()), today().isoformat()
        require_batch(found, given=len(hashes), k=store.specification.k, today=day)
        addressees = [
            Addressee(cells=person.cells, lines=person.lines, code=person.code, place="a row of the codes")
            for person in merged.recipients
            if hashes[person.code.symbols] in found.waiting
        ]
        work = folder.unfinished(out, store.id, reminders=True)
        with folder.filling(work):
            names = fill(
                work,
                store.published,
                addressees,
                frame=frame,
                header=merged.header,
                separator=merged.separator,
                public_url=public_url,
                letters=letters,
                progress=progress,
            )
        try:
            registrar.note_reminder(found, day, letters_to=out)
        except RoomfulError:
            if registrar.letters_to(reminders=True) is None:
                folder.discard(work)
            raise
        folder.finish(work, out)
        registrar.note_finished(reminders=True)
    return Reminders(
        people=len(addressees),
        of=len(hashes),
        issued_at_least=shown_total(found.issued),
        folder=str(out),
        files=names,
    )


def _finish_earlier(registrar: RegistrarStore, store: SurveyStore) -> Reminders | None:
    """Finish a run that stopped after it was noted; None if there is none, or its letters are gone."""
    out = registrar.letters_to(reminders=True)
    if out is None:
        return None
    work = folder.unfinished(out, store.id, reminders=True)
    if not work.is_symlink() and not work.exists():
        registrar.note_finished(reminders=True)
        return None
    hashes = finish_earlier(work, out, registrar, store.published.digest)
    registrar.note_finished(reminders=True)
    return Reminders(
        people=len(hashes),
        of=None,
        issued_at_least=shown_total(registrar.fetched(hashes).last_issued),
        folder=str(out),
        files=tuple(sorted(path.name for path in out.iterdir())),
        finished_earlier=True,
    )
