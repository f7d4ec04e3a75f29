"""From a list of people to letters: codes are drawn, hashes stored, and nothing else reaches the server."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from server.design.design import StageProgress
from server.invitations import folder
from server.invitations.letters import Letter, LetterFrame, require_printable
from server.invitations.mail_merge import format_mail_merge, guard, read_mail_merge
from server.invitations.people import People
from server.invitations.readme import readme
from server.invitations.texts import texts_for
from server.storage import files
from server.storage.data_directory import DataDirectory
from server.storage.keys import registrar_key
from server.storage.published import PublishedSurvey
from server.storage.states import State, refusal
from server.storage.store import SurveyStore
from shared.ballot import require_invited
from shared.errors import InputError, RoomfulError, StateError
from shared.invitation import survey_link
from shared.invitation_code import ENTROPY_BYTES, InvitationCode
from shared.words import digest_words

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
    files : tuple of str
        In the folder.
    finished_earlier : bool
        The letters are those of a run that was interrupted after its codes were stored.
    guarded : int
        Cells of the mail-merge file in which a formula was disarmed.
    """

    people: int
    total: int
    allowed: int
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
    the folder. If the machine stops after the hashes were stored, the same command finishes the folder
    instead of drawing other codes, and no invitation is lost.

    Guarantee: nothing but SHA-256 of each code with the survey's digest is written into the data directory.
    """
    store = data.survey(survey)
    invited = require_invited(store.specification)
    if (state := store.state) not in (State.DRAFT, State.OPEN):
        raise refusal(state, "invite people")
    registrar_key(store.published.folder, invited)
    folder.require_free(out)
    chosen = choose_language(store.published, language)
    earlier = _finish_earlier(data, store, out)
    if earlier is not None:
        return earlier
    people = read()
    before = _invited(data, survey)
    if before + len(people) > invited.people:
        raise StateError(
            f"the list has {len(people)} people, and {before} are invited already",
            expected=f"at most {invited.people} together, as the specification says",
            remedy="Invite fewer people; the number was signed and cannot grow.",
            code="state.invitations",
        )
    codes = _draw(len(people), entropy)
    rows = [
        (person, code, _link(store.published, public_url, code))
        for person, code in zip(people.rows, codes, strict=True)
    ]
    frame = frame_of(store.published, chosen, public_url)
    pages = tuple(
        Letter(lines=person.lines, code=code, link=link, place=person.place) for person, code, link in rows
    )
    if letters:
        require_printable(frame, pages)
    work = folder.unfinished(out, store.id)
    with folder.filling(work):
        merged = format_mail_merge(
            people.header, ((person.cells, code, link) for person, code, link in rows), people.separator
        )
        files.write_new(work / folder.MAIL_MERGE_FILE, merged)
        names = (
            folder.write_letters(work, frame, pages, lambda done, total: progress("letters", done, total))
            if letters
            else ()
        )
        files.write_new(work / folder.README_FILE, readme(store.published, len(people), names))
    hashes = [code.hash(store.published.digest) for code in codes]
    try:
        total = data.invite(survey, hashes)
    except RoomfulError:
        if not _known(data, survey, hashes):
            folder.discard(work)
        raise
    folder.finish(work, out)
    return Invitations(
        people=len(people),
        total=total,
        allowed=invited.people,
        files=(folder.MAIL_MERGE_FILE, *names, folder.README_FILE),
        guarded=sum(guard(cell) != cell for person in people.rows for cell in person.cells),
    )


def choose_language(published: PublishedSurvey, language: str | None) -> str:
    """The language of the letters.

    Raises
    ------
    InputError
        If the survey does not have it.
    """
    languages = published.specification.languages
    if language is not None and language not in languages:
        raise InputError(
            f"the survey is not in the language {language}",
            where="--language",
            expected="one of " + ", ".join(languages),
            code="input.language",
        )
    return language or languages[0]


def frame_of(
    published: PublishedSurvey, language: str, public_url: str, *, reminder: bool = False
) -> LetterFrame:
    """What stands on every letter."""
    specification = published.specification
    return LetterFrame(
        texts=texts_for(language),
        title=specification.title[language],
        organizer=specification.organizer.name,
        contact=specification.organizer.contact,
        address=f"{public_url.rstrip('/')}/s/{published.id}",
        words=digest_words(published.digest),
        k=specification.k,
        reminder=reminder,
    )


def is_local(public_url: str) -> bool:
    """Whether an address leads nowhere from another machine."""
    return urlsplit(public_url).hostname in ("127.0.0.1", "localhost", "::1")


def _link(published: PublishedSurvey, public_url: str, code: InvitationCode) -> str:
    return survey_link(public_url, published.digest, published.organizer_key, code=code)


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


def _known(data: DataDirectory, survey: str, hashes: list[bytes]) -> int:
    try:
        return data.registrar(survey).fetched(hashes).known
    except StateError:
        return 0


def _finish_earlier(data: DataDirectory, store: SurveyStore, out: Path) -> Invitations | None:
    """Give the folder of an interrupted run its name if its codes are stored, else remove it."""
    work = folder.unfinished(out, store.id)
    if not work.is_dir():
        return None
    try:
        merged = read_mail_merge(work / folder.MAIL_MERGE_FILE, letters=False)
    except InputError:  # it was interrupted before the file was whole, so before any code was stored
        known = 0
    else:
        digest = store.published.digest
        known = _known(data, store.id, [person.code.hash(digest) for person in merged.recipients])
    if not known:
        folder.discard(work)
        return None
    folder.finish(work, out)
    return Invitations(
        people=known,
        total=_invited(data, store.id),
        allowed=require_invited(store.specification).people,
        files=tuple(sorted(path.name for path in out.iterdir())),
        finished_earlier=True,
    )
