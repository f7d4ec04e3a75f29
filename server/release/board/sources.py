"""Where an outsider gets the files of a board: a folder, or a server."""

from __future__ import annotations

import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import quote, urlsplit

from server.collection.board_folder import (
    BOARD_FILE,
    BOARD_FOLDER,
    CHECKPOINT_FILE,
    RECEIPTS_FILE,
    ROLL_FILE,
    USED_CODES_FILE,
    BoardFiles,
)
from server.collection.publishing.publication import Publication
from server.collection.storage.published import RELEASE_NAME, SPECIFICATION_NAME
from server.files import read_bounded
from server.keys.signing import ENVELOPE_FILE
from shared.envelope import Envelope
from shared.errors import InputError, NotFoundError, RemoteError
from shared.hash_list import LINE_BYTES
from shared.limits import (
    MAX_BOARD_BYTES,
    MAX_CHECKPOINT_BYTES,
    MAX_ENVELOPE_BYTES,
    MAX_MODEL_BYTES,
    MAX_RECEIPTS,
)
from shared.parts import named_parts
from shared.roll import MAX_ROLL_BYTES, MAX_TOKENS_BYTES

TIMEOUT_SECONDS: Final = 60.0
MAX_RELEASED_BYTES: Final = 2**30
_MAX_BOARD_ENVELOPE: Final = 2 * MAX_BOARD_BYTES
"""In base64 and an envelope, a board is a third longer."""
_MAX_LIST: Final = LINE_BYTES * MAX_RECEIPTS


class Source(Protocol):
    """The files of a board, as bytes that nobody has verified."""

    def specification(self) -> bytes:
        """The signed specification."""

    def board(self) -> BoardFiles:
        """The board's five files."""

    def released(self, name: str) -> bytes | None:
        """A released file; None if it is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """Files in a folder (:class:`Source`): as in a data directory, or all beside one another."""

    folder: Path

    def specification(self) -> bytes:
        return self._first((SPECIFICATION_NAME, ENVELOPE_FILE), MAX_ENVELOPE_BYTES)

    def board(self) -> BoardFiles:
        return BoardFiles(
            board=self._first(_places(BOARD_FILE), _MAX_BOARD_ENVELOPE),
            checkpoint=self._first(_places(CHECKPOINT_FILE), MAX_CHECKPOINT_BYTES),
            receipts=self._first(_places(RECEIPTS_FILE), _MAX_LIST),
            roll=self._first(_places(ROLL_FILE), MAX_ROLL_BYTES),
            used_codes=self._first(_places(USED_CODES_FILE), _MAX_LIST),
        )

    def released(self, name: str) -> bytes | None:
        for path in (self.folder / RELEASE_NAME / name, self.folder / name):
            if path.is_file():
                return _read(path, MAX_RELEASED_BYTES)
        return None

    def _first(self, names: tuple[str, ...], most: int) -> bytes:
        for name in names:
            if (self.folder / name).is_file():
                return _read(self.folder / name, most)
        raise InputError(
            "there is no such file", where=str(self.folder), expected=" or ".join(names), code="input.board"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSource:
    """Files from a server (:class:`Source`).

    Guarantee: it asks for the same files whoever asks, and never for a single receipt.
    """

    base: str
    survey: str

    @classmethod
    def parse(cls, address: str) -> ServerSource:
        """From a survey's address ``.../s/<id>``, with anything after it.

        Raises
        ------
        InputError
            If it is not one.
        """
        parts = urlsplit(address)
        before, _, after = parts.path.partition("/s/")
        survey = after.partition("/")[0]
        if parts.scheme not in ("http", "https") or not parts.hostname or len(survey) not in (16, 64):
            raise InputError(
                "not the address of a survey",
                where=f"{parts.scheme}://{parts.netloc}{parts.path}",
                expected="https://HOST/s/ID, as in the invitation",
                code="input.board",
            )
        return cls(base=f"{parts.scheme}://{parts.netloc}{before}/", survey=survey)

    def specification(self) -> bytes:
        return self._get(f"api/v1/surveys/{self.survey}/specification", MAX_ENVELOPE_BYTES)

    def publication(self) -> Publication:
        """The signed specification with all its parts, and the public model: bytes that nobody verified.

        Raises
        ------
        EnvelopeError, SpecificationError
            If no parts can be read from what the server sent.
        NotFoundError, RemoteError
            If something does not arrive.
        """
        survey, envelope = f"api/v1/surveys/{self.survey}", self.specification()
        parts = {
            named.digest: self._get(f"{survey}/parts/{named.digest}", named.n_bytes)
            for named in named_parts(Envelope.parse(envelope).payload)
        }
        try:
            model = self._get(f"{survey}/model", MAX_MODEL_BYTES)
        except NotFoundError:
            model = None
        return Publication(envelope=envelope, model=model, roll=None, parts=parts)

    def board(self) -> BoardFiles:
        board = f"api/v1/surveys/{self.survey}/board"
        return BoardFiles(
            board=self._get(board, _MAX_BOARD_ENVELOPE),
            checkpoint=self._get(f"{board}/checkpoint", MAX_CHECKPOINT_BYTES),
            receipts=self._get(f"{board}/receipts", _MAX_LIST),
            roll=self._get(f"{board}/roll", MAX_ROLL_BYTES),
            used_codes=self._get(f"{board}/used-codes", _MAX_LIST),
        )

    def released(self, name: str) -> bytes | None:
        try:
            return self._get(f"s/{self.survey}/release/{quote(name)}", MAX_RELEASED_BYTES)
        except NotFoundError:
            return None

    def election_file(self, name: str, most: int) -> bytes:
        """``ballots``, ``rehearsal`` or ``result`` of an election; NotFoundError if it is not published."""
        return self._get(f"api/v1/surveys/{self.survey}/board/{name}", most)

    def tokens(self) -> bytes | None:
        """How many tokens each box of an election has; None if this server has no registrar to say so."""
        try:
            return self._get(f"api/v1/surveys/{self.survey}/tokens", MAX_TOKENS_BYTES)
        except (NotFoundError, RemoteError):
            return None

    def _get(self, path: str, most: int) -> bytes:
        request = urllib.request.Request(  # noqa: S310 - http or https, see parse
            self.base + path, headers={"User-Agent": "roomful", "Accept-Encoding": "identity"}
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
                data: bytes = answer.read(most + 1)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 404:
                    raise NotFoundError(
                        "the server has no such file", where=path, code="not-found.board"
                    ) from None
                raise RemoteError(f"the server answered {error.code}", where=self.base + path) from None
        except (OSError, ValueError) as error:
            raise RemoteError(f"the server cannot be reached ({error})", where=self.base) from None
        if len(data) > most:
            raise RemoteError(
                "the server sent more than such a file can hold", where=path, expected=f"at most {most} bytes"
            )
        return data


def find_source(folder_or_url: str) -> Source:
    """The source that somebody named on the command line.

    Raises
    ------
    InputError
        If it is neither a folder nor the address of a survey.
    """
    if folder_or_url.startswith(("http://", "https://")):
        return ServerSource.parse(folder_or_url)
    folder = Path(folder_or_url)
    if not folder.is_dir():
        raise InputError(
            "there is no such folder",
            where=folder_or_url,
            expected="a folder with the board's files, or the survey's address",
            code="input.board",
        )
    return FolderSource(folder=folder)


def _places(name: str) -> tuple[str, str]:
    return f"{BOARD_FOLDER}/{name}", name


def _read(path: Path, most: int) -> bytes:
    return read_bounded(path, most, lambda message: InputError(message, where=str(path), code="input.board"))
