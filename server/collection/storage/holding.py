"""Who works in a folder: servers beside each other, or one program alone."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from server.collection.storage.ownership import require_own
from server.files import named_file_errors

LOCK_NAME: Final = "serving.lock"


@contextmanager
def holding(folder: Path, *, alone: bool) -> Iterator[bool]:
    """Whether this program, and what it forks, may work in a folder until the block ends.

    Parameters
    ----------
    folder : Path
        It is made if it is not there.
    alone : bool
        Whether nobody else may; otherwise others may who work beside each other.

    Raises
    ------
    StorageError
        With the code ``storage.foreign`` if the folder is another user's, or others can write in it.
    """
    require_own(folder)
    with named_file_errors(LOCK_NAME):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)
