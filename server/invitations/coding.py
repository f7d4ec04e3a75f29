"""From a list of people to secret codes and the roll of their hashes, before anything is signed.

Run by whoever makes and prints the codes, on a machine that is no server: neither registrar nor collector nor
the organizer ever needs a code.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from server import files
from server.invitations.boxes import with_groups
from server.invitations.folder import CODES_FILE, README_FILE
from server.invitations.mail_merge import format_mail_merge, guard
from server.invitations.people import People
from server.invitations.readme import codes_readme
from server.keys.signing import ROLL_FILE
from shared.errors import InputError
from shared.invitation_code import ENTROPY_BYTES, InvitationCode
from shared.limits import MAX_RECEIPTS
from shared.roll import ROLL_ID_BYTES, Roll
from shared.specification import Specification

Entropy = Callable[[int], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCodes:
    """What was made.

    Attributes
    ----------
    people : int
        With a code each.
    digest : str
        Of the roll: the organizer signs it.
    folder : str
        Where codes and roll are.
    files : tuple of str
        In the folder.
    guarded : int
        Cells of the file with the codes in which a formula was disarmed.
    """

    people: int
    digest: str
    folder: str
    files: tuple[str, ...]
    guarded: int


def make_codes(
    people: People,
    out: Path,
    *,
    boxes: Specification | None = None,
    entropy: Entropy = secrets.token_bytes,
) -> MadeCodes:
    """Draw a code for each person, and a roll id.

    Parameters
    ----------
    people : People
        The list.
    out : Path
        Folder that must not exist; gets ``codes.csv`` (secret), ``roll.txt`` (public) and a note.
    boxes : Specification, optional
        With the boxes of an election: its roll has a list of hashes for each, and ``codes.csv`` each voter's.
    entropy : callable
        The system's generator.

    Raises
    ------
    InputError
        If the folder is there, or the list is too long.
    StorageError
        If something cannot be written; then there is no folder.

    Notes
    -----
    Guarantee: nothing of the list or the codes but the roll hashes, of an election by box, in their own
    order, is in ``roll.txt``.
    """
    files.require_free(out)
    if len(people) > MAX_RECEIPTS:
        raise InputError(
            f"{len(people)} people are too many for one roll",
            expected=f"at most {MAX_RECEIPTS}",
            remedy="Make a survey for each part of them.",
            code="input.people",
        )
    roll_id = entropy(ROLL_ID_BYTES)
    codes = _draw(len(people), entropy)
    places: Sequence[int] = (0,) * len(people)
    if boxes is not None:
        people, places = with_groups(people, boxes)
    lists: list[list[InvitationCode]] = [[] for _ in range(1 if boxes is None else boxes.cells.count)]
    for box, code in zip(places, codes, strict=True):
        lists[box].append(code)
    roll = Roll.of(roll_id, *lists)
    rows = ((person.cells, code, None) for person, code in zip(people.rows, codes, strict=True))
    contents = {
        CODES_FILE: format_mail_merge(people.header, rows, people.separator),
        ROLL_FILE: roll.to_bytes(),
        README_FILE: codes_readme(len(people), roll.digest),
    }
    with files.named_file_errors(out.name), files.new_folder(out.absolute()) as work:
        for name, data in contents.items():
            files.write_new(work / name, data)
    return MadeCodes(
        people=len(people),
        digest=roll.digest,
        folder=str(out),
        files=tuple(contents),
        guarded=sum(guard(cell) != cell for person in people.rows for cell in person.cells),
    )


def _draw(number: int, entropy: Entropy) -> list[InvitationCode]:
    """Different codes; that two were equal is as likely as guessing one."""
    codes: dict[str, InvitationCode] = {}
    while len(codes) < number:
        code = InvitationCode.create(entropy(ENTROPY_BYTES))
        codes[code.symbols] = code
    return list(codes.values())
