"""Letters for those who have not fetched a token, in batches (:mod:`server.invitations.batches`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from server.design.design import StageProgress
from server.invitations import folder
from server.invitations.batches import require_batch, shown_total
from server.invitations.mail_merge import MailMerge
from server.invitations.mailing import Addressee, fill, frame_of
from server.storage.data_directory import DataDirectory
from server.storage.retention import Today, utc_today
from server.storage.states import State, refusal
from shared.ballot import require_invited


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminders:
    """What was made.

    Attributes
    ----------
    people : int
        Who get a reminder.
    of : int
        Whose codes were given.
    issued_at_least : int
        Tokens that were issued to all, rounded down.
    files : tuple of str
        In the folder.
    """

    people: int
    of: int
    issued_at_least: int
    files: tuple[str, ...]


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
    public_url, language, letters, progress
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
    name. A run that was cut off before leaves an unfinished folder, which the next one removes.
    """
    store = data.survey(survey)
    require_invited(store.specification)
    if (state := store.state) is not State.OPEN:
        raise refusal(state, "remind people")
    frame = frame_of(store.published, language, public_url, reminder=True)
    with data.inviting(survey):
        folder.require_free(out)
        registrar = data.registrar(survey)
        merged = read()
        digest = store.published.digest
        hashes = {person.code.symbols: person.code.hash(digest) for person in merged.recipients}
        found, day = registrar.fetched(hashes.values()), today().isoformat()
        require_batch(found, given=len(hashes), k=store.specification.k, today=day)
        waiting = [
            Addressee(cells=person.cells, lines=person.lines, code=person.code, place="a row of the codes")
            for person in merged.recipients
            if hashes[person.code.symbols] in found.waiting
        ]
        work = folder.unfinished(out, store.id, reminders=True)
        with folder.filling(work):
            names = fill(
                work,
                store.published,
                waiting,
                frame=frame,
                header=merged.header,
                separator=merged.separator,
                public_url=public_url,
                letters=letters,
                progress=progress,
            )
            registrar.note_reminder(found, day)
        folder.finish(work, out)
    return Reminders(
        people=len(waiting), of=len(hashes), issued_at_least=shown_total(found.issued), files=names
    )
