"""From the codes and the signed survey to letters and a mail-merge file; reminders too.

Run where the codes are (:mod:`server.invitations.coding`), with the signed survey, whose digest every link
carries. It can be run again at any time: nothing is drawn and nothing is stored anywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from server import files
from server.collection.storage.published import PublishedSurvey
from server.invitations import folder
from server.invitations.letters import Letter, LetterFrame, require_printable
from server.invitations.mail_merge import MailMerge, Recipient, format_mail_merge
from server.invitations.readme import readme
from server.invitations.texts import texts_for
from server.progress import StageProgress
from shared.ballot import require_invited
from shared.errors import BoardError, InputError
from shared.invitation import survey_link
from shared.invitation_code import InvitationCode
from shared.invited import Invited
from shared.roll import Roll, roll_hash
from shared.words import digest_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitations:
    """What was made.

    Attributes
    ----------
    people : int
        With a letter each.
    of : int
        People on the roll.
    folder : str
        Where the letters are.
    files : tuple of str
        In the folder.
    """

    people: int
    of: int
    folder: str
    files: tuple[str, ...]


def invite(
    published: PublishedSurvey,
    merged: MailMerge,
    out: Path,
    *,
    public_url: str,
    language: str | None = None,
    letters: bool = True,
    reminder: bool = False,
    waiting: bytes | None = None,
    progress: StageProgress = folder.silent,
) -> Invitations:
    """Make letters and mail-merge rows.

    Parameters
    ----------
    published : PublishedSurvey
        The signed survey, verified.
    merged : MailMerge
        The codes of all people on its roll.
    out : Path
        Folder that must not exist; gets the letters, the mail-merge file and a note on how to keep them.
    public_url : str
        Address of the server, for the links.
    language : str, optional
        Of the letters; the survey's first by default.
    letters : bool
        Whether to make letters.
    reminder : bool
        Whether the letters say that they are reminders.
    waiting : bytes, optional
        The registrar's list of codes that have not fetched a token (``roomful remind``): the others get
        nothing. Everybody gets a letter without it.
    progress : callable
        Told the stage, what is done and the total.

    Raises
    ------
    InputError
        If the codes are not those of the signed roll, or the list, the folder or the language cannot be used.
    StateError
        If the survey is open to everybody.
    StorageError
        If something cannot be written; then there is no folder.
    """
    invited = require_invited(published.specification)
    frame = frame_of(published, language, public_url, reminder=reminder)
    files.require_free(out)
    roll_id = invited.codes.roll_id
    hashes = {person.code: roll_hash(person.code.proof(roll_id)) for person in merged.recipients}
    if not _are_of(merged, invited):
        raise InputError(
            "these are not the codes of this survey",
            where="--codes",
            expected="codes.csv with all its rows, whose roll.txt was named in survey.toml",
            remedy="Give codes.csv as roomful codes wrote it; a spreadsheet may have lost or changed rows.",
            code="input.codes-roll",
        )
    chosen = frozenset(hashes.values()) if waiting is None else _read_waiting(waiting, roll_id)
    people = tuple(person for person in merged.recipients if hashes[person.code] in chosen)
    with files.named_file_errors(out.name), files.new_folder(out.absolute()) as work:
        names = _fill(
            work, published, invited, people, merged, frame=frame, public_url=public_url, letters=letters,
            progress=progress,
        )  # fmt: skip
    return Invitations(people=len(people), of=len(merged.recipients), folder=str(out), files=names)


def _are_of(merged: MailMerge, invited: Invited) -> bool:
    """Whether these are all codes of the signed roll; of an election by the column of each voter's group."""
    boxes: dict[int, list[InvitationCode]] = {box: [] for box in range(len(invited.token_keys))}
    for person in merged.recipients:
        box = 0 if invited.election is None else person.group
        if box not in boxes:
            return False
        boxes[box].append(person.code)
    lists = list(boxes.values())
    return (len(lists) == 1 or all(lists)) and Roll.of(
        invited.codes.roll_id, *lists
    ).digest == invited.codes.digest


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


def _read_waiting(data: bytes, roll_id: bytes) -> frozenset[bytes]:
    try:
        found = Roll.parse(data)
    except BoardError as problem:
        raise InputError(
            problem.message,
            where=f"--waiting, {problem.where}",
            expected="the file that roomful remind wrote",
            code="input.waiting",
        ) from None
    if found.roll_id != roll_id:
        raise InputError(
            "this list is of another survey",
            where="--waiting",
            expected="the file that roomful remind wrote for this survey",
            code="input.waiting",
        )
    return frozenset(found.hashes)


def _fill(
    work: Path,
    published: PublishedSurvey,
    invited: Invited,
    people: Sequence[Recipient],
    merged: MailMerge,
    *,
    frame: LetterFrame,
    public_url: str,
    letters: bool,
    progress: StageProgress,
) -> tuple[str, ...]:
    """Write everything into an empty folder; return the names of the files."""
    pages = tuple(
        Letter(
            lines=person.lines,
            code=person.code,
            group=None if invited.election is None else person.group,
            link=survey_link(public_url, published.digest, published.organizer_key, code=person.code),
            place=person.place,
        )
        for person in people
    )
    if letters:
        require_printable(frame, pages)
    rows = ((person.cells, person.code, page.link) for person, page in zip(people, pages, strict=True))
    files.write_new(work / folder.MAIL_MERGE_FILE, format_mail_merge(merged.header, rows, merged.separator))
    names = (
        folder.write_letters(work, frame, pages, lambda done, total: progress("letters", done, total))
        if letters and pages
        else ()
    )
    files.write_new(work / folder.README_FILE, readme(published, len(people), names))
    return (folder.MAIL_MERGE_FILE, *names, folder.README_FILE)
