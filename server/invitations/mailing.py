"""What one run writes for everybody: the mail-merge file, the letters, and a note on how to keep them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from server.design.design import StageProgress
from server.invitations import folder
from server.invitations.letters import Letter, LetterFrame, require_printable
from server.invitations.mail_merge import Recipient, format_mail_merge, read_mail_merge
from server.invitations.readme import readme
from server.invitations.texts import texts_for
from server.storage import files
from server.storage.published import PublishedSurvey
from server.storage.registrar import RegistrarStore
from shared.errors import InputError
from shared.invitation import survey_link
from shared.words import digest_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Addressee(Recipient):
    """Who gets a letter.

    Attributes
    ----------
    place : str
        Where she stands in the list, for messages.
    """

    place: str


def finish_earlier(work: Path, out: Path, registrar: RegistrarStore, digest: str) -> list[bytes]:
    """Give the folder of an interrupted run its name; return the hashes of its codes.

    What takes that name was made by this user and by nobody else, and every code in it is this survey's.

    Raises
    ------
    InputError
        With the code ``input.unfinished``; the folder is as it was then.
    """
    folder.require_own(work)
    try:
        merged = read_mail_merge(work / folder.MAIL_MERGE_FILE, letters=False)
    except InputError as error:
        raise folder.strange(
            f"the codes of an interrupted run cannot be read: {error.message}", work
        ) from None
    hashes = [person.code.hash(digest) for person in merged.recipients]
    if registrar.fetched(hashes).known < len(hashes):
        raise folder.strange("some of the codes of an interrupted run are not this survey's", work)
    if out.exists() or out.is_symlink():
        raise folder.strange(
            f"the letters of an interrupted run wait in {work}, and this is in their way",
            out,
            remedy="Move it away and run this again.",
        )
    folder.finish(work, out)
    return hashes


def frame_of(
    published: PublishedSurvey, language: str | None, public_url: str, *, reminder: bool = False
) -> LetterFrame:
    """What stands on every letter, in a language of the survey; in its first if none is given.

    Raises
    ------
    InputError
        If the survey does not have it.
    """
    specification = published.specification
    chosen = specification.languages[0] if language is None else language
    if chosen not in specification.languages:
        raise InputError(
            f"the survey is not in the language {chosen}",
            where="--language",
            expected="one of " + ", ".join(specification.languages),
            code="input.language",
        )
    return LetterFrame(
        texts=texts_for(chosen),
        title=specification.title[chosen],
        organizer=specification.organizer.name,
        contact=specification.organizer.contact,
        address=f"{public_url.rstrip('/')}/s/{published.id}",
        words=digest_words(published.digest),
        k=specification.k,
        reminder=reminder,
    )


def fill(
    work: Path,
    published: PublishedSurvey,
    addressees: Sequence[Addressee],
    *,
    frame: LetterFrame,
    header: Sequence[str],
    separator: str,
    public_url: str,
    letters: bool,
    progress: StageProgress,
) -> tuple[str, ...]:
    """Write everything into an empty folder; return the names of the files.

    Raises
    ------
    InputError
        If a letter cannot be printed.
    StorageError
        If something cannot be written.
    """
    pages = tuple(
        Letter(
            lines=person.lines,
            code=person.code,
            link=survey_link(public_url, published.digest, published.organizer_key, code=person.code),
            place=person.place,
        )
        for person in addressees
    )
    if letters:
        require_printable(frame, pages)
    rows = ((person.cells, person.code, page.link) for person, page in zip(addressees, pages, strict=True))
    files.write_new(work / folder.MAIL_MERGE_FILE, format_mail_merge(header, rows, separator))
    names = (
        folder.write_letters(work, frame, pages, lambda done, total: progress("letters", done, total))
        if letters
        else ()
    )
    files.write_new(work / folder.README_FILE, readme(published, len(addressees), names))
    return (folder.MAIL_MERGE_FILE, *names, folder.README_FILE)
