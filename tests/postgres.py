"""Debian's PostgreSQL in a folder of its own, as an ordinary user, for tests and benchmarks."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

BASE = Path("/usr/lib/postgresql")
USER = "postgres"


def programs() -> Path | None:
    """The folder of the newest installed version, 15 or newer."""
    found = [path for path in BASE.glob("*") if path.name.isdigit() and int(path.name) >= 15]
    return max(found, key=lambda path: int(path.name)) / "bin" if found else None


def why_not() -> str:
    """Why there is none here; empty if there is."""
    if programs() is None:
        return "no PostgreSQL 15 or newer: apt-get install postgresql"
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed: sh deploy/setup.sh --test"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam(USER)
        except KeyError:
            return f"PostgreSQL does not run as root, and there is no user {USER}"
    return ""


class PostgresServer:
    """A server that listens on a socket in its own folder alone."""

    def __init__(self, *settings: str, base: Path | None = None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir=base or "/tmp"))  # noqa: S108 - short, for the socket
        self._as: list[str] = []
        self._made = 0
        self.own(self.folder)
        if os.geteuid() == 0:
            user = pwd.getpwnam(USER)
            self._as = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self.data = self.folder / "data"
        self._run(
            "initdb", "-D", self.data, "-U", "roomful", "-A", "trust", "-N", "-E", "UTF8", "--no-locale"
        )
        settings = ("listen_addresses=''", f"unix_socket_directories='{self.folder}'", *settings)
        with (self.data / "postgresql.conf").open("a") as file:
            file.write("\n".join(settings) + "\n")
        self.start()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"postgresql://roomful@/postgres?host={self.folder}"

    def own(self, folder: Path) -> None:
        """Give a folder to the user who runs the server."""
        if os.geteuid() == 0:
            user = pwd.getpwnam(USER)
            os.chown(folder, user.pw_uid, user.pw_gid)

    def new_database(self, tablespace: Path | None = None) -> str:
        """Make an empty database, in a folder of its own if one is named; returns where it is."""
        self._made += 1
        name = f"test{self._made}"
        words: list[str | Path] = ["-h", self.folder, "-U", "roomful"]
        if tablespace is not None:
            self._run("psql", *words, "-c", f"CREATE TABLESPACE {name} LOCATION '{tablespace}'", "postgres")
            words += ["-D", name]
        self._run("createdb", *words, name)
        return f"postgresql://roomful@/{name}?host={self.folder}"

    def start(self) -> None:
        """Start and wait until it answers."""
        self._run("pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop; ``immediate`` is what a power cut does to it."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def end(self) -> None:
        """Stop and delete it."""
        self.stop()
        shutil.rmtree(self.folder)

    def _run(self, program: str, *words: str | Path) -> None:
        found = programs()
        assert found is not None
        command: Sequence[str | Path] = (*self._as, found / program, *words)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")
