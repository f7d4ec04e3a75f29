"""Whether this installation can do what it promises, and how to repair what cannot.

The lines say nothing that a stranger may not know: the page ``/checkup`` shows them to everybody.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from server.collection.config import Config
from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.database import driver_version
from server.collection.web.checkup_invited import invited_lines
from server.collection.web.checkup_line import Line, line
from server.collection.web.checkup_postgres import postgres_lines
from server.collection.web.static_files import ClientFiles
from shared.errors import RoomfulError

MIN_PYTHON: Final = (3, 11)
MIN_SQLITE: Final = (3, 38)
LEAST_FREE_BYTES: Final = 100 * 2**20
LOW_FREE_BYTES: Final = 2**30
EARLIEST_SECONDS: Final = 1_735_689_600
"""No machine that runs this has a clock before it was written."""
CLIENT_NEEDS: Final = ("survey.html", "survey.css", "app.mjs", "pyodide/pyodide.asm.wasm", "roomful.zip")
DURABLE: Final = {"journal_mode": "truncate", "synchronous": 2, "secure_delete": 1, "temp_store": 2}


def examine_server(config: Config, data: DataDirectory, client: ClientFiles | None) -> tuple[Line, ...]:
    """Everything that can be seen from inside, in a moment."""
    return (
        *machine_lines(data.path),
        *_client(client),
        *_address(config),
        *_surveys(data),
        *invited_lines(config, data),
    )


def machine_lines(path: Path) -> Iterator[Line]:
    """What every server needs of its machine; path: its data directory, which may not exist yet."""
    yield line(
        "python",
        sys.version_info >= MIN_PYTHON,
        f"Python {sys.version_info.major}.{sys.version_info.minor} is recent enough.",
        "Python is too old.",
        f"Install Python {'.'.join(map(str, MIN_PYTHON))} or newer.",
    )
    version = driver_version()
    yield line(
        "sqlite",
        version >= MIN_SQLITE,
        f"SQLite {'.'.join(map(str, version))} is recent enough.",
        "SQLite is too old.",
        f"Install a Python with SQLite {'.'.join(map(str, MIN_SQLITE))} or newer.",
    )
    nearest = _nearest(path)
    yield line(
        "data-writable",
        nearest.is_dir() and os.access(nearest, os.R_OK | os.W_OK | os.X_OK),
        "The data directory can be written.",
        "The data directory cannot be written.",
        "Give the user that runs the server the right to read and write it.",
    )
    private = not path.exists() or path.stat().st_mode & 0o007 == 0
    yield line(
        "data-private",
        private,
        "The data directory is closed to other users of the machine.",
        "Other users of the machine can look into the data directory.",
        "Run: chmod o-rwx on the data directory.",
        warning=True,
    )
    free = disk_free(path)
    yield line(
        "disk-space",
        free >= LOW_FREE_BYTES,
        "There is space on the disk.",
        "The disk is nearly full.",
        "Free some space; a survey of a million answers needs about one gigabyte.",
        warning=free >= LEAST_FREE_BYTES,
    )
    yield line(
        "clock",
        time.time() >= EARLIEST_SECONDS,
        "The clock is plausible.",
        "The clock stands in the past; certificates will not verify.",
        "Turn on time synchronization.",
    )


def disk_free(path: Path) -> int:
    """Free bytes on the disk where a data directory is or will be."""
    return shutil.disk_usage(_nearest(path)).free


def _nearest(path: Path) -> Path:
    """The folder itself, or the nearest above it that exists."""
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists())


def _client(client: ClientFiles | None) -> Iterator[Line]:
    fix = "Build it and restart the server: python -m respondent_client.build"
    yield line(
        "client-built", client is not None, "The respondent's client is built.",
        "The respondent's client is not built.", fix,
    )  # fmt: skip
    if client is None:
        return
    missing = [name for name in CLIENT_NEEDS if name not in client.assets]
    yield line(
        "client-complete", not missing, "The client is complete.",
        "The client lacks " + ", ".join(missing) + ".", fix,
    )  # fmt: skip
    damaged = client.damaged()
    yield line(
        "client-intact", not damaged,
        f"Every file of the client has the hash that it was built with. Build {client.digest}.",
        "Not as they were built: " + ", ".join(damaged) + ".", fix,
    )  # fmt: skip
    large = [name for name, file in client.files.items() if len(file.bodies["identity"]) > 10_000]
    bare = [name for name in large if len(client.files[name].bodies) < 2]
    yield line(
        "client-compressed", not bare, "Large files are compressed beforehand.",
        "Large files are not compressed.", fix, warning=True,
    )  # fmt: skip


def _address(config: Config) -> Iterator[Line]:
    yield line(
        "secure-context",
        config.secure_context,
        "Browsers grant the cryptography that the checks need.",
        "Browsers refuse the cryptography that the checks need, because the address is not encrypted.",
        "Put a proxy with a certificate in front and set public_url to its https address.",
    )
    yield line(
        "operator",
        bool(config.operator),
        "The pages name who runs this server.",
        "The pages do not name who runs this server.",
        "Set operator to a name and a contact.",
        warning=True,
    )


def _surveys(data: DataDirectory) -> Iterator[Line]:
    damaged, weak, overdue = [], [], []
    on_postgres: dict[str, int | str] = {}
    for survey in data.ids():
        try:
            store = data.survey(survey)
            found = store.settings()
            if "journal_mode" not in found:
                on_postgres = found  # one server has all
            elif any(found[name] != value for name, value in DURABLE.items()):
                weak.append(survey)
            if store.is_overdue():
                overdue.append(survey)
        except RoomfulError:
            damaged.append(survey)
    yield line(
        "surveys", not damaged, "Every survey can be read and is the one that was published.",
        "Damaged: " + ", ".join(damaged) + ".", "Restore these surveys from a copy.",
    )  # fmt: skip
    yield line(
        "durability", not weak, "Every SQLite file writes through to the disk and erases what it frees.",
        "The database does not write through: " + ", ".join(weak) + ".",
        "Use an SQLite built with its usual options.",
    )  # fmt: skip
    if on_postgres:
        yield from postgres_lines(on_postgres)
    yield line(
        "retention", not overdue, "No answers are kept for longer than was promised.",
        "Answers should have been deleted: " + ", ".join(overdue) + ".",
        "Run: roomful expire, and do what it says.",
    )  # fmt: skip
