"""Files and folders that are either there in full, on the disk, or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shared.errors import StorageError

_NAMED: Final = {
    errno.ENOSPC: ("full", "the disk is full", "Free some space and try again."),
    errno.EDQUOT: ("full", "the disk quota is used up", "Free some space and try again."),
    errno.EROFS: ("read-only", "the disk is read-only", "Mount it for writing."),
    errno.EACCES: ("read-only", "the data directory cannot be written", "Give the server's user the right."),
    errno.EPERM: ("read-only", "the data directory cannot be written", "Give the server's user the right."),
}


@contextlib.contextmanager
def named_file_errors(where: str) -> Iterator[None]:
    """Turn an error of the operating system into a :class:`StorageError` that says where."""
    try:
        yield
    except OSError as error:
        code, message, remedy = _NAMED.get(
            error.errno or 0, ("disk", f"the file system refused ({os.strerror(error.errno or 0)})", "")
        )
        raise StorageError(message, where=where, remedy=remedy, code=f"storage.{code}") from error


def sync_folder(folder: Path) -> None:
    """Make new and renamed names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not exist, readable by its owner only, and sync it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def replace(path: Path, data: bytes) -> None:
    """Put new bytes in the place of a file, all or nothing."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


@contextlib.contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill beside `target`; it takes that name when the block ends well, else it vanishes."""
    parent = target.parent
    work = Path(tempfile.mkdtemp(dir=parent, prefix=".new-"))
    try:
        yield work
        sync_folder(work)
        work.rename(target)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
    sync_folder(parent)
