"""The folder of letters: filled under another name, and given its own only when it counts.

What an interruption leaves is an *unfinished* folder. The next run finishes it, wherever it is, if its codes
or its reminder are in the registrar's file already; else the next run with the same ``--out`` throws it away.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from server.invitations.letters import Letter, LetterFrame, render_letters
from server.reading.delimited import Progress
from server.storage import files
from shared.errors import InputError

MAIL_MERGE_FILE: Final = "mail-merge.csv"
README_FILE: Final = "README.txt"
LETTERS_A_FILE: Final = 5_000


def silent(_stage: str, _done: int, _total: int) -> None:
    """Progress that nobody looks at."""


def unfinished(out: Path, survey: str, *, reminders: bool = False) -> Path:
    """Where the folder of a survey is filled.

    Invitations and reminders have different ones: the former may hold the only copy of stored codes, and the
    latter must not be taken for them.
    """
    kind = ".reminders" if reminders else ""
    return out.with_name(f".{out.name}.{survey}{kind}.unfinished")


def require_free(out: Path) -> None:
    """Refuse a folder that is there: letters are never overwritten.

    Raises
    ------
    InputError
        With the code ``input.exists``.
    """
    if out.exists() or out.is_symlink():
        raise InputError(
            "this is there already, and letters are never overwritten",
            where=str(out),
            remedy="Choose another --out.",
            code="input.exists",
        )
    if not out.absolute().parent.is_dir():
        raise InputError("the folder around it is not there", where=str(out.parent), code="input.exists")


def silent_waiting() -> None:
    """Waiting that nobody is told of."""


@contextmanager
def filling(work: Path) -> Iterator[Path]:
    """An unfinished folder, empty, for the owner only; it vanishes if the block fails."""
    with files.named_file_errors(work.name):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(mode=0o700)
        try:
            # Its name too must survive a power cut: the codes are stored before it gets its own.
            files.sync_folder(work.absolute().parent)
            yield work
            files.sync_folder(work)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise


def require_own(work: Path) -> None:
    """Refuse an unfinished folder that somebody else than this user could have made or changed.

    Raises
    ------
    InputError
        With the code ``input.unfinished``.
    """
    with files.named_file_errors(work.name):
        _require_own(work, stat.S_ISDIR)
        for path in work.iterdir():
            _require_own(path, stat.S_ISREG)


def _require_own(path: Path, kind: Callable[[int], bool]) -> None:
    found = path.lstat()
    if (
        not kind(found.st_mode)
        or found.st_uid != os.geteuid()
        or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise strange("others could have made or changed these letters of an interrupted run", path)


def strange(message: str, where: Path, *, remedy: str = "") -> InputError:
    """The error for an unfinished folder that cannot be finished."""
    return InputError(
        message,
        where=str(where),
        expected="the folder as the interrupted run left it",
        remedy=remedy
        or "Find out who touched it, and do not send these letters. Reminders: remove the folder and run this"
        " again. Invitations: invite with a new survey.",
        code="input.unfinished",
    )


def discard(work: Path) -> None:
    """Remove an unfinished folder."""
    with files.named_file_errors(work.name):
        shutil.rmtree(work)


def finish(work: Path, out: Path) -> None:
    """Give the folder its name."""
    with files.named_file_errors(out.name):
        work.rename(out)
        files.sync_folder(out.absolute().parent)


def write_letters(
    work: Path, frame: LetterFrame, letters: tuple[Letter, ...], progress: Progress | None
) -> tuple[str, ...]:
    """Write ``letters.pdf``, or several files of five thousand letters each; return their names."""
    total = len(letters)
    parts = [letters[start : start + LETTERS_A_FILE] for start in range(0, total, LETTERS_A_FILE)]
    names = ["letters.pdf"] if len(parts) == 1 else [f"letters-{n:03}.pdf" for n in range(1, len(parts) + 1)]
    for number, (name, part) in enumerate(zip(names, parts, strict=True)):
        before = number * LETTERS_A_FILE

        def counted(done: int, _: int, before: int = before) -> None:
            if progress is not None:
                progress(before + done, total)

        files.write_new(work / name, render_letters(frame, part, counted))
    return tuple(names)
