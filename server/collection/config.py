"""One frozen configuration from defaults, ``DATA/roomful.toml``, the environment and the command line."""

from __future__ import annotations

import ipaddress
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

from server.collection.storage.data_directory import DataDirectory
from server.collection.storage.databases import databases_at
from server.files import replace
from shared.errors import SetupError, StateError

FILE_NAME: Final = "roomful.toml"
PREFIX: Final = "ROOMFUL_SERVER_"
RESERVED: Final = ("api", "checkup", "healthz", "metrics", "pages", "s", "static")
"""First path segments that the application uses itself."""


ROLES: Final = ("all", "registrar", "collector")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything that can be set; the meaning stands in the metadata and in the operator's guide."""

    host: str = field(default="127.0.0.1", metadata={"help": "Address to listen on."})
    port: int = field(default=8000, metadata={"help": "Port to listen on, 1 to 65535."})
    public_url: str = field(
        default="",
        metadata={"help": "Address under which people reach the server, with its sub-path if it has one."},
    )
    operator: str = field(
        default="", metadata={"help": "Who runs the server and how to reach them, shown on every page."}
    )
    list_surveys: bool = field(
        default=True, metadata={"help": "Whether the first page lists open and released surveys."}
    )
    processes: int = field(default=2, metadata={"help": "Worker processes, 1 to 16; one per core."})
    threads: int = field(
        default=64, metadata={"help": "Requests that each process serves at once, 1 to 256."}
    )
    connections: int = field(
        default=1000,
        metadata={"help": "Connections that each process keeps at once, 16 to 10000; more wait."},
    )
    role: str = field(
        default="all",
        metadata={
            "help": "Part of this server in invited surveys: registrar (issues tokens), collector (takes"
            " ballots), or all."
        },
    )
    anchor_dir: str = field(
        default="",
        metadata={
            "help": "Folder, outside the data directory and its backups, by which a restored database is"
            " noticed; beside the data directory if empty."
        },
    )
    database: str = field(
        default="",
        metadata={
            "help": "Address of a PostgreSQL 15 or newer, postgresql://USER@HOST/NAME, for codes, answers,"
            " ballots and a relay's pool; SQLite files in the data directory if empty."
        },
    )
    quiet_seconds: int = field(
        default=3,
        metadata={
            "help": "Seconds without submissions after which the database is put into key order, 1 to 60."
        },
    )

    def __post_init__(self) -> None:
        for setting in fields(self):
            value, wanted = getattr(self, setting.name), type(setting.default)
            if type(value) is not wanted:
                raise _refused(setting.name, f"{type(value).__name__} given", wanted.__name__)
        for name, low, high in (
            ("port", 1, 65535),
            ("processes", 1, 16),
            ("threads", 1, 256),
            ("connections", 16, 10_000),
            ("quiet_seconds", 1, 60),
        ):
            if not low <= getattr(self, name) <= high:
                raise _refused(name, "out of range", f"{low} to {high}")
        if self.role == "relay":
            raise SetupError(
                "a relay is a program of its own",
                where="role",
                expected=", ".join(ROLES),
                remedy="Run it with: roomful relay LINK.",
                code="setup.config",
            )
        if self.role not in ROLES:
            raise _refused("role", "no such role", ", ".join(ROLES))
        if self.anchor_dir and not Path(self.anchor_dir).is_absolute():
            raise _refused("anchor_dir", "not an absolute path", "a path that begins with a slash")
        if self.database:
            require_postgresql(self.database, "database", "or nothing")
        if not self.public_url:
            shown = f"[{self.host}]" if ":" in self.host else self.host
            object.__setattr__(self, "public_url", f"http://{shown}:{self.port}/")
        self._check_public_url()

    def _check_public_url(self) -> None:
        expected = "an address like https://example.org/ or https://example.org/surveys/"
        try:
            parts = urlsplit(self.public_url)
            port = parts.port
        except ValueError:
            raise _refused("public_url", "not an address", expected) from None
        if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
            raise _refused("public_url", "not a web address", expected)
        if parts.query or parts.fragment or parts.username is not None or not self.public_url.isascii():
            raise _refused("public_url", "has a query, a fragment, a user or unusual characters", expected)
        segments = parts.path.removeprefix("/").removesuffix("/").split("/")
        if segments != [""] and any(segment in ("", ".", "..") or "%" in segment for segment in segments):
            raise _refused("public_url", "has an irregular path", expected)
        if segments[0] in RESERVED:
            raise _refused("public_url", f"the sub-path begins with {segments[0]}", "another sub-path")
        if not self.public_url.endswith("/"):
            object.__setattr__(self, "public_url", self.public_url + "/")

    @property
    def base(self) -> str:
        """The path of :attr:`public_url`, beginning and ending with a slash."""
        return urlsplit(self.public_url).path

    def open_data(self, path: Path) -> DataDirectory:
        """The data directory with the settings that concern it."""
        anchors = Path(self.anchor_dir) if self.anchor_dir else None
        databases = databases_at(self.database)
        return DataDirectory(path, quiet_seconds=self.quiet_seconds, anchors=anchors, databases=databases)

    def require_role(self, role: str) -> None:
        """Refuse what this server's role leaves to another one, whatever keys it has.

        Raises
        ------
        StateError
            With the code ``state.role``.
        """
        if self.role not in ("all", role):
            raise StateError(
                f"this server is not the {role}",
                remedy=f"Ask the {role}'s server; here role is set to {self.role}.",
                code="state.role",
            )

    @property
    def takes_answers(self) -> bool:
        """Whether submissions arrive here, and not at another server."""
        return self.role != "registrar"

    @property
    def https(self) -> bool:
        """Whether people reach the server encrypted."""
        return self.public_url.startswith("https:")

    @property
    def secure_context(self) -> bool:
        """Whether browsers grant WebCrypto under :attr:`public_url`: over https, or on the same machine."""
        return self.https or is_loopback(urlsplit(self.public_url).hostname or "")

    @classmethod
    def load(cls, data: Path, environment: Mapping[str, str], options: Mapping[str, Any]) -> Self:
        """Read the configuration; later sources win.

        Parameters
        ----------
        data : Path
            The data directory, which may hold ``roomful.toml``.
        environment : mapping
            Variables ``ROOMFUL_SERVER_<SETTING>`` are read, others ignored.
        options : mapping
            From the command line; None means not given.

        Raises
        ------
        SetupError
            If a key is unknown or a value impossible; it names the place.
        """
        values: dict[str, Any] = {}
        path = data / FILE_NAME
        known = {setting.name: type(setting.default) for setting in fields(cls)}
        if path.is_file():
            try:
                document = tomllib.loads(path.read_text("utf-8"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
                raise SetupError(f"cannot be read: {error}", where=FILE_NAME, code="setup.config") from None
            for name, value in document.items():
                if name not in known:
                    raise _refused(name, f"unknown setting in {FILE_NAME}", "one of " + ", ".join(known))
                values[name] = value
        for variable, text in environment.items():
            if not variable.startswith(PREFIX):
                continue
            name = variable.removeprefix(PREFIX).lower()
            if name not in known:
                raise _refused(variable, "unknown variable", "one of " + ", ".join(known))
            values[name] = _from_text(variable, text, known[name])
        values.update({name: value for name, value in options.items() if value is not None})
        return cls(**values)


def set_database(data: Path, url: str) -> None:
    """Change the setting ``database`` in ``DATA/roomful.toml``, all or nothing; the other lines stay.

    Raises
    ------
    SetupError
        If the file's own line for it cannot be told apart.
    """
    path = data / FILE_NAME
    text = path.read_text("utf-8") if path.is_file() else ""
    line = f"database = {json.dumps(url)}"
    changed, number = re.subn(r"(?m)^[ \t]*database[ \t]*=.*$", lambda _: line, text)
    if not number:
        changed = f"{line}\n{text}"
    if tomllib.loads(changed) != tomllib.loads(text) | {"database": url}:
        raise _refused("database", f"cannot be changed in {FILE_NAME}", f"a line of its own: {line}")
    replace(path, changed.encode("utf-8"))


def is_loopback(host: str) -> bool:
    """Whether a host name means this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _from_text(variable: str, text: str, wanted: type) -> Any:
    if wanted is bool:
        if text.lower() not in ("true", "false"):
            raise _refused(variable, "not a truth value", "true or false")
        return text.lower() == "true"
    if wanted is int:
        if not (text.isascii() and text.isdigit()):
            raise _refused(variable, "not a number", "digits")
        return int(text)
    return text


def require_postgresql(address: str, where: str, or_what: str) -> None:
    """Refuse an address of another database program; ``or_what`` names what else is taken there."""
    if not address.startswith(("postgresql://", "postgres://")):
        raise _refused(where, "not a PostgreSQL address", f"postgresql://USER@HOST/NAME, {or_what}")


def _refused(name: str, message: str, expected: str) -> SetupError:
    return SetupError(message, where=name, expected=expected, code="setup.config")
