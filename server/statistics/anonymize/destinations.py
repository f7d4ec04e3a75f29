"""Files to be written: whether they can stand where they are to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from shared.errors import InputError


def check_destinations(written: Sequence[Path], read: Sequence[tuple[str, Path | None]]) -> None:
    """Raise InputError, before anything is computed, if a file cannot stand where it is to be written.

    Parameters
    ----------
    written : sequence of Path
        Files to come.
    read : sequence of (name, Path or None)
        Files that are read, as messages call them; none of them is overwritten.
    """
    places = [path.resolve() for path in written]
    twice = next((path for path, place in zip(written, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise InputError("two files would be written here", where=str(twice), remedy="Give one another name.")
    for path in written:
        if not path.parent.is_dir():
            raise InputError(
                "there is no such folder", where=str(path.parent), remedy="Make it, or write elsewhere."
            )
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise InputError(
                "this folder cannot be written to",
                where=str(path.parent),
                remedy="Change its permissions, or write elsewhere.",
            )
        if path.is_dir():
            raise InputError(
                "a folder has this name", where=str(path), expected="a file to write, or nothing there yet"
            )
        for name, other in read:
            if other is not None and path.exists() and other.exists() and path.samefile(other):
                raise InputError(
                    f"this file, {name}, is read and would be overwritten",
                    where=str(path),
                    remedy="Give the file to write another name.",
                )
