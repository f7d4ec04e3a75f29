"""The codes of invited people, read from the file that ``roomful invite`` writes for mail merge."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

from server.signing.signing import read_file
from shared.errors import InputError, TokenError
from shared.invitation_code import InvitationCode

COLUMN: Final = "code"
_EXPECTED: Final = f"mail-merge.csv of roomful invite: a line of names, one of them {COLUMN}"


def read_codes(path: Path) -> tuple[InvitationCode, ...]:
    """One code for each person, in the order of the file.

    Guarantee: no error repeats a code, because errors end up in logs and on screens.

    Raises
    ------
    InputError
        With the code ``input.codes`` if the file has no column of codes, or a field is none;
        ``input.codes-twice`` if one stands there twice. Both name the line.
    """
    try:
        text = read_file(path, "a file with codes").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refused(path, "the file is not UTF-8") from None
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    first_line: dict[InvitationCode, int] = {}
    try:
        names = next(rows, [])
        if names.count(COLUMN) != 1:
            raise _refused(path, f'there is no column "{COLUMN}", or there are two')
        place = names.index(COLUMN)
        for row in rows:
            if not any(row):
                continue
            code = _parse(row[place] if place < len(row) else "", path, rows.line_num)
            if code in first_line:
                raise InputError(
                    f"the code stands in line {first_line[code]} already",
                    where=f"{path.name}, line {rows.line_num}",
                    expected="a code of its own for each person",
                    remedy="One code is one answer. Take the file as roomful invite wrote it.",
                    code="input.codes-twice",
                )
            first_line[code] = rows.line_num
    except csv.Error:
        raise _refused(path, "the line is no CSV", rows.line_num) from None
    return tuple(first_line)


def require_enough(n_codes: int, n_people: int) -> None:
    """That everybody who is invited has a code.

    Raises
    ------
    InputError
        With the code ``input.codes-too-few``.
    """
    if n_codes < n_people:
        raise InputError(
            f"there are {n_codes} codes for {n_people} people",
            where="--codes",
            expected="a code of its own for each person",
            remedy=f"Invite more people with roomful invite, or fewer here: --invited {n_codes}.",
            code="input.codes-too-few",
        )


def _parse(text: str, path: Path, line: int) -> InvitationCode:
    try:
        return InvitationCode.parse(text)
    except TokenError as error:
        raise _refused(path, error.message, line) from None


def _refused(path: Path, message: str, line: int = 0) -> InputError:
    where = f"{path.name}, line {line}" if line else path.name
    return InputError(message, where=where, expected=_EXPECTED, code="input.codes")
