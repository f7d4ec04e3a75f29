"""From a list of people to letters: codes are drawn, hashes stored, and nothing else reaches the server."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from server.design.design import StageProgress
from server.invitations import folder
from server.invitations.mail_merge import guard
from server.invitations.mailing import Addressee, fill, finish_earlier, frame_of
from server.invitations.people import People
from server.storage.data_directory import DataDirectory
from server.storage.keys import registrar_key
from server.storage.states import State, refusal
from server.storage.store import SurveyStore
from shared.ballot import require_invited
from shared.errors import RoomfulError, StateError
from shared.invitation_code import ENTROPY_BYTES, InvitationCode

Entropy = Callable[[int], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitations:
    """What was made.

    Attributes
    ----------
    people : int
        Invited by this run.
    total : int
        Invited to the survey by now.
    allowed : int
        As the specification says.
    folder : str
        Where the letters are.
    files : tuple of str
        In the folder.
    finished_earlier : bool
        The letters are those of a run that was interrupted after its codes were stored, and the list was not
        read.
    guarded : int
        Cells of the mail-merge file in which a formula was disarmed.
    """

    people: int
    total: int
    allowed: int
    folder: str
    files: tuple[str, ...]
    finished_earlier: bool = False
    guarded: int = 0


def invite(
    data: DataDirectory,
    survey: str,
    read: Callable[[], People],
    out: Path,
    *,
    public_url: str,
    language: str | None = None,
    letters: bool = True,
    progress: StageProgress = folder.silent,
    waiting: Callable[[], None] = folder.silent_waiting,
    entropy: Entropy = secrets.token_bytes,
) -> Invitations:
    """Invite people to a survey that is a draft or open.

    Parameters
    ----------
    data : DataDirectory
        The registrar's.
    survey : str
        The survey's id.
    read : callable
        Reads the list.
    out : Path
        Folder that must not exist; gets the letters, the mail-merge file and a note on how to keep them.
    public_url : str
        Address of the server, for the links.
    language : str, optional
        Of the letters; the survey's first by default.
    letters : bool
        Whether to make letters.
    progress : callable
        Told the stage, what is done and the total.
    waiting : callable
        Called when another run has been waited for longer than a moment.
    entropy : callable
        The system's generator.

    Raises
    ------
    InputError
        If the list, the folder or the language cannot be used; see :func:`read_people`.
    StateError
        If the survey is over, this server is not its registrar, or more would be invited than were signed.
    StorageError
        If something cannot be written.

    Notes
    -----
    Order: the folder is filled under another name and synced; the hashes are stored, all in one transaction;
    the folder gets its name. So no letter is seen whose code the registrar does not know. An error removes
    the folder. With the hashes the place of the folder is stored until it has its name: if the machine stops
    in between, the next run finishes that folder before anything else, and no invitation is lost. One run at
    a time; others wait.

    Guarantee: nothing of the list or the codes but SHA-256 of each code with the survey's digest is written
    into the data directory.
    """
    store = data.survey(survey)
    invited = require_invited(store.specification)
    if (state := store.state) not in (State.DRAFT, State.OPEN):
        raise refusal(state, "invite people")
    registrar_key(store.published.folder, invited)
    frame = frame_of(store.published, language, public_url)
    with data.inviting(survey, waiting):
        # Before anything is thrown away: of an old copy nobody knows who is in it.
        data.require_current(survey)
        earlier = _finish_earlier(data, store)
        if earlier is not None:
            return earlier
        folder.require_free(out)
        people = read()
        _require_allowed(people, before=_invited(data, survey), allowed=invited.people)
        addressees = [
            Addressee(cells=person.cells, lines=person.lines, code=code, place=person.place)
            for person, code in zip(people.rows, _draw(len(people), entropy), strict=True)
        ]
        work = folder.unfinished(out, store.id)
        with folder.filling(work):
            names = fill(
                work,
                store.published,
                addressees,
                frame=frame,
                header=people.header,
                separator=people.separator,
                public_url=public_url,
                letters=letters,
                progress=progress,
            )
        hashes = [person.code.hash(store.published.digest) for person in addressees]
        try:
            total = data.invite(survey, hashes, letters_to=out)
        except RoomfulError:
            if _waiting_letters(data, survey) is None:
                folder.discard(work)
            raise
        folder.finish(work, out)
        data.registrar(survey).note_finished()
    return Invitations(
        people=len(people),
        total=total,
        allowed=invited.people,
        folder=str(out),
        files=names,
        guarded=sum(guard(cell) != cell for person in people.rows for cell in person.cells),
    )


def is_local(public_url: str) -> bool:
    """Whether an address leads nowhere from another machine."""
    return urlsplit(public_url).hostname in ("127.0.0.1", "localhost", "::1")


def _require_allowed(people: People, *, before: int, allowed: int) -> None:
    if before + len(people) > allowed:
        raise StateError(
            f"the list has {len(people)} people, and {before} are invited already",
            expected=f"at most {allowed} together, as the specification says",
            remedy="Invite fewer people; the number was signed and cannot grow.",
            code="state.invitations",
        )


def _draw(number: int, entropy: Entropy) -> list[InvitationCode]:
    """Different codes; that two were equal is as likely as guessing one."""
    codes: dict[str, InvitationCode] = {}
    while len(codes) < number:
        code = InvitationCode.create(entropy(ENTROPY_BYTES))
        codes[code.symbols] = code
    return list(codes.values())


def _invited(data: DataDirectory, survey: str) -> int:
    try:
        return data.registrar(survey).invited()
    except StateError:  # nobody yet
        return 0


def _waiting_letters(data: DataDirectory, survey: str) -> Path | None:
    try:
        return data.registrar(survey).letters_to()
    except StateError:  # nobody yet
        return None


def _finish_earlier(data: DataDirectory, store: SurveyStore) -> Invitations | None:
    """Finish a run that stopped after its codes were stored; None if there is none."""
    out = _waiting_letters(data, store.id)
    if out is None:
        return None
    registrar = data.registrar(store.id)
    work = folder.unfinished(out, store.id)
    if not work.is_symlink() and not work.exists():
        if not out.is_dir():
            raise folder.strange(
                "the letters of an interrupted run are not where they were, and their codes are stored",
                work,
                remedy=f"Bring the folder back. If it is lost for good, say so by an empty folder {out}.",
            )
        registrar.note_finished()  # the run stopped after all was done but this
        return None
    hashes = finish_earlier(work, out, registrar, store.published.digest)
    registrar.note_finished()
    return Invitations(
        people=len(hashes),
        total=registrar.invited(),
        allowed=require_invited(store.specification).people,
        folder=str(out),
        files=tuple(sorted(path.name for path in out.iterdir())),
        finished_earlier=True,
    )
