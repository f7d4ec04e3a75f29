"""Files read up to a bound, and files and folders that are there in full, on the disk, or not at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from shared.errors import InputError, RoomfulError, StorageError

PRIVATE: Final = 0o600
"""Mode of a file for its owner alone."""
SHARED: Final = 0o666
"""Mode of a file that others may read, as far as the user's umask lets them."""
NEW: Final = ".new-"
"""Begins the names of what is not complete."""
Refused = Callable[[str], RoomfulError]
"""Makes the error of a caller from what is the matter with a file."""

_LOCKED_SECONDS: Final = 5
"""After which a folder that is in use is locked: one that was just made may not be yet."""
_FOREIGN: Final = (
    "read-only",
    "the user who runs this may not read or write it",
    "Give this user the right: look at owner and mode of the file and of its folders.",
)
_NAMED: Final = {
    errno.ENOSPC: ("full", "the disk is full", "Free some space and try again."),
    errno.EDQUOT: ("full", "the disk quota is used up", "Free some space and try again."),
    errno.EROFS: ("read-only", "the disk is read-only", "Mount it for writing."),
    errno.EACCES: _FOREIGN,
    errno.EPERM: _FOREIGN,
}


def file_error(error: OSError) -> StorageError | None:
    """What an error about a file means to whoever runs a command; None if it may be a defect of ours."""
    if error.filename is None or error.errno not in _NAMED:
        return None
    code, message, remedy = _NAMED[error.errno]
    return StorageError(message, where=str(error.filename), remedy=remedy, code=f"storage.{code}")


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


def read_start(path: Path, max_bytes: int, refused: Refused | None = None) -> bytes:
    """Contents of a file; of a longer one a byte more than `max_bytes`, by which its parser refuses it.

    Parameters
    ----------
    path : Path
    max_bytes : int
        Bound of what is held in memory.
    refused : callable, optional
        Makes the error if the file cannot be read; without it, it is an OSError.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(max_bytes + 1)
    except OSError as problem:
        if refused is None:
            raise
        raise refused(f"cannot be read ({problem.strerror})") from None


def read_bounded(path: Path, max_bytes: int, refused: Refused) -> bytes:
    """Contents of a file, which is refused if it cannot be read or is longer than `max_bytes`."""
    data = read_start(path, max_bytes, refused)
    if len(data) > max_bytes:
        raise refused(f"the file is too large, it has more than {max_bytes} bytes")
    return data


def read_file(path: Path, what: str, max_bytes: int) -> bytes:
    """Contents of a file that somebody named, as :func:`read_start`.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    return read_start(path, max_bytes, lambda message: InputError(message, where=str(path), expected=what))


def write_file(path: Path, data: bytes, *, mode: int = SHARED) -> None:
    """Write a file where somebody wants it, as :func:`replace`.

    Raises
    ------
    InputError
        If it cannot be written. What was there before is untouched.
    """
    try:
        replace(path, data, mode=mode)
    except OSError as problem:
        raise InputError(f"cannot be written ({problem.strerror})", where=str(path)) from None


def sync_folder(folder: Path) -> None:
    """Make new and renamed names in a folder survive a power cut."""
    _sync(folder, os.O_DIRECTORY)


def write_new(path: Path, data: bytes, *, mode: int = PRIVATE) -> None:
    """Write a file that must not exist, and sync it; nothing is left of one that cannot be written whole."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def erase(path: Path) -> None:
    """Overwrite a plain file and delete it; of a link, the link alone."""
    found = path.lstat()
    if stat.S_ISREG(found.st_mode):
        descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            os.pwrite(descriptor, bytes(found.st_size), 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    path.unlink()


def replace(path: Path, data: bytes, *, mode: int = PRIVATE) -> None:
    """Put new bytes in the place of a file, all or nothing."""
    with new_file(path, mode=mode) as work:
        work.write_bytes(data)


@contextlib.contextmanager
def new_file(path: Path, *, mode: int = PRIVATE) -> Iterator[Path]:
    """An empty file to fill beside `path`; it takes that name when the block ends well, else it vanishes."""
    work = beside(path)
    try:
        write_new(work, b"", mode=mode)
        yield work
        _sync(work)
        work.replace(path)
    finally:
        work.unlink(missing_ok=True)
    sync_folder(path.parent)


@contextlib.contextmanager
def hidden_folder(target: Path, *, mode: int = 0o700, prefix: str = NEW) -> Iterator[Path]:
    """A folder beside a name to come, which is removed when the block ends, whatever happened."""
    work = beside(target, prefix)
    try:
        work.mkdir(mode=mode)
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def held_folder(target: Path, prefix: str, *, mode: int = 0o700) -> Iterator[Path]:
    """As :func:`hidden_folder`, with a name that begins so, and locked: `clear_abandoned` leaves it alone."""
    with hidden_folder(target, mode=mode, prefix=prefix) as work:
        descriptor = os.open(work, os.O_RDONLY | os.O_DIRECTORY)
        try:
            with contextlib.suppress(OSError):  # some file systems have no locks: then nobody clears either
                fcntl.flock(descriptor, fcntl.LOCK_SH)
            yield work
        finally:
            os.close(descriptor)


def clear_abandoned(folder: Path, prefix: str) -> tuple[str, ...]:
    """Remove what :func:`held_folder` made for processes that were killed, and return the names."""
    cleared = []
    for left in sorted(folder.glob(f"{prefix}*")):
        with contextlib.suppress(OSError):  # no folder, in use, or not ours to remove
            descriptor = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                age = time.time() - os.fstat(descriptor).st_mtime
                if age > _LOCKED_SECONDS or any(left.iterdir()):
                    shutil.rmtree(left)
                    cleared.append(left.name)
            finally:
                os.close(descriptor)
    return tuple(cleared)


@contextlib.contextmanager
def new_folder(
    target: Path, *, mode: int = 0o700, replaced: bool = False, prefix: str = NEW
) -> Iterator[Path]:
    """A folder to fill beside `target`; it takes that name when the block ends well, else it vanishes.

    Parameters
    ----------
    target : Path
        A name that is free, or of an empty folder.
    mode : int
        Of the folder.
    replaced : bool
        Whether a folder that has the name gives way as a whole.
    prefix : str
        How the names begin that it and what gives way have meanwhile, for :func:`clear_abandoned`.
    """
    old = beside(target, prefix)
    with held_folder(target, prefix, mode=mode) as work:
        yield work
        sync_folder(work)
        if replaced and target.exists():
            target.rename(old)
        try:
            work.rename(target)
        except BaseException:
            if old.exists():
                old.rename(target)
            raise
    sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def require_free(out: Path) -> None:
    """Refuse the name of a new file or folder that is taken, before work begins that ends there.

    Raises
    ------
    InputError
        With the code ``input.exists``.
    """
    if out.exists() or out.is_symlink():
        raise InputError(
            "this is there already, and nothing is overwritten",
            where=str(out),
            remedy="Choose another name, or move what is there.",
            code="input.exists",
        )
    if not out.absolute().parent.is_dir():
        raise InputError("the folder around it is not there", where=str(out.parent), code="input.exists")


def beside(path: Path, prefix: str = NEW) -> Path:
    """A free name, known before anything is made, so that a signal at any moment leaves nothing behind."""
    return path.with_name(f"{prefix}{secrets.token_hex(8)}")


def _sync(path: Path, flags: int = 0) -> None:
    descriptor = os.open(path, os.O_RDONLY | flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
