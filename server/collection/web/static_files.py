"""Files with the hash of their bytes in the name, compressed beforehand and kept in memory."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final, Self

import brotli

from shared.errors import SetupError

ENTRY_POINT: Final = ("roomful.client", "static")
MANIFEST_NAME: Final = "manifest.json"
SUMS_NAME: Final = "SHA256SUMS"
TEMPLATES: Final = ("survey.html", "board.html", "verify.html")
"""Pages that are filled in for each survey, by their names in the manifest."""

TYPES: Final = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".csv": "text/csv; charset=utf-8",
        ".data": "application/octet-stream",
        ".html": "text/html; charset=utf-8",
        ".ico": "image/x-icon",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".map": "application/json",
        ".md": "text/plain; charset=utf-8",
        ".mjs": "text/javascript; charset=utf-8",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
        ".woff2": "font/woff2",
        ".zip": "application/zip",
    }
)
"""Registered here, not asked of the machine: with another type for ``.wasm`` or ``.mjs``, Pyodide hangs."""


def content_type(name: str) -> str:
    """The type of a file by the end of its name."""
    return TYPES.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticFile:
    """A file ready to be sent.

    Attributes
    ----------
    content_type : str
        See :data:`TYPES`.
    bodies : mapping
        Content encoding (``"identity"``, ``"gzip"``, ``"br"``) -> bytes; only those that are smaller.
    immutable : bool
        Whether the name holds the hash of the bytes.
    """

    content_type: str
    bodies: Mapping[str, bytes]
    immutable: bool

    @classmethod
    def compress(cls, kind: str, data: bytes, *, immutable: bool = False, quality: int = 5) -> Self:
        """Compress bytes of a content type that have no compressed copy beside them."""
        bodies = {
            "br": brotli.compress(data, quality=quality),
            "gzip": gzip.compress(data, 6, mtime=0),
        }
        smaller = {encoding: body for encoding, body in bodies.items() if len(body) < len(data)}
        return cls(content_type=kind, bodies={"identity": data, **smaller}, immutable=immutable)

    def choose(self, accepted: Mapping[str, float]) -> str:
        """The smallest encoding that the request accepts.

        Parameters
        ----------
        accepted : mapping
            Encoding -> quality, ``"*"`` included, as in Accept-Encoding.
        """
        any_other = accepted.get("*", 0.0)
        for encoding in ("br", "gzip"):
            if encoding in self.bodies and accepted.get(encoding, any_other) > 0:
                return encoding
        return "identity"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientFiles:
    """The respondent's client as built.

    Attributes
    ----------
    assets : mapping
        Logical name -> name with hash, from the manifest.
    files : mapping
        Name -> file; only these are served.
    page : str
        The template of the respondent's page.
    board_page : str or None
        The template of the public board's page; None if the client has none.
    verify_page : str or None
        That of the page on which ballots of elections are tested.
    texts : mapping
        Language -> key -> text, as the client shows them.
    sums : bytes
        ``SHA256SUMS`` of the build: a line for each file, the templates included.
    """

    assets: Mapping[str, str]
    files: Mapping[str, StaticFile]
    page: str
    texts: Mapping[str, Mapping[str, str]]
    board_page: str | None = None
    verify_page: str | None = None
    sums: bytes = b""

    @property
    def digest(self) -> str:
        """The build's digest, which the pages show and the release notes name."""
        return hashlib.sha256(self.sums).hexdigest()

    def damaged(self) -> tuple[str, ...]:
        """Names of files that are not what the build wrote, in any form in which they are sent."""
        templates = {
            self.assets.get("survey.html"): self.page,
            self.assets.get("board.html"): self.board_page,
            self.assets.get("verify.html"): self.verify_page,
        }
        found = {
            name: [text.encode("utf-8")] for name, text in templates.items() if name and text is not None
        }
        for name, file in self.files.items():
            found[name] = [decoded(encoding, body) for encoding, body in file.bodies.items()]
        wanted = dict(line.split("  ", 1)[::-1] for line in self.sums.decode("ascii", "replace").splitlines())
        return tuple(
            sorted(
                name
                for name in found.keys() | wanted.keys()
                if {hashlib.sha256(body).hexdigest() for body in found.get(name, ())} != {wanted.get(name)}
            )
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read a built client.

        Raises
        ------
        SetupError
            If it was not built, or a file of its manifest is missing.
        """
        remedy = "Build it: python -m respondent_client.build"
        try:
            assets = json.loads((folder / MANIFEST_NAME).read_bytes())
        except (OSError, ValueError):
            raise SetupError(
                "the respondent's client is not built", remedy=remedy, code="setup.client-missing"
            ) from None
        if not isinstance(assets, dict) or not all(isinstance(name, str) for name in assets.values()):
            raise SetupError("the client's manifest is damaged", remedy=remedy, code="setup.client-damaged")
        templates = {page: assets[page] for page in TEMPLATES if page in assets}
        files = {}
        try:
            for name in assets.values():
                if name not in templates.values():
                    files[name] = _find(folder, name)
            pages = {page: (folder / name).read_bytes().decode("utf-8") for page, name in templates.items()}
            page = pages["survey.html"]
            sums = (folder / SUMS_NAME).read_bytes()
            texts = {
                PurePosixPath(logical).stem: json.loads((folder / name).read_bytes())
                for logical, name in assets.items()
                if logical.startswith("texts/")
            }
        except (KeyError, OSError, ValueError):
            raise SetupError(
                "a file of the client is missing or damaged", remedy=remedy, code="setup.client-damaged"
            ) from None
        return cls(
            assets=MappingProxyType(assets),
            files=MappingProxyType(files),
            page=page,
            texts=texts,
            board_page=pages.get("board.html"),
            verify_page=pages.get("verify.html"),
            sums=sums,
        )


def find_client() -> ClientFiles:
    """The client that is installed beside the server, through its entry point.

    Raises
    ------
    SetupError
        If none is installed or it is not built.
    """
    return ClientFiles.load(client_folder())


def client_folder() -> Path:
    """Where that client is built.

    Raises
    ------
    SetupError
        If none is installed.
    """
    group, name = ENTRY_POINT
    for entry in metadata.entry_points(group=group, name=name):
        try:
            return Path(entry.load()())
        except ImportError:
            continue
    raise SetupError(
        "no respondent's client is installed",
        remedy="Install the whole package: pip install .",
        code="setup.client-missing",
    )


def decoded(encoding: str, body: bytes) -> bytes:
    """The bytes that a browser sees; empty if they cannot be unpacked."""
    try:
        if encoding == "br":
            unpacked: bytes = brotli.decompress(body)
            return unpacked
        return gzip.decompress(body) if encoding == "gzip" else body
    except (brotli.error, OSError, EOFError, zlib.error):
        return b""


def own_style(path: Path) -> tuple[str, StaticFile]:
    """The server's own style sheet and its name with hash."""
    data = path.read_bytes()
    name = f"{path.stem}.{hashlib.sha256(data).hexdigest()[:16]}{path.suffix}"
    return name, StaticFile.compress(content_type(name), data, immutable=True, quality=11)


class _OnDisk(Mapping[str, bytes]):
    """Bodies that are read when they are sent: a server keeps nothing of Pyodide's megabytes in memory."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = dict(paths)

    def __getitem__(self, encoding: str) -> bytes:
        path = self._paths[encoding]
        try:
            return path.read_bytes()
        except OSError:
            raise SetupError(
                "a file of the client has gone since the server started",
                where=path.name,
                remedy="Restart the server after building the client.",
                code="setup.client-damaged",
            ) from None

    def __contains__(self, encoding: object) -> bool:
        return encoding in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def _find(folder: Path, name: str) -> StaticFile:
    path = folder / name
    beside = {
        encoding: path.with_name(path.name + suffix) for encoding, suffix in (("br", ".br"), ("gzip", ".gz"))
    }
    compressed = {encoding: other for encoding, other in beside.items() if other.is_file()}
    if not path.is_file():
        raise FileNotFoundError(name)
    return StaticFile(
        content_type=content_type(name), bodies=_OnDisk({"identity": path, **compressed}), immutable=True
    )
