"""The codes of invited people, read from the files of ``roomful codes`` and ``roomful invite``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from server.tables.files import open_data
from shared.errors import InputError, TokenError
from shared.invitation_code import InvitationCode

COLUMN: Final = "code"


def read_codes(path: Path) -> tuple[InvitationCode, ...]:
    """One code for each person, in the order of the file.

    Guarantee: no error about a code repeats it, because errors end up in logs and on screens.

    Raises
    ------
    InputError
        With the code ``input.codes`` if a field is no code, ``input.codes-twice`` if one stands there twice;
        both name the line. As :func:`~server.tables.files.open_data` for a file that is no table,
        or has no column of codes.
    """
    table = open_data(path, wanted=(COLUMN,))
    first_row: dict[InvitationCode, int] = {}
    for row, text in enumerate(table.exact(COLUMN, purpose="codes")):
        try:
            code = InvitationCode.parse(text or "")
        except TokenError as error:
            raise InputError(
                error.message,
                where=table.where(row, COLUMN),
                expected="a code as roomful codes wrote it",
                code="input.codes",
            ) from None
        if code in first_row:
            raise InputError(
                f"the code stands in {table.place_of(first_row[code])} already",
                where=table.where(row, COLUMN),
                expected="a code of its own for each person",
                remedy="One code is one answer. Take the file as roomful codes wrote it.",
                code="input.codes-twice",
            )
        first_row[code] = row
    return tuple(first_row)


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
            remedy=f"Give all codes of the roll, or let fewer be invited here: --invited {n_codes}.",
            code="input.codes-too-few",
        )
