"""Names of files inside the desk's folder, and nothing outside of it."""

from __future__ import annotations

from pathlib import Path

from server.tables.files import SUFFIXES
from shared.errors import InputError


def inside(folder: Path, name: str) -> Path:
    """The path of a name that came from a page.

    Guarantee: the file, links followed, lies in the folder; else an error.

    Raises
    ------
    InputError
        For a name that leads out of the folder, or to something hidden.
    """
    parts = Path(name).parts
    wrong = not parts or "\x00" in name or Path(name).is_absolute()
    if not wrong and not any(part == ".." or part.startswith(".") for part in parts):
        path = folder / name
        if path.resolve().is_relative_to(folder.resolve()):
            return path
    raise InputError(
        "this is no file of the survey's folder",
        where="the name",
        expected="the name of a file in the folder that the desk was started with",
        code="input.outside-folder",
    )


def upload_name(name: str) -> str:
    """The plain name under which an upload is kept.

    Raises
    ------
    InputError
        If the name has folders in it, is hidden, or its suffix stands for no format that is read.
    """
    plain = name.replace("\\", "/").rpartition("/")[2].strip()
    if not plain or plain.startswith(".") or "\x00" in plain or len(plain.encode()) > 200:
        raise InputError(
            "the file has no usable name", where="the upload", expected="a name such as people.csv"
        )
    if Path(plain).suffix.lower() not in SUFFIXES:
        raise InputError(
            "this is no format that can be read", where="the upload", expected=", ".join(SUFFIXES)
        )
    return plain


def data_files(folder: Path) -> tuple[str, ...]:
    """Names of the files in the folder that may be a population."""
    return tuple(
        sorted(
            path.name
            for path in folder.iterdir()
            if path.suffix.lower() in SUFFIXES and path.is_file() and not path.name.startswith(".")
        )
    )
