"""model.salt: what commits to a register and decides on its secret sample. Auditors get it, nobody else."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Final

from server.files import PRIVATE, read_file, write_file
from server.keys.signing import SALT_FILE
from shared.errors import InputError
from shared.model import SALT_BYTES

_MAX_FILE_BYTES: Final = 1024


def salt_at(path: Path) -> Path:
    """The file of a salt, which may be named by its folder."""
    return path / SALT_FILE if path.is_dir() else path


def read_salt(path: Path) -> bytes:
    """Read a salt: 64 hexadecimal digits.

    Raises
    ------
    InputError
        If the file cannot be read or holds something else.
    """
    text = read_file(salt_at(path), "a register's salt", _MAX_FILE_BYTES).strip()
    if len(text) != 2 * SALT_BYTES or not all(character in b"0123456789abcdef" for character in text):
        raise InputError(
            "this is no salt of a register",
            where=str(salt_at(path)),
            expected=f"{2 * SALT_BYTES} digits 0 to 9 and a to f, as roomful design writes them",
            remedy="Ask the organizer for model.salt again.",
        )
    return bytes.fromhex(text.decode("ascii"))


def salt_for(folder: Path, given: Path | None) -> bytes:
    """The salt of a design: the one that is named, else the folder's own, else a new one.

    Raises
    ------
    InputError
        As :func:`read_salt`.
    """
    if given is not None:
        return read_salt(given)
    if (folder / SALT_FILE).exists():
        return read_salt(folder)
    return secrets.token_bytes(SALT_BYTES)


def no_salt() -> InputError:
    """The error about a salt that somebody named for a public model."""
    return InputError(
        "a public model has no salt",
        where="--salt",
        expected='kind = "register" in [model]',
        remedy="Leave the option out.",
    )


def write_salt(folder: Path, salt: bytes) -> None:
    """Write ``model.salt``, readable by its owner alone; whatever happens, the old salt or the new is there.

    Raises
    ------
    InputError
        If it cannot be written.
    """
    write_file(folder / SALT_FILE, salt.hex().encode("ascii") + b"\n", mode=PRIVATE)
