"""Whose the folders of a server are: a folder that others can change is theirs too."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from shared.errors import StorageError


def require_own(path: Path) -> None:
    """Raise StorageError unless a folder, if it exists, is the user's own and nobody else can write in it.

    Whoever can write there exchanges specification, databases and keys, and a server that is started by
    another user leaves files behind that its own cannot read.

    Raises
    ------
    StorageError
        With the code ``storage.foreign``.
    """
    if not hasattr(os, "geteuid"):  # Windows has neither owners nor modes of this kind
        return
    try:
        found = path.stat()
    except OSError:
        return
    if found.st_uid != os.geteuid():
        raise StorageError(
            f"this folder belongs to another user (number {found.st_uid})",
            where=str(path),
            expected=f"a folder of the user who runs the command (number {os.geteuid()})",
            remedy=f"Run the command as its owner (sudo -u '#{found.st_uid}' roomful ...), or name your own.",
            code="storage.foreign",
        )
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise StorageError(
            "other users can write in this folder",
            where=str(path),
            expected="a folder that only its owner can write in",
            remedy=f"Close it: chmod go-rwx '{path}'. Then look whether all files in it are yours.",
            code="storage.foreign",
        )
