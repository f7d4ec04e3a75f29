"""One-time codes by which an organizer publishes on a server that somebody else runs.

The operator has a code made and gives it to the organizer. Only its hash is kept, in
``DATA/publishing-codes.json``, with the day on which it ends and, once it is used, the digest of what was
sent with it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from server import files
from server.collection.storage import database as db
from server.collection.storage.retention import Today, utc_today
from shared import strict_json
from shared.errors import StorageError, TokenError
from shared.invitation_code import ENTROPY_BYTES, InvitationCode

CODES_FILE: Final = "publishing-codes.json"
DEFAULT_DAYS: Final = 7
MOST_DAYS: Final = 60
_CONTEXT: Final = hashlib.sha256(b"roomful publishing code").digest()
_MOST_BYTES: Final = 2**20
_KEYS: Final = {"hash", "last_day", "used_for", "done"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A code: its hash in hex, its last day (ISO), what it is used for, and whether that is done."""

    hash: str
    last_day: str
    used_for: str | None = None
    done: bool = False


class PublishingCodes:
    """The codes of one data directory.

    Safe for several processes at once.

    Parameters
    ----------
    data : Path
        The data directory.
    today : callable
        The clock, by the day in UTC.
    """

    def __init__(self, data: Path, *, today: Today = utc_today) -> None:
        self._path, self._today = data / CODES_FILE, today

    def make(self, days: int = DEFAULT_DAYS) -> tuple[str, str]:
        """Draw a code; return it and its last day. Codes whose days are over are forgotten.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        code = InvitationCode.create(secrets.token_bytes(ENTROPY_BYTES))
        row = _Row(hash=_hash(code), last_day=(self._today() + timedelta(days=days)).isoformat())
        with files.named_file_errors(CODES_FILE):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with db.turn(self._path):
            self._write((*self._rows(), row))
        return code.text, row.last_day

    def check(self, text: str) -> str:
        """The last day of a code that is known, used or not.

        Raises
        ------
        TokenError
            With the code ``token.publishing`` for any other text; what it was is not repeated.
        """
        return self._find(text, self._rows()).last_day

    @contextmanager
    def using(self, text: str, body: bytes) -> Iterator[bool]:
        """Use a code for what was sent with it, while nobody else uses one; whether that was done before.

        Guarantee: a code publishes one thing, once. It is bound to the digest of `body` before the block
        runs, so a crash at any moment leaves a code that the same bytes alone may use again. If the block
        raises, it is as unused as before.

        Raises
        ------
        TokenError
            With the code ``token.publishing`` if it is none, its days are over, or it was used for
            other bytes.
        StorageError
            If that cannot be written; then it is not used.
        """
        digest = hashlib.sha256(body).hexdigest()
        self.check(text)
        with db.turn(self._path):
            rows = self._rows()
            row = self._find(text, rows)
            if row.used_for not in (None, digest):
                raise _refused()
            bound = replace(row, used_for=digest)
            if not row.done:
                self._write(bound if one is row else one for one in rows)
            try:
                yield row.done
            except BaseException:
                self._write(rows)
                raise
            self._write(replace(bound, done=True) if one is row else one for one in rows)

    def _find(self, text: str, rows: tuple[_Row, ...]) -> _Row:
        try:
            wanted = _hash(InvitationCode.parse(text))
        except TokenError:
            raise _refused() from None
        found = [row for row in rows if hmac.compare_digest(row.hash, wanted)]  # all, whichever it is
        if not found:
            raise _refused()
        return found[0]

    def _rows(self) -> tuple[_Row, ...]:
        """The codes whose days are not over."""
        if not self._path.exists():
            return ()
        with files.named_file_errors(CODES_FILE):
            data = files.read_start(self._path, _MOST_BYTES)
        value = strict_json.loads(data, error=_damaged, where=CODES_FILE, max_bytes=_MOST_BYTES)
        if not isinstance(value, list) or not all(_is_row(row) for row in value):
            raise _damaged("not a list of codes")
        today = self._today().isoformat()
        return tuple(row for row in (_Row(**row) for row in value) if row.last_day >= today)

    def _write(self, rows: Iterable[_Row]) -> None:
        value = [{name: getattr(row, name) for name in sorted(_KEYS)} for row in rows]
        with files.named_file_errors(CODES_FILE):
            files.replace(self._path, strict_json.dumps(value))


def _is_row(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != _KEYS:
        return False
    texts = (value["hash"], value["last_day"], value["used_for"] or "")
    return type(value["done"]) is bool and all(isinstance(text, str) and text.isascii() for text in texts)


def _hash(code: InvitationCode) -> str:
    return code.proof(_CONTEXT).hex()


def _refused() -> TokenError:
    return TokenError(
        "this is no publishing code of this server that can be used",
        remedy="Ask the server's operator for a new one.",
        code="token.publishing",
    )


def _damaged(message: str, **more: str) -> StorageError:
    return StorageError(message, **({"where": CODES_FILE} | more), code="storage.corrupt")
