"""`roomful reproduce`: choose entries, run them, write the folder, all or nothing."""

from __future__ import annotations

import difflib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.files import new_folder
from server.progress import StageProgress
from server.statistics.reproduction.catalogue import CATALOGUE, PAPERS
from server.statistics.reproduction.inputs import Inputs
from server.statistics.reproduction.result import Reproduction
from server.statistics.reproduction.text import worst
from server.statistics.reproduction.writing import FORMAT, INDEX, summary, write_entry, write_index
from shared.errors import InputError, StorageError, VerificationError

Announce = Callable[[str], None]
"""Takes a line for people, as things happen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run gave.

    Attributes
    ----------
    folder : Path
        Where the files are.
    reproductions : tuple of Reproduction
        In the order in which they were run.
    seconds : tuple of float
        How long each took.
    """

    folder: Path
    reproductions: tuple[Reproduction, ...]
    seconds: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """Summary for programs."""
        entries = [
            {**summary(reproduction), "seconds": round(seconds, 2)}
            for reproduction, seconds in zip(self.reproductions, self.seconds, strict=True)
        ]
        return {"folder": str(self.folder), "seconds": round(sum(self.seconds), 2), "entries": entries}

    def require_kept(self) -> None:
        """Raise VerificationError if a promised bound is exceeded; the files say by how much."""
        broken = [(r.name, item) for r in self.reproductions for item in r.broken]
        if broken:
            name, item = broken[0]
            raise VerificationError(
                f"{len(broken)} of our values differ by more than is promised; first {worst(item)}",
                where=name,
                expected="every difference within its bound",
                remedy=f"Look at {self.folder / 'index.html'}: other data, or other versions of libraries?",
                code="verification.reproduction",
            )


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names without repetitions, in the order of the catalogue.

    Raises
    ------
    InputError
        For a name that is not in the catalogue, with the nearest ones that are.
    """
    for name in names:
        if name not in CATALOGUE:
            near = difflib.get_close_matches(name, CATALOGUE, n=3, cutoff=0.4)
            hint = f"Did you mean {' or '.join(near)}? " if near else ""
            raise InputError(
                f"there is nothing named {name!r} to reproduce",
                expected="a name that roomful reproduce --help lists",
                remedy=f"{hint}--all runs everything.",
                code="input.reproduction",
            )
    return tuple(name for name in CATALOGUE if name in set(names))


def reproduce(
    names: Sequence[str],
    out: Path,
    inputs: Inputs,
    *,
    command: str,
    progress: StageProgress,
    announce: Announce,
) -> Outcome:
    """Run entries of the catalogue and write their reports.

    Parameters
    ----------
    names : sequence of str
        Of the catalogue, at least one.
    out : Path
        Folder to make. One that an earlier run made is replaced as a whole; any other that holds something
        is refused.
    inputs : Inputs
    command : str
        Shown at the end of the page.
    progress, announce : callables
        For bars and lines while it runs.

    Raises
    ------
    InputError
        For an unknown name, a folder that is not ours, or missing data; before anything is computed.
    StorageError
        If the folder cannot be written.

    Notes
    -----
    Guarantee: afterwards `out` holds a complete run, or, after any error or interruption, exactly what it
    held before. All is written to a hidden folder beside it first, then renamed.
    """
    names = chosen(names)
    _refuse_foreign(out)
    needed = dict.fromkeys(data for name in names for data in CATALOGUE[name].data)
    missing = inputs.missing(tuple(needed))
    if missing:
        raise inputs.refusal(missing)
    expected = sum(CATALOGUE[name].seconds for name in names)
    announce(f"{len(names)} to reproduce; this takes about {_duration(expected)}.")
    reproductions: list[Reproduction] = []
    seconds: list[float] = []
    with _new_folder(out) as folder:
        files: list[str] = []
        for number, name in enumerate(names, 1):
            entry = CATALOGUE[name]
            announce(f"[{number}/{len(names)}] {name}: {entry.title} (about {_duration(entry.seconds)})")
            started = time.monotonic()
            reproduction = run_entry(name, inputs, progress)
            seconds.append(time.monotonic() - started)
            reproductions.append(reproduction)
            files += write_entry(folder, reproduction)
            announce(f"      {_duration(seconds[-1])}; worst: {worst(reproduction.worst)}")
        write_index(folder, reproductions, files, command)
    return Outcome(folder=out, reproductions=tuple(reproductions), seconds=tuple(seconds))


def run_entry(name: str, inputs: Inputs, progress: StageProgress) -> Reproduction:
    """Compute one entry of the catalogue."""
    entry = CATALOGUE[name]
    return Reproduction(
        name=name,
        title=entry.title,
        source=entry.source,
        paper=PAPERS[entry.paper],
        records=tuple(entry.function()(inputs, progress)),
        explanation=entry.explanation,
        plots=entry.plots,
        why_not=entry.why_not,
    )


def _refuse_foreign(out: Path) -> None:
    """Refuse a path that holds anything but the files that an earlier run says it wrote."""
    if not out.exists() and not out.is_symlink():
        return
    if out.is_dir() and not out.is_symlink():
        found = {path.relative_to(out).as_posix() for path in out.rglob("*") if not _plain_folder(path)}
        if found <= _files_of_earlier_run(out):
            return
    raise InputError(
        "there is something that an earlier run of this command did not write",
        where=str(out),
        expected="a new or empty folder, or one of an earlier run with nothing added",
        remedy="Name another folder with --out.",
        code="input.reproduction-folder",
    )


def _plain_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _files_of_earlier_run(out: Path) -> set[str]:
    try:
        index = json.loads((out / INDEX).read_text(encoding="utf-8"))
        return set(index["files"]) if index["format"] == FORMAT else set()
    except (OSError, ValueError, KeyError, TypeError):
        return set()


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """A folder that takes the place of `out` at the end, or vanishes."""
    target = out.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with new_folder(target, mode=0o777, replaced=True) as folder:
            yield folder
            _refuse_foreign(out)  # minutes have passed
    except OSError as error:
        raise _unwritable(out, error) from error


def _unwritable(out: Path, error: OSError) -> StorageError:
    return StorageError(
        f"the reports cannot be written: {error.strerror or error}",
        where=str(out),
        expected="a place with room that can be written",
        remedy="Name another folder with --out; nothing was changed.",
    )


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "a second" if seconds >= 0.5 else "a moment"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} minutes"
